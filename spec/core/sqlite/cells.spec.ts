import { expect, test } from "bun:test";

import {
  type CellRemark,
  distinctNames,
  packedCell,
  plainCell,
  quoteName,
  rowText,
} from "../../../core/sqlite/cells.ts";

test("numbers are exact, and a real is told from an integer", () => {
  for (const [value, text] of [
    [0n, "0"],
    [9007199254740991n, "9007199254740991"],
    [9007199254740992n, '"9007199254740992"'],
    [-9007199254740991n, "-9007199254740991"],
    [-9007199254740992n, '"-9007199254740992"'],
    [9223372036854775807n, '"9223372036854775807"'],
    [1, "1.0"],
    [-0, "-0.0"],
    [0.1, "0.1"],
    [1e21, "1e+21"],
    [Infinity, '"Infinity"'],
    [-Infinity, '"-Infinity"'],
    [NaN, '"NaN"'],
    [null, "null"],
  ] as const) {
    expect(plainCell(value)).toBe(text);
  }
});

test("bytes are shown by their beginning and their number", () => {
  expect(plainCell(Uint8Array.of(0, 255))).toBe('{"$blob":"AP8=","bytes":2}');
  const many = plainCell(new Uint8Array(100));
  expect(JSON.parse(many)).toEqual({ $blob: btoa("\0".repeat(64)), bytes: 100 });
  const remarks = new Set<CellRemark>();
  expect(packedCell("blob:2:00FF", "utf-8", remarks)).toBe('{"$blob":"AP8=","bytes":2}');
  expect(packedCell("blob:0:", "utf-8", remarks)).toBe('{"$blob":"","bytes":0}');
  expect(remarks.size).toBe(0);
  expect(packedCell("blob:99999999", "utf-8", remarks)).toBe('{"$blob":"","bytes":99999999}');
  expect(packedCell("text:99999999", "utf-8", remarks)).toBe('{"$text":"","bytes":99999999}');
  expect([...remarks]).toEqual(["left out"]);
});

test("text keeps its NUL and its BOM, and what is none says so", () => {
  const remarks = new Set<CellRemark>();
  const packed = (text: string) => packedCell(new TextEncoder().encode(text), "utf-8", remarks);
  expect(packed("a\0\ufeffé")).toBe('"a\\u0000\ufeffé"');
  expect(packedCell(Uint8Array.of(0x61, 0, 0xe9, 0), "utf-16le", remarks)).toBe('"aé"');
  expect(packedCell(Uint8Array.of(0, 0x61), "utf-16be", remarks)).toBe('"a"');
  expect(remarks.size).toBe(0);
  expect(packedCell(Uint8Array.of(0x63, 0xe9), "utf-8", remarks)).toBe(
    '{"$text":"c\\\\xE9","bytes":2}',
  );
  expect([...remarks]).toEqual(["invalid text"]);
});

test("names are names, and equal ones are told apart", () => {
  expect(quoteName('we"ird')).toBe('"we""ird"');
  expect(distinctNames(["a", "a", "b", "a", "a:1"])).toEqual(["a", "a:2", "b", "a:3", "a:1"]);
  expect(rowText(["__proto__", 'q"'], ["1", "null"])).toBe('{"__proto__":1,"q\\"":null}');
});
