// Where matches begin and end: the automaton's steps run side by side, the preferred way first (Pike's method). Linear in the
// text for any one pattern.

import { END, holdsBetween, type Step } from "./automaton.ts";
import { symbolAt } from "./utf8.ts";

export interface Span {
  readonly start: number;
  /** Exclusive. */
  readonly end: number;
}

/** Where it gave up: the pattern costs more than the budget on this text. */
export class PatternTooSlow extends Error {
  override readonly name = "PatternTooSlow";
}

interface Threads {
  readonly steps: number[];
  readonly starts: number[];
  readonly seen: Uint32Array;
  mark: number;
}

/**
 * Matches from left to right, none overlapping the one before.
 * @param budget steps that may be taken in all
 * @throws PatternTooSlow
 */
export function* findSpans(
  { steps, first }: { readonly steps: readonly Step[]; readonly first: number },
  text: Uint8Array,
  budget: number,
): Generator<Span> {
  let current = threads(steps.length);
  let next = threads(steps.length);
  let spent = 0;

  function add(
    list: Threads,
    step: number,
    start: number,
    previous: number | undefined,
    symbol: number,
  ): void {
    const open = [step];
    for (let top = open.pop(); top !== undefined; top = open.pop()) {
      if (list.seen[top] === list.mark) continue;
      list.seen[top] = list.mark;
      const one = steps[top]!;
      if (one.op === "split") open.push(one.other, one.next);
      else if (one.op === "assert") {
        if (holdsBetween(one.what, one.ascii, previous, symbol)) open.push(one.next);
      } else if (one.op !== "fail") {
        list.steps.push(top);
        list.starts.push(start);
      }
    }
  }

  for (let from = 0; from <= text.length;) {
    let found: Span | undefined;
    clear(current);
    let previous = from === 0 ? undefined : symbolBefore(text, from);
    for (let at = from; ;) {
      const packed = at < text.length ? symbolAt(text, at, text.length) : undefined;
      const symbol = packed === undefined ? END : packed >> 3;
      if (!found) add(current, first, at, previous, symbol);
      if (current.steps.length === 0 && found) break;
      spent += current.steps.length + 1;
      if (spent > budget) throw new PatternTooSlow();
      const length = packed === undefined ? 0 : packed & 7;
      const after = at + length;
      const following = after < text.length ? symbolAt(text, after, text.length) >> 3 : END;
      clear(next);
      for (let i = 0; i < current.steps.length; i++) {
        const step = steps[current.steps[i]!]!;
        if (step.op === "match") {
          found = { start: current.starts[i]!, end: at };
          break;
        }
        if (packed !== undefined && step.op === "set" && step.set.has(symbol)) {
          add(next, step.next, current.starts[i]!, symbol, following);
        }
      }
      if (packed === undefined) break;
      [current, next] = [next, current];
      previous = symbol;
      at = after;
    }
    if (!found) return;
    yield found;
    from = found.end > found.start ? found.end : found.end + lengthAt(text, found.end);
  }
}

function lengthAt(text: Uint8Array, at: number): number {
  return at < text.length ? symbolAt(text, at, text.length) & 7 : 1;
}

function symbolBefore(text: Uint8Array, at: number): number {
  for (let back = Math.min(4, at); back > 1; back--) {
    const packed = symbolAt(text, at - back, at);
    if ((packed & 7) === back) return packed >> 3;
  }
  return symbolAt(text, at - 1, at) >> 3;
}

function threads(size: number): Threads {
  return { steps: [], starts: [], seen: new Uint32Array(size), mark: 1 };
}

function clear(list: Threads): void {
  list.steps.length = 0;
  list.starts.length = 0;
  list.mark++;
}
