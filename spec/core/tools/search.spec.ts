import { expect, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { memoryHost, type MemoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import { tagOf } from "../../../core/hashline/tag.ts";
import type { Seen, Session } from "../../../core/session/session.ts";
import { search } from "../../../core/tools/search.ts";
import { callFor } from "../../helpers/call.ts";

interface Asked {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly recorded: readonly (readonly Seen[])[];
  readonly notices: readonly string[];
  readonly code?: string;
}

type Files = Readonly<Record<string, MemoryEntry>>;

async function ask(
  files: Files | MemoryHost,
  pattern: string,
  more: Readonly<Record<string, unknown>> = {},
  session?: Error,
): Promise<Asked> {
  const host = "clock" in files ? (files as MemoryHost) : memoryHost({ files: files as Files });
  const recorded: (readonly Seen[])[] = [];
  const notices: string[] = [];
  const outcome = await callTool(
    search,
    { pattern, ...more },
    host,
    callFor({
      cwd: "/work",
      notice: (text) => void notices.push(text),
      async session() {
        if (session) throw session;
        return {
          recordAll: async (seen: readonly Seen[]) => void recorded.push(seen),
        } as unknown as Session;
      },
    }),
    { readOnly: false },
  );
  if (!outcome.ok) {
    const { code, message, data } = outcome.error;
    return { text: message, details: data, recorded, notices, code };
  }
  const { text } = outcome.rendered as { text: string };
  return { text, details: outcome.details, recorded, notices };
}

const lines = (count: number, text = "needle") =>
  Array.from({ length: count }, (_, i) => `${text} ${i + 1}\n`).join("");

const one = "one\nneedle A\nthree\nfour\nfive\nsix\nneedle B\n";
const top = "x\nneedle top\n";

test("matches stand below an editable header, with the lines around them", async () => {
  const { text, recorded, details } = await ask({ "src/a.ts": one, "top.ts": top }, "needle");
  expect(text).toBe(`# src/
[src/a.ts#${tagOf(one)}]
 1:one
*2:needle A
 3:three
 4:four
 5:five
 6:six
*7:needle B
[top.ts#${tagOf(top)}]
 1:x
*2:needle top`);
  expect(recorded.map((group) => group.map(({ path, tag }) => [path, tag]))).toEqual([
    [
      ["/work/src/a.ts", tagOf(one)],
      ["/work/top.ts", tagOf(top)],
    ],
  ]);
  expect(details).toEqual({
    scopePath: ".",
    searchPath: ".",
    cwd: "/work",
    matchCount: 3,
    fileCount: 2,
    files: ["src/a.ts", "top.ts"],
    fileMatches: { "src/a.ts": 2, "top.ts": 1 },
    displayContent: { lines: 12, bytes: text.length, cutLines: 0 },
    meta: { source: "files", limits: { fileLimit: 20, perFileLimit: 20, lineLimit: 512 } },
  });
});

test("a blank line stands between targets, and every file is shown once", async () => {
  const { text } = await ask(
    { "a/x": "needle\n", "b/y": "needle\n", "b/z": "needle\n" },
    "needle",
    {
      paths: ["b", "a", "b/y"],
    },
  );
  expect(text.split("\n").filter((line) => !line.startsWith("*"))).toEqual([
    "# a/",
    `[a/x#${tagOf("needle\n")}]`,
    "",
    "# b/",
    `[b/y#${tagOf("needle\n")}]`,
    `[b/z#${tagOf("needle\n")}]`,
  ]);
});

test("context as asked for, as configured, and never past the last line", async () => {
  const rows = async (more: object) =>
    (await ask({ "a.txt": lines(9, "l") }, "l 9", { paths: "a.txt", ...more })).text
      .split("\n")
      .slice(1);
  expect(await rows({})).toEqual([" 8:l 8", "*9:l 9"]);
  expect(await rows({ context: 0 })).toEqual(["*9:l 9"]);
  expect(await rows({ before: 2 })).toEqual([" 7:l 7", " 8:l 8", "*9:l 9"]);
  const configured = {
    "a.txt": lines(9, "l"),
    "/home/me/.config/atomic/config.json": '{"search":{"contextBefore":0,"contextAfter":1}}',
  };
  expect((await ask(configured, "l 4", { paths: ["a.txt"] })).text.split("\n").slice(1)).toEqual([
    "*4:l 4",
    " 5:l 5",
  ]);
});

test("pages never overlap, and the answer says how to go on", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 45 }, (_, i) => [`f${String(i).padStart(2, "0")}`, "needle\n"]),
  );
  const seen: string[] = [];
  for (const skip of [0, 20, 40]) {
    const { text, details } = await ask(files, "needle", { skip });
    seen.push(...(details["files"] as string[]));
    expect(
      text.includes(`[More files match: 20 files shown, continue with skip=${skip + 20}]`),
    ).toBe(skip < 40);
    expect(details["fileLimitReached"]).toBe(skip < 40 ? 20 : undefined);
  }
  expect(seen).toEqual(Object.keys(files));
  expect((await ask(files, "needle", { skip: 45 })).text).toBe("No more results (skip=45)");
  expect((await ask(files, "needle", { skip: 100.7 })).text).toBe("No more results (skip=100)");
  for (const skip of [-1, Number.NaN]) {
    expect(await ask(files, "needle", { skip })).toMatchObject({ code: "usage.input" });
  }
  expect((await ask(files, "needle", { limit: 1, offset: 44 })).details["files"]).toEqual(["f44"]);
});

