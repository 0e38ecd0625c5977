// Block operations → line operations, by the spans of a syntax resolver (hashline.md §9, decisions 12, 17, 28).

import { AtomicError } from "../errors.ts";
import { isCloserLine } from "./balance.ts";
import type { SpanLookup } from "./blocks.ts";
import { anchorContext } from "./context.ts";
import { isBlockHunk, type BlockHunk, type Hunk, type LineHunk } from "./hunk.ts";
import { blockEcho, parseMessage, warning } from "./messages.ts";
import { refuseCollisions } from "./parse.ts";

export interface Lowered {
  readonly hunks: readonly LineHunk[];
  readonly warnings: readonly string[];
  readonly echoes: readonly string[];
}

/** `"none"`: no resolver is configured, so that replace and delete are refused and insert-after stays on its line. `partial`: what does
 * not resolve yet is left out (seed 000, "Block resolution": streaming preview). */
export function lowerBlocks(
  hunks: readonly Hunk[],
  texts: readonly string[],
  spans: SpanLookup | "none",
  { partial = false }: { readonly partial?: boolean } = {},
): Lowered {
  const warnings: string[] = [];
  const echoes: string[] = [];
  const lowered = hunks.flatMap((hunk): LineHunk | [] => {
    if (!isBlockHunk(hunk)) return hunk;
    if (spans === "none" && hunk.kind !== "insert after block") {
      throw new AtomicError("edit.block", parseMessage.noResolver(hunk.line));
    }
    const inRange = hunk.anchor <= texts.length;
    const span = spans === "none" || !inRange ? undefined : spans(hunk.anchor);
    if (span === "overdue" || span === "failed") {
      if (partial) return [];
      const message = span === "overdue" ? parseMessage.overdueBlock : parseMessage.failedBlock;
      throw refusal(hunk, message(hunk.line, hunk.kind, hunk.anchor), texts);
    }
    if (!span && partial && hunk.kind !== "insert after block") return [];
    if (!span) return lowerUnresolved(hunk, texts, warnings);
    echoes.push(blockEcho(hunk.kind, hunk.anchor, span.start, span.end));
    if (span.by !== "syntax") warnings.push(warning.fallbackSpan(hunk.kind, hunk.anchor, span.by));
    const { start, end } = span;
    if (hunk.kind === "insert after block") {
      const block = { asked: hunk.anchor, start, end };
      return {
        kind: "insert",
        place: "after",
        anchor: end,
        line: hunk.line,
        rows: hunk.rows,
        block,
      };
    }
    if (span.continues) warnings.push(warning.continuesPastBlock(hunk.kind, hunk.anchor, end));
    if (hunk.kind === "replace block")
      return { kind: "replace", start, end, line: hunk.line, rows: hunk.rows };
    return { kind: "delete", start, end, line: hunk.line };
  });
  if (echoes.length > 0) refuseCollisions(lowered);
  return { hunks: lowered, warnings, echoes };
}

function lowerUnresolved(hunk: BlockHunk, texts: readonly string[], warnings: string[]): LineHunk {
  const { anchor, line } = hunk;
  if (hunk.kind === "insert after block") {
    const text = texts[anchor - 1];
    if (text !== undefined) {
      warnings.push(
        isCloserLine(text) ? warning.blockOnCloser(anchor) : warning.blockUnresolved(anchor),
      );
    }
    return { kind: "insert", place: "after", anchor, line, rows: hunk.rows };
  }
  const op = hunk.kind === "replace block" ? "replace" : "delete";
  throw refusal(hunk, parseMessage.unresolvedBlock(line, op, anchor), texts);
}

function refusal(hunk: BlockHunk, message: string, texts: readonly string[]): AtomicError {
  return new AtomicError("edit.block", message + anchorContext([hunk], texts), {
    data: { line: hunk.anchor },
  });
}
