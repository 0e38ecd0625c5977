// Zip and jar (APPNOTE 6.3): members by the central directory, never more of the file than the directory and the member.

import { limits } from "../limits.ts";
import type { ByteSource } from "../ports/fs.ts";
import { formatSize } from "../text/size.ts";
import {
  type Archive,
  type ArchiveContext,
  archiveError,
  type Member,
  sourceOf,
} from "./archive.ts";
import type { Format } from "./format.ts";
import {
  badBounds,
  FLAG,
  LOCAL,
  readDirectory,
  viewOf,
  type ZipDirectory,
  type ZipEntry,
} from "./zip-directory.ts";
import { type Extent, rewriteZip } from "./zip-write.ts";

/** The end record alone. */
const EMPTY = Uint8Array.of(0x50, 0x4b, 5, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

export const zip: Format = {
  name: "zip",
  suffixes: [".zip", ".jar"],
  async claims(head, source) {
    const isMark = (third: number, fourth: number) =>
      head[0] === 0x50 && head[1] === 0x4b && head[2] === third && head[3] === fourth;
    if (isMark(3, 4) || isMark(5, 6) || isMark(6, 6)) return true;
    // One with a program in front, or one whose parts were cut off.
    const tail = await source.read(Math.max(0, source.size - 22 - 0xffff), 22 + 0xffff);
    for (let at = tail.length - 22; at >= 0; at--) {
      if (tail[at] === 0x50 && viewOf(tail).getUint32(at, true) === 0x06054b50) return true;
    }
    return false;
  },
  open: openZip,
  create: (context) => openZip(sourceOf([EMPTY]), context),
};

async function openZip(source: ByteSource, context: ArchiveContext): Promise<Archive> {
  const directory = await readDirectory(source, context);
  const { records, trailing } = directory;
  return {
    get members() {
      return records.all();
    },
    look: (name) => records.look(name),
    remarks: trailing > 0 ? [`${formatSize(trailing)} follow the archive's end`] : [],
    read: (member) => readEntry(source, directory, entryOf(directory, member), context),
    write: async (change) => {
      const entry = change.member && entryOf(directory, change.member);
      const extent = entry && (await extentOf(source, directory, entry, context));
      return rewriteZip(source, directory, entry && { entry, ...extent! }, change, context);
    },
  };
}

function entryOf({ records }: ZipDirectory, member: Member): ZipEntry {
  if (!records.has(member as ZipEntry)) throw new TypeError("a member of another archive");
  return member as ZipEntry;
}

async function readEntry(
  source: ByteSource,
  directory: ZipDirectory,
  entry: ZipEntry,
  context: ArchiveContext,
): Promise<Uint8Array> {
  const { name: member, size, packed, method, crc } = entry;
  const { name: archive, bytes } = context;
  if ((entry.flags & (FLAG.encrypted | FLAG.strong)) !== 0) {
    throw archiveError("archive.encrypted", archive, "the member is encrypted", { member });
  }
  if (method !== 0 && method !== 8) {
    const how = `method ${method}${methods.has(method) ? `, ${methods.get(method)}` : ""}`;
    throw archiveError(
      "archive.method",
      archive,
      `the member is packed by ${how}, and only stored and deflated ones can be read`,
      { member },
    );
  }
  for (const one of [size, packed]) {
    if (one <= limits.archiveMember) continue;
    throw archiveError(
      "archive.too_large",
      archive,
      `the member is of ${formatSize(one)}, and at most ${formatSize(limits.archiveMember)} are read`,
      { member },
    );
  }
  const { data } = await extentOf(source, directory, entry, context);
  const stored = await source.read(data, packed);
  if (stored.length !== packed) throw badBounds(context, "the archive became shorter", member);
  if (method === 0 && packed !== size) {
    throw badBounds(context, `it is stored, yet says ${packed} bytes and ${size}`, member);
  }
  const content = method === 0 ? stored : inflate(stored, entry, context);
  const found = bytes.crc32(content);
  if (found !== crc) {
    throw archiveError(
      "archive.checksum",
      archive,
      `its content has the CRC-32 ${hex(found)}, and the archive says ${hex(crc)}`,
      { member },
    );
  }
  return content;
}

function inflate(
  stored: Uint8Array,
  { name: member, size }: ZipEntry,
  context: ArchiveContext,
): Uint8Array {
  // No deflate stream gives more: whoever claims more lies, and no room is made for it.
  if (size > 1032 * stored.length) {
    throw badBounds(context, `${stored.length} packed bytes cannot hold ${size}`, member);
  }
  let content: Uint8Array;
  try {
    content = context.bytes.inflate(stored, size);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw archiveError(
      "archive.bounds",
      context.name,
      `bad zip bounds: its packed bytes are damaged, or hold more than the ${size} that it says`,
      { member, cause: thrown },
    );
  }
  if (content.length === size) return content;
  throw badBounds(context, `it says ${size} bytes and holds ${content.length}`, member);
}

async function extentOf(
  source: ByteSource,
  directory: ZipDirectory,
  entry: ZipEntry,
  context: ArchiveContext,
): Promise<Extent> {
  const { name: member, offset: start, packed, rawName } = entry;
  const limit = directory.records.nextOffset(start, directory.start);
  if (!(start >= 0 && start + 30 <= limit)) {
    throw badBounds(context, "its place is not in the file", member);
  }
  const header = await source.read(start, 30 + rawName.length);
  const view = viewOf(header);
  if (header.length < 30 || view.getUint32(0, true) !== LOCAL) {
    throw badBounds(context, "there is no member where the directory says", member);
  }
  const nameLength = view.getUint16(26, true);
  const data = start + 30 + nameLength + view.getUint16(28, true);
  const isSame =
    nameLength === rawName.length && rawName.every((byte, i) => header[30 + i] === byte);
  if (!isSame) {
    throw badBounds(
      context,
      "the directory and the member's own header disagree on its name",
      member,
    );
  }
  if (data + packed > limit) {
    throw badBounds(context, "it overlaps what follows it", member);
  }
  const described = (view.getUint16(6, true) & FLAG.descriptor) !== 0;
  const end = data + packed;
  return {
    start,
    data,
    end: described ? end + (await descriptorLength(source, end, limit, entry)) : end,
  };
}

/** 12, 16, 20 or 24 bytes: with or without a mark, sizes of 4 or 8 bytes. 0 where none is recognised. */
async function descriptorLength(
  source: ByteSource,
  at: number,
  limit: number,
  { crc, packed, size }: ZipEntry,
): Promise<number> {
  const found = await source.read(at, Math.min(24, limit - at));
  const view = viewOf(found);
  for (const skip of [4, 0]) {
    if (skip === 4 && (found.length < 4 || view.getUint32(0, true) !== 0x08074b50)) continue;
    if (found.length < skip + 12 || view.getUint32(skip, true) !== crc) continue;
    const long =
      found.length >= skip + 20 &&
      view.getBigUint64(skip + 4, true) === BigInt(packed) &&
      view.getBigUint64(skip + 12, true) === BigInt(size);
    if (long) return skip + 20;
    const short =
      view.getUint32(skip + 4, true) === packed % 2 ** 32 &&
      view.getUint32(skip + 8, true) === size % 2 ** 32;
    if (short) return skip + 12;
  }
  return 0;
}

const methods: ReadonlyMap<number, string> = new Map([
  [1, "shrink"],
  [6, "implode"],
  [9, "Deflate64"],
  [12, "bzip2"],
  [14, "LZMA"],
  [93, "zstd"],
  [95, "xz"],
  [98, "PPMd"],
  [99, "AES encryption"],
]);

function hex(crc: number): string {
  return crc.toString(16).padStart(8, "0");
}
