import type { Bytes } from "../../core/ports/bytes.ts";

import { compressionLevel, nodeBytes, plain, whole } from "../shared/bytes.ts";
import { declaredSize } from "../shared/zstd-frame.ts";

/** Deflated bytes; they hold at most 1032 times as many, 16 MiB. */
const SMALL = 16 * 1024;

/** Bun hashes and packs natively; node:crypto and node:zlib would first have to be loaded. */
export function bunBytes(): Bytes {
  const portable = nodeBytes();
  return {
    ...portable,
    crc32: (bytes, previous = 0) => Bun.hash.crc32(bytes, previous),
    deflate: (bytes) => plain(Bun.deflateSync(bytes as Uint8Array<ArrayBuffer>)),
    inflate(deflated, limit) {
      // Bun's own takes no limit: it is for what cannot grow beyond all measure.
      if (deflated.length > SMALL) return portable.inflate(deflated, limit);
      let bytes: Uint8Array;
      try {
        bytes = Bun.inflateSync(deflated as Uint8Array<ArrayBuffer>);
      } catch (thrown) {
        throw new RangeError("the deflate stream is damaged or cut short", { cause: thrown });
      }
      if (bytes.length > limit) throw new RangeError(`it holds more than ${limit} bytes`);
      return plain(bytes);
    },
    xxhash32: (bytes) => Bun.hash.xxHash32(bytes),
    sha256: (bytes) => Bun.SHA256.hash(bytes, "hex"),
    hashing() {
      const hash = new Bun.SHA256();
      return { update: (bytes) => void hash.update(bytes), hex: () => hash.digest("hex") };
    },
    compress: (bytes) => plain(Bun.zstdCompressSync(bytes, { level: compressionLevel })),
    decompress(frame, limit) {
      const size = declaredSize(frame, limit);
      return whole(plain(Bun.zstdDecompressSync(frame)), size);
    },
  };
}
