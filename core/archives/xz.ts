// The .xz format: streams of blocks, each packed by LZMA2, with an index of them at the end.

import { type ArchiveContext, archiveError } from "./archive.ts";
import { LzmaError, unpackLzma2 } from "./lzma2.ts";
import { Growing, type Unpacked, type Unpacking } from "./unpacking.ts";

const MAGIC = [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0];

export function isXz(head: Uint8Array): boolean {
  return MAGIC.every((byte, i) => head[i] === byte);
}

/**
 * Unpacks every stream. Headers, blocks and the index are held to their checksums; of checks of a block, CRC-32, CRC-64 and
 * SHA-256 are known, and others are passed over aloud.
 * @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.method`, `archive.too_large`
 */
export async function unpackXz(
  packed: Uint8Array,
  unpacking: Unpacking,
  context: ArchiveContext,
): Promise<Unpacked> {
  const pieces: Uint8Array[] = [];
  const remarks = new Set<string>();
  const file = new Xz(packed, context);
  let left = unpacking.limit;
  for (;;) {
    const check = file.streamHeader();
    if (!checks.has(check)) remarks.add("the checksums of its blocks are of an unknown kind");
    const blocks: BlockSize[] = [];
    while (!file.isAtIndex()) {
      const { piece, size } = await file.block(check, { ...unpacking, limit: left });
      left -= piece.length;
      pieces.push(piece);
      blocks.push(size);
    }
    file.index(blocks, check);
    if (file.isAtEnd()) return { pieces, remarks: [...remarks] };
  }
}

/** As the index lists it: without the block's padding. */
interface BlockSize {
  readonly packed: number;
  readonly unpacked: number;
}

/** Bytes of a check, by its number. */
const checkSizes = [0, 4, 4, 4, 8, 8, 8, 16, 16, 16, 32, 32, 32, 64, 64, 64];
const CRC32 = 1;
const CRC64 = 4;
const SHA256 = 10;
const checks: ReadonlySet<number> = new Set([0, CRC32, CRC64, SHA256]);
const LZMA2 = 0x21;

class Xz {
  readonly #bytes: Uint8Array;
  readonly #context: ArchiveContext;
  #at = 0;

  constructor(bytes: Uint8Array, context: ArchiveContext) {
    this.#bytes = bytes;
    this.#context = context;
  }

  /** @returns the number of the stream's check */
  streamHeader(): number {
    const header = this.#take(12);
    if (!isXz(header)) throw this.#damaged("no xz stream begins there");
    if (header[6] !== 0 || header[7]! > 15) throw this.#method("its header is of a newer kind");
    this.#held(header.subarray(6, 8), numberAt(header, 8));
    return header[7]!;
  }

