// Where lines lie in a file's own bytes, with its own terminators and byte order mark.

import type { Encoding } from "./encoding.ts";
import type { LineIndex } from "./line-index.ts";
import type { LineRun } from "./ranges.ts";

/** What is known of the file's text. */
export interface ScannedLines {
  /** Normalised: BOM off, terminators LF; a view of the file's memory where nothing else had to change. */
  readonly content: Uint8Array;
  readonly lines: LineIndex;
  readonly encoding: Encoding;
}

/** `end` is the first byte of the last line's terminator, `next` the first byte after it. */
export interface FileRange {
  readonly start: number;
  readonly end: number;
  readonly next: number;
}

/**
 * A BOM belongs to line 1.
 * @param runs sorted and disjoint; every line must exist
 */
export function fileRanges(
  file: Uint8Array,
  text: ScannedLines,
  runs: readonly LineRun[],
): readonly FileRange[] {
  if (text.content.buffer !== file.buffer) return walk(file, text.encoding, runs);
  const offset = text.content.byteOffset - file.byteOffset;
  return runs.map(({ first, last }) => {
    const { start, end } = text.lines.bytesOf(first, last);
    return {
      start: first === 1 ? 0 : start + offset,
      end: end + offset,
      next: Math.min(end + offset + 1, file.length),
    };
  });
}

/** The selected lines as they stand in the file; the very last one without its terminator. */
export function rawLines(
  file: Uint8Array,
  text: ScannedLines,
  runs: readonly LineRun[],
): Uint8Array {
  const ranges = fileRanges(file, text, runs);
  const parts = ranges.map(({ start, end, next }, i) =>
    file.subarray(start, i === ranges.length - 1 ? end : next),
  );
  if (parts.length === 1) return parts[0]!;
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}

/** One pass over the file, as far as the last run reaches. */
function walk(
  file: Uint8Array,
  encoding: Encoding,
  runs: readonly LineRun[],
): readonly FileRange[] {
  const width = encoding === "utf-16le" || encoding === "utf-16be" ? 2 : 1;
  const low = encoding === "utf-16be" ? 1 : 0;
  /** The code unit at an offset, as far as it can be a terminator. */
  const unit = (at: number) => (width === 2 && file[at + 1 - low] !== 0 ? -1 : file[at + low]!);
  const ranges: FileRange[] = [];
  let line = 1;
  let at = 0;
  let start = 0;
  for (const { first, last } of runs) {
    while (line <= last) {
      if (line === first) start = at;
      const end = endOfLine(file.length, at, width, unit);
      at = afterTerminator(file.length, end, width, unit);
      if (line === last) ranges.push({ start, end, next: at });
      line++;
    }
  }
  return ranges;
}

function endOfLine(
  length: number,
  from: number,
  width: number,
  unit: (at: number) => number,
): number {
  for (let at = from; at < length; at += width) {
    const code = unit(at);
    if (code === 0x0a || code === 0x0d) return at;
  }
  return length;
}

function afterTerminator(
  length: number,
  end: number,
  width: number,
  unit: (at: number) => number,
): number {
  if (end >= length) return length;
  const next = end + width;
  return unit(end) === 0x0d && next < length && unit(next) === 0x0a ? next + width : next;
}
