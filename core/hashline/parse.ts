// The body of a section as hunks (hashline.md §7). Errors come strictly by position; collisions of hunks last.

import { limits } from "../limits.ts";
import type { Hunk, Row } from "./hunk.ts";
import { parseMessage, warning } from "./messages.ts";
import { isDeleteWithColon, readHeader, type Operation } from "./operations.ts";
import { isUnifiedHeader, scriptError, type BodyLine } from "./script.ts";

export interface ParsedSection {
  readonly hunks: readonly Hunk[];
  readonly warnings: readonly string[];
}

/**
 * @param bodies the bodies of all sections of one file, in order; a header between two of them closes the open hunk,
 *   and line numbers go on counting
 */
export function parseBodies(
  bodies: readonly (readonly BodyLine[])[],
  { partial = false }: { readonly partial?: boolean } = {},
): ParsedSection {
  const parser = new SectionParser(partial);
  let offset = 0;
  for (const body of bodies) {
    for (const line of body) parser.line(line.text, line.number + offset);
    parser.close();
    offset += body.length;
  }
  refuseCollisions(parser.hunks);
  return { hunks: parser.hunks, warnings: parser.warnings };
}

/** Two hunks that delete one line are refused; the first such line, as the hunks list theirs, is named. */
export function refuseCollisions(hunks: readonly Hunk[]): void {
  const ranges = hunks.flatMap((hunk) => ("end" in hunk ? [hunk] : []));
  const sorted = ranges.toSorted((a, b) => a.start - b.start);
  if (!sorted.some((range, i) => i > 0 && range.start <= sorted[i - 1]!.end)) return;
  for (const [i, earlier] of ranges.entries()) {
    let first: { anchor: number; line: number } | undefined;
    for (const later of ranges.slice(i + 1)) {
      const anchor = Math.max(earlier.start, later.start);
      if (anchor > Math.min(earlier.end, later.end)) continue;
      if (!first || anchor < first.anchor) first = { anchor, line: later.line };
    }
    if (first) throw scriptError(parseMessage.doubleAnchor(first.line, first.anchor, earlier.line));
  }
}

interface OpenHunk {
  readonly operation: Operation;
  readonly line: number;
  readonly rows: Row[];
  readonly blanks: Row[];
}

class SectionParser {
  readonly hunks: Hunk[] = [];
  readonly warnings: string[] = [];
  private readonly partial: boolean;
  private open: OpenHunk | undefined;
  private comments: { text: string; line: number }[] = [];

  /** @param partial the script is unfinished: a hunk whose body has not begun is left out */
  constructor(partial: boolean) {
    this.partial = partial;
  }

  line(text: string, line: number): void {
    if (text === "") return this.blank(text);
    if (text.startsWith("+")) return this.literal(text, line);
    const header = readHeader(text);
    if (header?.kind === "unsafe")
      throw scriptError(parseMessage.unsafeInteger(line, header.digits));
    if (header?.kind === "operation") return this.operation(header.operation, line);
    this.raw(text, line, header?.kind === "no number" ? header.operand : undefined);
  }

  /** A header or the end: what is pending becomes final. */
  close(): void {
    this.replayComments();
    const open = this.open;
    this.open = undefined;
    if (!open) return;
    const unfinished =
      this.partial && open.rows.length === 0 && !open.operation.kind.startsWith("delete");
    if (!unfinished) this.hunks.push(finishHunk(open));
  }

  private operation(operation: Operation, line: number): void {
    this.comments = [];
    if ("end" in operation) {
      const { start, end } = operation;
      if (end < start) throw scriptError(parseMessage.reversedRange(line, start, end));
      if (end - start + 1 > limits.rangeLines)
        throw scriptError(parseMessage.oversizedRange(line, start, end));
    }
    this.close();
    this.open = { operation, line, rows: [], blanks: [] };
  }

  private literal(text: string, line: number): void {
    this.replayComments();
    if (!this.open) throw scriptError(parseMessage.orphanLiteral(line, text));
    const row = text.slice(1);
    this.accept({ text: row, bare: false }, line);
    if (readHeader(row)?.kind === "operation") this.warn(warning.hunkLikeRow());
  }