test("20 matches of one of several files, 200 of a single one, and what is left is said", async () => {
  const files = { "a.txt": lines(250), "b.txt": "needle\n" };
  const several = await ask(files, "needle");
  expect(several.text.match(/^\*/gm)).toHaveLength(21 + 3);
  expect(several.text).toEndWith("\n\n[230 more matches in a.txt]");
  expect(several.details).toMatchObject({
    matchCount: 251,
    fileMatches: { "a.txt": 250, "b.txt": 1 },
    perFileLimitReached: 20,
  });
  const single = await ask(files, "needle", { paths: "a.txt", skip: 5 });
  expect(single.text).toEndWith(
    "\n\n[skip pages files and was ignored: only one file was named]\n[50 more matches in a.txt]",
  );
  expect(single.text).toContain("\n*200:needle 200\n*201:");
});

test("line ranges scope the matches, not their context", async () => {
  const file = { "a.txt": lines(20, "l") };
  const rows = async (target: string) =>
    (await ask(file, "l", { paths: [target], context: 1 })).text.match(/^\*?\d+|^ \d+/gm);
  expect(await rows("a.txt:5-6")).toEqual([" 4", "*5", "*6", " 7"]);
  expect(await rows("a.txt:19")).toEqual([" 18", "*19", "*20"]);
  expect(await rows("a.txt:2,10")).toEqual([" 1", "*2", " 3", " 9", "*10", " 11"]);
  expect(await ask({ "d/a": "" }, "l", { paths: "d:1-2" })).toMatchObject({
    code: "search.range_target",
  });
  expect(await ask(file, "l", { paths: "a.txt:raw" })).toMatchObject({
    code: "search.range_syntax",
  });
});

test("long lines are cut, and that is said once", async () => {
  const { text, details } = await ask(
    { "a.txt": `needle${"é".repeat(600)}\nneedle${"x".repeat(600)}\n` },
    "needle",
  );
  expect(text.split("\n")[1]).toBe(`*1:needle${"é".repeat(506)}…`);
  expect(text).toEndWith("\n\n[Some lines were cut at 512 characters]");
  expect(details).toMatchObject({ linesTruncated: true, displayContent: { cutLines: 2 } });
});

test("trailing blanks stay, carriage returns and marks do not show", async () => {
  const { text } = await ask({ "a.txt": "\ufeffneedle  \r\nb\r\n" }, "^needle +$");
  expect(text.split("\n").slice(1)).toEqual(["*1:needle  ", " 2:b"]);
});

test("what is not searched is said", async () => {
  const big = `needle\n${"x".repeat(4 * 1024 * 1024)}\n`;
  const files = {
    "big.log": big,
    bin: Uint8Array.of(0x6e, 0x65, 0x65, 0x64, 0x6c, 0x65, 0),
    "ok.txt": "needle\n",
    "sub/shut": "needle\n",
  };
  const host = memoryHost({ files });
  host.fs.fail("readInto", "/work/sub/shut", "EACCES");
  const { text, details } = await ask(host, "needle");
  expect(text).toBe(`[ok.txt#${tagOf("needle\n")}]
*1:needle

[Not searched, since larger than 4.0MB (name one alone to search it): big.log]
[Not searched, since they could not be read: sub/shut]`);
  expect(details["leftOut"]).toEqual([
    { path: "big.log", why: "tooLarge" },
    { path: "sub/shut", why: "unreadable" },
  ]);
  expect((await ask(files, "needle", { paths: "big.log" })).text).toStartWith(
    `[big.log#${tagOf(big)}]\n*1:needle\n`,
  );
  expect((await ask(files, "needle", { paths: "bin" })).text).toBe(
    "No matches found\n\n[Not searched: bin is a binary file]",
  );
});

