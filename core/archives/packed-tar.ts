// A tar packed as a whole. It can only be unpacked from its front, so it is, into memory and within a limit.

import { limits } from "../limits.ts";
import type { ByteSource } from "../ports/fs.ts";
import { type Archive, type ArchiveContext, archiveError, sourceOf } from "./archive.ts";
import { isBzip2, unpackBzip2 } from "./bzip2.ts";
import type { Format } from "./format.ts";
import { type GzipStream, gzipHeader, isGzip, packGzip, unpackGzip } from "./gzip.ts";
import { openTar, tar } from "./tar.ts";
import type { Unpacker } from "./unpacking.ts";
import { isXz, unpackXz } from "./xz.ts";
import { isZstd, unpackZstd } from "./zstd.ts";

export const tarGzip: Format = {
  name: "tar.gz",
  suffixes: [".tar.gz", ".tgz"],
  claims: async (head) => isGzip(head),
  async open(source, context) {
    const stream = await unpackGzip(source, limits.archiveUnpacked, context);
    return repacked(await openTar(sourceOf(stream.pieces), context), stream, context);
  },
  create: async (context) => repacked(await tar.create!(context), undefined, context),
};

/** @param stream undefined: a new file */
function repacked(
  inner: Archive,
  stream: GzipStream | undefined,
  context: ArchiveContext,
): Archive {
  return {
    ...inner,
    remarks: [...(stream?.remarks ?? []), ...inner.remarks],
    write: async (change) => {
      const { now } = change;
      const header = stream?.header ?? gzipHeader(now);
      return packGzip(await inner.write!(change), header, { context, now });
    },
  };
}

export const tarZstd: Format = {
  name: "tar.zst",
  suffixes: [".tar.zst", ".tzst"],
  claims: async (head) => isZstd(head),
  open: (source, context) => readOnly(source, unpackZstd, context),
};

export const tarBzip2: Format = {
  name: "tar.bz2",
  suffixes: [".tar.bz2", ".tbz2", ".tbz"],
  claims: async (head) => isBzip2(head),
  open: (source, context) => readOnly(source, unpackBzip2, context),
};

export const tarXz: Format = {
  name: "tar.xz",
  suffixes: [".tar.xz", ".txz"],
  claims: async (head) => isXz(head),
  open: (source, context) => readOnly(source, unpackXz, context),
};

async function readOnly(
  source: ByteSource,
  unpack: Unpacker,
  context: ArchiveContext,
): Promise<Archive> {
  if (source.size > limits.archiveUnpacked) {
    throw archiveError(
      "archive.too_large",
      context.name,
      `it is larger than the ${limits.archiveUnpacked / 1024 / 1024} MiB that are read`,
    );
  }
  const packed = await source.read(0, source.size);
  // Waiting for a byte of the file lets everything else have its turn, an interrupt too.
  const pause = async () => {
    await source.read(0, 1);
    context.signal.throwIfAborted();
  };
  const { pieces, remarks } = await unpack(
    packed,
    { limit: limits.archiveUnpacked, pause },
    context,
  );
  const inner = await openTar(sourceOf(pieces), context);
  return { members: inner.members, remarks: [...remarks, ...inner.remarks], read: inner.read };
}
