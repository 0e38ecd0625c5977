// A line of text that is being typed: what a reader calls characters, and where the caret is.

import type { Key } from "./keys.ts";

export interface Line {
  readonly before: readonly string[];
  readonly after: readonly string[];
}

export const emptyLine: Line = { before: [], after: [] };

/** Characters of one answer. */
const MOST = 4_000;

export function textOf({ before, after }: Line): string {
  return [...before, ...after].join("");
}

export function lineOf(text: string): Line {
  return insert(emptyLine, text);
}

function insert({ before, after }: Line, text: string): Line {
  const typed = text.replace(/\s*\n\s*/g, " ");
  // A mark that is typed after its letter belongs to it.
  const all = [...segmenter.segment(before.join("") + typed)].map(({ segment }) => segment);
  return { before: all.slice(0, Math.max(0, MOST - after.length)), after };
}

const segmenter = new Intl.Segmenter(undefined, { granularity: "grapheme" });

/** The line after the key; undefined for one that means nothing to it. */
export function type(line: Line, { name, text }: Key): Line | undefined {
  const { before, after } = line;
  switch (name) {
    case "text":
    case "paste":
      return insert(line, text);
    case "backspace":
      return { before: before.slice(0, -1), after };
    case "delete":
      return { before, after: after.slice(1) };
    case "delete-line":
      return { before: [], after };
    case "delete-word":
      return { before: lineOf(before.join("").replace(/\S*\s*$/, "")).before, after };
    case "left":
      return { before: before.slice(0, -1), after: [...before.slice(-1), ...after] };
    case "right":
      return { before: [...before, ...after.slice(0, 1)], after: after.slice(1) };
    case "home":
      return { before: [], after: [...before, ...after] };
    case "end":
      return { before: [...before, ...after], after: [] };
    default:
      return undefined;
  }
}
