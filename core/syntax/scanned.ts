// Spans for the resolvers of our own: they find constructs as ranges of the text, here these become lines.

import type { BlockSpan, SpanLookup } from "../hashline/blocks.ts";

export interface Range {
  /** Offsets into the text; `end` is behind the last character. */
  readonly start: number;
  readonly end: number;
  readonly isComment?: boolean;
}

/** @param scan all constructs of a text, in any order; called at the first question */
export function scannedSpans(
  lines: readonly string[],
  scan: (text: string) => readonly Range[],
): SpanLookup {
  let spans: ReadonlyMap<number, BlockSpan> | undefined;
  return (line) => (spans ??= spansOf(lines, scan)).get(line);
}

function spansOf(lines: readonly string[], scan: (text: string) => readonly Range[]) {
  const text = lines.join("\n");
  const place = placesIn(lines);
  const ranges = scan(text).map(({ start, end, isComment = false }) => {
    return { from: place(start), to: place(end - 1), isComment };
  });
  // The outermost of those that begin together comes last, and stays.
  ranges.sort((a, b) => a.to.row - b.to.row || a.to.column - b.to.column);
  const beginnings = new Map<number, typeof ranges>();
  for (const range of ranges) {
    const inRow = beginnings.get(range.from.row);
    if (inRow === undefined) beginnings.set(range.from.row, [range]);
    else inRow.push(range);
  }
  const indents = lines.map((line) => line.search(/\S/));
  const spans = new Map<number, BlockSpan>();
  for (const { from, to } of ranges) {
    if (from.column !== indents[from.row]) continue;
    const behind = (beginnings.get(to.row) ?? []).filter((other) => other.from.column > to.column);
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

function placesIn(lines: readonly string[]): (offset: number) => { row: number; column: number } {
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
