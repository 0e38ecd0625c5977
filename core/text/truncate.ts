// Cutting what is shown to a number of lines and bytes (tools.md §1.6).

import type { LineIndex } from "./line-index.ts";
import type { LineRun } from "./ranges.ts";

/** Lines are whole lines; bytes are those of the text, each line joined to the next by one byte. */
export interface Truncation {
  readonly truncated: boolean;
  readonly truncatedBy: "lines" | "bytes" | null;
  /** Of what was asked for. */
  readonly totalLines: number;
  readonly totalBytes: number;
  /** Of what is left. */
  readonly outputLines: number;
  readonly outputBytes: number;
  readonly lastLinePartial: boolean;
  /** The first line alone is over `maxBytes`, so nothing is left. */
  readonly firstLineExceedsLimit: boolean;
  readonly maxLines: number;
  readonly maxBytes: number;
}

export interface Cut {
  readonly runs: readonly LineRun[];
  readonly truncation: Truncation;
}

/** Keeps whole lines from the front while both limits hold. */
export function keepHead(
  runs: readonly LineRun[],
  lines: LineIndex,
  { maxLines, maxBytes }: { readonly maxLines: number; readonly maxBytes: number },
): Cut {
  const kept: LineRun[] = [];
  let outputLines = 0;
  let outputBytes = 0;
  let truncatedBy: Truncation["truncatedBy"] = null;
  for (const run of runs) {
    const joint = outputLines === 0 ? 0 : 1;
    const wanted = run.last - run.first + 1;
    const allowed = Math.min(wanted, maxLines - outputLines);
    const fitting = linesThatFit(run.first, allowed, lines, maxBytes - outputBytes - joint);
    if (fitting > 0) {
      const last = run.first + fitting - 1;
      kept.push({ first: run.first, last });
      outputLines += fitting;
      outputBytes += joint + size(run.first, last, lines);
    }
    if (fitting < wanted) {
      truncatedBy = fitting < allowed ? "bytes" : "lines";
      break;
    }
  }
  let totalLines = 0;
  let totalBytes = runs.length === 0 ? 0 : runs.length - 1;
  for (const { first, last } of runs) {
    totalLines += last - first + 1;
    totalBytes += size(first, last, lines);
  }
  return {
    runs: kept,
    truncation: {
      truncated: truncatedBy !== null,
      truncatedBy,
      totalLines,
      totalBytes,
      outputLines,
      outputBytes,
      lastLinePartial: false,
      firstLineExceedsLimit: truncatedBy === "bytes" && outputLines === 0,
      maxLines,
      maxBytes,
    },
  };
}

/** How many of `most` lines from `first` on hold at most `budget` bytes. */
function linesThatFit(first: number, most: number, lines: LineIndex, budget: number): number {
  let fits = 0;
  let limit = most;
  while (fits < limit) {
    const tried = Math.ceil((fits + limit) / 2);
    if (size(first, first + tried - 1, lines) <= budget) fits = tried;
    else limit = tried - 1;
  }
  return fits;
}

function size(first: number, last: number, lines: LineIndex): number {
  const { start, end } = lines.bytesOf(first, last);
  return end - start;
}