test("UTF-16 and 8-bit files are searched as what they say", async () => {
  const utf16 = Uint8Array.of(0xff, 0xfe, ...Buffer.from("one\r\nnéedle\r\n", "utf16le"));
  const latin1 = Uint8Array.from(Buffer.from("n\u00e9edle caf\u00e9 needle\n", "latin1"));
  const { text } = await ask({ "l.txt": latin1, "u.txt": utf16 }, "n.edle$|needle$", {
    context: 0,
  });
  expect(text.split("\n").filter((line) => line.startsWith("*"))).toEqual([
    "*1:n\\xE9edle caf\\xE9 needle",
    "*2:néedle",
  ]);
});

test("notebooks are searched by their cells, in labelled rows", async () => {
  const notebook = JSON.stringify({
    cells: [{ cell_type: "code", source: ["a = 1\n", "needle = 2"], metadata: {}, outputs: [] }],
    metadata: { needle: true },
    nbformat: 4,
    nbformat_minor: 4,
  });
  const { text, details } = await ask({ "n.ipynb": notebook }, "needle", { context: 0 });
  expect(text).toMatch(/^n\.ipynb:\d+: needle = 2$/);
  expect(details["matchCount"]).toBe(1);
});

test("case, flags and habits of the dialect", async () => {
  const file = { "a.txt": "Foo ${x}\nfoo(bar\nFOO\n" };
  const hits = async (pattern: string, more: object = {}) =>
    (await ask(file, pattern, { context: 0, ...more })).text.match(/^\*\d+/gm) ?? [];
  expect(await hits("foo")).toEqual(["*2"]);
  expect(await hits("foo", { i: true })).toEqual(["*1", "*2", "*3"]);
  expect(await hits("foo", { case: false })).toEqual(["*1", "*2", "*3"]);
  expect(await hits("(?i)foo")).toEqual(["*1", "*2", "*3"]);
  expect(await hits("(?x) F oo # a comment")).toEqual(["*1"]);
  expect(await hits("${x}")).toEqual(["*1"]);
  expect((await ask(file, "${x}")).text).toEndWith(
    "\n\n[${ was taken literally, not as the end of a line]",
  );
  expect(await hits("\\${x}")).toEqual(["*1"]);
  expect((await ask(file, "\\${x}")).text).toEndWith(
    "\n\n[A { that begins no repetition was taken literally]",
  );
  expect(await hits("foo(")).toEqual(["*2"]);
  expect((await ask(file, "foo(bar")).text).toEndWith(
    "\n\n[The parentheses are not balanced, so all of them were taken literally]",
  );
  expect(await ask(file, "foo", { i: true, case: true })).toMatchObject({ code: "usage.input" });
});

test.each([
  [" \t", "search.pattern_empty", "The pattern must not be blank."],
  ["", "search.pattern_empty", "The pattern must not be blank."],
  [
    "[a",
    "search.regex",
    'The pattern "[a" cannot be used: unclosed character class at character 1.',
  ],
  [
    "*a",
    "search.regex",
    'The pattern "*a" cannot be used: repetition operator without an expression at character 1.',
  ],
  [
    "(?=a)",
    "search.regex",
    'The pattern "(?=a)" cannot be used: look-around is not supported, since it cannot be matched in linear time at character 2.',
  ],
  [
    "(a)\\1",
    "search.regex",
    'The pattern "(a)\\\\1" cannot be used: back-references are not supported, since they cannot be matched in linear time at character 4.',
  ],
  [
    "((a{1000}){1000}){1000}",
    "search.regex",
    'The pattern "((a{1000}){1000}){1000}" cannot be used: its repetitions make it too large.',
  ],
])("pattern %j is refused", async (pattern, code, text) => {
  expect(await ask({ a: "" }, pattern)).toMatchObject({ code, text });
});

