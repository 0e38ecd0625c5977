// Where the members of a tar are, and what its headers say of them (POSIX.1-2017 pax, ustar, GNU, v7).

import { limits } from "../limits.ts";
import type { ByteSource } from "../ports/fs.ts";
import { formatSize } from "../text/size.ts";
import { type ArchiveContext, archiveError, type Member, type MemberKind } from "./archive.ts";
import { decodeName } from "./names.ts";
import { BLOCK, hasChecksum, isZero, numberAt, padded, paxRecords, textAt } from "./tar-header.ts";
import { oldParts, type Sparse, SparseRecords } from "./tar-sparse.ts";

export interface TarMember extends Member {
  /** Where its first header is: that of its long name or attributes, if it has one. */
  readonly start: number;
  /** Where its own header is. */
  readonly header: number;
  readonly data: number;
  /** After its data and their padding. */
  readonly end: number;
  /** Headers before its own, that speak of it. */
  readonly before: readonly TarExtra[];
  /** Bytes that are stored of it. */
  readonly stored: number;
  /** Where its content is stored with its holes left out. */
  readonly sparse: Sparse | undefined;
}

export interface TarExtra {
  readonly type: string;
  readonly header: Uint8Array;
  readonly content: Uint8Array;
}

export interface TarLayout {
  readonly members: readonly TarMember[];
  /** Where the end mark is, or where it would be. */
  readonly end: number;
  readonly marked: boolean;
}

/** What headers say of the member that follows, or of all that follow. */
interface Attributes {
  path?: string;
  link?: string;
  size?: number;
  sparse?: SparseRecords;
}

/** @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.too_large` */
export async function readLayout(source: ByteSource, context: ArchiveContext): Promise<TarLayout> {
  const blocks = new Blocks(source);
  const members: TarMember[] = [];
  let all: Attributes = {};
  let own: Attributes = {};
  let before: TarExtra[] = [];
  let start = 0;
  let at = 0;
  for (; at + BLOCK <= source.size;) {
    const header = await blocks.at(at);
    context.signal.throwIfAborted();
    if (isZero(header)) {
      // A single block of zeros may stand in the middle; two, or the file's end, are the end of the archive.
      const next = at + 2 * BLOCK <= source.size ? await blocks.at(at + BLOCK) : undefined;
      if (!next || isZero(next))
        return { members, end: before.length > 0 ? start : at, marked: true };
      at += BLOCK;
      if (before.length === 0) start = at;
      continue;
    }
    if (!hasChecksum(header)) {
      throw archiveError(
        "archive.checksum",
        context.name,
        `the header at byte ${at} (after ${members.length} members) does not match its checksum`,
      );
    }
    const type = String.fromCharCode(header[156]!);
    const stated = numberAt(header, 124, 12);
    if (stated === undefined) throw damaged(context, at, "its size is no number");
    if (headersOnly.has(type)) {
      if (stated > limits.archiveHeader) {
        throw archiveError(
          "archive.too_large",
          context.name,
          `the header at byte ${at} says that its name or attributes take ${formatSize(stated)}`,
        );
      }
      const content = await source.read(at + BLOCK, stated);
      if (content.length !== stated) throw damaged(context, at, "it is cut short");
      before.push({ type, header: header.slice(), content: content.slice() });
      if (type === "g") all = { ...all, ...attributesOf(type, content, context, at) };
      else own = { ...own, ...attributesOf(type, content, context, at) };
      at += BLOCK + padded(stated);
      continue;
    }
    const told = { ...all, ...own };
    const size = told.size ?? stated;
    const kind = kindOf(type, told.path ?? nameAt(header));
    const old = type === "S" ? await sparseMap(blocks, header, at, source.size) : undefined;
    const stored = (await hasData(type, kind, at, size, blocks, source.size)) ? size : 0;
    const data = at + BLOCK + (old?.length ?? 0);
    const end = data + padded(stored);
    if (data + stored > source.size) {
      const left = formatSize(Math.max(0, source.size - data));
      throw damaged(
        context,
        at,
        `the member after it has ${formatSize(stored)}, and ${left} are left`,
      );
    }
    if (members.length === limits.archiveEntries) {
      throw archiveError(
        "archive.too_large",
        context.name,
        `it has more than the ${limits.archiveEntries} members that are read`,
      );
    }
    const target = told.link ?? textOf(header.subarray(157, 257));
    const sparse = old?.sparse ?? (kind === "file" ? told.sparse?.whole : undefined);
    members.push({
      name: told.path ?? nameAt(header),
      kind,
      size: sparse?.size ?? stored,
      target: kind === "symlink" || kind === "hard link" ? target : undefined,
      start,
      header: at,
      data,
      end,
      before,
      stored,
      sparse,
    });
    at = end;
    start = at;
    own = {};
    before = [];
  }
  // What is left is no whole block.
  if (before.length > 0 || at < source.size) {
    throw damaged(context, Math.min(at, source.size), "the archive is cut short");
  }
  return { members, end: at, marked: members.length === 0 && source.size === 0 };
}

