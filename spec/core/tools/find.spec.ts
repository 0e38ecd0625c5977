import { expect, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { memoryHost, type MemoryHost } from "../../../adapters/memory/host.ts";
import { callTool, type Outcome } from "../../../core/call.ts";
import { find } from "../../../core/tools/find.ts";
import { callFor } from "../../helpers/call.ts";

interface Asked {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly code?: string;
}

async function ask(
  files: Readonly<Record<string, MemoryEntry>> | MemoryHost,
  input: string | readonly string[] | Readonly<Record<string, unknown>>,
): Promise<Asked> {
  const host = "fs" in files ? (files as MemoryHost) : memoryHost({ files: files as never });
  const given =
    typeof input === "string"
      ? { paths: [input] }
      : Array.isArray(input)
        ? { paths: input }
        : (input as Readonly<Record<string, unknown>>);
  const outcome: Outcome = await callTool(find, given, host, callFor({ cwd: "/work" }), {
    readOnly: false,
  });
  if (!outcome.ok) {
    const { code, message, data } = outcome.error;
    return { text: message, details: data, code };
  }
  return {
    text: (outcome.rendered as { text: string }).text,
    details: outcome.details,
  };
}

const files = {
  "src/a.ts": "",
  "src/deep/b.ts": "",
  "src/deep/.hid.ts": "",
  "src-x.ts": "",
  "top.js": "",
  "node_modules/m/index.js": "",
  "node_modules/m/node_modules/n/x.js": "",
  ".git/HEAD": "",
  ".env": "",
  "link.ts": { link: "src/a.ts" },
} as const;

const lines = async (...given: Parameters<typeof ask>) => (await ask(...given)).text.split("\n");

test("find lists everything below a folder in path order, links and hidden names included", async () => {
  expect(await lines(files, ".")).toEqual([
    ".env",
    "link.ts",
    "src-x.ts",
    "src/",
    "src/a.ts",
    "src/deep/",
    "src/deep/.hid.ts",
    "src/deep/b.ts",
    "top.js",
  ]);
  expect(await lines(files, { paths: ["."], hidden: false })).not.toContain(".env");
});

test("paths are relative to the working folder, or absolute outside it", async () => {
  expect(await lines(files, "src/*.ts")).toEqual(["src/a.ts"]);
  expect(await lines(files, "/work/src/deep")).toEqual(["src/deep/.hid.ts", "src/deep/b.ts"]);
  expect(await lines({ "/etc/x/a.conf": "" }, "/etc/x")).toEqual(["/etc/x/a.conf"]);
  expect(await lines(files, "src/a.ts")).toEqual(["src/a.ts"]);
});

test("node_modules and .git are left out unless named, with ignore rules and without", async () => {
  const ruled = { ...files, ".gitignore": "node_modules/\n" };
  for (const gitignore of [true, false]) {
    expect(await lines(ruled, { paths: ["*.js"], gitignore })).toEqual(["top.js"]);
    expect(await lines(ruled, { paths: ["node_modules/**/*.js"], gitignore })).toEqual([
      "node_modules/m/index.js",
      "node_modules/m/node_modules/n/x.js",
    ]);
    expect(await lines(ruled, { paths: ["**/node_modules/*/index.js"], gitignore })).toEqual([
      "node_modules/m/index.js",
    ]);
    expect(await lines(ruled, { paths: [".git"], gitignore })).toEqual([".git/HEAD"]);
  }
});

test("rules of parents, of .ignore, of info/exclude and of the user count", async () => {
  const tree = {
    "/repo/.git/info/exclude": "excluded\n",
    "/repo/.git/config": "[core]\n\texcludesFile = ~/mine # rules\n",
    "/home/me/mine": "personal\n",
    "/repo/.gitignore": "*.log\n/sub/anchored\n",
    "/repo/.ignore": "!kept.log\n",
    "/above.txt": "",
    "/.gitignore": "a.txt\n",
    ...Object.fromEntries(
      ["a.txt", "x.log", "kept.log", "excluded", "personal", "anchored"].map((name) => [
        `/repo/sub/${name}`,
        "",
      ]),
    ),
  };
  expect(await lines(tree, "/repo/sub")).toEqual(["/repo/sub/a.txt", "/repo/sub/kept.log"]);
  expect(await lines(tree, { paths: ["/repo/sub"], gitignore: false })).toHaveLength(6);
});

test("a repository inside another has only its own rules, and nested files count outside any", async () => {
  const tree = {
    ".gitignore": "*.log\n",
    "plain/.gitignore": "!keep.log\n",
    "plain/keep.log": "",
    "plain/x.log": "",
    "inner/.git/HEAD": "",
    "inner/y.log": "",
  };
  expect(await lines(tree, "*.log")).toEqual(["inner/y.log", "plain/keep.log"]);
});

test("one argument may hold several paths, and names with delimiters stay whole", async () => {
  const tree = { "a.txt": "", "b.txt": "", "c d.txt": "", "e,f.txt": "", "my dir/g.ts": "" };
  expect(await lines(tree, "a.txt,b.txt")).toEqual(["a.txt", "b.txt"]);
  expect(await lines(tree, "a.txt;b.txt")).toEqual(["a.txt", "b.txt"]);
  expect(await lines(tree, "a.txt b.txt")).toEqual(["a.txt", "b.txt"]);
  expect(await lines(tree, ' "c d.txt" ')).toEqual(["c d.txt"]);
  expect(await lines(tree, '"c d.txt", e,f.txt a.txt')).toEqual(["a.txt", "c d.txt", "e,f.txt"]);
  expect(await lines(tree, "c d.txt")).toEqual(["c d.txt"]);
  expect(await lines(tree, "c d.txt,a.txt; my dir/*.ts")).toEqual([
    "a.txt",
    "c d.txt",
    "my dir/g.ts",
  ]);
  expect(await lines(tree, "e,f.txt")).toEqual(["e,f.txt"]);
  expect(await lines(tree, "my dir/*.ts")).toEqual(["my dir/g.ts"]);
  expect(await lines(tree, "*.{ts,txt}")).toHaveLength(5);
  const partly = await ask(tree, "a.txt,gone.txt");
  expect(partly.text).toBe("a.txt\n\n[Skipped missing paths: /work/gone.txt]");
  expect(partly.details).toMatchObject({ missingPaths: ["/work/gone.txt"], fileCount: 1 });
  expect(await ask(tree, "a.txt gone.txt")).toMatchObject({ code: "find.path_missing" });
});

test("a missing path is an error that names it, not an empty success", async () => {
  expect(await ask(files, "name.ts")).toMatchObject({
    code: "find.path_missing",
    text: "Path not found: /work/name.ts",
  });
  expect((await ask(files, ["x", "y"])).text).toBe("None of these paths exists: /work/x, /work/y");
  expect(await ask(files, "")).toMatchObject({ code: "find.empty_entry" });
  expect(await ask(files, [])).toMatchObject({ code: "usage.input" });
  expect((await ask(files, "*.none")).text).toBe("No files found");
});

test("targets overlap without repeats, in one order", async () => {
  expect(await lines(files, ["top.js", "src", "src/a.ts", "*.ts"])).toEqual([
    "link.ts",
    "src-x.ts",
    "src/a.ts",
    "src/deep/",
    "src/deep/.hid.ts",
    "src/deep/b.ts",
    "top.js",
  ]);
});

test("the limit is said", async () => {
  const { text, details } = await ask(files, { paths: ["."], limit: 2 });
  expect(text).toBe(
    ".env\nlink.ts\n\n[Limit reached: the first 2 results are shown, there are more (raise limit, or narrow the paths)]",
  );
  expect(details).toEqual({
    scopePath: ".",
    fileCount: 2,
    files: [".env", "link.ts"],
    resultLimitReached: 2,
    truncated: true,
    meta: { limits: { resultLimit: 2 } },
  });
  expect((await ask(files, { paths: ["src/deep"], limit: 2 })).text).not.toContain("Limit");
  for (const limit of [0, -1, 1.5]) {
    expect(await ask(files, { paths: ["."], limit })).toMatchObject({ code: "usage.input" });
  }
});

test("newest first on request", async () => {
  const dated = { a: 1, b: 3, c: 3, d: 2 };
  const tree = Object.fromEntries(
    Object.entries(dated).map(([name, modified]) => [`t/${name}`, { content: "", modified }]),
  );
  expect(await lines(tree, { paths: ["t"], sort: "modified" })).toEqual([
    "t/b",
    "t/c",
    "t/d",
    "t/a",
  ]);
  expect((await lines(tree, { paths: ["t"], sort: "modified", limit: 1 }))[0]).toBe("t/b");
});

test("a folder that cannot be listed is named, and so is a timeout", async () => {
  const host = memoryHost({ files: { "ok/a": "", "shut/b": "" } });
  host.fs.fail("list", "/work/shut", "EACCES");
  expect((await ask(host, ".")).text).toBe(
    "ok/\nok/a\nshut/\n\n[Folders that could not be listed: shut (EACCES)]",
  );
  const slow = memoryHost({ files: { "a/b/c": "" } });
  slow.fs.before("list", "/work", () => void slow.clock.advance(6_000));
  const late = await ask(slow, ".");
  expect(late.text).toBe("a/\n\n[Timed out after 5s, 1 partial result]");
  expect(late.details).toMatchObject({ timedOut: true, truncated: true, fileCount: 1 });
});

test("a tree has a row for each folder", async () => {
  expect(await lines(files, { paths: ["src"], tree: true })).toEqual([
    "# src/",
    "a.ts",
    "deep/",
    "# src/deep/",
    ".hid.ts",
    "b.ts",
  ]);
});

test("names that would break a line are shown escaped", async () => {
  expect(await lines({ "t/a\nb": "", "t/\u001b[2J": "" }, "t")).toEqual([
    '"t/\\u001b[2J"',
    '"t/a\\nb"',
  ]);
});

test("local:// is the workspace, globs included, and leads nowhere else", async () => {
  expect(await lines(files, "local://src/*.ts")).toEqual(["src/a.ts"]);
  expect(await lines(files, "local://src/deep")).toEqual(["src/deep/.hid.ts", "src/deep/b.ts"]);
  expect(await ask(files, "local://../*.ts")).toMatchObject({ code: "selector.escape" });
  expect(await ask(files, "https://example.test/")).toMatchObject({ code: "read.no_handler" });
});
