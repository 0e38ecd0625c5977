import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { Json5Error, type Json5Value, parseJson5 } from "../../../core/text/json5.ts";

/** As an ordinary value; integers as numbers. */
function plain(value: Json5Value): unknown {
  if (typeof value === "bigint") return Number(value);
  // A bigint has no zero below zero.
  if (value === 0) return 0;
  if (typeof value !== "object" || value === null) return value;
  if (!("members" in value)) return value.map(plain);
  const made: Record<string, unknown> = {};
  for (const { name, value: member } of value.members) {
    Object.defineProperty(made, name, {
      value: plain(member),
      enumerable: true,
      configurable: true,
      writable: true,
    });
  }
  return made;
}

/** Without zeros below zero. */
function unsigned(value: unknown): unknown {
  if (value === 0) return 0;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(unsigned);
  return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unsigned(each)]));
}

describe("what JSON5 has", () => {
  for (const [text, value] of [
    ["{}", {}],
    ["{a:1,'b':2,\"c\":3,}", { a: 1, b: 2, c: 3 }],
    ["// x\n{/* y */ $a_1 : /**/ null // z\n}", { $a_1: null }],
    ["['a:b, c: d', \"it's\", 'say \"x\"',]", ["a:b, c: d", "it's", 'say "x"']],
    ["'a\\\nb\\\r\nc\\x41\\u00e9\\v\\0\\q\\''", "abcA\u00e9\v\0q'"],
    [
      "[+1, -2, .5, 5., 1e3, 1E-2, 0x1F, -0xff, 0, -0.0]",
      [1, -2, 0.5, 5, 1000, 0.01, 31, -255, 0, 0],
    ],
    ["[Infinity, -Infinity, NaN, +NaN]", [Infinity, -Infinity, NaN, NaN]],
    ["{ünïcode: true, \\u0061b: false}", { ünïcode: true, ab: false }],
    ["{null: 1, true: 2, Infinity: 3}", { null: 1, true: 2, Infinity: 3 }],
    ["\ufeff\u00a0\u2028 5", 5],
    ["'\u2028'", "\u2028"],
    ['{"__proto__": 1}', JSON.parse('{"__proto__":1}')],
  ] as const) {
    test(JSON.stringify(text), () => expect(plain(parseJson5(text))).toEqual(value));
  }
});

test("integers are exact, whatever their size; what is written as a real is one", () => {
  expect(
    parseJson5("[9007199254740993, -9223372036854775808, 0xFFFFFFFFFFFFFFFF, 1.0, 1e2]"),
  ).toEqual([9007199254740993n, -9223372036854775808n, 18446744073709551615n, 1, 100]);
  expect(
    parseJson5("[9007199254740993.0, -9.007199254740993e15, 9007199254740992.0, 1e300]"),
  ).toEqual([9007199254740993n, -9007199254740993n, 9007199254740992, 1e300]);
  expect(() => parseJson5("-1e400")).toThrow("1e400 is larger than any number");
  expect(() => parseJson5("9007199254740993.5")).toThrow("cannot be held exactly");
});

describe("what it has not", () => {
  for (const text of [
    "",
    "{",
    "{a}",
    "{a:}",
    "{a:1 b:2}",
    "{,}",
    "[,]",
    "[1,,2]",
    "01",
    "1.2.3",
    "0x",
    "1e",
    ".",
    "+",
    "- 1",
    "infinity",
    "'a",
    "'a\nb'",
    "'\\1'",
    "'\\01'",
    "'\\xZZ'",
    "{1a:1}",
    "{a-b:1}",
    "{'a':1} x",
    "/* open",
    "truex",
    "undefined",
    "`a`",
    "[".repeat(5000),
  ]) {
    test(JSON.stringify(text.slice(0, 20)), () =>
      expect(() => parseJson5(text)).toThrow(Json5Error),
    );
  }
});

test("whatever JSON has, it has", () => {
  fc.assert(
    fc.property(fc.json(), (text) => {
      expect(plain(parseJson5(text))).toEqual(unsigned(JSON.parse(text)));
    }),
  );
});

test("any text is read as another parser reads it, or refused as there", () => {
  const piece = fc.constantFrom(
    ..."{}[]:,'\"\\ \n0159.eExX+-aNuf/*$_",
    "Infinity",
    "NaN",
    "null",
    "true",
    "//",
    "\\u0041",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 12 }), (pieces) => {
      const text = pieces.join("");
      let expected: unknown;
      try {
        expected = Bun.JSON5.parse(text);
      } catch {
        expect(() => parseJson5(text)).toThrow(Json5Error);
        return;
      }
      expect(plain(parseJson5(text))).toEqual(unsigned(expected));
    }),
    { numRuns: 5000 },
  );
});
