import { expect, test } from "bun:test";
import fc from "fast-check";

import {
  countText,
  diagnosticLine,
  readDiagnostics,
  worst,
} from "../../../core/diagnostics/diagnostic.ts";
import { fileUri, isSameUri } from "../../../core/diagnostics/file-uri.ts";
import { languageIdOf } from "../../../core/diagnostics/language-ids.ts";
import { applyTextEdits, positionsIn } from "../../../core/diagnostics/positions.ts";

const text = "ab\r\n😀x\ry\n\nlast";

test.each([
  [0, 0, 0, "1:1"],
  [0, 2, 2, "1:3"],
  [0, 9, 2, "1:3"],
  [1, 0, 4, "2:1"],
  [1, 2, 6, "2:2"],
  [1, 3, 7, "2:3"],
  [1, 4, 7, "2:3"],
  [2, 0, 8, "3:1"],
  [3, 0, 10, "4:1"],
  [3, 5, 10, "4:1"],
  [4, 4, 15, "5:5"],
  [9, 0, 15, "5:5"],
])("position %d:%d is offset %d, place %s", (line, character, offset, place) => {
  const positions = positionsIn(text);
  expect(positions.offset({ line, character })).toBe(offset);
  const found = positions.place(offset);
  expect(`${found.line}:${found.column}`).toBe(place);
});

test.each([
  undefined,
  null,
  3,
  {},
  { line: -1, character: 0 },
  { line: 0.5, character: 0 },
  { line: "0", character: 0 },
])("%j is no position", (position) => {
  expect(positionsIn(text).offset(position)).toBeUndefined();
});

function edit(from: readonly [number, number], to: readonly [number, number], newText: string) {
  const [start, end] = [from, to].map(([line, character]) => ({ line, character }));
  return { range: { start, end }, newText };
}

test("edits are applied to the text as it was, in any order", () => {
  const edits = [edit([1, 0], [1, 2], "X"), edit([0, 0], [0, 1], ""), edit([4, 4], [4, 4], "!\n")];
  expect(applyTextEdits(text, edits)).toBe("b\r\nXx\ry\n\nlast!\n");
});

test("insertions at one place keep their order", () => {
  expect(
    applyTextEdits("a", [
      edit([0, 0], [0, 0], "1"),
      edit([0, 0], [0, 0], "2"),
      edit([0, 0], [0, 1], "b"),
    ]),
  ).toBe("12b");
});

test.each([
  [[edit([0, 0], [0, 2], ""), edit([0, 1], [0, 2], "")], "the server's edits overlap"],
  [[edit([0, 2], [0, 1], "")], "the server answered with what is no edit"],
  [[{ newText: "x" }], "the server answered with what is no edit"],
  [[null], "the server answered with what is no edit"],
  [[{ ...edit([0, 0], [0, 0], ""), newText: 5 }], "the server answered with what is no edit"],
])("edits %j are refused", (edits, problem) => {
  expect(() => applyTextEdits("ab", edits)).toThrow(problem);
});

test("the edits between two texts turn one into the other", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom("a", "\n", "\r", "😀") }),
      fc.string(),
      (before, inserted) => {
        const lines = before.split(/\r\n?|\n/);
        const end = [lines.length - 1, lines.at(-1)!.length] as const;
        expect(applyTextEdits(before, [edit([0, 0], end, inserted)])).toBe(inserted);
      },
    ),
  );
});

const range = { start: { line: 1, character: 2 }, end: { line: 1, character: 3 } };

test("diagnostics as data and as lines: by place, each once, on one line", () => {
  const items = [
    { range, severity: 2, message: "second\n  line\u0007", source: "ts", code: 2322 },
    { range: { start: { line: 0, character: 0 } }, message: "first" },
    { range, severity: 2, message: "second line" },
    { range, severity: 99, message: "odd" },
    { range, severity: 4, message: "small" },
    { message: "without a place" },
    { range, message: 5 },
    null,
    "text",
  ];
  const found = readDiagnostics(items, { path: "a b.ts", text });
  expect(found.map(diagnosticLine)).toEqual([
    "a b.ts:1:1 error first",
    "a b.ts:2:2 warning second line",
    "a b.ts:2:2 error odd",
    "a b.ts:2:2 hint small",
  ]);
  expect(found[1]).toEqual({
    path: "a b.ts",
    line: 2,
    column: 2,
    endLine: 2,
    endColumn: 3,
    severity: "warning",
    message: "second line",
    source: "ts",
    code: "2322",
  });
  expect(countText(found)).toBe("2 errors, 1 warning, 1 hint");
  expect(worst(found, 3).map(({ message }) => message)).toEqual(["first", "second line", "odd"]);
  expect(worst(found, 2).map(({ message }) => message)).toEqual(["first", "odd"]);
});

test.each([undefined, null, {}, "x", 5])("%j holds no diagnostics", (items) => {
  expect(readDiagnostics(items, { path: "a", text: "" })).toEqual([]);
});

test("a long message is cut", () => {
  const [one] = readDiagnostics([{ range, message: "x".repeat(5000) }], { path: "a", text });
  expect(one!.message).toBe(`${"x".repeat(999)}…`);
});

test.each([
  ["/w/a.ts", "file:///w/a.ts"],
  ["/w/a b#?%é:.ts", "file:///w/a%20b%23%3F%25%C3%A9%3A.ts"],
  ["C:/w/a.ts", "file:///C:/w/a.ts"],
])("the URI of %s is %s", (path, uri) => {
  expect(fileUri(path)).toBe(uri);
});

test("servers escape as they like", () => {
  const own = fileUri("/w/a b:é.ts");
  expect(isSameUri(own, "file:///w/a%20b:é.ts")).toBe(true);
  expect(isSameUri(own, "file:///w/a%20b%3a%c3%a9.ts")).toBe(true);
  expect(isSameUri(own, "file:///w/other.ts")).toBe(false);
  expect(isSameUri(own, "file:///w/%E0%A4%A")).toBe(false);
  expect(isSameUri(own, undefined)).toBe(false);
});

test.each([
  ["TypeScript", "a.ts", "typescript"],
  ["TSX", "a.tsx", "typescriptreact"],
  ["JavaScript", "a.jsx", "javascriptreact"],
  ["JavaScript", "a.mjs", "javascript"],
  ["C#", "a.cs", "csharp"],
  [undefined, "/w/a.ELM", "elm"],
  [undefined, "/w.d/README", "plaintext"],
])("the language %p of %s is %s", (language, path, id) => {
  expect(languageIdOf(language, path)).toBe(id);
});
