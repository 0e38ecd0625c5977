// Bracket expressions of globs and of ignore rules: `[a-z]`, `[!x]`, `[[:alpha:]]`.

import { anySymbol, type CharSet, except, noSymbol, one, ranges, union } from "./char-set.ts";

export interface ParsedClass {
  readonly set: CharSet;
  /** Where the text goes on. */
  readonly end: number;
}

const posix: Readonly<Record<string, CharSet>> = {
  alnum: asciiSet(/[0-9A-Za-z]/),
  alpha: asciiSet(/[A-Za-z]/),
  blank: asciiSet(/[ \t]/),
  // oxlint-disable-next-line no-control-regex -- they are what the class is about
  cntrl: asciiSet(/[\0-\x1f\x7f]/),
  digit: asciiSet(/[0-9]/),
  graph: asciiSet(/[!-~]/),
  lower: asciiSet(/[a-z]/),
  print: asciiSet(/[ -~]/),
  punct: asciiSet(/[!-/:-@[-`{-~]/),
  space: asciiSet(/[ \t\n\v\f\r]/),
  upper: asciiSet(/[A-Z]/),
  xdigit: asciiSet(/[0-9A-Fa-f]/),
};

function asciiSet(pattern: RegExp): CharSet {
  return { has: (symbol) => symbol < 128 && pattern.test(String.fromCharCode(symbol)) };
}

/**
 * The class whose "[" stands at an offset, read as git reads it.
 * @returns undefined where it is not closed or names no class
 */
export function parseClass(text: string, open: number): ParsedClass | undefined {
  let at = open + 1;
  const isNegated = text[at] === "!" || text[at] === "^";
  if (isNegated) at++;
  const sets: CharSet[] = [];
  let previous: number | undefined;
  for (let isFirst = true; isFirst || text[at] !== "]"; isFirst = false) {
    let symbol = text.codePointAt(at);
    if (symbol === undefined) return undefined;
    const char = String.fromCodePoint(symbol);
    const next = text[at + 1];
    if (char === "-" && previous !== undefined && next !== undefined && next !== "]") {
      at++;
      if (text[at] === "\\") at++;
      const last = text.codePointAt(at);
      if (last === undefined) return undefined;
      sets.push(last < previous ? noSymbol : ranges([[previous, last]]));
      at += last > 0xffff ? 2 : 1;
      previous = undefined;
      continue;
    }
    if (char === "[" && next === ":") {
      const close = text.indexOf("]", at + 2);
      if (close === -1) return undefined;
      if (close > at + 2 && text[close - 1] === ":") {
        const named = posix[text.slice(at + 2, close - 1)];
        if (!named) return undefined;
        sets.push(named);
        at = close + 1;
        previous = undefined;
        continue;
      }
    }
    if (char === "\\") {
      at++;
      symbol = text.codePointAt(at);
      if (symbol === undefined) return undefined;
    }
    sets.push(one(symbol));
    at += symbol > 0xffff ? 2 : 1;
    previous = symbol;
  }
  const set = union(sets);
  return { set: isNegated ? except(anySymbol, set) : set, end: at + 1 };
}
