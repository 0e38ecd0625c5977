// One matcher for patterns, globs and ignore rules: a nondeterministic automaton whose deterministic form is made state by
// state as the text needs it. Its time is linear in the text, whatever the pattern.

import { type CharSet, one } from "./char-set.ts";

export type Assertion =
  | "line start"
  | "line end"
  | "text start"
  | "text end"
  | "word boundary"
  | "no word boundary"
  | "word start"
  | "word end"
  | "word start half"
  | "word end half";

export type Node =
  | { readonly kind: "set"; readonly set: CharSet }
  | { readonly kind: "all"; readonly parts: readonly Node[] }
  | { readonly kind: "choice"; readonly choices: readonly Node[] }
  | {
      readonly kind: "repeat";
      readonly node: Node;
      readonly least: number;
      /** Infinity: as often as it likes. */
      readonly most: number;
      readonly lazy?: boolean;
    }
  | { readonly kind: "assert"; readonly what: Assertion; readonly ascii?: boolean }
  /** Any run of symbols of the set that is not, as a whole, what the node matches. */
  | { readonly kind: "unlike"; readonly node: Node; readonly within: CharSet };

export const nothing: Node = { kind: "all", parts: [] };
export const never: Node = { kind: "choice", choices: [] };

export function literal(text: string): Node {
  const parts = Array.from(text, (char): Node => ({ kind: "set", set: one(char.codePointAt(0)!) }));
  return { kind: "all", parts };
}

/** One step of the program; `next` and `other` are the numbers of steps. In order of preference. */
export type Step =
  | { readonly op: "set"; readonly set: CharSet; next: number }
  | { readonly op: "split"; next: number; other: number }
  | { readonly op: "assert"; readonly what: Assertion; readonly ascii: boolean; next: number }
  | {
      readonly op: "unlike";
      readonly inner: Automaton;
      readonly within: CharSet;
      next: number;
    }
  | { readonly op: "fail" }
  | { readonly op: "match" };

/** The program grew past its limit. */
export class ProgramTooLarge extends Error {
  override readonly name = "ProgramTooLarge";
}

const MOST_STEPS = 20_000;

/** @returns the steps, and the number of the first */
export function compileNode(node: Node): {
  readonly steps: readonly Step[];
  readonly first: number;
} {
  const steps: Step[] = [{ op: "match" }];
  const add = (step: Step): number => {
    if (steps.length >= MOST_STEPS) throw new ProgramTooLarge();
    return steps.push(step) - 1;
  };

  function emit(part: Node, next: number): number {
    switch (part.kind) {
      case "set":
        return add({ op: "set", set: part.set, next });
      case "all":
        return part.parts.reduceRight((after, each) => emit(each, after), next);
      case "choice": {
        if (part.choices.length === 0) return add({ op: "fail" });
        const starts = part.choices.map((each) => emit(each, next));
        return starts.reduceRight((other, start) => add({ op: "split", next: start, other }));
      }
      case "repeat":
        return emitRepeat(part, next);
      case "assert":
        return add({ op: "assert", what: part.what, ascii: part.ascii ?? false, next });
      case "unlike":
        return add({
          op: "unlike",
          inner: new Automaton(part.node, { keep: true }),
          within: part.within,
          next,
        });
    }
  }

  function emitRepeat({ node: body, least, most, lazy }: Node & { kind: "repeat" }, next: number) {
    const branch = (into: number, past: number): Step =>
      lazy ? { op: "split", next: past, other: into } : { op: "split", next: into, other: past };
    let at = next;
    if (most === Infinity) {
      const loop = add(branch(0, next));
      const start = emit(body, loop);
      const split = steps[loop] as Step & { op: "split" };
      if (lazy) split.other = start;
      else split.next = start;
      at = loop;
    } else {
      for (let i = least; i < most; i++) at = add(branch(emit(body, at), next));
    }
    for (let i = 0; i < least; i++) at = emit(body, at);
    return at;
  }

  const first = emit(node, 0);
  return { steps, first };
}

/** What stands before a place, as far as assertions ask. */
const BEFORE = { start: 0, word: 1, asciiWord: 2, other: 3, lf: 4, cr: 5 } as const;
type Before = (typeof BEFORE)[keyof typeof BEFORE];

/** In place of a symbol: the text ends. */
export const END = -1;

/** No text that goes on from here matches. */
export const DEAD = 1;
/** The text so far matches, or has matched. */
export const MATCHED = 2;
/** In the table: not known without looking at the symbol. */
export const LOOK = 0;

/** Of a row of the table: one for each byte, of which those of ASCII are used, and one for END. */
export const COLUMNS = 257;
export const END_COLUMN = 256;
const ASCII = 128;
const MOST_STATES = 4_096;

interface State {
  /** Steps, sorted; for "unlike" with its inner state: step + steps.length * inner. */
  readonly items: readonly number[];
  readonly before: Before;
  /** Next state by symbol, for those that have no column. */
  readonly others: Map<number, number>;
}

