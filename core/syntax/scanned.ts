// Spans for the resolvers of our own: they find constructs as ranges of the text, here these become lines.

import type { BlockSpan } from "../hashline/blocks.ts";

import { askedSeldom, type Overdue } from "./deadline.ts";

export interface Range {
  /** Offsets into the text; `end` is behind the last character. */
  readonly start: number;
  readonly end: number;
  readonly isComment?: boolean;
}

/** All constructs of a text, in any order. May stop anywhere once it is overdue. */
export type Scan = (text: string, overdue: Overdue) => readonly Range[];

/** @param scan called at the first question */
export function scannedSpans(
  text: string,
  scan: Scan,
  overdue: Overdue,
): (line: number) => BlockSpan | undefined {
  let spans: ReadonlyMap<number, BlockSpan> | undefined;
  return (line) => (spans ??= spansOf(text, scan(text, overdue), overdue)).get(line);
}

interface Place {
  readonly row: number;
  readonly column: number;
}

interface Placed {
  readonly from: Place;
  readonly to: Place;
  readonly isComment: boolean;
}

function spansOf(text: string, ranges: readonly Range[], overdue: Overdue): Map<number, BlockSpan> {
  const isLate = askedSeldom(overdue);
  const spans = new Map<number, BlockSpan>();
  const lines = text.split("\n");
  const place = placesIn(lines);
  const placed: Placed[] = [];
  for (const { start, end, isComment = false } of ranges) {
    if (isLate()) return spans;
    placed.push({ from: place(start), to: place(end - 1), isComment });
  }
  // The outermost of those that begin together comes last, and stays.
  placed.sort((a, b) => a.to.row - b.to.row || a.to.column - b.to.column);
  const inRow = new Map<number, Placed[]>();
  for (const range of placed) {
    const others = inRow.get(range.from.row);
    if (others === undefined) inRow.set(range.from.row, [range]);
    else others.push(range);
  }
  for (const { from, to } of placed) {
    if (isLate()) return spans;
    if (lines[from.row]!.slice(0, from.column).trim() !== "") continue;
    const behind = (inRow.get(to.row) ?? []).filter((other) => other.from.column > to.column);
    const rest = lines[to.row]!.slice(to.column + 1).trim();
    const isRemark = behind[0]?.isComment === true && behind.length === 1;
    if (behind.some((other) => other.to.row > to.row)) spans.delete(from.row + 1);
    else {
      const continues = rest !== "" && !isRemark;
      spans.set(from.row + 1, { start: from.row + 1, end: to.row + 1, continues, by: "syntax" });
    }
  }
  return spans;
}

function placesIn(lines: readonly string[]): (offset: number) => Place {
  const starts: number[] = [];
  let at = 0;
  for (const line of lines) {
    starts.push(at);
    at += line.length + 1;
  }
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (starts[middle]! <= offset) low = middle;
      else high = middle - 1;
    }
    return { row: low, column: offset - starts[low]! };
  };
}
