import { expect, test } from "bun:test";
import fc from "fast-check";

import { showHidden } from "../../../core/text/controls.ts";
import { columnsOf, cutColumns, wrapColumns } from "../../../core/text/width.ts";

const widths: readonly (readonly [string, number])[] = [
  ["", 0],
  ["abc", 3],
  ["é", 1],
  ["e\u0301", 1],
  ["日本語", 6],
  ["ｶﾅ", 2],
  ["한국", 4],
  ["✅", 2],
  ["❤", 1],
  ["❤\ufe0f", 2],
  ["👍🏽", 4],
  ["𝄞", 1],
];

test.each(widths)("columnsOf(%j) is %d", (text, columns) => {
  expect(columnsOf(text)).toBe(columns);
});

test("a line that is too long is cut where a character ends, and says so", () => {
  expect(cutColumns("abcdef", 6)).toBe("abcdef");
  expect(cutColumns("abcdef", 5)).toBe("abcd~");
  expect(cutColumns("日本語", 5)).toBe("日本~");
  expect(cutColumns("日本語", 4)).toBe("日~");
  expect(cutColumns("日", 1)).toBe("~");
  expect(cutColumns("ab", 0)).toBe("");
});

test("lines break at blanks, and within a word that is too long for one", () => {
  expect(wrapColumns("one two  three", 8)).toEqual(["one two", "three"]);
  expect(wrapColumns("a\n\nb", 8)).toEqual(["a", "", "b"]);
  expect(wrapColumns("abcdefghij k", 4)).toEqual(["abcd", "efgh", "ij k"]);
  expect(wrapColumns("日本語テスト", 5)).toEqual(["日本", "語テ", "スト"]);
  expect(wrapColumns("", 5)).toEqual([""]);
});

test("no wrapped line is longer than the room, and nothing but blanks is lost", () => {
  fc.assert(
    fc.property(fc.string({ unit: "grapheme" }), fc.integer({ min: 2, max: 30 }), (raw, room) => {
      const text = showHidden(raw);
      const lines = wrapColumns(text, room);
      expect(lines.every((line) => columnsOf(line) <= room)).toBe(true);
      expect(lines.join("").replace(/\s/g, "")).toBe(text.replace(/\s/g, ""));
      expect(columnsOf(cutColumns(text.replaceAll("\n", " "), room))).toBeLessThanOrEqual(room);
    }),
  );
});

test("what cannot be seen is shown by its number", () => {
  expect(showHidden("a\u001b[2J\u0007b\r\nc\td")).toBe("a\\x1b[2J\\x07b\nc  d");
  expect(showHidden("\u202eevil\u200b\u{e0041}\ufeff")).toBe("\\u202eevil\\u200b\\u{e0041}\\ufeff");
  expect(showHidden("\ud800x")).toBe("\\ud800x");
  expect(showHidden("👨‍👩‍👧 ok")).toBe("👨‍👩‍👧 ok");
});
