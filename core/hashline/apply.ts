// A plan carried out on lines: every untouched line keeps its bytes and its terminator (hashline.md decision 1, §11).

import type { LineMap } from "../text/line-map.ts";
import { appendSlice, type Lines, type Terminator } from "../text/lines.ts";
import type { Step } from "./plan.ts";

interface Slot {
  /** Rows before the line, after it, and in its place. */
  readonly before: string[];
  readonly after: string[];
  readonly replacement: { text: string; end: Terminator }[];
  deleted: boolean;
}

export interface Applied {
  readonly lines: Lines;
  /** The places that differ. */
  readonly map: LineMap;
}

export function applySteps(steps: readonly Step[], lines: Lines): Applied {
  const count = lines.texts.length;
  const slots = new Map<number, Slot>();
  const slot = (line: number): Slot => {
    let found = slots.get(line);
    if (!found)
      slots.set(line, (found = { before: [], after: [], replacement: [], deleted: false }));
    return found;
  };
  const head: string[] = [];
  const tail: string[] = [];
  for (const step of steps) {
    if (step.kind === "head") head.push(...step.rows);
    else if (step.kind === "tail") tail.push(...step.rows);
    else if (step.kind === "insert") {
      if (step.side === "before" || step.after === 0)
        slot(step.after + 1).before.push(...step.rows);
      else slot(step.after).after.push(...step.rows);
    } else {
      const owner = slot(step.start);
      step.rows.forEach((text, i) => {
        const line = Math.min(step.start + i, Math.max(step.end, step.start));
        owner.replacement.push({
          text,
          end: step.end < step.start ? "" : (lines.ends[line - 1] ?? ""),
        });
      });
      for (let line = step.start; line <= step.end; line++) slot(line).deleted = true;
    }
  }

  const out = new Output(lines);
  out.rows(head, lines.ends[0] ?? "");
  let next = 1;
  for (const [line, changes] of [...slots].toSorted(([a], [b]) => a - b)) {
    if (line > count) break;
    out.keep(next, line);
    next = line + 1;
    out.rows(changes.before, lines.ends[line - 2] ?? lines.ends[0]!);
    for (const row of changes.replacement) out.row(row.text, row.end);
    if (changes.deleted) out.drop(line);
    else out.keep(line, line + 1);
    out.rows(changes.after, lines.ends[line - 1]!);
  }
  out.keep(next, count + 1);
  // Rows anchored behind the last line.
  const behind = slots.get(count + 1);
  const lastEnd = lines.ends[count - 1] ?? "";
  if (behind) {
    out.rows(behind.before, lastEnd);
    for (const row of behind.replacement) out.row(row.text, lastEnd);
    out.rows(behind.after, lastEnd);
  }
  out.rows(tail, lastEnd);
  return out.finish();
}

class Output {
  private readonly source: Lines;
  private readonly texts: string[] = [];
  private readonly ends: Terminator[] = [];
  private readonly map: { at: number; removed: number; added: number }[] = [];
  /** Where a terminator is missing. */
  private readonly open: number[] = [];
  /** Old lines gone by. */
  private consumed = 0;
  private lastIsOld = false;

  constructor(source: Lines) {
    this.source = source;
  }

  /** Lines from one on, up to another. */
  keep(start: number, end: number): void {
    if (start >= end) return;
    const { source, texts, ends } = this;
    appendSlice(texts, source.texts, start - 1, end - 1);
    appendSlice(ends, source.ends, start - 1, end - 1);
    if (ends[ends.length - 1] === "") this.open.push(ends.length - 1);
    this.consumed = end - 1;
    this.lastIsOld = true;
  }

  drop(line: number): void {
    this.differs(1, 0);
    this.consumed = line;
  }

  row(text: string, end: Terminator): void {
    this.differs(0, 1);
    if (end === "") this.open.push(this.ends.length);
    this.texts.push(text);
    this.ends.push(end);
    this.lastIsOld = false;
  }

  rows(texts: readonly string[], end: Terminator): void {
    for (const text of texts) this.row(text, end);
  }

  finish(): Applied {
    const { texts, ends, source } = this;
    // Only the last old line can lack a terminator; the nearest terminated line above it lends its own.
    const filler = source.ends.findLast((end) => end !== "") ?? "\n";
    for (const i of this.open) ends[i] = filler;
    const openEnded = source.ends.length > 0 && source.ends[source.ends.length - 1] === "";
    if (openEnded && texts.length > 0) this.openEnd();
    return { lines: { texts, ends }, map: this.map };
  }

  /** The file goes on ending without a terminator; but a blank line exists only through its own. */
  private openEnd(): void {
    const { texts, ends, map } = this;
    if (texts[texts.length - 1] !== "") {
      ends[ends.length - 1] = "";
      return;
    }
    if (this.lastIsOld) return;
    // A new blank row at the end is no more than the terminator of the line above it.
    texts.pop();
    ends.pop();
    const last = map[map.length - 1]!;
    last.added--;
    if (last.added === 0 && last.removed === 0) map.pop();
  }

  private differs(removed: number, added: number): void {
    const last = this.map[this.map.length - 1];
    if (last && last.at + last.removed === this.consumed) {
      last.removed += removed;
      last.added += added;
    } else {
      this.map.push({ at: this.consumed, removed, added });
    }
  }
}