export interface AutomatonOptions {
  readonly search?: boolean;
  readonly keep?: boolean;
}

/**
 * Reads symbols one by one. States are numbers; `step` gives the next one. Where a caller has the bytes of a text at hand, it
 * may read `table` itself: row `state`, column byte; LOOK where only `step` can tell, as for every byte from 128 on.
 */
export class Automaton {
  readonly #steps: readonly Step[];
  readonly #first: number;
  readonly #search: boolean;
  readonly #keep: boolean;
  readonly #usesAssertions: boolean;
  readonly #assertsWords: boolean;
  #states: (State | undefined)[] = [];
  #known = new Map<string, number>();
  #table = new Int32Array(16 * COLUMNS);
  /** How often a state had to be worked out, in steps looked at: what a caller bounds its patience by. */
  work = 0;
  /** Grows when all states are forgotten: numbers from before mean nothing then. */
  generation = 0;
  #start = 0;

  /**
   * @param search a match may begin anywhere; it is told as soon as it is certain
   * @param keep never forgets a state, so that numbers stay valid
   */
  constructor(node: Node, { search = false, keep = false }: AutomatonOptions = {}) {
    const { steps, first } = compileNode(node);
    this.#steps = steps;
    this.#first = first;
    this.#search = search;
    this.#keep = keep;
    const asserted = steps.filter((step) => step.op === "assert");
    this.#usesAssertions = asserted.length > 0;
    this.#assertsWords = asserted.some(({ what }) => what.includes("word"));
    this.#forget();
  }

  /** The state before any symbol. */
  get start(): number {
    return this.#start;
  }

  get table(): Int32Array {
    return this.#table;
  }

  /** @param symbol a code point, `badByte` + byte, or END */
  step(state: number, symbol: number): number {
    if (state === DEAD || state === MATCHED) return state;
    if (symbol < ASCII) {
      const known = this.#table[state * COLUMNS + (symbol === END ? END_COLUMN : symbol)]!;
      if (known !== LOOK) return known;
    } else {
      const known = this.#states[state]!.others.get(symbol);
      if (known !== undefined) return known;
    }
    return this.#work(state, symbol);
  }

  /** Whether a text that ends in this state matches. */
  accepts(state: number): boolean {
    return state === MATCHED || this.step(state, END) === MATCHED;
  }

  /** The state after a whole text, symbol by symbol. */
  run(text: string, state: number = this.#start): number {
    let at = state;
    for (let i = 0; i < text.length && at > MATCHED; i++) {
      const code = text.charCodeAt(i);
      if (code >= 0xd800 && code < 0xdc00) {
        const point = text.codePointAt(i)!;
        if (point > 0xffff) i++;
        at = this.step(at, point);
      } else at = this.step(at, code);
    }
    return at;
  }

  matches(text: string): boolean {
    return this.accepts(this.run(text));
  }

  #work(state: number, symbol: number): number {
    const { items, before } = this.#states[state]!;
    const now = this.#usesAssertions ? this.#resolve(items, before, symbol) : items;
    this.work += now.length;
    let next: number;
    if (this.#usesAssertions && now.includes(0)) next = MATCHED;
    else if (symbol === END) next = !this.#usesAssertions && now.includes(0) ? MATCHED : DEAD;
    else next = this.#advance(now, symbol);
    const row = this.#states[state];
    // The table may have been emptied while the next state was put in; what is written then is for nobody.
    if (!row || row.items !== items) return next;
    if (symbol < ASCII) {
      this.#table[state * COLUMNS + (symbol === END ? END_COLUMN : symbol)] = next;
    } else row.others.set(symbol, next);
    return next;
  }

