import { expect, test } from "bun:test";
import fc from "fast-check";
import { readFileSync } from "node:fs";

import { findConflicts, namesSide, resolveConflict } from "../../../core/documents/conflicts.ts";
import { joinLines, splitLines } from "../../../core/text/lines.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../../fixtures/cases/B023/${name}`, import.meta.url), "utf8");

function resolve(text: string, content: string): string {
  const lines = splitLines(text);
  const [conflict] = findConflicts(lines.texts);
  return joinLines(resolveConflict(lines, conflict!, content));
}

test("B023 an underline of eight is no separator", () => {
  expect(resolve(fixture("eight.rst"), "@ours")).toBe(fixture("eight_expected_ours.rst"));
  expect(resolve(fixture("eight.rst"), "@theirs\n")).toBe(fixture("eight_expected_theirs.rst"));
});

test("B023 markers in running text are none", () => {
  expect(findConflicts(splitLines(fixture("noconflict.rst")).texts)).toEqual([]);
});

test("B023 two lines that may be the separator make a conflict ambiguous", () => {
  expect(findConflicts(splitLines(fixture("seven.rst")).texts)).toEqual([
    { first: 2, last: 8, markers: { base: undefined, separator: 4 }, ambiguous: true },
  ]);
  expect(namesSide("x\n @ours \n")).toBe(true);
  expect(namesSide("x @ours\n@oursx")).toBe(false);
  expect(namesSide("toString\n")).toBe(false);
});

const cases: readonly [file: string, content: string, result: string][] = [
  ["diff3.txt", "@ours", "a\nO\nz\n"],
  ["diff3.txt", "@base", "a\nB\nz\n"],
  ["diff3.txt", "@theirs", "a\nT\nz\n"],
  ["diff3.txt", "@both", "a\nO\nT\nz\n"],
  ["diff3.txt", "new $& $1\n@theirs\nend\n", "a\nnew $& $1\nT\nend\nz\n"],
  ["diff3.txt", "", "a\nz\n"],
  ["diff3.txt", "\n", "a\n\nz\n"],
  ["diff3.txt", "x\n\n", "a\nx\n\nz\n"],
  [
    "nested.txt",
    "@base",
    "a\n<<<<<<<<< Temporary merge branch 1\nx\n=========\ny\n>>>>>>>>> Temporary merge branch 2\nz\n",
  ],
  ["crlf.txt", "@ours", "a\r\nO\r\nz\r\n"],
  ["crlf.txt", "new\nrows\n", "a\r\nnew\r\nrows\r\nz\r\n"],
  ["crlf.txt", "new\r\nrows\r\n", "a\r\nnew\r\nrows\r\nz\r\n"],
  ["eof_nonl.txt", "@theirs", "a\nT"],
  ["eof_nonl.txt", "x\ny\n", "a\nx\ny"],
  ["empty_side.txt", "@ours", "a\nz\n"],
  ["empty_side.txt", "@both", "a\nT\nz\n"],
];

for (const [file, content, result] of cases) {
  test(`B023 ${file} resolved with ${JSON.stringify(content)}`, () => {
    expect(resolve(fixture(file), content)).toBe(result);
  });
}

test("a base that is not there is an error", () => {
  expect(() => resolve(fixture("eight.rst"), "@base")).toThrow(
    "The conflict on lines 2-8 has no base section, so @base stands for nothing. Nothing was written.",
  );
});

test("an opening marker begins anew, a closing one without a separator ends nothing", () => {
  const at = (text: string) =>
    findConflicts(text.split("\n")).map(({ first, last }) => [first, last]);
  expect(at("<<<<<<< a\nx\n<<<<<<< b\n=======\n>>>>>>> c\n>>>>>>> d")).toEqual([[3, 5]]);
  expect(at("<<<<<<< a\nx\n>>>>>>> c\n=======\n>>>>>>> d")).toEqual([]);
  expect(at("<<<<<<<\n=======\n>>>>>>>\n<<<<<<< a\n=======")).toEqual([[1, 3]]);
  expect(at("<<<<<<<x\n=======\n>>>>>>>")).toEqual([]);
});

test("property: what stands around a conflict stays byte for byte", () => {
  const row = fc.constantFrom("a", "", "========", "<<<<<<", "é", " =======");
  const end = fc.constantFrom("\n", "\r\n");
  const block = fc.array(
    fc.tuple(row, end).map((pair) => pair.join("")),
    { maxLength: 4 },
  );
  fc.assert(
    fc.property(block, block, block, block, end, (before, ours, theirs, after, eol) => {
      const text = (rows: readonly string[]) => rows.join("");
      const marked = `<<<<<<< x${eol}${text(ours)}=======${eol}${text(theirs)}>>>>>>> y${eol}`;
      const file = text(before) + marked + text(after);
      expect(resolve(file, "@ours")).toBe(text(before) + text(ours) + text(after));
      expect(resolve(file, "@theirs")).toBe(text(before) + text(theirs) + text(after));
      expect(resolve(file, "q")).toBe(`${text(before)}q${eol}${text(after)}`);
    }),
    { seed: 3 },
  );
});
