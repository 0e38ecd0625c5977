// The exact bytes of a file or of some of its lines (tools.md §3.2).

import type { ScannedText } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { type LineRange, type LineRun, selectLines } from "../text/ranges.ts";
import { rawLines } from "../text/raw-lines.ts";
import { keepHead, type Truncation } from "../text/truncate.ts";

export interface RawSelection {
  readonly kind: "bytes";
  readonly bytes: Uint8Array;
  /** The lines in it; undefined for bytes that are no text. */
  readonly lines: { readonly text: ScannedText; readonly runs: readonly LineRun[] } | undefined;
  /** The ranges that begin after the last line, and so are not in it. */
  readonly beyond: readonly LineRange[];
}

export interface BeyondEnd {
  readonly kind: "beyond";
  readonly ranges: readonly LineRange[];
  readonly text: ScannedText;
}

/**
 * Ranges without context rows; the last line comes without its terminator.
 * @param text undefined where the bytes cannot be read as text: then the whole file, whatever the ranges
 * @param ranges undefined: the whole file
 */
export function selectRaw(
  file: Uint8Array,
  text: ScannedText | undefined,
  ranges: readonly LineRange[] | undefined,
): RawSelection | BeyondEnd {
  if (!text) return { kind: "bytes", bytes: file, lines: undefined, beyond: [] };
  const { count } = text.lines;
  if (!ranges) {
    const runs = count === 0 ? [] : [{ first: 1, last: count }];
    return { kind: "bytes", bytes: file, lines: { text, runs }, beyond: [] };
  }
  const { runs, beyond } = selectLines(ranges, count, { before: 0, after: 0 });
  if (runs.length === 0) return { kind: "beyond", ranges: beyond, text };
  return { kind: "bytes", bytes: rawLines(file, text, runs), lines: { text, runs }, beyond };
}

/** Within the limits of a text read: whole lines, or where the first is too long, as many of its bytes as fit. */
export function cutRaw(
  file: Uint8Array,
  { bytes, lines }: RawSelection,
): { readonly bytes: Uint8Array; readonly truncation: Truncation } {
  const caps = { maxLines: limits.readLines, maxBytes: limits.readBytes };
  if (!lines) return cutBytes(bytes, caps);
  const { runs, truncation } = keepHead(lines.runs, lines.text.lines, caps);
  if (!truncation.truncated) return { bytes, truncation };
  if (runs.length > 0) return { bytes: rawLines(file, lines.text, runs), truncation };
  const first = lines.runs[0]!.first;
  const line = rawLines(file, lines.text, [{ first, last: first }]);
  const kept = line.subarray(0, boundary(line, caps.maxBytes, lines.text.encoding));
  return {
    bytes: kept,
    truncation: {
      ...truncation,
      outputLines: 1,
      outputBytes: kept.length,
      lastLinePartial: kept.length < line.length,
    },
  };
}

function cutBytes(
  bytes: Uint8Array,
  caps: { readonly maxLines: number; readonly maxBytes: number },
): { readonly bytes: Uint8Array; readonly truncation: Truncation } {
  const truncated = bytes.length > caps.maxBytes;
  const kept = bytes.subarray(0, caps.maxBytes);
  return {
    bytes: kept,
    truncation: {
      truncated,
      truncatedBy: truncated ? "bytes" : null,
      totalLines: 1,
      totalBytes: bytes.length,
      outputLines: 1,
      outputBytes: kept.length,
      lastLinePartial: truncated,
      firstLineExceedsLimit: truncated,
      ...caps,
    },
  };
}

/** The greatest length up to `most` that cuts no character in two. */
function boundary(bytes: Uint8Array, most: number, encoding: ScannedText["encoding"]): number {
  let end = Math.min(most, bytes.length);
  if (encoding === "utf-8") {
    while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  }
  if (encoding === "utf-16le" || encoding === "utf-16be") end -= end % 2;
  return end;
}
