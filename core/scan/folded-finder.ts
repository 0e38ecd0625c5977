// Finds a run of characters whatever their case, sixteen bytes at a time: a few instructions of WebAssembly look for the two
// rarest bytes of the run at their distance, and only where both are is the rest compared.

import type { FoldedRun } from "./folded-run.ts";

/** Bytes that are looked through at a time; behind them room for a load that begins at the last one. */
const WINDOW = 128 * 1024;
const PAD = 256;
const PAGE = 64 * 1024;
/** Longer runs are as good as their beginning. */
const LONGEST = 100;
const CASE = 0x20;

type Find = (
  from: number,
  end: number,
  firstAt: number,
  secondAt: number,
  first: number,
  second: number,
  firstMask: number,
  secondMask: number,
) => number;

interface Kernel {
  readonly find: Find;
  readonly memory: Uint8Array;
}

export class FoldedFinder {
  readonly #run: FoldedRun;
  readonly #kernel: Kernel;
  readonly #first: number;
  readonly #second: number;
  #text: Uint8Array | undefined;
  #start = 0;
  #end = 0;

  private constructor(run: FoldedRun, kernel: Kernel) {
    this.#run = run;
    this.#kernel = kernel;
    const byRarity = run.map((_, at) => at).toSorted((a, b) => rarity(run[b]!) - rarity(run[a]!));
    this.#first = byRarity[0]!;
    this.#second = byRarity[1]!;
  }

  /** @returns undefined where the engine lacks what it needs */
  static for(run: FoldedRun): FoldedFinder | undefined {
    const kernel = openKernel();
    return kernel && new FoldedFinder(run.slice(0, LONGEST), kernel);
  }

  /** The text of the next questions. It may be one whose buffer was filled anew. */
  open(text: Uint8Array): void {
    this.#text = text;
    this.#start = 0;
    this.#end = 0;
  }

