// The lines of a text that a pattern is in. A line ends at LF, CRLF or lone CR, everywhere the same (hashline.md decision 2).

import type { Bytes } from "../ports/bytes.ts";
import { FoldedFinder } from "./folded-finder.ts";
import { COLUMNS, DEAD, END, LOOK, MATCHED } from "./automaton.ts";
import { type Plan, stepsOf } from "./plan.ts";
import { findSpans, PatternTooSlow } from "./spans.ts";
import { symbolAt } from "./utf8.ts";

export { PatternTooSlow } from "./spans.ts";

/**
 * Told of each line that matches, in order; offsets of the bytes, without the terminator.
 * @returns false: no more is wanted
 */
export type OnLine = (start: number, end: number) => boolean;

const LF = 0x0a;
const CR = 0x0d;

/** States looked at in working out new ones, for one text, before a pattern is given up as too slow. */
const MOST_WORK = 60_000_000;
/** A first look that lets through more than one line in so many bytes costs more than it saves. */
const BYTES_PER_FALSE_HIT = 600;
/** Texts that are worth looking for one by one. */
const MOST_CURSORS = 4;

export class LineMatcher {
  readonly #plan: Plan;
  readonly #bytes: Bytes;
  readonly #needles: readonly Uint8Array[];
  #finder: FoldedFinder | undefined;
  #steps: ReturnType<typeof stepsOf> | undefined;

  constructor(plan: Plan, bytes: Bytes) {
    this.#plan = plan;
    this.#bytes = bytes;
    const texts = plan.literals?.texts ?? [];
    this.#needles =
      texts.length <= MOST_CURSORS ? texts.map((text) => new TextEncoder().encode(text)) : [];
    if (plan.folded && !plan.spansLines) this.#finder = FoldedFinder.for(plan.folded);
  }

  /** As from literals, where letters may have either case. */
  #fromRun(text: Uint8Array, finder: FoldedFinder, onLine: OnLine): void {
    finder.open(text);
    let falseHits = 0;
    for (let at = finder.next(0); at !== -1;) {
      const start = lineStart(text, at);
      const end = lineEnd(text, at);
      if (this.#isMatch(text, start, end)) {
        if (!onLine(start, end)) return;
      } else if (++falseHits * BYTES_PER_FALSE_HIT > at + 64 * BYTES_PER_FALSE_HIT) {
        this.#everyLine(text, afterLine(text, end), onLine);
        return;
      }
      at = finder.next(end);
    }
  }

  get spansLines(): boolean {
    return this.#plan.spansLines;
  }

  /**
   * @param text for a pattern that spans lines, one whole text; else any lines, also of several texts
   * @throws PatternTooSlow
   */
  lines(text: Uint8Array, onLine: OnLine): void {
    this.#plan.automaton.work = 0;
    if (this.#plan.spansLines) this.#acrossLines(text, onLine);
    else if (this.#finder) this.#fromRun(text, this.#finder, onLine);
    else if (this.#needles.length > 0) this.#fromLiterals(text, onLine);
    else this.#everyLine(text, 0, onLine);
  }

  #fromLiterals(text: Uint8Array, onLine: OnLine): void {
    const { decide } = this.#plan.literals!;
    const next = this.#needles.map((needle) => this.#bytes.indexOf(text, needle, 0));
    let falseHits = 0;
    for (;;) {
      let at = -1;
      for (const place of next) if (place !== -1 && (at === -1 || place < at)) at = place;
      if (at === -1) return;
      const start = lineStart(text, at);
      const end = lineEnd(text, at);
      if (decide || this.#isMatch(text, start, end)) {
        if (!onLine(start, end)) return;
      } else if (++falseHits * BYTES_PER_FALSE_HIT > at + 64 * BYTES_PER_FALSE_HIT) {
        this.#everyLine(text, afterLine(text, end), onLine);
        return;
      }
      for (let i = 0; i < next.length; i++) {
        if (next[i] !== -1 && next[i]! < end) {
          next[i] = this.#bytes.indexOf(text, this.#needles[i]!, end);
        }
      }
    }
  }

  #isMatch(text: Uint8Array, start: number, end: number): boolean {
    const { automaton } = this.#plan;
    let state = automaton.start;
    for (let at = start; at < end && state > MATCHED;) {
      const packed = symbolAt(text, at, end);
      state = automaton.step(state, packed >> 3);
      at += packed & 7;
      if (automaton.work > MOST_WORK) throw new PatternTooSlow();
    }
    return automaton.accepts(state);
  }

  /**
   * The tight loop: one look-up in a table for each byte. Where a line ends without a match, the table is told to begin anew:
   * here, no line end is ever a symbol of the pattern's own.
   */
  #everyLine(text: Uint8Array, from: number, onLine: OnLine): void {
    const { automaton } = this.#plan;
    const length = text.length;
    const first = automaton.start;
    const endsOpen = length > from && text[length - 1] !== LF && text[length - 1] !== CR;
    let table = automaton.table;
    let at = from;
    let state = first;
    while (at < length || endsOpen) {
      let next: number = state <= MATCHED ? state : LOOK;
      if (next === LOOK) {
        while (at < length) {
          // Most bytes change nothing, and in this loop no step waits for the one before.
          const row = state * COLUMNS;
          while (at < length && (next = table[row + text[at]!]!) === state) at++;
          if (at === length || next <= MATCHED) break;
          state = next;
          at++;
        }
        if (at === length) {
          if (!endsOpen) return;
          // The text ended in the middle of a line.
          next = LOOK;
        }
      }
      let isHit = next === MATCHED;
      if (next === LOOK) {
        const byte = at < length ? text[at]! : LF;
        if (byte !== LF && byte !== CR) {
          const packed = symbolAt(text, at, length);
          at += packed & 7;
          state = automaton.step(state, packed >> 3);
          table = automaton.table;
          if (automaton.work > MOST_WORK) throw new PatternTooSlow();
          continue;
        }
        isHit = automaton.step(state, END) === MATCHED;
        table = automaton.table;
        if (!isHit && byte === LF) {
          if (at >= length) return;
          if (first > MATCHED) table[state * COLUMNS + LF] = first;
          at++;
          state = first;
          continue;
        }
      }
      const end = next === MATCHED || next === DEAD ? lineEnd(text, at) : at;
      if (isHit && !onLine(lineStart(text, at), end)) return;
      if (end >= length) return;
      at = afterLine(text, end);
      state = first;
    }
  }

  #acrossLines(text: Uint8Array, onLine: OnLine): void {
    if (!this.#mayMatch(text)) return;
    this.#steps ??= stepsOf(this.#plan);
    let told = 0;
    for (const { start, end } of findSpans(this.#steps, text, MOST_WORK)) {
      let from = Math.max(told, lineStart(text, start));
      const last = Math.max(start, end - 1);
      while (from <= last) {
        // After the final terminator there is no line.
        if (from >= text.length) return;
        const to = lineEnd(text, from);
        if (!onLine(from, to)) return;
        from = afterLine(text, to);
        told = from;
      }
    }
  }

  #mayMatch(text: Uint8Array): boolean {
    if (this.#needles.length > 0) {
      return this.#needles.some((needle) => this.#bytes.indexOf(text, needle, 0) !== -1);
    }
    const { automaton } = this.#plan;
    let state = automaton.start;
    for (let at = 0; at < text.length && state > MATCHED;) {
      const packed = symbolAt(text, at, text.length);
      state = automaton.step(state, packed >> 3);
      at += packed & 7;
      if (automaton.work > MOST_WORK) throw new PatternTooSlow();
    }
    return automaton.accepts(state);
  }
}

