// What a reader is shown of a text file: rows within the limits, and what is said about the rest (tools.md §3.1).

import type { ScannedText } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { fromStored, showEscapes } from "../text/encoding.ts";
import { formatRange, type LineRange, type LineRun, selectLines } from "../text/ranges.ts";
import { formatCount, thousands } from "../text/size.ts";
import { keepHead, type Truncation } from "../text/truncate.ts";

export type TextView =
  | {
      readonly kind: "rows";
      readonly runs: readonly LineRun[];
      readonly footers: readonly string[];
      readonly truncation: Truncation;
    }
  | { readonly kind: "empty" }
  /** Nothing that was asked for exists. */
  | { readonly kind: "beyond"; readonly ranges: readonly LineRange[] }
  /** The first line to show is over the byte limit by itself. */
  | { readonly kind: "overlong"; readonly line: number; readonly truncation: Truncation };

/**
 * @param ranges undefined: the whole text
 * @param exact without the lines around a bounded range
 */
export function viewText(
  text: ScannedText,
  ranges: readonly LineRange[] | undefined,
  exact = false,
): TextView {
  const { count } = text.lines;
  if (count === 0 && !ranges) return { kind: "empty" };
  const wanted = ranges ?? [{ first: 1, last: undefined }];
  const selected = selectLines(wanted, count, {
    before: exact ? 0 : limits.contextBefore,
    after: exact ? 0 : limits.contextAfter,
  });
  if (selected.runs.length === 0) return { kind: "beyond", ranges: selected.beyond };
  const asked = Math.min(...wanted.map(({ first }) => first));
  const { runs, truncation } = keepHead(withRoomFor(asked, selected.runs, text), text.lines, {
    maxLines: limits.readLines,
    maxBytes: limits.readBytes,
  });
  const last = runs.at(-1)?.last;
  if (last === undefined) {
    return { kind: "overlong", line: asked, truncation };
  }
  const footers: string[] = [];
  if (truncation.truncated) footers.push(cutFooter(runs, count, truncation));
  else if (last < count) footers.push(restFooter(runs, count));
  if (selected.beyond.length > 0) {
    const skipped = selected.beyond.map(formatRange).join(", ");
    footers.push(
      `[Beyond EOF, not shown: ${skipped}; the file has ${formatCount(count, "line", "lines")}]`,
    );
  }
  return { kind: "rows", runs, footers, truncation };
}

/** The lines of one run as text; bytes that are not valid UTF-8 as \xNN. */
export function textOfRun(text: ScannedText, { first, last }: LineRun): readonly string[] {
  const { start, end } = text.lines.bytesOf(first, last);
  return showEscapes(fromStored(text.content.subarray(start, end))).split("\n");
}

/** Leading context gives way where, with it, the first line that was asked for would not fit. */
function withRoomFor(
  asked: number,
  runs: readonly LineRun[],
  text: ScannedText,
): readonly LineRun[] {
  const [first, ...others] = runs;
  if (!first || first.first === asked) return runs;
  const { start, end } = text.lines.bytesOf(first.first, asked);
  return end - start <= limits.readBytes ? runs : [{ first: asked, last: first.last }, ...others];
}

function cutFooter(runs: readonly LineRun[], count: number, { truncatedBy }: Truncation): string {
  const last = runs.at(-1)!.last;
  const limit = truncatedBy === "bytes" ? ` (${limits.readBytes / 1024} KiB limit)` : "";
  if (runs.length > 1) {
    return `[Line ${last} of ${thousands(count)} is the last one shown${limit}; continue with :${last + 1}]`;
  }
  return `[Showing lines ${runs[0]!.first}-${last} of ${thousands(count)}${limit}; continue with :${last + 1}]`;
}

function restFooter(runs: readonly LineRun[], count: number): string {
  const last = runs.at(-1)!.last;
  const rest = formatCount(count - last, "line remains", "lines remain");
  const where = runs.length > 1 ? `Line ${last} is the last one shown; ` : "";
  return `[${where}${rest}; continue with :${last + 1}]`;
}
