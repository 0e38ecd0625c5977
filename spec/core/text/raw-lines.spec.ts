import { expect, test } from "bun:test";
import { isUtf8 } from "node:buffer";

import fc from "fast-check";

import { scanText } from "../../../core/hashline/tag.ts";
import { xxhash32 } from "../../../core/hashline/xxhash32.ts";
import { decode, encode } from "../../../core/text/encoding.ts";
import { splitLines } from "../../../core/text/lines.ts";
import { fileRanges, rawLines } from "../../../core/text/raw-lines.ts";

const port = {
  indexOf: (haystack: Uint8Array, needle: number | Uint8Array) =>
    Buffer.from(haystack.buffer, haystack.byteOffset, haystack.length).indexOf(needle),
  isUtf8: (text: Uint8Array) => isUtf8(text),
  xxhash32,
} as unknown as Parameters<typeof scanText>[1];

test("rawLines gives each line's own bytes in every encoding, with every terminator", () => {
  const piece = fc.constantFrom("a", "é", "\u0a0a", "\u0d0d", "日", "\n", "\r", "\r\n", " ");
  const encoding = fc.constantFrom("utf-8", "utf-16le", "utf-16be", "8-bit");
  fc.assert(
    fc.property(
      fc.array(piece, { minLength: 1, maxLength: 20 }),
      encoding,
      fc.boolean(),
      (pieces, kind, mark) => {
        const text = pieces.join("") + (kind === "8-bit" ? "\udcff" : "");
        const bom = kind.startsWith("utf-16") || mark;
        const file = encode(text, kind, bom)!;
        const scanned = scanText(file, port)!;
        const { texts, ends } = splitLines(decode(file)!.text);
        expect(scanned.lines.count).toBe(texts.length);
        for (let i = 0; i < texts.length; i++) {
          const line = { first: i + 1, last: i + 1 };
          const [range] = fileRanges(file, scanned, [line]);
          const marked = i === 0 && bom;
          const right = encode(texts[i]!, kind, marked || kind.startsWith("utf-16"))!;
          const bare = kind.startsWith("utf-16") && !marked ? right.subarray(2) : right;
          expect([...file.subarray(range!.start, range!.end)]).toEqual([...bare]);
          const width = kind.startsWith("utf-16") ? 2 : 1;
          expect(range!.next - range!.end).toBe(ends[i]!.length * width);
        }
        const odd = texts.flatMap((_, i) => (i % 2 === 0 ? [{ first: i + 1, last: i + 1 }] : []));
        const ranges = fileRanges(file, scanned, odd);
        const joined = ranges.flatMap(({ start, end, next }, i) => [
          ...file.subarray(start, i === ranges.length - 1 ? end : next),
        ]);
        expect([...rawLines(file, scanned, odd)]).toEqual(joined);
      },
    ),
  );
});
