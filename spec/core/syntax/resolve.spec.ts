import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import type { BlockSpan } from "../../../core/hashline/blocks.ts";
import { limits } from "../../../core/limits.ts";
import { languageOf, languages } from "../../../core/syntax/languages.ts";
import { createBlockResolver } from "../../../core/syntax/resolve.ts";

import { fixtures, grammars, inTime, marksOf, resolver } from "./fixtures.ts";
import { errorCount, parserFor } from "./parsing.ts";

interface SpanVector {
  readonly name: string;
  readonly path: string;
  readonly code: string;
  readonly expect: { readonly spans: Readonly<Record<string, readonly [number, number] | null>> };
}

const vectors = JSON.parse(
  readFileSync(new URL("../../fixtures/vectors/block-spans.json", import.meta.url), "utf8"),
) as readonly SpanVector[];

for (const vector of vectors) {
  test(`vector ${vector.name}`, async () => {
    const spanAt = await resolver.open(vector.path, vector.code);
    const spans = Object.keys(vector.expect.spans).map((line) => {
      const span = inTime(spanAt(Number(line)));
      return [line, span === undefined ? null : [span.start, span.end]];
    });
    expect(Object.fromEntries(spans)).toEqual(vector.expect.spans);
  });
}

for (const { name, lines, marks } of fixtures) {
  test(`every line of ${name}`, async () => {
    const found = await marksOf(name, lines.join("\n") + "\n");
    const rows = (column: readonly string[]) =>
      lines.map((line, i) => `${column[i]!.replace("!", "").padEnd(8)}|${line}`);
    expect(rows(found)).toEqual(rows(marks));
  });
}

test("every language has a fixture of 60 lines and more", () => {
  const long = fixtures.filter(({ lines }) => lines.length >= 60);
  const covered = new Set(long.map(({ name, lines }) => languageOf(name, lines[0]!)?.name));
  expect(languages.map(({ name }) => name).filter((name) => !covered.has(name))).toEqual([]);
});

for (const { name, lines, marks } of fixtures) {
  const language = languageOf(name, lines[0]!)!;
  if (language.scan !== undefined) continue;
  test(`deleting a block of ${name} breaks nothing, save where marked`, async () => {
    const parser = await parserFor(language.grammar);
    const errorsOf = (kept: readonly string[]) => {
      const tree = parser.parse(kept.join("\n") + "\n")!;
      const count = errorCount(tree);
      tree.delete();
      return count;
    };
    const before = errorsOf(lines);
    const spanAt = await resolver.open(name, lines.join("\n") + "\n");
    const unlike = marks.flatMap((mark, i) => {
      const span = inTime(spanAt(i + 1));
      if (span === undefined || span.continues) return [];
      const { start, end } = span;
      if (start > i + 1 || end < i + 1 || start < 1 || end > lines.length)
        return [`${i + 1}: out of place`];
      const breaks = errorsOf([...lines.slice(0, start - 1), ...lines.slice(end)]) > before;
      return breaks === mark.endsWith("!")
        ? []
        : [`${i + 1}: ${breaks ? "breaks" : "breaks nothing"}`];
    });
    parser.delete();
    expect(unlike).toEqual([]);
  });
}

