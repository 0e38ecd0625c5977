// Bzip2: any number of streams, one after the other, each of blocks that are sorted, moved to front and coded by Huffman.

import { type ArchiveContext, archiveError } from "./archive.ts";
import { Growing, type Unpacked, type Unpacking } from "./unpacking.ts";

export function isBzip2(head: Uint8Array): boolean {
  const level = head[3] ?? 0;
  return head[0] === 0x42 && head[1] === 0x5a && head[2] === 0x68 && level > 0x30 && level < 0x3a;
}

/**
 * Unpacks every stream, held to the checksums of its blocks and of itself.
 * @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.too_large`
 */
export async function unpackBzip2(
  packed: Uint8Array,
  { limit, pause }: Unpacking,
  context: ArchiveContext,
): Promise<Unpacked> {
  const pieces: Uint8Array[] = [];
  const remarks: string[] = [];
  let left = limit;
  for (let at = 0; at < packed.length;) {
    if (!isBzip2(packed.subarray(at, at + 4))) {
      if (at === 0) throw new Bits(packed, 0, context).damaged("no stream begins there");
      if (packed.subarray(at).some((byte) => byte !== 0)) {
        remarks.push(`${packed.length - at} bytes that are no bzip2 follow its end`);
      }
      break;
    }
    const bits = new Bits(packed, at + 4, context);
    const sorted = new Uint32Array((packed[at + 3]! - 0x30) * 100_000);
    let whole = 0;
    for (;;) {
      const [high, low] = [bits.take(24), bits.take(24)];
      if (high === 0x177245 && low === 0x385090) break;
      if (high !== 0x314159 || low !== 0x265359) throw bits.damaged("no block begins there");
      const stated = bits.word();
      const { first, length } = sortedBlock(bits, sorted);
      const { piece, crc } = unsorted(sorted, first, length, left, context);
      if (crc !== stated) throw checksum(context, bits.byte);
      whole = (((whole << 1) | (whole >>> 31)) ^ crc) >>> 0;
      left -= piece.length;
      pieces.push(piece);
      await pause();
    }
    if (bits.word() !== whole) throw checksum(context, bits.byte);
    at = bits.byte;
  }
  return { pieces, remarks };
}

function checksum({ name }: ArchiveContext, at: number) {
  return archiveError(
    "archive.checksum",
    name,
    `its content does not match the checksum of the bzip2 block that ends near byte ${at}`,
  );
}

/** Bits of the file, the highest of each byte first. */
class Bits {
  readonly #bytes: Uint8Array;
  readonly #context: ArchiveContext;
  #at: number;
  #held = 0;
  #count = 0;

  constructor(bytes: Uint8Array, at: number, context: ArchiveContext) {
    this.#bytes = bytes;
    this.#at = at;
    this.#context = context;
  }

  /** Of the next whole byte. */
  get byte(): number {
    return this.#at - (this.#count >> 3);
  }

