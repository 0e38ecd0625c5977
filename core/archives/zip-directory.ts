// A zip's central directory: found from the end of the file, never by looking for marks from the front, since those may
// stand inside a member's data (APPNOTE 4.3).

import { limits } from "../limits.ts";
import type { ByteSource } from "../ports/fs.ts";
import { type ArchiveContext, archiveError, type Member, type MemberKind } from "./archive.ts";
import { decodeName } from "./names.ts";

export const LOCAL = 0x04034b50;
export const CENTRAL = 0x02014b50;
const END = 0x06054b50;
export const END64 = 0x06064b50;
export const LOCATOR64 = 0x07064b50;
/** A signature over the directory, which may follow its records. */
const SIGNED = 0x05054b50;

export const FLAG = {
  encrypted: 1,
  descriptor: 8,
  level: 6,
  strong: 0x40,
  utf8: 0x800,
  masked: 0x2000,
};

export interface ZipEntry extends Member {
  /** Its record in the directory, as it stands there. */
  readonly record: Uint8Array;
  readonly rawName: Uint8Array;
  readonly extra: Uint8Array;
  readonly flags: number;
  readonly method: number;
  readonly crc: number;
  readonly packed: number;
  /** Where its local header is in the file. */
  readonly offset: number;
}

export interface ZipDirectory {
  readonly records: ZipRecords;
  /** The file from the directory to its end, or to what follows the archive. */
  readonly tail: Uint8Array;
  /** Where `tail` begins in the file. */
  readonly start: number;
  /** Bytes of the directory's records. */
  readonly length: number;
  /** Bytes of the directory as its end says, which may count a signature in. */
  readonly size: number;
  /** Offsets in `tail`. */
  readonly end: number;
  readonly end64: number | undefined;
  /** What every offset in the archive lacks, since something was put in front of it. */
  readonly shift: number;
  /** Bytes of the file after the archive. */
  readonly trailing: number;
}

/** The records of a directory, told apart but looked at one by one, as they are asked for. */
export class ZipRecords {
  readonly #bytes: Uint8Array;
  readonly #starts: Uint32Array;
  readonly #shift: number;
  readonly #context: ArchiveContext;
  readonly #entries = new Map<number, ZipEntry>();
  #all: readonly ZipEntry[] | undefined;

  constructor(bytes: Uint8Array, starts: Uint32Array, shift: number, context: ArchiveContext) {
    this.#bytes = bytes;
    this.#starts = starts;
    this.#shift = shift;
    this.#context = context;
  }

  get count(): number {
    return this.#starts.length;
  }

