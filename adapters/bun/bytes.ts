import type { Bytes } from "../../core/ports/bytes.ts";

import { compressionLevel, nodeBytes, plain, whole } from "../shared/bytes.ts";
import { declaredSize } from "../shared/zstd-frame.ts";

/** Bun hashes and packs natively; node:crypto and node:zlib would first have to be loaded. */
export function bunBytes(): Bytes {
  return {
    ...nodeBytes(),
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