/** They tell of the member that follows, or of all: pax (x, g), Solaris (X), long names of GNU (L, K). */
const headersOnly: ReadonlySet<string> = new Set(["x", "g", "X", "L", "K"]);

function attributesOf(
  type: string,
  content: Uint8Array,
  context: ArchiveContext,
  at: number,
): Attributes {
  if (type === "L") return { path: textOf(content) };
  if (type === "K") return { link: textOf(content) };
  const told: Attributes = {};
  const records = paxRecords(content);
  if (!records) throw damaged(context, at, "its attributes are malformed");
  for (const { key, value } of records) {
    if (key === "path" || key === "GNU.sparse.name") told.path = decodeName(value, "latin1");
    else if (key === "linkpath") told.link = decodeName(value, "latin1");
    else if (key === "size") {
      const size = Number(decodeName(value, "latin1"));
      if (!Number.isSafeInteger(size) || size < 0)
        throw damaged(context, at, "its size is no number");
      told.size = size;
    } else if (key.startsWith("GNU.sparse.")) {
      told.sparse ??= new SparseRecords();
      told.sparse.add(key, decodeName(value, "latin1"));
    }
  }
  return told;
}

function kindOf(type: string, name: string): MemberKind {
  const kind = kinds.get(type);
  if (kind === "file" && name.endsWith("/") && type !== "7") return "directory";
  return kind ?? "unknown";
}

const kinds: ReadonlyMap<string, MemberKind> = new Map([
  ["\0", "file"],
  ["0", "file"],
  ["7", "file"],
  ["S", "file"],
  ["1", "hard link"],
  ["2", "symlink"],
  ["3", "character device"],
  ["4", "block device"],
  ["5", "directory"],
  ["6", "fifo"],
]);

/** Whether `size` bytes follow: of links and folders some programs write the size of something else. */
async function hasData(
  type: string,
  kind: MemberKind,
  at: number,
  size: number,
  blocks: Blocks,
  end: number,
): Promise<boolean> {
  if (size === 0 || kind === "file") return true;
  if (kind === "unknown") return true;
  if (type !== "1") return type === "\0" || type === "0";
  // POSIX lets the data of a hard link follow. Then no header does.
  if (at + 2 * BLOCK > end) return false;
  const next = await blocks.at(at + BLOCK);
  return !(isZero(next) || hasChecksum(next));
}

/** The map of an old GNU sparse file, and the bytes of the blocks that go on with it. */
async function sparseMap(
  blocks: Blocks,
  header: Uint8Array,
  at: number,
  end: number,
): Promise<{ readonly length: number; readonly sparse: Sparse }> {
  const parts = [...oldParts(header, true)];
  let length = 0;
  for (let more = header[482]; more === 1 && at + length + 2 * BLOCK <= end;) {
    length += BLOCK;
    const block = await blocks.at(at + length);
    more = block[504];
    // What has more parts than any file cannot be read, but what follows it can.
    if (parts.length < limits.archiveHeader) parts.push(...oldParts(block, false));
  }
  return { length, sparse: { size: numberAt(header, 483, 12), parts } };
}

function nameAt(header: Uint8Array): string {
  const name = textOf(header.subarray(0, 100));
  // GNU's own format keeps times where ustar has the front of the name.
  const isUstar = textAt(header, 257, 8) === "ustar\x0000";
  const prefix = isUstar ? textOf(header.subarray(345, 500)) : "";
  return prefix === "" ? name : `${prefix}/${name}`;
}

/** Up to the first NUL. */
function textOf(field: Uint8Array): string {
  const end = field.indexOf(0);
  return decodeName(end === -1 ? field : field.subarray(0, end), "latin1");
}

function damaged({ name }: ArchiveContext, at: number, why: string) {
  return archiveError("archive.bounds", name, `bad tar header at byte ${at}: ${why}`);
}

const AHEAD = 128 * BLOCK;

/** Headers stand near each other where members are small: one read gets many. */
class Blocks {
  readonly #source: ByteSource;
  #start = 0;
  #bytes = new Uint8Array(0);

  constructor(source: ByteSource) {
    this.#source = source;
  }

  async at(offset: number): Promise<Uint8Array> {
    const within = offset - this.#start;
    if (within < 0 || within + BLOCK > this.#bytes.length) {
      this.#bytes = new Uint8Array(await this.#source.read(offset, AHEAD));
      this.#start = offset;
    }
    const from = offset - this.#start;
    return this.#bytes.subarray(from, from + BLOCK);
  }
}
