// The one grammar of line ranges (tools.md §2.1): "5", "5-", "5-9", "5..9", "5+3", "L5-L9", and lists of these.

import { AtomicError } from "../errors.ts";

/** 1-based and inclusive; without `last` the range goes to the end of the text. */
export interface LineRange {
  readonly first: number;
  readonly last: number | undefined;
}

/** Neighbouring lines that are shown together; both ends exist in the text. */
export interface LineRun {
  readonly first: number;
  readonly last: number;
}

export interface Selection {
  /** Sorted, and never adjacent. */
  readonly runs: readonly LineRun[];
  /** The ranges that begin after the last line. */
  readonly beyond: readonly LineRange[];
}

/** Whether a text is meant as line ranges. What only looks like it is then refused by `parseRanges`. */
export function looksLikeRanges(text: string): boolean {
  return /^[lL]?\d[\dlL.,+ -]*$/.test(text);
}

/** Whether a text is one line number and nothing else. */
export function isBareLine(text: string): boolean {
  return /^[lL]?\d+$/.test(text);
}

/**
 * In the order they were written. A bare number goes to the end of the text, in a list it is that line alone.
 * @throws AtomicError `selector.line`
 */
export function parseRanges(text: string): readonly LineRange[] {
  const elements = text.split(",").map((element) => element.trim());
  return elements.map((element) => {
    if (element === "") throw malformed(text, "an element of the list is empty");
    return parseRange(element, text, elements.length > 1);
  });
}

/** "10:12" as grep and compilers write it: two lines, or where the second is less, a line and a column. */
export function grepRange(line: string, second: string): LineRange {
  const whole = `${line}:${second}`;
  const first = lineNumber(digits(line), whole);
  const last = safeInteger(digits(second), whole);
  return { first, last: last >= first ? last : undefined };
}

/** As it is written after a path, in its canonical form. */
export function formatRange({ first, last }: LineRange): string {
  if (last === undefined) return `${first}-`;
  return last === first ? `${first}` : `${first}-${last}`;
}

/**
 * What of a text of `lineCount` lines to show. Bounded ranges get context rows on both sides, open ones stand as they are.
 */
export function selectLines(
  ranges: readonly LineRange[],
  lineCount: number,
  context: { readonly before: number; readonly after: number },
): Selection {
  const padded: LineRun[] = [];
  for (const { first, last } of ranges) {
    if (first > lineCount) continue;
    if (last === undefined) padded.push({ first, last: lineCount });
    else {
      padded.push({
        first: Math.max(1, first - context.before),
        last: Math.min(lineCount, last + context.after),
      });
    }
  }
  padded.sort((a, b) => a.first - b.first);
  const runs: LineRun[] = [];
  for (const run of padded) {
    const previous = runs.at(-1);
    if (previous && run.first <= previous.last + 1) {
      runs[runs.length - 1] = {
        first: previous.first,
        last: Math.max(previous.last, run.last),
      };
    } else {
      runs.push(run);
    }
  }
  return { runs, beyond: ranges.filter(({ first }) => first > lineCount) };
}

function parseRange(element: string, whole: string, inList: boolean): LineRange {
  const match = /^[lL]?(\d+)(?:(-|\.\.)(?:[lL]?(\d+))?|(\+)(\d*))?$/.exec(element);
  if (!match) throw malformed(whole, `${JSON.stringify(element)} is no line range`);
  const [, start, dash, end, plus, count] = match;
  const first = lineNumber(start!, whole);
  if (plus) {
    if (!count) throw malformed(whole, 'a count must follow "+"');
    const lines = safeInteger(count, whole);
    if (lines === 0) throw malformed(whole, "a range has at least one line");
    return { first, last: withinSafe(first + (lines - 1), whole) };
  }
  if (!dash) return { first, last: inList ? first : undefined };
  if (end === undefined) return { first, last: undefined };
  const last = safeInteger(end, whole);
  if (last < first) throw malformed(whole, `the range ${first}-${last} ends before it starts`);
  return { first, last };
}

function lineNumber(text: string, whole: string): number {
  const line = safeInteger(text, whole);
  if (line === 0) throw malformed(whole, "lines start at 1");
  return line;
}

function safeInteger(text: string, whole: string): number {
  return withinSafe(Number(text), whole);
}

function withinSafe(value: number, whole: string): number {
  if (!Number.isSafeInteger(value)) {
    throw malformed(whole, `line numbers end at ${Number.MAX_SAFE_INTEGER}`);
  }
  return value;
}

function digits(bare: string): string {
  return bare.replace(/^[lL]/, "");
}

function malformed(selector: string, reason: string): AtomicError {
  return new AtomicError(
    "selector.line",
    `Bad line selector ":${selector}": ${reason}. Use forms such as :5, :5-9, :5+3 or :5-9,20-25.`,
    { data: { selector } },
  );
}
