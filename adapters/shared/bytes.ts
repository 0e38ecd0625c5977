// Work on bytes through node:buffer, node:zlib and node:crypto. A host with something faster replaces single members.

import { xxhash32 } from "../../core/hashline/xxhash32.ts";
import type { Bytes } from "../../core/ports/bytes.ts";

import { asDamage, throughZlib } from "./zlib-stream.ts";
import { declaredSize } from "./zstd-frame.ts";

/** What `compress` works at: contents are kept for a while and read rarely. */
export const compressionLevel = 1;

export function nodeBytes(): Bytes {
  const { Buffer, isUtf8 } = process.getBuiltinModule("node:buffer");
  const zlib = () => process.getBuiltinModule("node:zlib");
  const view = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return {
    indexOf: (haystack, needle, from = 0) => view(haystack).indexOf(needle, from),
    isUtf8,
    latin1: (bytes) => view(bytes).toString("latin1"),
    xxhash32,
    sha1: (bytes) => process.getBuiltinModule("node:crypto").hash("sha1", bytes, "hex"),
    sha256: (bytes) => process.getBuiltinModule("node:crypto").hash("sha256", bytes, "hex"),
    hashing() {
      const hash = process.getBuiltinModule("node:crypto").createHash("sha256");
      return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
    },
    compress(bytes) {
      const { zstdCompressSync, constants } = zlib();
      const frame = zstdCompressSync(bytes, {
        // Else Deno leaves the size out of the frame.
        pledgedSrcSize: bytes.length,
        params: { [constants.ZSTD_c_compressionLevel]: compressionLevel },
      });
      return plain(frame);
    },
    decompress(frame, limit) {
      const size = declaredSize(frame, limit);
      const bytes = zlib().zstdDecompressSync(frame, { maxOutputLength: Math.max(1, size) });
      return whole(plain(bytes), size);
    },
    crc32: (bytes, previous = 0) => zlib().crc32(bytes, previous),
    deflate: (bytes) => plain(zlib().deflateRawSync(bytes)),
    inflate: (deflated, limit) =>
      within(limit, (options) => zlib().inflateRawSync(deflated, options)),
    deflating: (input) => throughZlib(() => zlib().createDeflateRaw(), input),
    inflating: (input, ended) => throughZlib(() => zlib().createInflateRaw(), input, ended),
    unzstd: (frame, limit) => within(limit, (options) => zlib().zstdDecompressSync(frame, options)),
  };
}

function within(
  limit: number,
  work: (options: { readonly maxOutputLength: number }) => Uint8Array,
): Uint8Array {
  let bytes: Uint8Array;
  try {
    // No runtime takes 0 for a limit.
    bytes = work({ maxOutputLength: Math.max(1, limit) });
  } catch (thrown) {
    throw asDamage(thrown);
  }
  if (bytes.length > limit) throw new RangeError(`it holds more than ${limit} bytes`);
  return plain(bytes);
}

/** A frame cut short decodes to less than it promised, without an error from every runtime. */
export function whole(bytes: Uint8Array, size: number): Uint8Array {
  if (bytes.length !== size) throw new RangeError("the zstd frame is damaged");
  return bytes;
}

/** The same memory as a Uint8Array and nothing more. */
export function plain(buffer: Uint8Array): Uint8Array {
  return new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);
}