  #advance(items: readonly number[], symbol: number): number {
    const size = this.#steps.length;
    const reached = new Set<number>();
    for (const item of items) {
      const step = this.#steps[item % size]!;
      if (step.op === "set") {
        if (step.set.has(symbol)) this.#follow(step.next, reached);
      } else if (step.op === "unlike" && step.within.has(symbol)) {
        const inner = step.inner.step(Math.floor(item / size), symbol);
        this.#enterUnlike(item % size, step, inner, reached);
      }
    }
    if (this.#search && !reached.has(0)) this.#follow(this.#first, reached);
    this.work += reached.size;
    const before = this.#usesAssertions ? this.#beforeOf(symbol) : BEFORE.other;
    // Without assertions a search need not wait for what follows.
    if (this.#search && !this.#usesAssertions && reached.has(0)) return MATCHED;
    return this.#stateOf(reached, before);
  }

  #enterUnlike(
    at: number,
    step: Step & { op: "unlike" },
    inner: number,
    reached: Set<number>,
  ): void {
    reached.add(at + this.#steps.length * inner);
    if (!step.inner.accepts(inner)) this.#follow(step.next, reached);
  }

  /** All that can be reached without reading a symbol; assertions stay, to be looked at with what follows them. */
  #follow(from: number, reached: Set<number>): void {
    const open = [from];
    for (let at = open.pop(); at !== undefined; at = open.pop()) {
      if (reached.has(at)) continue;
      const step = this.#steps[at]!;
      if (step.op === "unlike") {
        if (reached.has(at + this.#steps.length * step.inner.start)) continue;
        this.#enterUnlike(at, step, step.inner.start, reached);
        continue;
      }
      reached.add(at);
      if (step.op === "split") open.push(step.other, step.next);
    }
  }

  /** The items with those added that assertions let through here. */
  #resolve(items: readonly number[], before: Before, symbol: number): readonly number[] {
    const reached = new Set(items);
    const done = new Set<number>();
    for (let changed = true; changed;) {
      changed = false;
      for (const item of reached) {
        const step = this.#steps[item % this.#steps.length]!;
        if (step.op !== "assert" || done.has(item)) continue;
        done.add(item);
        if (!holds(step.what, step.ascii, before, symbol)) continue;
        this.#follow(step.next, reached);
        changed = true;
      }
    }
    return [...reached];
  }

  #beforeOf(symbol: number): Before {
    if (symbol === 0x0a) return BEFORE.lf;
    if (symbol === 0x0d) return BEFORE.cr;
    if (!this.#assertsWords) return BEFORE.other;
    if (isAsciiWord(symbol)) return BEFORE.asciiWord;
    return isWord(symbol) ? BEFORE.word : BEFORE.other;
  }

  #stateOf(reached: ReadonlySet<number>, before: Before): number {
    const size = this.#steps.length;
    const items: number[] = [];
    // Splits and failures have done their work.
    for (const item of reached) {
      const { op } = this.#steps[item % size]!;
      if (op !== "split" && op !== "fail") items.push(item);
    }
    if (items.length === 0 && !this.#search) return DEAD;
    items.sort((a, b) => a - b);
    const key = `${before} ${items.join(" ")}`;
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    if (this.#states.length >= MOST_STATES) {
      if (this.#keep) throw new ProgramTooLarge();
      this.#forget();
    }
    const id = this.#states.length;
    this.#states.push({ items, before, others: new Map() });
    this.#known.set(key, id);
    if ((id + 1) * COLUMNS > this.#table.length) {
      const larger = new Int32Array(2 * this.#table.length);
      larger.set(this.#table);
      this.#table = larger;
    }
    return id;
  }

  #forget(): void {
    this.generation++;
    this.#table.fill(0);
    this.#known = new Map();
    // LOOK, DEAD and MATCHED are no states.
    this.#states = [undefined, undefined, undefined];
    const reached = new Set<number>();
    this.#follow(this.#first, reached);
    this.#start =
      this.#search && !this.#usesAssertions && reached.has(0)
        ? MATCHED
        : this.#stateOf(reached, this.#usesAssertions ? BEFORE.start : BEFORE.other);
  }
}

/** @param symbol what comes next */
export function holdsBetween(
  what: Assertion,
  ascii: boolean,
  previous: number | undefined,
  symbol: number,
): boolean {
  const before =
    previous === undefined
      ? BEFORE.start
      : previous === 0x0a
        ? BEFORE.lf
        : previous === 0x0d
          ? BEFORE.cr
          : isAsciiWord(previous)
            ? BEFORE.asciiWord
            : isWord(previous)
              ? BEFORE.word
              : BEFORE.other;
  return holds(what, ascii, before, symbol);
}

function holds(what: Assertion, ascii: boolean, before: Before, symbol: number): boolean {
  switch (what) {
    case "text start":
      return before === BEFORE.start;
    case "text end":
      return symbol === END;
    case "line start":
      if (before === BEFORE.cr) return symbol !== 0x0a;
      return before === BEFORE.start || before === BEFORE.lf;
    case "line end":
      if (symbol === 0x0a) return before !== BEFORE.cr;
      return symbol === END || symbol === 0x0d;
    default: {
      const left = before === BEFORE.asciiWord || (!ascii && before === BEFORE.word);
      const right = symbol !== END && (isAsciiWord(symbol) || (!ascii && isWord(symbol)));
      if (what === "word boundary") return left !== right;
      if (what === "no word boundary") return left === right;
      if (what === "word start") return !left && right;
      if (what === "word end") return left && !right;
      return what === "word start half" ? !left : !right;
    }
  }
}

function isAsciiWord(symbol: number): boolean {
  return (
    (symbol >= 0x61 && symbol <= 0x7a) ||
    (symbol >= 0x41 && symbol <= 0x5a) ||
    (symbol >= 0x30 && symbol <= 0x39) ||
    symbol === 0x5f
  );
}

function isWord(symbol: number): boolean {
  return symbol >= ASCII && symbol < 0x110000 && wordPoint.test(String.fromCodePoint(symbol));
}

/** What Unicode calls a word character (UTS 18, annex C). */
export const WORD = "[\\p{Alphabetic}\\p{M}\\p{Nd}\\p{Pc}\\p{Join_Control}]";
const wordPoint = new RegExp(WORD, "u");
