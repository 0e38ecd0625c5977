// The end of a text of any length, in little memory, and what is to be said about the rest (tools.md §1.6, §11.3).

import { limits } from "../limits.ts";
import { formatSize } from "../text/size.ts";
import type { Truncation } from "../text/truncate.ts";

const LF = 0x0a;

export interface TailLimits {
  readonly maxLines: number;
  readonly maxBytes: number;
}

export interface Tail {
  readonly text: string;
  readonly truncation: Truncation;
  /** Bytes of the last line, whole. */
  readonly lastLineBytes: number;
}

export interface TailBuffer {
  readonly totalBytes: number;
  /** A line feed at the end begins no line. */
  readonly totalLines: number;
  readonly exceedsLimits: boolean;
  push(bytes: Uint8Array): void;
  tail(): Tail;
}

export function createTail({ maxLines, maxBytes }: TailLimits): TailBuffer {
  // Enough to show a character whole that begins before the cut.
  const kept = maxBytes + 4;
  const buffer = new Uint8Array(4 * kept);
  let length = 0;
  let totalBytes = 0;
  let lineFeeds = 0;
  /** Bytes after the last line feed, and of the line that it ended. */
  let openLine = 0;
  let endedLine = 0;

  const totalLines = () => lineFeeds + (openLine > 0 ? 1 : 0);
  /** A line feed at the end is no part of what is measured. */
  const ending = () => (openLine === 0 && lineFeeds > 0 ? 1 : 0);
  const exceeds = () => totalBytes - ending() > maxBytes || totalLines() > maxLines;

  return {
    get totalBytes() {
      return totalBytes;
    },
    get totalLines() {
      return totalLines();
    },
    get exceedsLimits() {
      return exceeds();
    },
    push(bytes) {
      let before = -1;
      let last = -1;
      for (let at = 0; at < bytes.length; at++) {
        if (bytes[at] !== LF) continue;
        lineFeeds++;
        before = last;
        last = at;
      }
      if (last >= 0) {
        endedLine = before >= 0 ? last - before - 1 : openLine + last;
        openLine = 0;
      }
      openLine += bytes.length - last - 1;
      totalBytes += bytes.length;
      const taken = bytes.length > kept ? bytes.subarray(bytes.length - kept) : bytes;
      if (length + taken.length > buffer.length) {
        buffer.copyWithin(0, length - kept, length);
        length = kept;
      }
      buffer.set(taken, length);
      length += taken.length;
    },
    tail() {
      const bytes = buffer.subarray(0, length);
      const lastLineBytes = openLine > 0 ? openLine : endedLine;
      const cut = exceeds() ? cutTail(bytes, { maxLines, maxBytes }) : whole(totalLines());
      const { from, truncatedBy, outputLines, lastLinePartial } = cut;
      return {
        text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes.subarray(from)),
        lastLineBytes,
        truncation: {
          truncated: truncatedBy !== null,
          truncatedBy,
          totalLines: totalLines(),
          totalBytes,
          outputLines,
          outputBytes: length - from,
          lastLinePartial,
          firstLineExceedsLimit: false,
          maxLines,
          maxBytes,
        },
      };
    },
  };
}

interface CutPlace {
  readonly from: number;
  readonly truncatedBy: Truncation["truncatedBy"];
  readonly outputLines: number;
  readonly lastLinePartial: boolean;
}

function whole(lines: number): CutPlace {
  return {
    from: 0,
    truncatedBy: null,
    outputLines: lines,
    lastLinePartial: false,
  };
}

/** Whole lines from the end while both limits hold; of a last line that is too long, its end. */
function cutTail(bytes: Uint8Array, { maxLines, maxBytes }: TailLimits): CutPlace {
  const end = bytes.at(-1) === LF ? bytes.length - 1 : bytes.length;
  let from = end;
  let lines = 0;
  while (lines < maxLines) {
    const lineEnd = lines === 0 ? end : from - 1;
    const begin = lineEnd === 0 ? 0 : bytes.lastIndexOf(LF, lineEnd - 1) + 1;
    if (end - begin > maxBytes) break;
    from = begin;
    lines++;
    if (begin === 0) break;
  }
  if (lines > 0) {
    const truncatedBy = lines === maxLines ? "lines" : "bytes";
    return { from, truncatedBy, outputLines: lines, lastLinePartial: false };
  }
  let partial = Math.max(0, end - maxBytes);
  while (partial < end && (bytes[partial]! & 0xc0) === 0x80) partial++;
  return { from: partial, truncatedBy: "bytes", outputLines: 1, lastLinePartial: true };
}

/** "[lines 1001-4000 of 4000. Full output: PATH]" */
export function truncationFooter(
  { truncation, lastLineBytes }: Pick<Tail, "truncation" | "lastLineBytes">,
  log: { readonly path: string; readonly isCut: boolean } | undefined,
): string {
  const { totalLines, outputLines, outputBytes, truncatedBy, maxBytes, lastLinePartial } =
    truncation;
  const shown = lastLinePartial
    ? `last ${formatSize(outputBytes)} of line ${totalLines} (line is ${formatSize(lastLineBytes)})`
    : `lines ${totalLines - outputLines + 1}-${totalLines} of ${totalLines}`;
  const why = truncatedBy === "bytes" ? ` (${formatSize(maxBytes)} limit)` : "";
  if (log === undefined) return `[${shown}${why}]`;
  const cut = log.isCut ? `, cut at ${limits.persistedBytes} bytes` : "";
  return `[${shown}${why}. Full output: ${log.path}${cut}]`;
}