  all(): readonly ZipEntry[] {
    return (this.#all ??= Array.from(this.#starts, (_, i) => this.#entry(i)));
  }

  has(entry: ZipEntry): boolean {
    for (const known of this.#entries.values()) if (known === entry) return true;
    return false;
  }

  /**
   * See `Archive.look`. The bytes of the last segment are in the directory, or there is no such name in any spelling; of the
   * records that have them, those of exactly this name are meant.
   */
  look(
    name: string,
  ): { readonly member: ZipEntry; readonly copies: number } | "absent" | undefined {
    const wanted = new TextEncoder().encode(name);
    const cut = wanted.lastIndexOf(SLASH) + 1;
    const segment = wanted.subarray(cut);
    // Beyond ASCII a name may be written in another table.
    const isAscii = wanted.length === name.length;
    let last = -1;
    let copies = 0;
    let others = 0;
    for (let from = 0; others < MOST_OTHERS;) {
      const hit = this.#context.bytes.indexOf(this.#bytes, segment, from);
      if (hit === -1) break;
      from = hit + 1;
      const record = this.#recordNamedAt(hit - cut, wanted);
      if (record === -1) {
        others++;
        continue;
      }
      last = record;
      copies++;
    }
    if (others === MOST_OTHERS) return undefined;
    if (last === -1) return others === 0 && isAscii ? "absent" : undefined;
    const member = this.#entry(last);
    // One that is marked as a folder and not named as one, or has another name besides.
    return member.kind === "directory" || member.name !== name ? undefined : { member, copies };
  }

  /** The number of the record whose name is all of these bytes and stands there; -1 where there is none. */
  #recordNamedAt(at: number, name: Uint8Array): number {
    const index = this.#startsAt(at - 46);
    if (index === -1 || name.length !== uint16(this.#bytes, at - 18)) return -1;
    for (let i = 0; i < name.length; i++) if (this.#bytes[at + i] !== name[i]) return -1;
    return index;
  }

  /** The number of the record that begins there; -1 where none does. */
  #startsAt(at: number): number {
    const starts = this.#starts;
    let low = 0;
    let high = starts.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (starts[middle] === at) return middle;
      if (starts[middle]! < at) low = middle + 1;
      else high = middle - 1;
    }
    return -1;
  }

  /** Where the next member after a place begins; `limit` where there is none. */
  nextOffset(offset: number, limit: number): number {
    let next = limit;
    const view = viewOf(this.#bytes);
    for (let i = 0; i < this.#starts.length; i++) {
      const short = view.getUint32(this.#starts[i]! + 42, true);
      const one = short === 0xffffffff ? this.#entry(i).offset : short + this.#shift;
      if (one > offset && one < next) next = one;
    }
    return next;
  }

  #entry(i: number): ZipEntry {
    let entry = this.#entries.get(i);
    if (!entry) {
      const start = this.#starts[i]!;
      const record = this.#bytes.subarray(start, this.#starts[i + 1] ?? this.#bytes.length);
      entry = entryOf(record, this.#shift, this.#context);
      this.#entries.set(i, entry);
    }
    return entry;
  }
}

const SLASH = 0x2f;
/** Records with the last segment of a name in other places: so many are looked at before all are. */
const MOST_OTHERS = 500;
const UNICODE_NAME = 0x7075;

interface Place {
  readonly start: number;
  readonly size: number;
  readonly count: number;
  readonly shift: number;
  /** Absolute. */
  readonly end: number;
  readonly end64: number | undefined;
  readonly trailing: number;
}

const END_SIZE = 22;
const LONGEST_COMMENT = 0xffff;

/** @throws AtomicError `archive.bounds`, `archive.encrypted`, `archive.too_large` */
export async function readDirectory(
  source: ByteSource,
  context: ArchiveContext,
): Promise<ZipDirectory> {
  const place = await findDirectory(source, context);
  const { start, size, shift, end, end64, trailing } = place;
  if (size > limits.archiveDirectory) {
    throw archiveError(
      "archive.too_large",
      context.name,
      `its directory of ${size} bytes is larger than the ${limits.archiveDirectory} that are read`,
    );
  }
  const tail = await source.read(start, source.size - trailing - start);
  if (tail.length !== source.size - trailing - start) throw badBounds(context, "it became shorter");
  // What runs once for each of many thousands: a view and an array of numbers are fast before anything is compiled.
  const view = viewOf(tail);
  const found = new Uint32Array(Math.min(limits.archiveEntries, Math.floor(size / 46)));
  let count = 0;
  let at = 0;
  while (at < size) {
    const signature = at + 4 <= size ? view.getUint32(at, true) : 0;
    if (signature === SIGNED) break;
    if (signature !== CENTRAL || at + 46 > size) {
      throw badBounds(context, `its directory is damaged after ${count} entries`);
    }
    const length =
      46 +
      view.getUint16(at + 28, true) +
      view.getUint16(at + 30, true) +
      view.getUint16(at + 32, true);
    if (at + length > size) {
      throw badBounds(context, `its directory is cut short after ${count} entries`);
    }
    if (count === limits.archiveEntries) {
      throw archiveError(
        "archive.too_large",
        context.name,
        `it has more than the ${limits.archiveEntries} entries that are read`,
      );
    }
    found[count++] = at;
    at += length;
  }
  const starts = found.subarray(0, count);
  // Some programs count modulo 65536 instead of using the longer record.
  if ((starts.length & 0xffff) !== (place.count & 0xffff)) {
    throw badBounds(
      context,
      `its end says ${place.count} entries, and its directory has ${starts.length}`,
    );
  }
  return {
    records: new ZipRecords(tail.subarray(0, at), starts, shift, context),
    tail,
    start,
    length: at,
    size,
    end: end - start,
    end64: end64 === undefined ? undefined : end64 - start,
    shift,
    trailing,
  };
}

/** The end record nearest to the end of the file that is one: its comment fills the rest and its directory is there. */
async function findDirectory(source: ByteSource, context: ArchiveContext): Promise<Place> {
  const length = Math.min(source.size, END_SIZE + LONGEST_COMMENT);
  const first = source.size - length;
  const tail = await source.read(first, length);
  const view = viewOf(tail);
  let loose: Place | undefined;
  let broken = false;
  for (let at = tail.length - END_SIZE; at >= 0; at--) {
    if (tail[at] !== 0x50 || view.getUint32(at, true) !== END) continue;
    const after = tail.length - (at + END_SIZE + view.getUint16(at + 20, true));
    if (after < 0 || (after > 0 && loose)) continue;
    const record = tail.subarray(at, at + END_SIZE);
    const place = await placeOf(source, first + at, record, after, context);
    if (place && after === 0) return place;
    // What ends just where the file does is meant: an archive inside a member must not take its place.
    if (!place && after === 0) broken = true;
    if (place) loose = place;
  }
  if (loose && !broken) return loose;
  if (broken) throw badBounds(context, "its directory is not where its end says");
  throw badBounds(context, "no directory was found at its end, so it is cut short or no zip");
}

/** Undefined where the record does not lead to a directory. */
async function placeOf(
  source: ByteSource,
  end: number,
  record: Uint8Array,
  trailing: number,
  context: ArchiveContext,
): Promise<Place | undefined> {
  const view = viewOf(record);
  const disk = view.getUint16(4, true);
  let count = view.getUint16(10, true);
  let size = view.getUint32(12, true);
  let offset = view.getUint32(16, true);
  const long = await longEnd(source, end);
  if (long) {
    const { view: more } = long;
    if (count === 0xffff) count = Number(more.getBigUint64(32, true));
    if (size === 0xffffffff) size = Number(more.getBigUint64(40, true));
    if (offset === 0xffffffff) offset = Number(more.getBigUint64(48, true));
  }
  if (disk !== 0 && disk !== 0xffff) {
    throw archiveError("archive.method", context.name, "it is one part of a split archive");
  }
  const limit = long?.at ?? end;
  const rest = { size, count, end, end64: long?.at, trailing };
  const begins = async (start: number) => {
    if (start < 0 || start + size > limit) return false;
    if (size === 0) return count === 0;
    const mark = await source.read(start, 4);
    return mark.length === 4 && viewOf(mark).getUint32(0, true) === CENTRAL;
  };
  const adjacent = limit - size;
  if (await begins(adjacent)) {
    // An empty directory may say anything of where it is.
    return { ...rest, start: adjacent, shift: size === 0 ? 0 : adjacent - offset };
  }
  return (await begins(offset)) ? { ...rest, start: offset, shift: 0 } : undefined;
}

async function longEnd(
  source: ByteSource,
  end: number,
): Promise<{ readonly at: number; readonly view: DataView } | undefined> {
  if (end < 20 + 56) return undefined;
  const locator = viewOf(await source.read(end - 20, 20));
  if (locator.byteLength < 20 || locator.getUint32(0, true) !== LOCATOR64) return undefined;
  // Where something was put in front of the archive, the locator is wrong and the record stands just before it.
  for (const at of [Number(locator.getBigUint64(8, true)), end - 20 - 56]) {
    if (!(at >= 0 && at + 56 <= end - 20)) continue;
    const view = viewOf(await source.read(at, 56));
    if (view.byteLength === 56 && view.getUint32(0, true) === END64) return { at, view };
  }
  return undefined;
}

function entryOf(record: Uint8Array, shift: number, context: ArchiveContext): ZipEntry {
  const view = viewOf(record);
  const nameLength = view.getUint16(28, true);
  const extraLength = view.getUint16(30, true);
  const rawName = record.subarray(46, 46 + nameLength);
  const extra = record.subarray(46 + nameLength, 46 + nameLength + extraLength);
  const flags = view.getUint16(8, true);
  if ((flags & FLAG.masked) !== 0) {
    throw archiveError("archive.encrypted", context.name, "its directory is encrypted");
  }
  let size = view.getUint32(24, true);
  let packed = view.getUint32(20, true);
  let offset = view.getUint32(42, true);
  const long = extra.length > 0 ? fieldOf(extra, 1) : undefined;
  if (long) {
    let at = 0;
    const next = (short: number) => {
      if (short !== 0xffffffff || at + 8 > long.length) return short;
      at += 8;
      return Number(viewOf(long).getBigUint64(at - 8, true));
    };
    size = next(size);
    packed = next(packed);
    offset = next(offset);
  }
  const name = nameOf(rawName, extra, context);
  return {
    name,
    kind: kindOf(name, view),
    size,
    record,
    rawName,
    extra,
    flags,
    method: view.getUint16(10, true),
    crc: view.getUint32(16, true),
    packed,
    offset: offset + shift,
  };
}

/** The name in UTF-8 that an extra field may give counts only while it belongs to the name beside it. */
function nameOf(raw: Uint8Array, extra: Uint8Array, { bytes }: ArchiveContext): string {
  const unicode = extra.length > 0 ? fieldOf(extra, UNICODE_NAME) : undefined;
  if (unicode && unicode.length > 5 && viewOf(unicode).getUint32(1, true) === bytes.crc32(raw)) {
    return decodeName(unicode.subarray(5), "cp437");
  }
  return decodeName(raw, "cp437");
}

function kindOf(name: string, record: DataView): MemberKind {
  const isUnix = record.getUint8(5) === 3 || record.getUint8(5) === 19;
  const type = isUnix ? record.getUint32(38, true) >>> 28 : 0;
  if (type === 0xa) return "symlink";
  if (type === 4 || name.endsWith("/")) return "directory";
  if (type === 1) return "fifo";
  if (type === 2) return "character device";
  return type === 6 ? "block device" : "file";
}

/** The content of an extra field; undefined where there is none of that number. */
export function fieldOf(extra: Uint8Array, id: number): Uint8Array | undefined {
  for (const field of fieldsOf(extra)) if (field.id === id) return field.content;
  return undefined;
}

/** What is no well-formed field ends the list. */
export function* fieldsOf(
  extra: Uint8Array,
): Generator<{ readonly id: number; readonly content: Uint8Array; readonly whole: Uint8Array }> {
  const view = viewOf(extra);
  for (let at = 0; at + 4 <= extra.length;) {
    const end = at + 4 + view.getUint16(at + 2, true);
    if (end > extra.length) return;
    const whole = extra.subarray(at, end);
    yield { id: view.getUint16(at, true), content: whole.subarray(4), whole };
    at = end;
  }
}

/** Little-endian. */
function uint16(bytes: Uint8Array, at: number): number {
  return bytes[at]! | (bytes[at + 1]! << 8);
}

export function viewOf(bytes: Uint8Array): DataView {
  return new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
}

export function badBounds({ name }: ArchiveContext, why: string, member?: string) {
  return archiveError(
    "archive.bounds",
    name,
    `bad zip bounds: ${why}`,
    member === undefined ? {} : { member },
  );
}