  /** @returns the offset of the first run at or after one; -1: there is none */
  next(from: number): number {
    const text = this.#text!;
    const run = this.#run;
    const { find, memory } = this.#kernel;
    const first = run[this.#first]!;
    const second = run[this.#second]!;
    let at = from;
    for (;;) {
      if (at + run.length > text.length) return -1;
      if (at < this.#start || at + run.length > this.#end) this.#load(at);
      const found = find(
        at - this.#start,
        this.#end - this.#start,
        this.#first,
        this.#second,
        first.byte,
        second.byte,
        first.isLetter ? CASE : 0,
        second.isLetter ? CASE : 0,
      );
      const place = found === -1 ? this.#end : this.#start + found;
      if (place + run.length > this.#end) {
        if (this.#end === text.length) return -1;
        // It may begin here and end in the next window.
        at = Math.max(at + 1, this.#end - run.length + 1);
        continue;
      }
      if (isRun(run, memory, found)) return place;
      at = place + 1;
    }
  }

  #load(from: number): void {
    const { memory } = this.#kernel;
    this.#start = from;
    this.#end = Math.min(this.#text!.length, from + WINDOW);
    const length = this.#end - from;
    memory.set(this.#text!.subarray(from, this.#end));
    memory.fill(0, length, length + PAD);
  }
}

function isRun(run: FoldedRun, memory: Uint8Array, at: number): boolean {
  for (let i = 0; i < run.length; i++) {
    const { byte, isLetter } = run[i]!;
    if ((isLetter ? memory[at + i]! | CASE : memory[at + i]!) !== byte) return false;
  }
  return true;
}

/** From the most frequent in code and prose to the rarest; what is not in it is rarer still. */
const FREQUENT = " etaoinsrlcdupmhgfby_.,()-\"=;:/v0wx1k2'*{}[]>3<456789jqz";

function rarity({ byte }: FoldedRun[number]): number {
  const at = FREQUENT.indexOf(String.fromCharCode(byte));
  return at === -1 ? FREQUENT.length : at;
}

let kernel: Kernel | undefined | null = null;

function openKernel(): Kernel | undefined {
  if (kernel === null) kernel = compileKernel();
  return kernel;
}

function compileKernel(): Kernel | undefined {
  try {
    const { exports } = new WebAssembly.Instance(new WebAssembly.Module(program()));
    const { buffer } = exports["memory"] as WebAssembly.Memory;
    return { find: exports["find"] as Find, memory: new Uint8Array(buffer) };
  } catch {
    return undefined;
  }
}

/**
 * `find(from, end, firstAt, secondAt, first, second, firstMask, secondMask)`: the first place below `end` where the byte at
 * `firstAt` from it, with the bits of `firstMask` set, is `first`, and likewise `second`; -1: none. Places past `end` within
 * the last sixteen may be told too.
 */
function program(): Uint8Array<ArrayBuffer> {
  const [I32, V128] = [0x7f, 0x7b];
  const [FROM, END, FIRST_AT, SECOND_AT, FIRST, SECOND, FIRST_MASK, SECOND_MASK, BITS] = [
    0, 1, 2, 3, 4, 5, 6, 7, 8,
  ];
  const [FIRSTS, SECONDS, FIRST_MASKS, SECOND_MASKS] = [9, 10, 11, 12];
  const get = (local: number): number[] => [0x20, local];
  const set = (local: number): number[] => [0x21, local];
  const tee = (local: number): number[] => [0x22, local];
  const [add, ctz, loop, block, end, branch, branchIf, back, geS] = [
    [0x6a],
    [0x68],
    [0x03, 0x40],
    [0x02, 0x40],
    [0x0b],
    [0x0c],
    [0x0d],
    [0x0f],
    [0x4e],
  ];
  const constant = (value: number): number[] => [0x41, value];
  const load = [0xfd, 0x00, 0x00, 0x00];
  const splat = [0xfd, 0x0f];
  const equal = [0xfd, 0x23];
  const and = [0xfd, 0x4e];
  const or = [0xfd, 0x50];
  const bitmask = [0xfd, 0x64];
  const minusOne = constant(0x7f);
  const body = [
    // Locals: one i32, four v128.
    [2, 1, I32, 4, V128],
    [...get(FIRST), ...splat, ...set(FIRSTS), ...get(SECOND), ...splat, ...set(SECONDS)],
    [...get(FIRST_MASK), ...splat, ...set(FIRST_MASKS)],
    [...get(SECOND_MASK), ...splat, ...set(SECOND_MASKS)],
    block,
    loop,
    [...get(FROM), ...get(END), ...geS, ...branchIf, 1],
    [...get(FROM), ...get(FIRST_AT), ...add, ...load, ...get(FIRST_MASKS), ...or],
    [...get(FIRSTS), ...equal],
    [...get(FROM), ...get(SECOND_AT), ...add, ...load, ...get(SECOND_MASKS), ...or],
    [...get(SECONDS), ...equal],
    [...and, ...bitmask, ...tee(BITS)],
    // Found: the place of the lowest bit.
    [0x04, 0x40, ...get(FROM), ...get(BITS), ...ctz, ...add, ...back, ...end],
    [...get(FROM), ...constant(16), ...add, ...set(FROM), ...branch, 0],
    end,
    end,
    minusOne,
    end,
  ].flat();
  const name = (text: string): number[] =>
    [text.length, ...text].map((char) => (typeof char === "number" ? char : char.charCodeAt(0)));
  const section = (id: number, bytes: readonly number[]): number[] => [
    id,
    ...size(bytes.length),
    ...bytes,
  ];
  const pages = Math.ceil((WINDOW + PAD + 16) / PAGE);
  return new Uint8Array([
    0x00,
    0x61,
    0x73,
    0x6d,
    1,
    0,
    0,
    0,
    ...section(1, [1, 0x60, 8, I32, I32, I32, I32, I32, I32, I32, I32, 1, I32]),
    ...section(3, [1, 0]),
    ...section(5, [1, 0, pages]),
    ...section(7, [2, ...name("memory"), 2, 0, ...name("find"), 0, 0]),
    ...section(10, [1, ...size(body.length), ...body]),
  ]);
}

/** LEB128. */
function size(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...size(value >> 7)];
}
