// Ignore rules against git itself: random rule sets over a tree of awkward names. `ATOMIC_RULE_SETS=10000` for the long run.

import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { nodeFs } from "../../../adapters/shared/fs.ts";
import { walk } from "../../../core/scan/walk.ts";
import { inFolder } from "../../helpers/folder.ts";

const sets = Number(process.env["ATOMIC_RULE_SETS"] ?? 150);
setDefaultTimeout(60_000 + sets * 100);

const env = { get: () => undefined, home: undefined };

async function listed(root: string): Promise<readonly string[]> {
  const found: string[] = [];
  await walk(
    {
      root,
      gitignore: true,
      hidden: true,
      named: new Set(),
      signal: new AbortController().signal,
      deadline: Infinity,
    },
    { fs: nodeFs(), env, clock: { now: () => 0 } },
    {
      entry(folder, name, kind) {
        found.push(`${folder}${name}${kind === "directory" ? "/" : ""}`);
        return "enter";
      },
    },
  );
  return found;
}

const folders = ["", "a/", "a/b/", "a/b/c/", "foo/", "foo/a/", "x y/", "[b]/", "é/", "a.o/"];
const names = [
  "a",
  "b",
  "c",
  "ab",
  "foo.o",
  "foo.",
  ".o",
  "x y",
  "tr ",
  "é",
  "日本",
  "[b]",
  "*",
  "!n",
  "#h",
  "back\\slash",
  "q?",
  "-d",
  "A",
  "a-b",
  "{a,b}",
  "foo",
  "a.o.c",
  "$x",
  "^",
];
const tree = folders
  .flatMap((folder) => names.map((name) => folder + name))
  .filter((path) => !folders.includes(`${path}/`));

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const pieces = [
  "*",
  "**",
  "?",
  "a",
  "b",
  "c",
  "o",
  ".",
  "foo",
  "é",
  "日",
  " ",
  "x y",
  "[a-c]",
  "[!a]",
  "[^b]",
  "[[:alpha:]]",
  "[[:space:]]",
  "[]a]",
  "[a",
  "[[:bad:]]",
  "\\*",
  "\\?",
  "\\a",
  "\\ ",
  "\\",
  "[b]",
  "\\[b\\]",
  "#",
  "!",
  "-",
  "{a,b}",
  "$",
  "^",
  "tr ",
  "[\\]]",
  "[b-a]",
  "[a\\-z]",
];

function ruleSet(next: () => number): string {
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  const rules: string[] = [];
  for (let i = 1 + Math.floor(next() * 5); i > 0; i--) {
    let rule = next() < 0.3 ? "!" : "";
    if (next() < 0.25) rule += "/";
    for (let j = 1 + Math.floor(next() * 3); j > 0; j--) {
      for (let k = 1 + Math.floor(next() * 2); k > 0; k--) rule += pick(pieces);
      if (j > 1) rule += pick(["/", "/", "/**/", "//", ""]);
    }
    if (next() < 0.25) rule += pick(["/", "/*", "/**", " ", "\t", "\\ "]);
    rules.push(rule + pick(["\n", "\n", "\n", "\r\n", "\n\n"]));
  }
  return (next() < 0.05 ? "\ufeff" : "") + rules.join("");
}

function git(folder: string, args: readonly string[], stdin = ""): string {
  const { stdout, status, stderr } = spawnSync("git", args, {
    cwd: folder,
    input: stdin,
    encoding: "utf8",
    maxBuffer: 1 << 26,
    env: { PATH: process.env["PATH"], HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" },
  });
  if (status !== 0 && status !== 1) throw new Error(stderr);
  return stdout;
}

test(`${sets} random rule sets leave out what git leaves out`, async () => {
  await inFolder(async (root) => {
    git(root, ["init", "-q"]);
    for (const path of tree) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), "");
    }
    const asked = [
      ...new Set([
        ...tree,
        ...folders.filter((folder) => folder !== "").map((f) => f.slice(0, -1)),
      ]),
    ];
    for (let seed = 1; seed <= sets; seed++) {
      const next = random(seed);
      const files = [
        ".gitignore",
        ...["a", "a/b", "foo"].filter(() => next() < 0.4).map((f) => `${f}/.gitignore`),
      ];
      const written = files.map((file) => [file, ruleSet(next)] as const);
      for (const [file, text] of written) writeFileSync(join(root, file), text);
      const answer = git(root, ["check-ignore", "--no-index", "--stdin", "-z"], asked.join("\0"));
      const ignored = new Set(answer.split("\0"));
      const expected = asked.filter((path) => !ignored.has(path)).toSorted();
      const found = (await listed(root))
        .map((path) => path.replace(/\/$/, ""))
        .filter((path) => !path.endsWith(".gitignore"))
        .toSorted();
      const differing = [
        ...found.filter((path) => !expected.includes(path)).map((path) => `not ignored: ${path}`),
        ...expected.filter((path) => !found.includes(path)).map((path) => `ignored: ${path}`),
      ];
      expect(differing.length > 0 ? { seed, written, differing } : "the same").toBe("the same");
      for (const file of files) rmSync(join(root, file));
    }
  });
});