/** Where the line begins that an offset lies in. */
export function lineStart(text: Uint8Array, at: number): number {
  let start = at;
  // Between the two bytes of one terminator is still the line before.
  if (start > 0 && text[start] === LF && text[start - 1] === CR) start--;
  while (start > 0 && text[start - 1] !== LF && text[start - 1] !== CR) start--;
  return start;
}

/** The offset of the terminator, or the end of the text. */
export function lineEnd(text: Uint8Array, at: number): number {
  let end = at;
  if (end > 0 && text[end] === LF && text[end - 1] === CR) return end - 1;
  while (end < text.length && text[end] !== LF && text[end] !== CR) end++;
  return end;
}

/** Past the terminator that stands at an offset. */
export function afterLine(text: Uint8Array, end: number): number {
  if (text[end] === CR && text[end + 1] === LF) return end + 2;
  return Math.min(end + 1, text.length);
}

/** How many terminators stand between two offsets, of which neither lies within one. */
export function countTerminators(text: Uint8Array, from: number, to: number): number {
  if (to - from < 64) return countOneByOne(text, from, to);
  // Four bytes at a time where none of them is a terminator, which is most of them.
  const first = from + ((4 - ((text.byteOffset + from) & 3)) & 3);
  const words = new Uint32Array(text.buffer, text.byteOffset + first, (to - first) >> 2);
  let count = countOneByOne(text, from, first);
  for (let i = 0; i < words.length; i++) {
    const word = words[i]!;
    const lf = word ^ 0x0a0a0a0a;
    const cr = word ^ 0x0d0d0d0d;
    // A byte is zero where the top bit of one of these is set.
    const zeros = ((lf - 0x01010101) & ~lf) | ((cr - 0x01010101) & ~cr);
    if ((zeros & 0x80808080) === 0) continue;
    count += countOneByOne(text, first + 4 * i, first + 4 * i + 4);
  }
  return count + countOneByOne(text, first + 4 * words.length, to);
}

function countOneByOne(text: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const byte = text[at]!;
    if (byte === LF) count++;
    else if (byte === CR && text[at + 1] !== LF) count++;
  }
  return count;
}
