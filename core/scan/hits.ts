// The lines of one text that match, by their numbers, and the rows around them.

import type { LineRange } from "../text/ranges.ts";
import { countTerminators, type LineMatcher } from "./match-lines.ts";

/**
 * @param within only lines in these ranges count
 * @returns numbers from 1, ascending
 * @throws PatternTooSlow
 */
export function hitLines(
  matcher: LineMatcher,
  text: Uint8Array,
  within?: readonly LineRange[],
): readonly number[] {
  const hits: number[] = [];
  let line = 1;
  let from = 0;
  matcher.lines(text, (start) => {
    line += countTerminators(text, from, start);
    from = start;
    if (!within || within.some(({ first, last }) => line >= first && line <= (last ?? line))) {
      hits.push(line);
    }
    return true;
  });
  return hits;
}

export interface HitRow {
  readonly line: number;
  readonly isHit: boolean;
}

/**
 * The hits with the lines around them, each once, in order.
 * @param hits those to show, ascending; @param all whether a line of the context is a hit as well
 */
export function rowsAround(
  hits: readonly number[],
  all: ReadonlySet<number>,
  {
    before,
    after,
    count,
  }: { readonly before: number; readonly after: number; readonly count: number },
): readonly HitRow[] {
  const rows: HitRow[] = [];
  let next = 1;
  for (const hit of hits) {
    const last = Math.min(count, hit + after);
    for (let line = Math.max(next, hit - before, 1); line <= last; line++) {
      rows.push({ line, isHit: all.has(line) });
    }
    next = Math.max(next, last + 1);
  }
  return rows;
}

/** A row's text, cut where it is too long. Never within a surrogate pair. */
export function cutRow(
  text: string,
  most: number,
): { readonly text: string; readonly isCut: boolean } {
  if (text.length <= most) return { text, isCut: false };
  const last = text.charCodeAt(most - 1);
  const end = last >= 0xd800 && last < 0xdc00 ? most - 1 : most;
  return { text: `${text.slice(0, end)}…`, isCut: true };
}