  private raw(text: string, line: number, operandWithoutNumber: string | undefined): void {
    const trimmed = text.trimStart();
    if (!this.open && trimmed.startsWith("#")) {
      this.comments.push({ text, line });
      return;
    }
    if (trimmed === "") return this.blank(text);
    this.replayComments();
    refuseForeignHeader(trimmed, line);
    if (!this.open) {
      if (operandWithoutNumber !== undefined)
        throw scriptError(parseMessage.expectedNumber(line, operandWithoutNumber));
      throw scriptError(parseMessage.orphanRow(line, text));
    }
    if (
      !this.open.operation.kind.startsWith("delete") &&
      trimmed === text &&
      text.startsWith("-")
    ) {
      throw scriptError(parseMessage.minusRow(line));
    }
    this.accept({ text, bare: true }, line);
    this.warn(warning.bareRows());
  }

  private blank(text: string): void {
    this.replayComments();
    const open = this.open;
    if (!open || open.operation.kind.startsWith("delete") || open.rows.length === 0) return;
    open.blanks.push({ text, bare: true });
  }

  private accept(row: Row, line: number): void {
    const open = this.open!;
    if (open.operation.kind === "delete") throw scriptError(parseMessage.bodyUnderDelete(line));
    if (open.operation.kind === "delete block")
      throw scriptError(parseMessage.bodyUnderDeleteBlock(line));
    if (row.text.includes("\r")) throw scriptError(parseMessage.carriageReturn(line));
    if (open.blanks.length > 0) {
      open.rows.push(...open.blanks.splice(0));
      this.warn(warning.bareRows());
    }
    open.rows.push(row);
  }

  /** Comments are skipped only when an operation follows at once; anything else makes them orphan rows. */
  private replayComments(): void {
    const comment = this.comments[0];
    if (comment) throw scriptError(parseMessage.orphanRow(comment.line, comment.text));
  }

  private warn(text: string): void {
    if (!this.warnings.includes(text)) this.warnings.push(text);
  }
}

function finishHunk({ operation, line, rows }: OpenHunk): Hunk {
  switch (operation.kind) {
    case "replace":
      // An empty concrete replace is a deletion (seed 000, "Tolerated input shapes").
      return rows.length === 0
        ? { ...operation, kind: "delete", line }
        : { ...operation, line, rows };
    case "delete":
      return { ...operation, line };
    case "delete block":
      return { kind: operation.kind, anchor: operation.anchor, line };
    case "replace block":
      if (rows.length === 0) throw scriptError(parseMessage.emptyReplaceBlock(line));
      return { kind: "replace block", anchor: operation.anchor, line, rows };
    case "insert":
    case "insert edge":
      if (rows.length === 0) throw scriptError(parseMessage.emptyInsert(line));
      return { ...operation, line, rows };
    case "insert after block":
      if (rows.length === 0) throw scriptError(parseMessage.emptyInsert(line));
      return { kind: operation.kind, anchor: operation.anchor, line, rows };
  }
}

/** Headers of other patch languages, which would otherwise become text. `row` has no blanks before it. */
function refuseForeignHeader(row: string, line: number): void {
  if (
    /^\*\*\*\s*(?:Update File:|Add File:|Delete File:|Move to:)/.test(row) ||
    row.trimEnd() === "*** Begin Patch"
  ) {
    throw scriptError(parseMessage.sentinel(line, row.trimEnd()));
  }
  if (isUnifiedHeader(row)) throw scriptError(parseMessage.unifiedDiff(line));
  if (row.startsWith("@@")) throw scriptError(parseMessage.bracketedHeader(line, row.trimEnd()));
  if (isDeleteWithColon(row)) throw scriptError(parseMessage.deleteWithColon(line));
  const bare = /^([1-9][0-9]*)(?:[-.…\s]+([1-9][0-9]*))?\s*:?\s*$/.exec(row);
  if (!bare) return;
  if (bare[2] !== undefined)
    throw scriptError(parseMessage.bareRange(line, row.trimEnd(), bare[1]!, bare[2]));
  if (!row.trimEnd().endsWith(":")) throw scriptError(parseMessage.bareNumber(line, bare[1]!));
}