  /** @param count at most 24 */
  take(count: number): number {
    while (this.#count < count) {
      if (this.#at === this.#bytes.length) throw this.damaged("it is cut short");
      this.#held = (this.#held << 8) | this.#bytes[this.#at++]!;
      this.#count += 8;
    }
    this.#count -= count;
    return (this.#held >>> this.#count) & ((1 << count) - 1);
  }

  word(): number {
    return this.take(16) * 0x10000 + this.take(16);
  }

  damaged(why: string) {
    return archiveError(
      "archive.bounds",
      this.#context.name,
      `bad bzip2 data near byte ${this.byte}: ${why}`,
    );
  }
}

const GROUP = 50;
const LONGEST = 20;
const MOST_SELECTORS = 18_002;

/** A Huffman code by the lengths of its symbols' codes. */
interface Code {
  readonly shortest: number;
  /** By length: the largest code of that length, and what a code lacks to be the number of its symbol. */
  readonly most: Int32Array;
  readonly lack: Int32Array;
  readonly symbols: Uint16Array;
}

/** Fills `sorted` with the block's bytes in their sorted order, and above them the order itself. */
function sortedBlock(
  bits: Bits,
  sorted: Uint32Array,
): { readonly first: number; readonly length: number } {
  if (bits.take(1) === 1) throw bits.damaged("its block is of the kind that was given up in 1998");
  const first = bits.take(24);
  const used = usedBytes(bits);
  const alphabet = used.length + 2;
  const codes = bits.take(3);
  if (codes < 2 || codes > 6) throw bits.damaged("it has a wrong number of codes");
  const selectors = readSelectors(bits, codes);
  const tables = Array.from({ length: codes }, () => readCode(bits, alphabet));

  const front = used.slice();
  const counts = new Uint32Array(256);
  let length = 0;
  let run = 0;
  let weight = 1;
  let left = 0;
  let group = 0;
  let code = tables[0]!;
  const end = alphabet - 1;
  for (;;) {
    if (left === 0) {
      if (group === selectors.length) throw bits.damaged("it does not end");
      code = tables[selectors[group++]!]!;
      left = GROUP;
    }
    left--;
    const symbol = readSymbol(bits, code);
    if (symbol <= 1) {
      // A run of the front byte, in digits of 1 and 2, the lowest first.
      if (weight > sorted.length) throw bits.damaged("a run is too long");
      run += weight << symbol;
      weight <<= 1;
      continue;
    }
    if (run > 0) {
      if (length + run > sorted.length) throw bits.damaged("its block is too long");
      const byte = front[0]!;
      counts[byte] = counts[byte]! + run;
      sorted.fill(byte, length, length + run);
      length += run;
      run = 0;
      weight = 1;
    }
    if (symbol === end) break;
    if (length === sorted.length) throw bits.damaged("its block is too long");
    const at = symbol - 1;
    const byte = front[at]!;
    front.copyWithin(1, 0, at);
    front[0] = byte;
    counts[byte] = counts[byte]! + 1;
    sorted[length++] = byte;
  }
  if (first >= length) throw bits.damaged("it names a first byte that it has not");
  let sum = 0;
  for (let byte = 0; byte < 256; byte++) {
    const count = counts[byte]!;
    counts[byte] = sum;
    sum += count;
  }
  for (let i = 0; i < length; i++) {
    const byte = sorted[i]! & 0xff;
    const place = counts[byte]!;
    counts[byte] = place + 1;
    sorted[place] = (sorted[place]! | (i << 8)) >>> 0;
  }
  return { first, length };
}

function usedBytes(bits: Bits): Uint8Array {
  const rows = bits.take(16);
  const used: number[] = [];
  for (let row = 0; row < 16; row++) {
    if ((rows & (0x8000 >> row)) === 0) continue;
    const columns = bits.take(16);
    for (let column = 0; column < 16; column++) {
      if ((columns & (0x8000 >> column)) !== 0) used.push(row * 16 + column);
    }
  }
  if (used.length === 0) throw bits.damaged("its block uses no byte");
  return Uint8Array.from(used);
}

function readSelectors(bits: Bits, codes: number): Uint8Array {
  const count = bits.take(15);
  if (count === 0) throw bits.damaged("its block chooses no code");
  const selectors = new Uint8Array(Math.min(count, MOST_SELECTORS));
  const front = Uint8Array.from({ length: codes }, (_, i) => i);
  for (let i = 0; i < count; i++) {
    let at = 0;
    while (bits.take(1) === 1) {
      if (++at === codes) throw bits.damaged("its block chooses a code that it has not");
    }
    const chosen = front[at]!;
    front.copyWithin(1, 0, at);
    front[0] = chosen;
    // More than a block can need are written by some programs.
    if (i < selectors.length) selectors[i] = chosen;
  }
  return selectors;
}

function readCode(bits: Bits, alphabet: number): Code {
  const lengths = new Uint8Array(alphabet);
  let length = bits.take(5);
  for (let symbol = 0; symbol < alphabet; symbol++) {
    for (;;) {
      if (length < 1 || length > LONGEST) throw bits.damaged("a code is of no possible length");
      if (bits.take(1) === 0) break;
      length += bits.take(1) === 0 ? 1 : -1;
    }
    lengths[symbol] = length;
  }
  const most = new Int32Array(LONGEST + 1).fill(-1);
  const lack = new Int32Array(LONGEST + 1);
  const symbols = new Uint16Array(alphabet);
  let next = 0;
  let code = 0;
  for (let size = 1; size <= LONGEST; size++) {
    const before = next;
    for (let symbol = 0; symbol < alphabet; symbol++) {
      if (lengths[symbol] === size) symbols[next++] = symbol;
    }
    lack[size] = before - code;
    code += next - before;
    if (next > before) most[size] = code - 1;
    code <<= 1;
  }
  return { shortest: Math.min(...lengths), most, lack, symbols };
}

function readSymbol(bits: Bits, { shortest, most, lack, symbols }: Code): number {
  let length = shortest;
  for (let code = bits.take(length); ; code = (code << 1) | bits.take(1), length++) {
    if (length > LONGEST) break;
    if (code <= most[length]!) {
      const symbol = symbols[code + lack[length]!];
      if (symbol === undefined) break;
      return symbol;
    }
  }
  throw bits.damaged("a code stands for nothing");
}

/** The block's bytes in their own order, with the runs of the first stage written out. */
function unsorted(
  sorted: Uint32Array,
  first: number,
  length: number,
  limit: number,
  context: ArchiveContext,
): { readonly piece: Uint8Array; readonly crc: number } {
  const out = new Growing(limit, Math.min(limit, length + 1024), context);
  const table = (crcTable ??= makeTable());
  let crc = 0xffffffff;
  let at = sorted[first]! >>> 8;
  let same = 0;
  let last = -1;
  for (let i = 0; i < length; i++) {
    const entry = sorted[at]!;
    at = entry >>> 8;
    const byte = entry & 0xff;
    if (same === 4) {
      // After four equal bytes stands how many more there are.
      out.room(byte);
      for (let n = 0; n < byte; n++) {
        out.bytes[out.length++] = last;
        crc = (crc << 8) ^ table[(crc >>> 24) ^ last]!;
      }
      same = 0;
      last = -1;
      continue;
    }
    same = byte === last ? same + 1 : 1;
    last = byte;
    out.room(1);
    out.bytes[out.length++] = byte;
    crc = (crc << 8) ^ table[(crc >>> 24) ^ byte]!;
  }
  return { piece: out.done(), crc: ~crc >>> 0 };
}

/** Of CRC-32 with the highest bit first. */
let crcTable: Int32Array | undefined;

function makeTable(): Int32Array {
  return Int32Array.from({ length: 256 }, (_, byte) => {
    let value = byte << 24;
    for (let bit = 0; bit < 8; bit++) value = (value << 1) ^ (value < 0 ? 0x04c11db7 : 0);
    return value;
  });
}
