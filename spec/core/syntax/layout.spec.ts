import { expect, test } from "bun:test";

import type { BlockSpan } from "../../../core/hashline/blocks.ts";
import { spanByLayout } from "../../../core/syntax/layout.ts";

const b = "braces";
const i = "indentation";

const cases: readonly [
  kind: string,
  text: string,
  line: number,
  span: [number, number, BlockSpan["by"]] | null,
][] = [
  ["braces at the line's end", "a {\n  b;\n}\n", 1, [1, 3, b]],
  ["nested braces", "a {\n  b {\n    c\n  }\n}\n", 1, [1, 5, b]],
  ["the inner of nested braces", "a {\n  b {\n    c\n  }\n}\n", 2, [2, 4, b]],
  ["a brace on the next line", "a\n{\n  b;\n}\n", 1, [1, 4, b]],
  ["blank lines inside", "a {\n\n  b;\n\n}\n", 1, [1, 5, b]],
  ["a brace in quotes", 'a {\n  b "}";\n}\n', 1, [1, 3, b]],
  ["a brace in a comment", "a {\n  b # }\n}\n", 1, [1, 3, b]],
  ["a brace behind //", "a {\n  b // }\n}\n", 1, [1, 3, b]],
  ["braces that do not close", "a {\n  b\n", 1, null],
  ["a closer at another indentation", "a {\n  b\n  }\n", 1, null],
  ["a line inside that is not indented", "a {\nb\n}\n", 1, null],
  ["code behind the closer", "a {\n  b\n} c {\n  d\n}\n", 1, null],
  ["quotes that do not close", 'a {\n  b "\n}\n', 1, null],
  ["a comma behind the closer", "x {\n  b\n},\n", 1, [1, 3, b]],
  ["deeper lines", "a:\n  b\n  c\nd\n", 1, [1, 3, i]],
  ["deeper lines to the end", "a:\n  b\n", 1, [1, 2, i]],
  ["blank lines between deeper ones, none behind", "a:\n  b\n\n  c\n\nd\n", 1, [1, 4, i]],
  ["back at an outer level", "x:\n  a:\n    b\ny:\n", 2, [2, 3, i]],
  ["no deeper lines", "a\nb\n", 1, null],
  ["an end behind", "a\n  b\nend\n", 1, null],
  ["an else behind", "a\n  b\nelse\n  c\n", 1, null],
  ["a closer behind", "a(\n  b\n)\n", 1, null],
  ["tabs that do not compare with spaces", "  a\n    b\n\tc\n", 1, null],
  ["deeper by another character", "  a\n\t\tb\n", 1, null],
  ["a word that only begins with end", "a\n  b\nending\n", 1, [1, 2, i]],
  ["a comment line", "# a\n  b\n", 1, null],
  ["a blank line", "\n  b\n", 1, null],
  ["a closer line", "}\n  b\n", 1, null],
  ["a line beyond the text", "a\n", 9, null],
];

for (const [kind, text, line, span] of cases) {
  test(`line ${line} of ${JSON.stringify(text)}: ${kind}`, () => {
    const found = spanByLayout(text.split("\n"), line - 1);
    expect(found === undefined ? null : [found.start, found.end, found.by]).toEqual(span);
  });
}

test("what goes on behind the closer is said", () => {
  expect(spanByLayout(["f({", "  a", "})"], 0)?.continues).toBe(true);
  expect(spanByLayout(["f {", "  a", "}"], 0)?.continues).toBe(false);
});
