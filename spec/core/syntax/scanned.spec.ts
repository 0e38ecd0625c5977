import { expect, test } from "bun:test";

import { marksOf } from "./fixtures.ts";

const cases: readonly [kind: string, path: string, text: string, marks: string][] = [
  ["one statement", "a.sql", "SELECT 1;\n", "="],
  ["no semicolon", "a.sql", "SELECT 1\n", "."],
  ["a semicolon in a string", "a.sql", "SELECT ';\n;'\n;\n", "1-3 . ."],
  ["a semicolon in dollar quotes", "a.sql", "DO $x$\n;\n$x$;\n", "1-3 . ."],
  ["a semicolon in a comment", "a.sql", "SELECT 1 -- ;\n, 2;\n", "1-2 ."],
  ["a quote that never ends", "a.sql", "SELECT 1;\nSELECT 'x;\nSELECT 2;\n", "= . ."],
  [
    "a body with semicolons",
    "a.sql",
    "SELECT 1;\nCREATE PROCEDURE p()\nBEGIN\n  x;\nEND;\n",
    "= . . . .",
  ],
  ["a transaction", "a.sql", "BEGIN;\nSELECT 1;\nCOMMIT;\n", "= = ="],
  ["a comment of its own", "a.sql", "-- a\nSELECT 1; -- b\n/* c\n*/\n", "= = 3-4 ."],
  ["two statements on a line", "a.sql", "SELECT 1; SELECT 2;\n", "=+"],
  ["a statement that would be torn", "a.sql", "SELECT 1; SELECT\n2;\n", ". ."],
  ["a rule", "a.scss", "a {\n  b: c;\n}\n", "1-3 = ."],
  ["the last declaration without semicolon", "a.scss", "a {\n  b: c\n}\n", "1-3 = ."],
  ["a forgotten semicolon", "a.scss", "a {\n  b: c\n  d: e;\n}\nf {\n}\n", ". . . . 5-6 ."],
  ["a brace that never closes", "a.scss", "a { b: c; }\nd {\n  e: f;\n", "= . ="],
  ["a brace too many", "a.scss", "a { b: c; }\n}\nd { e: f; }\n", "= . ."],
  ["a string that never ends", "a.scss", 'a { b: c; }\nd { e: "f; }\ng { h: i; }\n', "= . ."],
  ["a comment that never ends", "a.scss", "a { b: c; }\n/* d\ne { f: g; }\n", "= . ."],
  ["interpolation", "a.scss", ".a-#{$b} {\n  #{$c}: #{d($e)};\n}\n", "1-3 = ."],
  [
    "a closing brace that opens the next clause",
    "a.scss",
    "@if $a {\n} @else {\n  b: c;\n}\n",
    "1-4 . = .",
  ],
  ["an empty text", "a.less", "", "."],
];

for (const [kind, path, text, marks] of cases) {
  test(`lines of ${path}: ${kind}`, async () => {
    expect((await marksOf(path, text)).join(" ")).toBe(marks);
  });
}
