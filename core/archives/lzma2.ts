// LZMA2: chunks that are stored or coded by LZMA, a dictionary coder whose choices go through a binary range coder.

import type { Growing } from "./unpacking.ts";

/** What is wrong with the data, as the end of a sentence. */
export class LzmaError extends Error {}

/** Where a chunk of LZMA2 stops being one of what it should be. */
interface Reader {
  readonly bytes: Uint8Array;
  at: number;
}

/**
 * Unpacks the chunks up to their end mark.
 * @param dictionary bytes that a copy may reach back
 * @returns where the data end
 * @throws LzmaError, and what `out` throws where it becomes too long
 */
export async function unpackLzma2(
  bytes: Uint8Array,
  start: number,
  dictionary: number,
  out: Growing,
  pause: () => Promise<void>,
): Promise<number> {
  const reader: Reader = { bytes, at: start };
  const lzma = new Lzma(reader, out, dictionary);
  let wantsDictionary = true;
  let wantsState = true;
  for (let paused = 0; ;) {
    const control = byteOf(reader);
    if (control === 0) return reader.at;
    if (control >= 0xe0 || control === 1) {
      wantsDictionary = false;
      lzma.forget();
    } else if (wantsDictionary) throw new LzmaError("its first chunk needs what is before it");
    if (control < 0x80) {
      if (control > 2) throw new LzmaError("a chunk is of an unknown kind");
      const size = shortOf(reader) + 1;
      const end = reader.at + size;
      if (end > bytes.length) throw new LzmaError("it is cut short");
      out.room(size);
      out.bytes.set(bytes.subarray(reader.at, end), out.length);
      out.length += size;
      reader.at = end;
    } else {
      const size = (control & 0x1f) * 0x10000 + shortOf(reader) + 1;
      const end = shortOf(reader) + 1;
      if (control >= 0xc0) {
        lzma.properties(byteOf(reader));
        wantsState = false;
      } else if (wantsState) throw new LzmaError("its first chunk says nothing of its coding");
      else if (control >= 0xa0) lzma.reset();
      if (reader.at + end > bytes.length) throw new LzmaError("it is cut short");
      lzma.chunk(size, reader.at + end);
    }
    if (out.length - paused > PAUSE) {
      paused = out.length;
      await pause();
    }
  }
}

const PAUSE = 4 * 1024 * 1024;

function byteOf(reader: Reader): number {
  const byte = reader.bytes[reader.at++];
  if (byte === undefined) throw new LzmaError("it is cut short");
  return byte;
}

function shortOf(reader: Reader): number {
  const high = byteOf(reader);
  return high * 256 + byteOf(reader);
}

const PROB = 1024;
const LITERAL_STATES = 7;
const SHORTEST = 2;
/** Codes of a distance by the length of its copy: 2, 3, 4, more. */
const LENGTHS = 4;
/** Distances from this slot on are too long for models of their own, and only their last bits have one. */
const FIRST_DIRECT = 14;

class Lzma {
  readonly #reader: Reader;
  readonly #out: Growing;
  readonly #dictionary: number;
  /** Where in the output what may be copied begins. */
  #oldest = 0;

  #range = 0;
  #code = 0;
  #end = 0;

  #state = 0;
  readonly #distances = [0, 0, 0, 0];
  #literalBits = 0;
  #literalMask = 0;
  #positionMask = 0;

  #literals = new Uint16Array(0);
  readonly #isMatch = new Uint16Array(12 << 4);
  readonly #isRepeated = new Uint16Array(12);
  readonly #isFirst = new Uint16Array(12);
  readonly #isSecond = new Uint16Array(12);
  readonly #isThird = new Uint16Array(12);
  readonly #isLong = new Uint16Array(12 << 4);
  readonly #slots = new Uint16Array(LENGTHS << 6);
  readonly #special = new Uint16Array(128);
  readonly #aligned = new Uint16Array(16);
  readonly #length = lengthModel();
  readonly #repeatedLength = lengthModel();

  constructor(reader: Reader, out: Growing, dictionary: number) {
    this.#reader = reader;
    this.#out = out;
    this.#dictionary = dictionary;
  }

