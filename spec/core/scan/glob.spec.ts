import { expect, test } from "bun:test";

import { compileGlob, splitGlob } from "../../../core/scan/glob.ts";

function matches(glob: string, paths: readonly string[]): readonly string[] {
  const { automaton } = compileGlob(glob, false);
  return paths.filter((path) => automaton.matches(path));
}

const table: readonly (readonly [string, readonly string[], readonly string[]])[] = [
  ["*.ts", ["a.ts", "src/b.ts", ".dot/.c.ts"], ["a.tsx", "A.TS", "ts"]],
  ["src/*.ts", ["src/a.ts"], ["src/deep/b.ts", "x/src/a.ts"]],
  ["src/**", ["src/a", "src/a/b"], ["src", "srcs/a"]],
  ["src/**/x", ["src/x", "src/a/x", "src/a/b/x"], ["src/ax", "x"]],
  ["**/x", ["x", "a/x", "a/b/x"], ["ax", "x/a"]],
  ["**", ["a", "a/b"], []],
  ["a**b", ["ab", "axb"], ["a/b"]],
  ["1.{0..9}", ["1.0", "1.9"], ["1.10", "1.x", "0"]],
  ["f{08..10}", ["f08", "f10"], ["f8", "f11"]],
  ["{c..a}{0..10..5}", ["c0", "b5", "a10"], ["a1", "d0"]],
  [
    "{note.md,docs/**/*}",
    ["note.md", "docs/.page.md", "docs/a/b"],
    ["docs", "x/note.md", "note.mdx"],
  ],
  ["{a,b{c,d}}.x", ["a.x", "bc.x", "bd.x"], ["b.x", "c.x"]],
  ["{a,b", ["a", "b"], ["{a,b"]],
  ["lit{eral}.ts", ["lit{eral}.ts"], ["literal.ts"]],
  ["a{}b", ["a{}b"], ["ab"]],
  ["*.{ts,tsx,js}", ["a.ts", "b.tsx", "c/d.js"], ["a.t", "a.json"]],
  ["!(*.ts|*.conf)", ["a.js", "x/a.js", ""], ["a.ts", "x/b.conf"]],
  ["@(a|b).x", ["a.x", "b.x"], ["ab.x", ".x"]],
  ["?(a)b", ["b", "ab"], ["aab"]],
  ["+(ab).x", ["ab.x", "abab.x"], [".x"]],
  ["*(ab).x", ["ab.x", ".x"], ["a.x"]],
  ["a?c", ["abc", "a😀c", "aéc"], ["ac", "a/c"]],
  ["br[1-5].txt", ["br3.txt"], ["br[1-5].txt", "br6.txt"]],
  ["[!a]b", ["bb", "éb"], ["ab", "/b"]],
  ["[[:digit:]]x", ["1x"], ["ax"]],
  ["[]x]", ["]", "x"], ["[]x]"]],
  ["[x", ["[x"], ["x"]],
  ["\\*.c", ["*.c"], ["a.c"]],
  ["a(b)", ["a(b)"], []],
];

test.each(table)("%s matches %j and not %j", (glob, yes, no) => {
  expect(matches(glob, [...yes, ...no])).toEqual(yes as string[]);
});

test("a glob is linear in the path, whatever it says", () => {
  const path = `${"a".repeat(200)}/${"a".repeat(200)}`;
  expect(matches("**/*a*a*a*a*a*a*a*b", [path])).toEqual([]);
  let nested = "a";
  for (const letter of "bcdefghijklm") nested = `{${nested},${letter}}`;
  expect(matches(nested.repeat(12), ["abcdefghijkl", "abcdefghijkn"])).toEqual(["abcdefghijkl"]);
  expect(matches(`*a${"?".repeat(60)}`, [`${"a".repeat(61)}`, "a".repeat(60)])).toEqual([
    "a".repeat(61),
  ]);
});

test.each([
  ["src/*.ts", "src/", "*.ts"],
  ["*.ts", "", "*.ts"],
  ["/a/b/{c,d}/e", "/a/b/", "{c,d}/e"],
  ["a/!(b)/c", "a/", "!(b)/c"],
  ["plain/path", "plain/path", undefined],
  ["./parts/../*.conf", "./parts/../", "*.conf"],
] as const)("%s begins at %j and goes on as %j", (glob, base, pattern) => {
  expect(splitGlob(glob)).toEqual({ base, pattern });
});
