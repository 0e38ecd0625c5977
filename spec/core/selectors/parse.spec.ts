import { expect, test } from "bun:test";

import { archiveSplits } from "../../../core/archives/suffixes.ts";
import { parseSelector, pathReadings, readModifiers } from "../../../core/selectors/parse.ts";

test("pathReadings take modifiers off the end, one at a time", () => {
  const right: Readonly<Record<string, readonly string[]>> = {
    "a.txt": ["a.txt|"],
    "a.txt:5-6:raw": ["a.txt:5-6:raw|", "a.txt:5-6|raw", "a.txt|5-6,raw"],
    "a:raw:b.ts": ["a:raw:b.ts|"],
    "C:\\dir\\f.txt": ["C:\\dir\\f.txt|"],
    "C:/f.txt:5": ["C:/f.txt:5|", "C:/f.txt|5"],
    "a:": ["a:|"],
    ":5": [":5|"],
    "a::5": ["a::5|", "a:|5"],
  };
  for (const [target, readings] of Object.entries(right)) {
    expect(pathReadings(target).map(({ path, modifiers }) => `${path}|${modifiers}`)).toEqual([
      ...readings,
    ]);
  }
});

test("readModifiers joins raw, ranges and the style of grep", () => {
  expect(readModifiers([])).toEqual({ raw: false, ranges: undefined });
  expect(readModifiers(["RAW", "5-6", "raw"])).toEqual({
    raw: true,
    ranges: [{ first: 5, last: 6 }],
  });
  expect(readModifiers(["10", "12"])).toEqual({ raw: false, ranges: [{ first: 10, last: 12 }] });
  expect(() => readModifiers(["10", "12-"])).toThrow("it names lines 2 times");
});

test("parseSelector knows URLs and internal resources from paths", () => {
  const schemes: Readonly<Record<string, string | undefined>> = {
    "https://example.test/a:5": "https",
    "HTTP:/example.test": "http",
    "local://a.ts:5": "local",
    "file:///a": undefined,
    "http:x": undefined,
    "foo:bar/file": undefined,
    "C://x": undefined,
  };
  for (const [target, scheme] of Object.entries(schemes)) {
    const selector = parseSelector(target);
    expect([target, selector.kind === "scheme" ? selector.scheme : undefined]).toEqual([
      target,
      scheme,
    ]);
  }
});

test("cells of notebooks are taken off the end like lines", () => {
  expect(pathReadings("n.ipynb:cell:1:raw")).toEqual([
    { path: "n.ipynb:cell:1:raw", modifiers: [] },
    { path: "n.ipynb:cell:1", modifiers: ["raw"] },
    { path: "n.ipynb:cell", modifiers: ["1", "raw"] },
    { path: "n.ipynb", modifiers: ["cell:1", "raw"] },
  ]);
  expect(readModifiers(["cell:1", "raw"])).toEqual({ raw: true, ranges: undefined, cell: 1 });
  expect(() => readModifiers(["cell:1", "5-6"])).toThrow("it names a cell and lines");
  expect(() => readModifiers(["cell:1", "cell:2"])).toThrow("it names a cell twice");
});

test("a target of thousands of modifiers is a name, and asks few questions", () => {
  const long = `a${":1".repeat(50_000)}`;
  const readings = pathReadings(long);
  expect(readings.length).toBe(9);
  expect(readings.at(-1)!.modifiers).toEqual(Array.from({ length: 8 }, () => "1"));
  expect(archiveSplits("a.zip:".repeat(50_000)).length).toBe(682);
});
