// Rows copied from a read with their `N:` prefixes (hashline.md §7 and decision 14).

import type { Row } from "./hunk.ts";

const prefix = /^\s*(?:>>>|>>)?\s*(?:[+*-]\s*)?(\d+):/;
/** Keys of a literal mapping, not line numbers: the rest of every row is one quoted string or number. */
const plainValue = /^\s*(?:"[^"]*"|'[^']*'|[-+]?\d+(?:\.\d+)?)\s*,?\s*$/;

interface Body {
  readonly rows: readonly Row[];
  readonly kind: string;
  readonly start?: number;
  readonly end?: number;
  readonly place?: "before" | "after" | "head" | "tail";
  readonly anchor?: number;
}

/** The texts of a hunk's rows, without prefixes where they surely are a pasted snapshot's. */
export function bodyTexts(hunk: Body, lines: readonly string[]): string[] {
  const numbers: number[] = [];
  let plain = true;
  let known = false;
  const { first, last } = ownLines(hunk, lines.length);
  for (const { text, bare } of hunk.rows) {
    if (!bare || text.trim() === "") continue;
    const found = prefix.exec(text);
    if (!found) return hunk.rows.map((row) => row.text);
    const number = Number(found[1]);
    if (numbers.length > 0 && number <= numbers[numbers.length - 1]!)
      return hunk.rows.map((row) => row.text);
    numbers.push(number);
    const rest = text.slice(found[0].length);
    plain &&= plainValue.test(rest);
    known ||= (number >= first && number <= last) || lines[number - 1] === rest;
  }
  if (numbers.length === 0 || plain || !known) return hunk.rows.map((row) => row.text);
  return hunk.rows.map(({ text, bare }) => (bare ? text.replace(prefix, "") : text));
}

/** The line numbers that rows of this hunk would carry: its range, or its anchor and the rows after it. */
function ownLines(hunk: Body, count: number): { first: number; last: number } {
  if (hunk.start !== undefined && hunk.end !== undefined)
    return { first: hunk.start, last: hunk.end };
  const anchor = hunk.place === "head" ? 1 : hunk.place === "tail" ? count : hunk.anchor!;
  return { first: anchor, last: anchor + hunk.rows.length };
}