  isAtIndex(): boolean {
    if (this.#at >= this.#bytes.length) throw this.#damaged("it is cut short");
    return this.#bytes[this.#at] === 0;
  }

  async block(
    check: number,
    { limit, pause }: Unpacking,
  ): Promise<{ readonly piece: Uint8Array; readonly size: BlockSize }> {
    const start = this.#at;
    const { dictionary, packed, unpacked } = this.#blockHeader();
    const begin = this.#at;
    const out = new Growing(limit, Math.max(64 * 1024, unpacked ?? 0), this.#context);
    try {
      this.#at = await unpackLzma2(this.#bytes, begin, dictionary, out, pause);
    } catch (thrown) {
      if (!(thrown instanceof LzmaError)) throw thrown;
      throw this.#damaged(thrown.message);
    }
    const piece = out.done();
    if (packed !== undefined && packed !== this.#at - begin) {
      throw this.#damaged("a block is not as long as it says");
    }
    if (unpacked !== undefined && unpacked !== piece.length) {
      throw this.#damaged("a block unpacks to more or less than it says");
    }
    const length = this.#at - start;
    this.#padding(begin);
    const stated = this.#take(checkSizes[check]!);
    if (!this.#matches(check, piece, stated)) {
      throw archiveError(
        "archive.checksum",
        this.#context.name,
        `its content does not match the checksum of the xz block at byte ${start}`,
      );
    }
    return { piece, size: { packed: length + stated.length, unpacked: piece.length } };
  }

  #blockHeader(): {
    readonly dictionary: number;
    readonly packed: number | undefined;
    readonly unpacked: number | undefined;
  } {
    const size = (this.#bytes[this.#at]! + 1) * 4;
    const header = this.#take(size);
    this.#held(header.subarray(0, -4), numberAt(header, size - 4));
    const fields = new Xz(header.subarray(0, -4), this.#context);
    fields.#at = 2;
    const flags = header[1]!;
    if ((flags & 0x3c) !== 0) throw this.#method("a block is of a newer kind");
    const packed = (flags & 0x40) !== 0 ? fields.#number() : undefined;
    const unpacked = (flags & 0x80) !== 0 ? fields.#number() : undefined;
    const filter = fields.#number();
    if ((flags & 3) !== 0 || filter !== LZMA2) {
      throw this.#method(`it is packed through the filter ${filter}, and only LZMA2 is known`);
    }
    if (fields.#number() !== 1) throw this.#damaged("a block says its dictionary wrongly");
    const bits = fields.#take(1)[0]!;
    if (bits > 40) throw this.#damaged("a block has an impossible dictionary");
    const dictionary = bits === 40 ? 2 ** 32 - 1 : (2 | (bits & 1)) * 2 ** ((bits >> 1) + 11);
    if (fields.#bytes.subarray(fields.#at).some((byte) => byte !== 0)) {
      throw this.#method("a block's header has more in it than is known");
    }
    return { dictionary, packed, unpacked };
  }

  /** The index and the footer, which must tell of the blocks that were met. */
  index(blocks: readonly BlockSize[], check: number): void {
    const start = this.#at;
    this.#at++;
    let isRight = this.#number() === blocks.length;
    for (const { packed, unpacked } of blocks) {
      if (!isRight) break;
      const [one, other] = [this.#number(), this.#number()];
      isRight = one === packed && other === unpacked;
    }
    if (!isRight) throw this.#damaged("its index tells of other blocks");
    this.#padding(start);
    const index = this.#bytes.subarray(start, this.#at);
    this.#held(index, numberAt(this.#take(4), 0));
    const footer = this.#take(12);
    this.#held(footer.subarray(4, 10), numberAt(footer, 0));
    const isEnd =
      (numberAt(footer, 4) + 1) * 4 === this.#at - 12 - start &&
      footer[8] === 0 &&
      footer[9] === check &&
      footer[10] === 0x59 &&
      footer[11] === 0x5a;
    if (!isEnd) throw this.#damaged("its end does not fit its beginning");
  }

  /** Whether nothing follows but padding: zeros, four at a time. */
  isAtEnd(): boolean {
    while (this.#at + 4 <= this.#bytes.length && numberAt(this.#bytes, this.#at) === 0) {
      this.#at += 4;
    }
    return this.#at === this.#bytes.length;
  }

  #take(length: number): Uint8Array {
    const taken = this.#bytes.subarray(this.#at, this.#at + length);
    if (taken.length < length) throw this.#damaged("it is cut short");
    this.#at += length;
    return taken;
  }

  /** Seven bits in each byte, the lowest first. */
  #number(): number {
    let value = 0;
    for (let i = 0; i < 9; i++) {
      const byte = this.#take(1)[0]!;
      value += (byte & 0x7f) * 2 ** (7 * i);
      if (byte < 0x80) {
        if (byte === 0 && i > 0) break;
        return value;
      }
    }
    throw this.#damaged("a number in it is malformed");
  }

  /** Zeros up to a multiple of four bytes from `start`. */
  #padding(start: number): void {
    const padding = this.#take((4 - ((this.#at - start) % 4)) % 4);
    if (padding.some((byte) => byte !== 0)) throw this.#damaged("its padding is not of zeros");
  }

  #held(bytes: Uint8Array, crc: number): void {
    if (this.#context.bytes.crc32(bytes) === crc) return;
    throw archiveError(
      "archive.checksum",
      this.#context.name,
      `the xz header that ends near byte ${this.#at} does not match its checksum`,
    );
  }

  #matches(check: number, piece: Uint8Array, stated: Uint8Array): boolean {
    const port = this.#context.bytes;
    if (check === CRC32) return port.crc32(piece) === numberAt(stated, 0);
    if (check === SHA256) {
      return port.sha256(piece) === Array.from(stated, hex).join("");
    }
    if (check !== CRC64) return true;
    const [low, high] = crc64(piece);
    return low === numberAt(stated, 0) && high === numberAt(stated, 4);
  }

  #damaged(why: string) {
    const where = `bad xz data near byte ${this.#at}`;
    return archiveError("archive.bounds", this.#context.name, `${where}: ${why}`);
  }

  #method(why: string) {
    return archiveError("archive.method", this.#context.name, why);
  }
}

function hex(byte: number): string {
  return byte.toString(16).padStart(2, "0");
}

/** Little-endian. */
function numberAt(bytes: Uint8Array, at: number): number {
  return (
    (bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24)) >>> 0
  );
}

/** CRC-64 of ECMA-182, the lowest bit first: its lower and its upper half. */
function crc64(bytes: Uint8Array): readonly [number, number] {
  const { lows, highs } = (tables ??= makeTables());
  let low = -1;
  let high = -1;
  for (let i = 0; i < bytes.length; i++) {
    const row = (low ^ bytes[i]!) & 0xff;
    low = ((low >>> 8) | (high << 24)) ^ lows[row]!;
    high = (high >>> 8) ^ highs[row]!;
  }
  return [~low >>> 0, ~high >>> 0];
}

let tables: { readonly lows: Int32Array; readonly highs: Int32Array } | undefined;

function makeTables() {
  const lows = new Int32Array(256);
  const highs = new Int32Array(256);
  for (let row = 0; row < 256; row++) {
    let low = row;
    let high = 0;
    for (let bit = 0; bit < 8; bit++) {
      const odd = low & 1;
      low = (low >>> 1) | (high << 31);
      high >>>= 1;
      if (odd === 1) {
        low ^= 0xd7870f42;
        high ^= 0xc96c5795;
      }
    }
    lows[row] = low;
    highs[row] = high;
  }
  return { lows, highs };
}
