import { expect, test } from "bun:test";
import fc from "fast-check";

import { createTail, type Tail, truncationFooter } from "../../../core/shell/tail.ts";

function tailOf(text: string, maxLines = 3, maxBytes = 20, piece = 7): Tail {
  const tail = createTail({ maxLines, maxBytes });
  const bytes = new TextEncoder().encode(text);
  for (let at = 0; at < bytes.length; at += piece) tail.push(bytes.subarray(at, at + piece));
  return tail.tail();
}

test("what fits is kept as it is", () => {
  for (const text of [
    "",
    "\n",
    "a",
    "a\n",
    "a\nb\nc",
    "a\nb\nc\n",
    "x".repeat(20),
    `${"x".repeat(20)}\n`,
  ]) {
    const { text: kept, truncation } = tailOf(text);
    expect({ text: kept, truncated: truncation.truncated }).toEqual({ text, truncated: false });
  }
});

test.each([
  ["a\nb\nc\nd\n", "b\nc\nd\n", "[lines 2-4 of 4]"],
  ["a\nb\nc\nd", "b\nc\nd", "[lines 2-4 of 4]"],
  ["\n\n\n\n", "\n\n\n", "[lines 2-4 of 4]"],
  [`${"x".repeat(15)}\n${"y".repeat(15)}\n`, `${"y".repeat(15)}\n`, "[lines 2-2 of 2 (20B limit)]"],
  [`a\n${"x".repeat(25)}`, "x".repeat(20), "[last 20B of line 2 (line is 25B) (20B limit)]"],
  [
    `a\n${"x".repeat(25)}\n`,
    `${"x".repeat(20)}\n`,
    "[last 21B of line 2 (line is 25B) (20B limit)]",
  ],
  ["é".repeat(13), "é".repeat(10), "[last 20B of line 1 (line is 26B) (20B limit)]"],
  [`x${"é".repeat(13)}y`, `${"é".repeat(9)}y`, "[last 19B of line 1 (line is 28B) (20B limit)]"],
])("of %j the end is kept", (text, kept, footer) => {
  const tail = tailOf(text);
  expect(tail.text).toBe(kept);
  expect(truncationFooter(tail, undefined)).toBe(footer);
});

test("the footer names the log, and says where that was cut", () => {
  const tail = tailOf("a\nb\nc\nd\n");
  expect(truncationFooter(tail, { path: "/tmp/x.log", isCut: false })).toBe(
    "[lines 2-4 of 4. Full output: /tmp/x.log]",
  );
  expect(truncationFooter(tail, { path: "/tmp/x.log", isCut: true })).toBe(
    "[lines 2-4 of 4. Full output: /tmp/x.log, cut at 67108864 bytes]",
  );
});

test("whatever the text and its pieces, the end is whole lines within both limits", () => {
  const texts = fc.string({ unit: fc.constantFrom("a", "b", "é", "\n"), maxLength: 120 });
  fc.assert(
    fc.property(texts, fc.integer({ min: 1, max: 50 }), (text, piece) => {
      const { text: kept, truncation } = tailOf(text, 3, 20, piece);
      expect(text.endsWith(kept)).toBe(true);
      const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
      expect(truncation.totalLines).toBe(lines.length);
      expect(truncation.totalBytes).toBe(Buffer.byteLength(text));
      expect(truncation.outputBytes).toBe(Buffer.byteLength(kept));
      if (!truncation.truncated) return expect(kept).toBe(text);
      expect(Buffer.byteLength(kept.replace(/\n$/, ""))).toBeLessThanOrEqual(20);
      if (truncation.lastLinePartial) return;
      expect(kept.replace(/\n$/, "").split("\n")).toEqual(lines.slice(-truncation.outputLines));
    }),
    { numRuns: 3_000 },
  );
});
