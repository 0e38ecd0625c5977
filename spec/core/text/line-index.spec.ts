import { expect, test } from "bun:test";

import { indexLines } from "../../../core/text/line-index.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

test("indexLines counts real lines: a final terminator starts no new one", () => {
  const counts: Readonly<Record<string, number>> = {
    "": 0,
    "\n": 1,
    "\n\n": 2,
    a: 1,
    "a\n": 1,
    "a\nb": 2,
    "a\nb\n": 2,
  };
  for (const [text, count] of Object.entries(counts)) {
    expect([text, indexLines(utf8(text)).count]).toEqual([text, count]);
  }
});

test("indexLines gives every range of lines, also across blocks", () => {
  const texts = Array.from({ length: 30_000 }, (_, i) => (i % 5 === 0 ? "" : `line ${i + 1}`));
  texts[7_000] = "x".repeat(200_000);
  for (const tail of ["", "\n"]) {
    const content = utf8(texts.join("\n") + tail);
    const index = indexLines(content);
    expect(index.count).toBe(30_000);
    for (const [first, last] of [
      [1, 1],
      [1, 3],
      [2, 2],
      [7000, 7002],
      [7001, 7001],
      [12_345, 12_350],
      [29_999, 30_000],
      [30_000, 30_000],
    ] as const) {
      const { start, end } = index.bytesOf(first, last);
      expect(new TextDecoder().decode(content.subarray(start, end))).toBe(
        texts.slice(first - 1, last).join("\n"),
      );
    }
  }
});

test("indexLines refuses lines that do not exist", () => {
  const index = indexLines(utf8("a\nb\n"));
  for (const [first, last] of [
    [0, 1],
    [1, 3],
    [3, 3],
    [2, 1],
  ] as const) {
    expect(() => index.bytesOf(first, last)).toThrow(RangeError);
  }
});
