import { expect, test } from "bun:test";
import fc from "fast-check";

import { findJsonFault } from "../../../core/text/json-position.ts";

const end = "the end of the text";
const faults: readonly (readonly [string, number, number, string])[] = [
  ["", 1, 1, end],
  ["  ", 1, 3, end],
  ["{", 1, 2, end],
  ['{"path": }', 1, 10, '"}"'],
  ['{"path":"x",}', 1, 13, '"}"'],
  ["{'path':1}", 1, 2, '"\'"'],
  ['{"a" 1}', 1, 6, '"1"'],
  ['{"a":1 "b":2}', 1, 8, '"\\""'],
  ['{\n  "a": 1,\n  b: 2\n}', 3, 3, '"b"'],
  ["[1,]", 1, 4, '"]"'],
  ["[1 2]", 1, 4, '"2"'],
  ["[1}", 1, 3, '"}"'],
  ["]", 1, 1, '"]"'],
  ["1 2", 1, 3, '"2"'],
  ["01", 1, 2, '"1"'],
  ["-", 1, 2, end],
  ["1.", 1, 2, '"."'],
  ["nul", 1, 4, end],
  ["nulL", 1, 4, '"L"'],
  ["undefined", 1, 1, '"u"'],
  ['"abc', 1, 5, end],
  ['"a\nb"', 1, 3, '"\\n"'],
  ['"a\\x"', 1, 3, '"\\\\"'],
  ["😀", 1, 1, '"😀"'],
];

test.each(faults)("findJsonFault in %j", (text, line, column, found) => {
  expect(findJsonFault(text)).toEqual({ line, column, found });
});

test("findJsonFault takes what JSON.parse takes, at any depth", () => {
  const texts = ["1", " null ", "-0.5e+3", '"\\u00e9\\n"', "[]", "{}", '{"a":[{},[1,"]"],true]}\n'];
  for (const text of texts) expect(findJsonFault(text)).toBeUndefined();
  expect(findJsonFault("[".repeat(200_000) + "]".repeat(200_000))).toBeUndefined();
});

test("findJsonFault and JSON.parse agree on every text", () => {
  const pieces = fc.array(
    fc.constantFrom(
      "{",
      "}",
      "[",
      "]",
      ",",
      ":",
      '"',
      '"a"',
      "1",
      "-",
      "0",
      ".",
      "e",
      "true",
      " ",
      "\\",
      "n",
    ),
    { maxLength: 12 },
  );
  const text = fc.oneof(
    fc.json(),
    pieces.map((parts) => parts.join("")),
  );
  fc.assert(
    fc.property(text, (candidate) => {
      expect(findJsonFault(candidate) === undefined).toBe(parses(candidate));
    }),
    { numRuns: 3000 },
  );
});

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
