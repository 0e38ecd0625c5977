import { expect, test } from "bun:test";

import fc from "fast-check";

import { linesOf } from "../../../core/mcp/lines.ts";

async function collect(chunks: readonly Uint8Array[], most: number) {
  const lines: (string | undefined)[] = [];
  const input = (async function* () {
    yield* chunks;
  })();
  for await (const line of linesOf(input, most)) lines.push(line);
  return lines;
}

test("however a stream is cut, its lines are the same", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", " "))),
      fc.array(fc.integer({ min: 1, max: 7 })),
      async (lines, cuts) => {
        const texts = lines.map((line) => line.replace(/^\u{FEFF}/u, ""));
        const bytes = new TextEncoder().encode(texts.map((line) => `${line}\n`).join(""));
        const chunks: Uint8Array[] = [];
        for (let at = 0, i = 0; at < bytes.length; i++) {
          const size = cuts.length === 0 ? bytes.length : cuts[i % cuts.length]!;
          chunks.push(bytes.subarray(at, at + size));
          at += size;
        }
        const expected = texts.map((line) =>
          new TextDecoder().decode(new TextEncoder().encode(line)),
        );
        expect(await collect(chunks, 1e6)).toEqual(expected);
      },
    ),
  );
});

test("a line that is too long is known as one, and the next is whole", async () => {
  const chunks = ["12345", "67\nab", "cde\nf\n\n1234", "56789", "0"].map((text) =>
    new TextEncoder().encode(text),
  );
  expect(await collect(chunks, 5)).toEqual([undefined, "abcde", "f", "", undefined]);
});
