// A zip with one member replaced or added. Of every other member the bytes are copied, its record too, but for the offset.

import type { ByteSource } from "../ports/fs.ts";
import {
  type ArchiveContext,
  archiveError,
  concat,
  type MemberChange,
  spliced,
} from "./archive.ts";
import {
  CENTRAL,
  END64,
  fieldOf,
  fieldsOf,
  FLAG,
  LOCAL,
  LOCATOR64,
  viewOf,
  type ZipDirectory,
  type ZipEntry,
} from "./zip-directory.ts";

/** Where a member lies in the file. */
export interface Extent {
  /** Its local header. */
  readonly start: number;
  /** Its packed bytes. */
  readonly data: number;
  /** After them and the sizes that may follow. */
  readonly end: number;
}

const MOST_32 = 0xffffffff;
const MOST_16 = 0xffff;
const EXTRA_LONG = 0x0001;
const EXTRA_NTFS = 0x000a;
const EXTRA_TIME = 0x5455;
const EXTRA_OLD_UNIX = 0x5855;
const EXTRA_AES = 0x9901;

/** @param old the member that is replaced, and where it lies */
export async function rewriteZip(
  source: ByteSource,
  directory: ZipDirectory,
  old: ({ readonly entry: ZipEntry } & Extent) | undefined,
  change: MemberChange,
  context: ArchiveContext,
): Promise<AsyncIterable<Uint8Array>> {
  const { start: directoryAt, shift, size, end, end64 } = directory;
  const between = (end64 ?? end) - size;
  // Once the directory is longer, its place could no longer be told from its end for certain.
  if (between !== 0) {
    throw archiveError(
      "archive.bounds",
      context.name,
      `bad zip bounds: ${between} bytes stand between its directory and its end, so it cannot be changed`,
    );
  }
  const entries = directory.records.all();
  const at = old ? old.start : directoryAt;
  const removed = old ? old.end - old.start : 0;
  const made = makeMember(old?.entry, await localExtra(source, old, change), change, context);
  const grown = made.local.length + made.data.length - removed;
  const record = made.record(at - shift);
  const records = entries.map((entry) => {
    if (entry === old?.entry) return record;
    return entry.offset > at ? moved(entry, entry.offset + grown - shift, context) : entry.record;
  });
  if (!old) records.push(record);
  if (directoryAt + grown > MOST_32) throw tooFar(context);
  const ends = endRecords(directory, records, directoryAt + grown - shift);
  return spliced(source, [
    { at, removed, added: [made.local, made.data] },
    { at: directoryAt, removed: directory.tail.length, added: [...records, ...ends] },
  ]);
}

interface MadeMember {
  /** The local header with name and extra fields. */
  readonly local: Uint8Array;
  readonly data: Uint8Array;
  /** Of the directory. */
  record(offset: number): Uint8Array;
}

function makeMember(
  old: ZipEntry | undefined,
  extra: Uint8Array,
  { name, content, now }: MemberChange,
  { bytes }: ArchiveContext,
): MadeMember {
  const rawName = old?.rawName ?? new TextEncoder().encode(name);
  const packed = old?.method === 0 ? content : bytes.deflate(content);
  // A member that was stored may have to stay so: the first one of an EPUB does.
  const isStored = old?.method === 0 || packed.length >= content.length;
  const data = isStored ? content : packed;
  const cleared = FLAG.encrypted | FLAG.descriptor | FLAG.strong | FLAG.level;
  const isAscii = rawName.every((byte) => byte < 0x80);
  // Both headers have these fields, with those lengths of name and extra fields after them.
  const common = new Uint8Array(24);
  const view = viewOf(common);
  view.setUint16(0, 20, true);
  view.setUint16(2, old ? old.flags & ~cleared : isAscii ? 0 : FLAG.utf8, true);
  view.setUint16(4, isStored ? 0 : 8, true);
  setTime(view, 6, now);
  view.setUint32(10, bytes.crc32(content), true);
  view.setUint32(14, data.length, true);
  view.setUint32(18, content.length, true);
  view.setUint16(22, rawName.length, true);
  return {
    local: concat([uint32(LOCAL), common, uint16(extra.length), rawName, extra]),
    data,
    record(offset) {
      const central = old ? renewed(old.extra, now) : timeField(now);
      const head = old ? old.record.slice(0, 46) : newRecord();
      const comment = old ? old.record.subarray(46 + rawName.length + old.extra.length) : [];
      head.set(common, 6);
      viewOf(head).setUint16(30, central.length, true);
      viewOf(head).setUint32(42, offset, true);
      return concat([head, rawName, central, Uint8Array.from(comment)]);
    },
  };
}

/** Made by a Unix program, version 2.0 of the format, a regular file with the mode 0644. */
function newRecord(): Uint8Array {
  const record = new Uint8Array(46);
  const view = viewOf(record);
  view.setUint32(0, CENTRAL, true);
  view.setUint16(4, (3 << 8) | 20, true);
  view.setUint32(38, 0o100644 * 2 ** 16, true);
  return record;
}

async function localExtra(
  source: ByteSource,
  old: ({ readonly entry: ZipEntry } & Extent) | undefined,
  { now }: MemberChange,
): Promise<Uint8Array> {
  if (!old) return timeField(now);
  const start = old.start + 30 + old.entry.rawName.length;
  return renewed(await source.read(start, old.data - start), now);
}

/** Extra fields of a member with other content: the times are new, and what spoke of the old sizes or key is gone. */
function renewed(extra: Uint8Array, now: number): Uint8Array {
  const fields: Uint8Array[] = [];
  let length = 0;
  for (const { id, whole } of fieldsOf(extra)) {
    length += whole.length;
    if (id === EXTRA_LONG || id === EXTRA_AES) continue;
    fields.push(withTime(id, whole, now));
  }
  // What is no well-formed field stays.
  return concat([...fields, extra.subarray(length)]);
}

