// Rows of a replacement that restate lines just outside its range, or leave out a closer inside it (hashline.md §12).

import type { Lines } from "../text/lines.ts";
import { balanceOf, difference, isCloserLine, isZero, negate, same, sum } from "./balance.ts";
import { warning } from "./messages.ts";

interface Replacement {
  readonly start: number;
  /** `start - 1`: nothing is deleted. */
  readonly end: number;
  readonly rows: readonly string[];
}

export function repairBoundary(
  range: Replacement,
  { texts, ends }: Lines,
): Replacement & { warning?: string } {
  const { start, end, rows } = range;
  if (end < start || rows.length === 0) return range;
  // The element behind a final terminator takes part in comparisons.
  const terminated = ends[ends.length - 1] !== "";
  const at = (line: number) => (line === texts.length + 1 && terminated ? "" : texts[line - 1]);
  const deleted = texts.slice(start - 1, end);

  const leadingMatches = (k: number) =>
    rows.slice(0, k).every((row, i) => row === at(start - k + i));
  const trailingMatches = (k: number) =>
    rows.slice(rows.length - k).every((row, i) => row === at(end + 1 + i));
  const lastLine = texts.length + (terminated ? 1 : 0);
  const mostLeading = Math.min(rows.length, start - 1);
  const mostTrailing = Math.min(rows.length, lastLine - end);

  const shift = difference(balanceOf(rows), balanceOf(deleted));
  const lead = largest(mostLeading, (k) => leadingMatches(k) && hasText(rows.slice(0, k)));
  const trail = largest(
    mostTrailing,
    (k) => trailingMatches(k) && hasText(rows.slice(rows.length - k)),
  );
  if (lead > 0 && trail > 0 && lead + trail < rows.length) {
    const dropped = sum(balanceOf(rows.slice(0, lead)), balanceOf(rows.slice(rows.length - trail)));
    if (isZero(dropped) || same(dropped, shift)) {
      const kept = rows.slice(lead, rows.length - trail);
      return { start, end, rows: kept, warning: warning.boundaryEcho(start, lead, trail) };
    }
  }
  if (isZero(shift)) return range;

  const tail = largest(
    mostTrailing,
    (k) => trailingMatches(k) && same(balanceOf(rows.slice(rows.length - k)), shift),
  );
  if (tail > 0) {
    const action = warning.droppedTrailing(tail);
    return {
      start,
      end,
      rows: rows.slice(0, rows.length - tail),
      warning: warning.balance(start, action),
    };
  }
  const head = largest(
    mostLeading,
    (k) => leadingMatches(k) && same(balanceOf(rows.slice(0, k)), shift),
  );
  if (head > 0) {
    return {
      start,
      end,
      rows: rows.slice(head),
      warning: warning.balance(start, warning.droppedLeading(head)),
    };
  }
  for (let m = 1; m <= deleted.length && isCloserLine(deleted[deleted.length - m]!); m++) {
    if (!same(balanceOf(deleted.slice(deleted.length - m)), negate(shift))) continue;
    return { start, end: end - m, rows, warning: warning.balance(start, warning.keptClosers(m)) };
  }
  return range;
}

function hasText(rows: readonly string[]): boolean {
  return rows.some((row) => row.trim() !== "");
}

function largest(most: number, fits: (k: number) => boolean): number {
  for (let k = most; k > 0; k--) if (fits(k)) return k;
  return 0;
}
