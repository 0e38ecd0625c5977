// Hunks on the tagged text → what exactly happens to which of its lines: pasted prefixes off, bounds checked, boundaries
// repaired, landings moved. A plan can be printed, carried over to another text, and applied.

import { AtomicError } from "../errors.ts";
import type { Lines } from "../text/lines.ts";
import { repairBoundary } from "./boundary.ts";
import type { LineHunk } from "./hunk.ts";
import { moveLanding } from "./landing.ts";
import { parseMessage } from "./messages.ts";
import { bodyTexts } from "./pasted.ts";

/** Lines are 1-based lines of the text the plan was made for. */
export type Step =
  /** Lines `start`..`end` give way to `rows`; `start` = count + 1, `end` = count: rows at the very end. */
  | {
      readonly kind: "replace";
      readonly start: number;
      readonly end: number;
      readonly rows: readonly string[];
    }
  /** Rows in the gap after `line` (0: before the first), on the side of the line before or after the gap. */
  | {
      readonly kind: "insert";
      readonly after: number;
      readonly side: "before" | "after";
      readonly rows: readonly string[];
    }
  | { readonly kind: "head"; readonly rows: readonly string[] }
  | { readonly kind: "tail"; readonly rows: readonly string[] };

export interface Plan {
  readonly steps: readonly Step[];
  readonly warnings: readonly string[];
}

export function endsWithTerminator(lines: Lines): boolean {
  return lines.ends.length > 0 && lines.ends[lines.ends.length - 1] !== "";
}

/** Throws `edit.line` for a line the text does not have. */
export function planEdits(hunks: readonly LineHunk[], lines: Lines): Plan {
  const count = lines.texts.length;
  // The line behind a final terminator, and the one of an empty file, are tolerated as anchors (decision 3).
  const last = count === 0 || endsWithTerminator(lines) ? count + 1 : count;
  for (const hunk of hunks) checkBounds(hunk, count, last);

  const repairs: string[] = [];
  const landings: string[] = [];
  const steps: Step[] = [];
  for (const hunk of hunks) {
    if (hunk.kind === "delete") {
      if (hunk.start <= count)
        steps.push({
          kind: "replace",
          start: hunk.start,
          end: Math.min(hunk.end, count),
          rows: [],
        });
      continue;
    }
    const rows = bodyTexts(hunk, lines.texts);
    if (hunk.kind === "replace") {
      const range = { start: hunk.start, end: Math.min(hunk.end, count), rows };
      const repaired = repairBoundary(range, lines);
      if (repaired.warning !== undefined) repairs.push(repaired.warning);
      steps.push({
        kind: "replace",
        start: repaired.start,
        end: repaired.end,
        rows: repaired.rows,
      });
    } else if (hunk.kind === "insert edge") {
      steps.push({ kind: hunk.place, rows });
    } else if (hunk.anchor > count) {
      steps.push({ kind: "insert", after: count, side: "after", rows });
    } else if (hunk.place === "before") {
      steps.push({ kind: "insert", after: hunk.anchor - 1, side: "before", rows });
    } else {
      const landing = moveLanding(hunk, rows, lines.texts, hunks);
      if (landing.warning !== undefined) landings.push(landing.warning);
      steps.push({ kind: "insert", after: landing.after, side: "after", rows });
    }
  }
  return { steps, warnings: [...repairs, ...landings] };
}

function checkBounds(hunk: LineHunk, count: number, last: number): void {
  const missing = (line: number) =>
    new AtomicError("edit.line", parseMessage.missingLine(line, count), {
      data: { line, lines: count },
    });
  if ("end" in hunk) {
    if (hunk.start > last) throw missing(hunk.start);
    if (hunk.end > last) throw missing(last + 1);
  } else if ("anchor" in hunk && hunk.anchor > last) {
    throw missing(hunk.anchor);
  }
}