/** The field with a new time of modification where it has one. */
function withTime(id: number, whole: Uint8Array, now: number): Uint8Array {
  const seconds = Math.floor(now / 1000);
  const fresh = whole.slice();
  const view = viewOf(fresh);
  if (id === EXTRA_TIME && fresh.length >= 9 && (fresh[4]! & 1) !== 0) {
    view.setUint32(5, seconds, true);
  } else if (id === EXTRA_OLD_UNIX && fresh.length >= 12) {
    view.setUint32(8, seconds, true);
  } else if (id === EXTRA_NTFS && fresh.length >= 20 && view.getUint16(8, true) === 1) {
    // Counted from 1601 in steps of 100 ns.
    view.setBigUint64(12, (BigInt(now) + 11_644_473_600_000n) * 10_000n, true);
  }
  return fresh;
}

function timeField(now: number): Uint8Array {
  const field = Uint8Array.of(0x55, 0x54, 5, 0, 1, 0, 0, 0, 0);
  viewOf(field).setUint32(5, Math.floor(now / 1000), true);
  return field;
}

/** MS-DOS time, which is local time in steps of two seconds from 1980 to 2107. */
function setTime(view: DataView, at: number, now: number): void {
  const time = new Date(now);
  const year = Math.min(127, Math.max(0, time.getFullYear() - 1980));
  const clock = (time.getHours() << 11) | (time.getMinutes() << 5) | (time.getSeconds() >> 1);
  view.setUint16(at, clock, true);
  view.setUint16(at + 2, (year << 9) | ((time.getMonth() + 1) << 5) | time.getDate(), true);
}

/** The record of a member that has only moved. */
function moved(entry: ZipEntry, offset: number, context: ArchiveContext): Uint8Array {
  const record = entry.record.slice();
  const view = viewOf(record);
  if (view.getUint32(42, true) !== MOST_32) {
    if (offset >= MOST_32) throw tooFar(context);
    view.setUint32(42, offset, true);
    return record;
  }
  const long = fieldOf(record.subarray(46 + entry.rawName.length), EXTRA_LONG);
  const before = [view.getUint32(24, true), view.getUint32(20, true)];
  const at = 8 * before.filter((short) => short === MOST_32).length;
  // Without the longer field the short one means itself.
  if (!long || at + 8 > long.length) throw tooFar(context);
  viewOf(long).setBigUint64(at, BigInt(offset), true);
  return record;
}

/** What stands after the directory's records, up to the archive's end. @param start of the directory, as the end says it */
function endRecords(
  { tail, length, size, end, end64, records: old }: ZipDirectory,
  records: readonly Uint8Array[],
  start: number,
): readonly Uint8Array[] {
  const count = records.length;
  const recordsSize = records.reduce((sum, record) => sum + record.length, 0);
  const newSize = recordsSize + size - length;
  const rest = tail.slice(length);
  const view = viewOf(rest);
  const short = end - length;
  const [countAt, sizeAt, startAt] = [short + 10, short + 12, short + 16];
  if (end64 !== undefined) {
    const long = end64 - length;
    view.setBigUint64(long + 24, BigInt(count), true);
    view.setBigUint64(long + 32, BigInt(count), true);
    view.setBigUint64(long + 40, BigInt(newSize), true);
    view.setBigUint64(long + 48, BigInt(start), true);
    view.setBigUint64(short - 12, BigInt(start + recordsSize + long), true);
  }
  // Where the longer record says it, the short one keeps saying so.
  if (end64 === undefined || view.getUint16(countAt, true) !== MOST_16) {
    view.setUint16(short + 8, count, true);
    view.setUint16(countAt, count, true);
  }
  if (end64 === undefined || view.getUint32(sizeAt, true) !== MOST_32) {
    view.setUint32(sizeAt, newSize, true);
  }
  if (end64 === undefined || view.getUint32(startAt, true) !== MOST_32) {
    view.setUint32(startAt, start, true);
  }
  if (end64 !== undefined || count < MOST_16 || old.count >= MOST_16) return [rest];
  view.setUint16(short + 8, MOST_16, true);
  view.setUint16(countAt, MOST_16, true);
  const at = start + recordsSize + short;
  return [rest.subarray(0, short), longEnd(count, newSize, start, at), rest.subarray(short)];
}

/** The longer end record and its locator, for more members than the short one can count. */
function longEnd(count: number, size: number, start: number, at: number): Uint8Array {
  const records = new Uint8Array(56 + 20);
  const view = viewOf(records);
  view.setUint32(0, END64, true);
  view.setBigUint64(4, 44n, true);
  view.setUint16(12, (3 << 8) | 45, true);
  view.setUint16(14, 45, true);
  view.setBigUint64(24, BigInt(count), true);
  view.setBigUint64(32, BigInt(count), true);
  view.setBigUint64(40, BigInt(size), true);
  view.setBigUint64(48, BigInt(start), true);
  view.setUint32(56, LOCATOR64, true);
  view.setBigUint64(64, BigInt(at), true);
  view.setUint32(72, 1, true);
  return records;
}

function tooFar({ name }: ArchiveContext) {
  return archiveError(
    "archive.too_large",
    name,
    "with this change it would pass 4 GiB, for which its records have no room",
  );
}

function uint32(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8, value >>> 16, value >>> 24);
}

function uint16(value: number): Uint8Array {
  return Uint8Array.of(value, value >>> 8);
}
