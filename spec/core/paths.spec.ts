import { expect, test } from "bun:test";

import {
  candidatePaths,
  displayPath,
  headerLine,
  macNames,
  resolvePath,
  shellPath,
  showName,
  spellings,
} from "../../core/paths.ts";

const where = { cwd: "/w", home: "/home/me" };

test("resolvePath joins and normalises lexically", () => {
  const posix: readonly (readonly [string, string, string])[] = [
    ["a.txt", "/w", "/w/a.txt"],
    ["./a//b/../c.txt", "/w", "/w/a/c.txt"],
    ["../../../x", "/w/d", "/x"],
    ["/", "/w", "/"],
    ["..", "/", "/"],
    ["..x/y", "/w", "/w/..x/y"],
    ["back\\slash", "/w", "/w/back\\slash"],
    ["C:\\dir", "/w", "/w/C:\\dir"],
    ["a ", "/w/", "/w/a "],
  ];
  const windows: readonly (readonly [string, string, string])[] = [
    ["a\\b.txt", "C:\\w", "C:/w/a/b.txt"],
    ["..\\x", "C:\\w", "C:/x"],
    ["D:\\x\\..\\y", "C:\\w", "D:/y"],
    ["D:/x", "C:/w", "D:/x"],
    ["\\x", "C:\\w", "C:/x"],
    ["\\\\server\\share\\x", "C:\\w", "//server/share/x"],
    ["..\\..\\x", "\\\\server\\share\\d", "//server/share/x"],
  ];
  for (const [path, cwd, right] of [...posix, ...windows]) {
    expect([path, resolvePath(path, cwd)]).toEqual([path, right]);
  }
});

test("displayPath is relative inside the working folder only", () => {
  const right: readonly (readonly [string, string, string])[] = [
    ["/w/a/b.txt", "/w", "a/b.txt"],
    ["/w", "/w/", "."],
    ["/w/..x", "/w", "..x"],
    ["/wide/a", "/w", "/wide/a"],
    ["/a", "/w", "/a"],
    ["/a", "/", "a"],
    ["C:\\w\\a\\b", "C:\\w", "a/b"],
    ["D:\\a", "C:\\w", "D:/a"],
  ];
  for (const [path, cwd, shown] of right)
    expect([path, displayPath(path, cwd)]).toEqual([path, shown]);
});

test("headerLine quotes names with control characters", () => {
  expect(headerLine("p#1A2B].txt", "9A46")).toBe("[p#1A2B].txt#9A46]");
  expect(headerLine("new\nline.txt", "9A46")).toBe('["new\\nline.txt"#9A46]');
  const shown: readonly (readonly [string, string])[] = [
    ['dq".txt', 'dq".txt'],
    ['dq"\t.txt', '"dq\\"\\t.txt"'],
    ["del\u007f", '"del\\u007f"'],
    ["c1\u0085", '"c1\\u0085"'],
    ["ls\u2028", '"ls\\u2028"'],
    ["lone\udcff", '"lone\\udcff"'],
    ["é 日本 \u00a0", "é 日本 \u00a0"],
  ];
  for (const [name, right] of shown) {
    expect(showName(name)).toBe(right);
    expect(spellings(right, where)).toContain(name);
  }
});

test("spellings undo one decoration after the other, the authored path first", () => {
  const right: readonly (readonly [string, readonly string[]])[] = [
    ["a.txt", ["a.txt"]],
    [" a.txt\n", [" a.txt\n", "a.txt"]],
    ["'a b'", ["'a b'", "a b"]],
    ["'a\"", ["'a\""]],
    ["''", ["''"]],
    ["@a", ["@a", "a"]],
    ["@@a", ["@@a", "@a"]],
    ["~", ["~", "/home/me"]],
    ["~/$a", ["~/$a", "/home/me/$a"]],
    ["~other/a", ["~other/a"]],
    ['"@~/a"', ['"@~/a"', "@~/a", "~/a", "/home/me/a"]],
    ["a\u202fb", ["a\u202fb", "a b"]],
    ["file:///a%20b", ["file:///a%20b", "/a b"]],
    ["file://localhost/a", ["file://localhost/a", "/a"]],
    ["file://host/a", ["file://host/a"]],
    ["file:///a%", ["file:///a%"]],
    ['"a\\nb"', ['"a\\nb"', "a\\nb", "a\nb"]],
  ];
  for (const [authored, all] of right) expect(spellings(authored, where)).toEqual(all);
  const noise =
    "Update File: x|*** Update File:x|update:x|UpdateFile:x|Move to: x|***x|*** Add File: x|** delete - file : ** x";
  for (const text of noise.split("|"))
    expect([text, spellings(text, where).at(-1)]).toEqual([text, "x"]);
  for (const text of ["updates/x", "add-file/a:b", "mover:x"])
    expect(spellings(text, where)).toEqual([text]);
  expect(spellings("~/a", { cwd: "/w", home: undefined })).toEqual(["~/a"]);
});

test("candidatePaths are absolute and without repeats", () => {
  expect(candidatePaths(" ./a.txt", where)).toEqual(["/w/ ./a.txt", "/w/a.txt"]);
  expect(candidatePaths("a//b", where)).toEqual(["/w/a/b"]);
});

test("macNames are the names that macOS makes and people cannot type", () => {
  expect(macNames("Shot 3.04 PM's é.png")).toEqual([
    "Shot 3.04\u202fPM's é.png",
    "Shot 3.04 PM's e\u0301.png",
    "Shot 3.04 PM\u2019s é.png",
    "Shot 3.04 PM\u2019s e\u0301.png",
  ]);
  expect(macNames("a.txt")).toEqual([]);
});

test("shellPath is one word, and no option", () => {
  expect(["a/b.txt", "a b", "it's", "-rf", "$x", "~", "a\nb"].map(shellPath)).toEqual([
    "a/b.txt",
    "'a b'",
    "'it'\\''s'",
    "./-rf",
    "'$x'",
    "'~'",
    "'a\nb'",
  ]);
});
