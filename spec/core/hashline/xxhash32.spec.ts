import { expect, test } from "bun:test";

import { xxhash32 } from "../../../core/hashline/xxhash32.ts";

test("xxhash32 agrees with Bun's at every length around its block size, and within a larger buffer", () => {
  const bytes = Uint8Array.from({ length: 100 }, (_, at) => (at * 167 + 13) & 0xff);
  for (let length = 0; length <= 70; length++) {
    for (const start of [0, 1, 3]) {
      const part = bytes.subarray(start, start + length);
      expect([start, length, xxhash32(part)]).toEqual([start, length, Bun.hash.xxHash32(part)]);
    }
  }
});

test("xxhash32 gives the published values", () => {
  const known: readonly (readonly [string, number])[] = [
    ["", 0x02cc5d05],
    ["a", 0x550d7456],
    ["Nobody inspects the spammish repetition", 0xe2293b2f],
  ];
  for (const [text, hash] of known) expect(xxhash32(new TextEncoder().encode(text))).toBe(hash);
});
