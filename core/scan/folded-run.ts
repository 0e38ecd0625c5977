// A run of characters that every match contains, whatever the case of its letters: what a search that ignores case looks for
// first.

import type { Node } from "./automaton.ts";

/** Bytes of ASCII, letters in lower case. */
export type FoldedRun = readonly { readonly byte: number; readonly isLetter: boolean }[];

/** Shorter ones are found too often. */
const LEAST = 3;

/** @returns the longest, if it has a letter: without any, plain literals serve better */
export function foldedRun(node: Node): FoldedRun | undefined {
  const runs: FoldedRun[] = [];
  let run: FoldedRun[number][] = [];
  const close = (): void => {
    runs.push(run);
    run = [];
  };

  function visit(part: Node): void {
    switch (part.kind) {
      case "all":
        part.parts.forEach(visit);
        return;
      case "set": {
        const { only, letter } = part.set;
        if (letter !== undefined) run.push({ byte: letter, isLetter: true });
        else if (only !== undefined && only < 128) run.push({ byte: only, isLetter: false });
        else close();
        return;
      }
      case "assert":
        return;
      case "repeat":
        close();
        // Once it is there for certain; what follows need not follow this once.
        if (part.least > 0) visit(part.node);
        close();
        return;
      default:
        close();
    }
  }

  visit(node);
  close();
  let best: FoldedRun | undefined;
  for (const each of runs) {
    if (each.length < LEAST || !each.some(({ isLetter }) => isLetter)) continue;
    if (!best || each.length > best.length) best = each;
  }
  return best;
}