test("paths: none is the working folder, missing ones are said, globs choose files", async () => {
  const files = { "a.ts": "needle\n", "b.js": "needle\n", "s/c.ts": "needle\n" };
  const found = async (more: Readonly<Record<string, unknown>>) =>
    (await ask(files, "needle", more)).details["files"];
  for (const paths of [undefined, "", [], ["  "]]) {
    expect(await found(paths === undefined ? {} : { paths })).toEqual(["a.ts", "b.js", "s/c.ts"]);
  }
  expect(await found({ paths: "*.ts" })).toEqual(["a.ts", "s/c.ts"]);
  expect(await found({ paths: "s/*.ts" })).toEqual(["s/c.ts"]);
  expect(await found({ paths: "a.ts,s" })).toEqual(["a.ts", "s/c.ts"]);
  expect(await found({ glob: ["*.js"] })).toEqual(["b.js"]);
  expect(await found({ glob: ["s/*.ts", "*.js"] })).toEqual(["b.js", "s/c.ts"]);
  expect(await found({ glob: ["!*.js"] })).toEqual(["a.ts", "s/c.ts"]);
  expect(await found({ glob: ["*.ts", "!s/**"] })).toEqual(["a.ts"]);
  expect(await found({ glob: ["!(a).ts"] })).toEqual(["s/c.ts"]);
  expect(await found({ paths: ["local://s"] })).toEqual(["s/c.ts"]);
  expect(await ask(files, "needle", { paths: "gone" })).toMatchObject({
    code: "search.path_missing",
    text: "Path not found: /work/gone",
  });
  const partly = await ask(files, "needle", { paths: ["s", "gone"] });
  expect(partly.text).toEndWith("\n\n[Skipped missing paths: /work/gone]");
  expect(partly.details["missingPaths"]).toEqual(["/work/gone"]);
  expect((await ask(files, "nothing")).text).toBe("No matches found");
});

test("only paths, or counts", async () => {
  const files = { a: "needle\nneedle\n", b: "needle\n", c: "x\n" };
  expect((await ask(files, "needle", { mode: "files" })).text).toBe("a\nb");
  expect((await ask(files, "needle", { mode: "count" })).text).toBe("a:2\nb:1");
  expect((await ask(files, "needle", { mode: "files", limit: 1 })).text).toBe(
    "a\n\n[More files match: 1 file shown, continue with skip=1]",
  );
});

test("a pattern that spans lines marks each of them, with CRLF and without", async () => {
  const { text } = await ask(
    { "c.txt": "foo\r\nbar\r\nfoo\r\n", "l.txt": "foo\nbar\nfoo" },
    "foo\\nbar",
    { context: 0 },
  );
  expect(text.match(/^\*\d+:.*$/gm)).toEqual(["*1:foo", "*2:bar", "*1:foo", "*2:bar"]);
  expect((await ask({ a: "x\nfoo\n" }, "(?s)x.foo", { context: 0 })).text).toContain("*2:foo");
  expect((await ask({ a: "x\nfoo\n" }, "\\Afoo")).text).toBe("No matches found");
  expect((await ask({ a: "foo\nx\n" }, "\\Afoo")).text).toContain("*1:foo");
});

test("a lone CR ends a line, as everywhere", async () => {
  const { text } = await ask({ "a.txt": "one\rneedle\rthree" }, "^needle$");
  expect(text.split("\n").slice(1)).toEqual([" 1:one", "*2:needle", " 3:three"]);
});

test("without a session there is no tag, and that is told", async () => {
  const { text, notices } = await ask({ a: "needle\n" }, "needle", {}, new Error("no state"));
  expect(text).toBe("[a]\n*1:needle");
  expect(notices[0]).toStartWith("These files were not recorded");
});

test("a line that looks like a row of ours changes no detail", async () => {
  const { details } = await ask({ a: "foo:3: needle\n[b#1234]\n*9:needle\n" }, "needle");
  expect(details).toMatchObject({ fileCount: 1, matchCount: 2, fileMatches: { a: 2 } });
});

test("time runs out with what was found so far", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 200 }, (_, i) => [`f${String(i).padStart(3, "0")}`, "needle\n"]),
  );
  const host = memoryHost({ files });
  const { readInto } = host.fs;
  host.fs.readInto = (...given: Parameters<typeof readInto>) => {
    host.clock.advance(400);
    return readInto(...given);
  };
  const { text, details } = await ask(host, "needle", { mode: "count", limit: 500 });
  expect(text).toContain("[Timed out after 30s: only 128 files were searched; narrow the paths]");
  expect(details).toMatchObject({ timedOut: true, fileCount: 128 });
});
