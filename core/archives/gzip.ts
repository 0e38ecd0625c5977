// Gzip (RFC 1952): any number of members, one after the other. A file of one stream (.gz), and what packs a tar.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { ByteSource } from "../ports/fs.ts";
import { formatSize } from "../text/size.ts";
import { type Archive, type ArchiveContext, archiveError, concat, piecesOf } from "./archive.ts";
import type { Format } from "./format.ts";

export const gzip: Format = {
  name: "gzip",
  suffixes: [".gz"],
  claims: async (head) => isGzip(head),
  async open(source, context) {
    const stream = await unpackGzip(source, limits.archiveMember, context);
    return single(stream, context);
  },
  create: async (context) => single(undefined, context),
};

export function isGzip(head: Uint8Array): boolean {
  return head[0] === 0x1f && head[1] === 0x8b;
}

/** @param stream undefined: a new file */
function single(stream: GzipStream | undefined, context: ArchiveContext): Archive {
  const size = stream?.pieces.reduce((sum, piece) => sum + piece.length, 0) ?? 0;
  const member = { name: stemOf(context.name), kind: "file", size } as const;
  return {
    members: stream ? [member] : [],
    remarks: stream?.remarks ?? [],
    read: async () => concat(stream?.pieces ?? []),
    write: async ({ member: old, name, content, now }) => {
      if (!old && name !== member.name) {
        throw new AtomicError(
          "archive.member_path",
          `Cannot write ${JSON.stringify(name)} into ${context.name}: a .gz file holds one stream, here ${JSON.stringify(member.name)}.`,
          { data: { archive: context.name, member: name } },
        );
      }
      return packGzip(oneOf(content), stream?.header ?? headerAt(now), { context, now });
    },
  };
}

/** What gunzip would call it: the file's name without its folder and suffix. */
function stemOf(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1).replace(/\.gz$/i, "");
}

export interface GzipStream {
  /** The unpacked bytes, in order. */
  readonly pieces: readonly Uint8Array[];
  /** The first member's header, as it stands. */
  readonly header: Uint8Array;
  readonly remarks: readonly string[];
}

/**
 * Unpacks every member, held to its checksum and length. Zeros after them are padding, anything else is left alone.
 * @param limit bytes, unpacked
 * @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.too_large`, `archive.method`
 */
export async function unpackGzip(
  source: ByteSource,
  limit: number,
  context: ArchiveContext,
): Promise<GzipStream> {
  const pieces: Uint8Array[] = [];
  let first: Uint8Array | undefined;
  let total = 0;
  for (let at = 0; ;) {
    const header = await readHeader(source, at, context);
    if (!header) {
      const rest = await trailing(source, at);
      if (first) return { pieces, header: first, remarks: rest };
      throw damaged(context, at, "it is cut short");
    }
    first ??= header;
    at += header.length;
    let used: number | undefined;
    let crc = 0;
    let size = 0;
    try {
      const packed = piecesOf(source, at, source.size, 64 * 1024);
      for await (const piece of context.bytes.inflating(packed, (taken) => (used = taken))) {
        context.signal.throwIfAborted();
        size += piece.length;
        total += piece.length;
        if (total > limit) {
          throw archiveError(
            "archive.too_large",
            context.name,
            `it unpacks to more than the ${formatSize(limit)} that are read`,
          );
        }
        crc = context.bytes.crc32(piece, crc);
        pieces.push(piece);
      }
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      const why = at + 8 > source.size ? "it is cut short" : "it is cut short or damaged";
      throw damaged(context, at, why, thrown);
    }
    if (used === undefined) throw damaged(context, at, "it does not end");
    at += used;
    const trailer = await source.read(at, 8);
    if (trailer.length < 8) throw damaged(context, at, "it is cut short");
    const view = new DataView(trailer.buffer, trailer.byteOffset, 8);
    if (view.getUint32(0, true) !== crc || view.getUint32(4, true) !== size % 2 ** 32) {
      throw archiveError(
        "archive.checksum",
        context.name,
        `its content does not match the checksum at byte ${at}`,
      );
    }
    at += 8;
  }
}

const FLAG = { crc: 2, extra: 4, name: 8, comment: 16 };

/** Undefined where no member begins there. */
async function readHeader(
  source: ByteSource,
  at: number,
  context: ArchiveContext,
): Promise<Uint8Array | undefined> {
  const head = await source.read(
    at,
    Math.min(10 + 2 + 0xffff + limits.archiveHeader, source.size - at),
  );
  if (!isGzip(head)) return undefined;
  if (head.length < 10) throw damaged(context, at, "it is cut short");
  if (head[2] !== 8) {
    throw archiveError(
      "archive.method",
      context.name,
      `it is packed by the unknown method ${head[2]}`,
    );
  }
  const flags = head[3]!;
  let length = 10;
  if ((flags & FLAG.extra) !== 0) length += 2 + (head[length] ?? 0) + 256 * (head[length + 1] ?? 0);
  for (const flag of [FLAG.name, FLAG.comment]) {
    if ((flags & flag) === 0) continue;
    const end = head.indexOf(0, length);
    if (end === -1) throw damaged(context, at, "its header does not end");
    length = end + 1;
  }
  if ((flags & FLAG.crc) !== 0) length += 2;
  if (length > head.length) throw damaged(context, at, "its header is cut short");
  return head.slice(0, length);
}

async function trailing(source: ByteSource, at: number): Promise<readonly string[]> {
  for await (const piece of piecesOf(source, at, source.size)) {
    if (piece.every((byte) => byte === 0)) continue;
    return [`${formatSize(source.size - at)} that are no gzip follow its end`];
  }
  return [];
}

function headerAt(now: number): Uint8Array {
  const header = Uint8Array.of(0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3);
  new DataView(header.buffer).setUint32(4, Math.floor(now / 1000), true);
  return header;
}

/** One member. @param header of the file before: name, comment and the like stay */
export async function* packGzip(
  content: AsyncIterable<Uint8Array>,
  header: Uint8Array,
  { context, now }: { readonly context: ArchiveContext; readonly now: number },
): AsyncGenerator<Uint8Array, void, undefined> {
  yield renewed(header, now, context);
  let crc = 0;
  let size = 0;
  async function* counted() {
    for await (const piece of content) {
      crc = context.bytes.crc32(piece, crc);
      size += piece.length;
      yield piece;
    }
  }
  yield* context.bytes.deflating(counted());
  const trailer = new DataView(new ArrayBuffer(8));
  trailer.setUint32(0, crc, true);
  trailer.setUint32(4, size % 2 ** 32, true);
  yield new Uint8Array(trailer.buffer);
}

/** The time is new, unless there was none. */
function renewed(header: Uint8Array, now: number, { bytes }: ArchiveContext): Uint8Array {
  const fresh = header.slice();
  const view = new DataView(fresh.buffer);
  if (view.getUint32(4, true) !== 0) view.setUint32(4, Math.floor(now / 1000), true);
  if ((fresh[3]! & FLAG.crc) !== 0) {
    const crc = bytes.crc32(fresh.subarray(0, fresh.length - 2));
    view.setUint16(fresh.length - 2, crc & 0xffff, true);
  }
  return fresh;
}

/** A new header with the time. */
export { headerAt as gzipHeader };

function damaged({ name }: ArchiveContext, at: number, why: string, cause?: unknown) {
  return archiveError("archive.bounds", name, `bad gzip member at byte ${at}: ${why}`, { cause });
}

async function* oneOf(content: Uint8Array): AsyncGenerator<Uint8Array> {
  yield content;
}