  forget(): void {
    this.#oldest = this.#out.length;
  }

  properties(packed: number): void {
    const context = packed % 9;
    const position = Math.floor(packed / 9) % 5;
    const mask = Math.floor(packed / 45);
    if (mask > 4 || context + position > 4) throw new LzmaError("its coding is an impossible one");
    this.#literalBits = context;
    this.#literalMask = (1 << position) - 1;
    this.#positionMask = (1 << mask) - 1;
    this.#literals = new Uint16Array(0x300 << (context + position));
    this.reset();
  }

  reset(): void {
    this.#state = 0;
    this.#distances.fill(0);
    for (const model of [
      this.#literals,
      this.#isMatch,
      this.#isRepeated,
      this.#isFirst,
      this.#isSecond,
      this.#isThird,
      this.#isLong,
      this.#slots,
      this.#special,
      this.#aligned,
    ]) {
      model.fill(PROB);
    }
    for (const { choice, low, mid, high } of [this.#length, this.#repeatedLength]) {
      for (const model of [choice, low, mid, high]) model.fill(PROB);
    }
  }

  /** @param end of the chunk's data, exclusive */
  chunk(size: number, end: number): void {
    if (end - this.#reader.at < 5) throw new LzmaError("a chunk is too short");
    if (byteOf(this.#reader) !== 0) throw new LzmaError("a chunk begins with a wrong byte");
    this.#range = 0xffffffff;
    this.#code = 0;
    for (let i = 0; i < 4; i++) this.#code = ((this.#code << 8) | byteOf(this.#reader)) >>> 0;
    this.#end = end;
    const out = this.#out;
    out.room(size);
    const until = out.length + size;
    while (out.length < until) {
      const position = (out.length - this.#oldest) & this.#positionMask;
      if (this.#bit(this.#isMatch, (this.#state << 4) + position) === 0) this.#literal();
      else this.#copy(position, until);
    }
    this.#normalise();
    if (this.#reader.at !== end || this.#code !== 0) throw new LzmaError("a chunk ends wrongly");
  }

  #literal(): void {
    const out = this.#out;
    const place = (out.length - this.#oldest) & this.#literalMask;
    const before = out.length > this.#oldest ? out.bytes[out.length - 1]! : 0;
    const context = (place << this.#literalBits) + (before >> (8 - this.#literalBits));
    const models = 0x300 * context;
    let symbol = 1;
    if (this.#state >= LITERAL_STATES) {
      // The byte that a copy would go on with is known not to come.
      const from = out.length - this.#distances[0]! - 1;
      let expected = this.#checked(from);
      while (symbol < 0x100) {
        const likely = (expected >> 7) & 1;
        expected <<= 1;
        const bit = this.#bit(this.#literals, models + ((1 + likely) << 8) + symbol);
        symbol = (symbol << 1) | bit;
        if (bit !== likely) break;
      }
    }
    while (symbol < 0x100) symbol = (symbol << 1) | this.#bit(this.#literals, models + symbol);
    out.bytes[out.length++] = symbol & 0xff;
    this.#state = this.#state < 4 ? 0 : this.#state < 10 ? this.#state - 3 : this.#state - 6;
  }

  #copy(position: number, until: number): void {
    const out = this.#out;
    const distances = this.#distances;
    let length: number;
    if (this.#bit(this.#isRepeated, this.#state) === 0) {
      distances[3] = distances[2]!;
      distances[2] = distances[1]!;
      distances[1] = distances[0]!;
      length = SHORTEST + this.#lengthOf(this.#length, position);
      this.#state = this.#state < LITERAL_STATES ? 7 : 10;
      distances[0] = this.#distance(Math.min(length - SHORTEST, LENGTHS - 1));
    } else {
      if (this.#bit(this.#isFirst, this.#state) === 0) {
        if (this.#bit(this.#isLong, (this.#state << 4) + position) === 0) {
          const byte = this.#checked(out.length - distances[0]! - 1);
          out.bytes[out.length++] = byte;
          this.#state = this.#state < LITERAL_STATES ? 9 : 11;
          return;
        }
      } else {
        let distance = distances[1]!;
        if (this.#bit(this.#isSecond, this.#state) === 1) {
          distance = distances[2]!;
          if (this.#bit(this.#isThird, this.#state) === 1) {
            distance = distances[3]!;
            distances[3] = distances[2]!;
          }
          distances[2] = distances[1]!;
        }
        distances[1] = distances[0]!;
        distances[0] = distance;
      }
      length = SHORTEST + this.#lengthOf(this.#repeatedLength, position);
      this.#state = this.#state < LITERAL_STATES ? 8 : 11;
    }
    if (out.length + length > until) throw new LzmaError("a copy goes beyond its chunk");
    const from = out.length - distances[0]! - 1;
    this.#checked(from);
    const { bytes } = out;
    const at = out.length;
    for (let i = 0; i < length; i++) bytes[at + i] = bytes[from + i]!;
    out.length += length;
  }

  /** The byte there, if a copy may reach it. */
  #checked(from: number): number {
    if (from < this.#oldest || this.#out.length - from > this.#dictionary) {
      throw new LzmaError("a copy reaches back too far");
    }
    return this.#out.bytes[from]!;
  }

  #lengthOf({ choice, low, mid, high }: LengthModel, position: number): number {
    if (this.#bit(choice, 0) === 0) return this.#tree(low, position << 3, 3);
    if (this.#bit(choice, 1) === 0) return 8 + this.#tree(mid, position << 3, 3);
    return 16 + this.#tree(high, 0, 8);
  }

  #distance(row: number): number {
    const slot = this.#tree(this.#slots, row << 6, 6);
    if (slot < 4) return slot;
    const count = (slot >> 1) - 1;
    const start = ((2 | (slot & 1)) << count) >>> 0;
    if (slot < FIRST_DIRECT) return start + this.#reversed(this.#special, start - slot, count);
    let direct = 0;
    for (let left = count - 4; left > 0; left--) {
      this.#normalise();
      this.#range >>>= 1;
      const bit = this.#code >= this.#range ? 1 : 0;
      if (bit === 1) this.#code -= this.#range;
      direct = direct * 2 + bit;
    }
    return start + direct * 16 + this.#reversed(this.#aligned, 0, 4);
  }

  #tree(models: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    for (let i = 0; i < bits; i++) symbol = (symbol << 1) | this.#bit(models, base + symbol);
    return symbol - (1 << bits);
  }

  /** The lowest bit first. */
  #reversed(models: Uint16Array, base: number, bits: number): number {
    let symbol = 1;
    let value = 0;
    for (let i = 0; i < bits; i++) {
      const bit = this.#bit(models, base + symbol);
      symbol = (symbol << 1) | bit;
      value |= bit << i;
    }
    return value;
  }

  #bit(models: Uint16Array, index: number): 0 | 1 {
    if (this.#range < 0x1000000) this.#normalise();
    const probability = models[index]!;
    const bound = (this.#range >>> 11) * probability;
    if (this.#code < bound) {
      this.#range = bound;
      models[index] = probability + ((2048 - probability) >> 5);
      return 0;
    }
    this.#range -= bound;
    this.#code -= bound;
    models[index] = probability - (probability >> 5);
    return 1;
  }

  #normalise(): void {
    if (this.#range >= 0x1000000) return;
    if (this.#reader.at >= this.#end) throw new LzmaError("a chunk is cut short");
    this.#range = (this.#range << 8) >>> 0;
    this.#code = ((this.#code << 8) | this.#reader.bytes[this.#reader.at++]!) >>> 0;
  }
}

interface LengthModel {
  readonly choice: Uint16Array;
  readonly low: Uint16Array;
  readonly mid: Uint16Array;
  readonly high: Uint16Array;
}

function lengthModel(): LengthModel {
  return {
    choice: new Uint16Array(2),
    low: new Uint16Array(16 << 3),
    mid: new Uint16Array(16 << 3),
    high: new Uint16Array(256),
  };
}
