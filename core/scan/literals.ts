// Texts of which a match must contain one: what lets a search skip from candidate to candidate.

import type { Node } from "./automaton.ts";

export interface Literals {
  /** One of these is in every match. */
  readonly texts: readonly string[];
  /** And wherever one of them is, there is a match. */
  readonly decide: boolean;
}

interface Facts {
  /** All that it can match, where that is a few texts. */
  readonly exact: readonly string[] | undefined;
  readonly needed: readonly string[] | undefined;
  /** It asserts nothing, so that its texts say all. */
  readonly pure: boolean;
}

const MOST_TEXTS = 16;
const LONGEST = 100;

export function requiredLiterals(node: Node): Literals | undefined {
  const { exact, needed, pure } = factsOf(node);
  const texts = better(exact, needed);
  if (!texts || texts.some((text) => text === "")) return undefined;
  return { texts: withoutLonger(texts), decide: texts === exact && pure };
}

function factsOf(node: Node): Facts {
  switch (node.kind) {
    case "set": {
      const { only } = node.set;
      const exact =
        only === undefined || only > 0x10ffff ? undefined : [String.fromCodePoint(only)];
      return { exact, needed: undefined, pure: true };
    }
    case "assert":
      return { exact: [""], needed: undefined, pure: false };
    case "all":
      return factsOfAll(node.parts.map(factsOf));
    case "choice":
      return factsOfChoice(node.choices.map(factsOf));
    case "repeat": {
      if (node.least === 0) return { exact: undefined, needed: undefined, pure: true };
      const inner = factsOf(node.node);
      if (node.most === 1) return inner;
      const needed = better(inner.exact, inner.needed);
      return { exact: undefined, needed, pure: inner.pure };
    }
    case "unlike":
      return { exact: undefined, needed: undefined, pure: true };
  }
}

function factsOfAll(parts: readonly Facts[]): Facts {
  let needed: readonly string[] | undefined;
  let run: readonly string[] = [""];
  let isExact = true;
  const flush = (): void => {
    needed = better(needed, run.includes("") ? undefined : run);
    run = [""];
  };
  for (const { exact, needed: inner } of parts) {
    const joined = exact && product(run, exact);
    if (joined) {
      run = joined;
      continue;
    }
    isExact = false;
    flush();
    needed = better(needed, inner);
    if (exact) run = exact;
  }
  const pure = parts.every((part) => part.pure);
  if (isExact) return { exact: run, needed: undefined, pure };
  flush();
  return { exact: undefined, needed, pure };
}

function factsOfChoice(choices: readonly Facts[]): Facts {
  const pure = choices.every((choice) => choice.pure);
  if (choices.every(({ exact }) => exact)) {
    const exact = [...new Set(choices.flatMap((choice) => choice.exact!))];
    if (exact.length <= MOST_TEXTS) return { exact, needed: undefined, pure };
  }
  const each = choices.map(({ exact, needed }) => better(exact, needed));
  const all = [...new Set(each.flatMap((texts) => texts ?? [""]))];
  const isUsable = all.length <= MOST_TEXTS && !all.includes("");
  return { exact: undefined, needed: isUsable ? all : undefined, pure };
}

function product(a: readonly string[], b: readonly string[]): readonly string[] | undefined {
  if (a.length * b.length > MOST_TEXTS) return undefined;
  const all = a.flatMap((left) => b.map((right) => left + right));
  return all.some((text) => text.length > LONGEST) ? undefined : all;
}

/** The one whose shortest text is longer; of equals, the one with fewer. */
function better(
  a: readonly string[] | undefined,
  b: readonly string[] | undefined,
): readonly string[] | undefined {
  if (!a || a.includes("")) return b && !b.includes("") ? b : (a ?? b);
  if (!b || b.includes("")) return a;
  const [shortA, shortB] = [shortest(a), shortest(b)];
  if (shortA === shortB) return a.length <= b.length ? a : b;
  return shortA > shortB ? a : b;
}

function shortest(texts: readonly string[]): number {
  return Math.min(...texts.map((text) => text.length));
}

/** "ab" is in "abc", so looking for it finds both. */
function withoutLonger(texts: readonly string[]): readonly string[] {
  return texts.filter((text) => !texts.some((other) => other !== text && text.includes(other)));
}