const snippets: readonly [kind: string, path: string, text: string, marks: string][] = [
  ["a C++ header", "a.h", "class A {\npublic:\n  int m() { return 1; }\n};\n", "1-4 = = ."],
  [
    "a broken C++ header",
    "a.h",
    "namespace n {\nclass A {\n  int m();\n};\n}\nint f( {\n",
    "1-5 2-4 = . . .",
  ],
  ["a broken C header", "a.h", "int new(int class);\nint f( {\n", "= ."],
  ["a section", "a.md", "# A\n\nb\n\n## C\n\nd\n\n# E\n", "1-7 . = . 5-7 . = . ="],
  ["sections under both kinds of headings", "a.md", "# A\n\nB\n===\n\nc\n", "= . 3-6 . . ="],
  [
    "sections within sections, of both kinds",
    "a.md",
    "# A\n\nB\nb\n---\n\nc\n\n### D\n\nE\n---\n\n\n# F\n\n- # g\n  h\n> # i\n> j\n",
    "1-12 . 3-9 . . . = . = . 11-12 . . . 15-20 . 17-18 = 19-20 .",
  ],
  [
    "a snippet, and tags newer than the grammar",
    "a.svelte",
    "{#snippet a({ b })}\n  {#snippet c()}\n    <i>{b}</i>\n  {/snippet}\n  {@render c()}\n{/snippet}\n<p>\n  {#snippet d()}\n  {/snippet}\n</p>\n{#snippet e()}\n",
    "1-6 2-4 = . = . 7-10 8-9 . . .",
  ],
  [
    "a remark that ends a branch, and one that ends the chain",
    "a.rb",
    "if a\n  b\nelsif c\n  d\n  # of d\n# of else\nelse\n  e\nend\n",
    "1-9 = 3-5 = = = 7-8 = .",
  ],
  [
    "the last comma of a grouped use",
    "a.php",
    "<?php\nuse A\\{\n  B,\n  C,\n};\nf();\n",
    ". 2-5 =+ =+ . =",
  ],
  [
    "a static pattern rule with prerequisites of order only",
    "a.mk",
    "$(O): $(D)/%.o: %.c $(H) | $(D)\n\tcc $<\n\na: export B := 1\na: b\n\tc\n",
    "1-2 = . = 5-6 =",
  ],
  [
    "a fragment: return type below an annotation",
    "A.java",
    "class A {\n  @B\n  int m() {\n  }\n}\n",
    "1-5 2-4 . . .",
  ],
  ["a fragment: operand", "a.js", "x =\n  a +\n  b;\n", "1-3 . ."],
  ["a closing quote", "a.py", 'x = """\na\n"""\n', "1-3 . ."],
  ["a JSX closing tag", "a.jsx", "x = (\n  <a>\n    b\n  </a>\n);\n", "1-5 2-4 . . ."],
  ["the last of a JSON object", "a.json", '{\n  "a": 1,\n  "b": 2\n}\n', "1-4 =+ = ."],
  ["code behind a comment", "a.ts", "/* c */ f(\n  1,\n);\n", "1-3 =+ ."],
  [
    "a newline that the grammar takes for none",
    "a.kt",
    "val a = when (x) {\n  1 -> 2\n  in 1..5 -> 3\n  else -> 4\n}\n",
    ". . . = .",
  ],
  ["two statements on a line", "a.ts", "f(); g();\n", "=+"],
  ["what would tear the next construct", "a.ts", "f(); if (a) {\n  g();\n}\n", ". = ."],
  ["code in front of a multi-line comment's end", "a.c", "/* a\n*/ int x;\n", ". ."],
  ["an error in the subtree", "a.ts", "function f() {\n  return ) + ;\n}\nok();\n", ". . . ="],
  ["an error behind", "a.ts", "function f() {\n  g();\n}\nfunction h( {\n", "1-3 = . ."],
  ["an error around", "a.ts", "class A {\n  m() {\n    f();\n  }\n  n( {\n", ". 2-4 = . ."],
  ["a broken rest of the line", "a.ml", "let f (\n", "."],
  [
    "wide characters before",
    "a.ts",
    'const s = "日本𝒳";\n/* 𝒳 */ if (a) {\n  b("𝒳");\n}\n',
    "= 2-4 = .",
  ],
  ["a tab-indented line", "a.go", "package p\n\nfunc f() {\n\tg()\n\th()\n}\n", "= . 3-6 = = ."],
  ["no final newline", "a.py", "def f():\n  pass", "1-2 ="],
  ["an empty text", "a.py", "", "."],
  ["a lone brace block", "a.ts", "{\n  a();\n}\n", "1-3 = ."],
  ["a body brace of its own", "a.cs", "class A\n{\n  int x;\n}\n", "1-4 . = ."],
  ["a #! line", "tool", "#!/usr/bin/env python3\ndef f():\n    pass\n", "= 2-3 ="],
  ["decorators on one line", "a.ts", "class A {\n  @b @c() m() {\n  }\n}\n", "1-4 2-3 . ."],
  [
    "a decorator of a broken method",
    "a.ts",
    "class A {\n  @b\n  m() {\n    (;\n  }\n}\nx();\n",
    ". . . . . . =",
  ],
];

for (const [kind, path, text, marks] of snippets) {
  test(`lines of ${path}: ${kind}`, async () => {
    expect((await marksOf(path, text)).join(" ")).toBe(marks);
  });
}

test("a line out of range begins nothing", async () => {
  const spanAt = await resolver.open("a.ts", "f();\n");
  expect([spanAt(0), spanAt(2), spanAt(3), spanAt(-1)]).toEqual(Array(4).fill(undefined));
});

test("a parse over its time is stopped and said, and the next one is unharmed", async () => {
  let now = 0;
  const clock = { now: () => now, sleep: async () => {} };
  const slow = createBlockResolver({
    grammars,
    clock: { ...clock, now: () => (now += limits.blockTime) },
  });
  const big = "f({a: 1});\n".repeat(20_000);
  expect((await slow.open("a.js", big))(1)).toBe("overdue");
  const span: BlockSpan = { start: 1, end: 1, continues: false, by: "syntax" };
  expect((await resolver.open("a.js", big))(1)).toEqual(span);
});

test("a grammar is read once, and only when a file needs it", async () => {
  const asked: string[] = [];
  const counting = createBlockResolver({
    grammars: {
      runtime: () => (asked.push("runtime"), grammars.runtime()),
      load: (name) => (asked.push(name), grammars.load(name)),
    },
    clock: { now: () => 0, sleep: async () => {} },
  });
  await counting.open("a.unknown", "x {\n  y\n}\n");
  await counting.open("a.sql", "SELECT 1;\n");
  expect(asked).toEqual([]);
  await Promise.all([counting.open("a.lua", "x = 1\n"), counting.open("b.lua", "x = 1\n")]);
  await counting.open("c.vue", "<template>\n</template>\n");
  expect(asked.sort()).toEqual(["lua", "runtime", "vue"]);
});
