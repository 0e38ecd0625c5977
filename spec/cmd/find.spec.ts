// Finding paths with the built program: what it prints, and trees that broke other tools.

import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { inPlace, type Place } from "./program.ts";

// Many processes, on a machine that may be busy: a bound for what hangs, not for what is slow.
setDefaultTimeout(120_000);

const none: Readonly<Record<string, string>> = {};

async function found({ run }: Place, ...args: readonly string[]): Promise<readonly string[]> {
  const { status, stdout, stderr } = await run(["find", ...args]);
  expect([status, stderr]).toEqual([0, ""]);
  return stdout === "No files found\n" ? [] : stdout.trimEnd().split("\n");
}

test("find lists the working folder where no path is named", async () => {
  await inPlace({ "b/c.txt": "", a: "" }, async ({ run }) => {
    expect(await run(["find"])).toEqual({ status: 0, stdout: "a\nb/\nb/c.txt\n", stderr: "" });
    expect(await run(["glob", "b"])).toEqual({ status: 0, stdout: "b/c.txt\n", stderr: "" });
  });
});

test("what is said about the paths goes to standard error", async () => {
  await inPlace({ a: "", b: "", c: "" }, async ({ run }) => {
    expect(await run(["find", "--limit", "2"])).toEqual({
      status: 0,
      stdout: "a\nb\n",
      stderr:
        "Limit reached: the first 2 results are shown, there are more (raise limit, or narrow the paths)\n",
    });
    expect(await run(["find", "a", "gone"])).toMatchObject({ status: 0, stdout: "a\n" });
    expect(await run(["find", "gone"])).toMatchObject({ status: 4, stdout: "" });
    expect(await run(["find", "--limit", "0"])).toMatchObject({ status: 2, stdout: "" });
  });
});

test("nothing found is status 0 with a word, or 1 on request", async () => {
  await inPlace({ a: "" }, async ({ run }) => {
    expect(await run(["find", "*.zzz"])).toMatchObject({ status: 0, stdout: "No files found\n" });
    expect(await run(["find", "*.zzz", "--exit-status"])).toMatchObject({ status: 1 });
    expect(await run(["find", "a", "--exit-status"])).toMatchObject({ status: 0 });
    expect(await run(["find", "*.zzz", "-0"])).toMatchObject({ status: 0, stdout: "" });
  });
});

test("-0 gives names as they are, as JSON lines each has its kind", async () => {
  await inPlace({ "a\nb": "", "d/é": "" }, async ({ run, folder }) => {
    symlinkSync("a", join(folder, "link"));
    expect((await run(["find", "-0"])).stdout).toBe("a\nb\0d/\0d/é\0link\0");
    const lines = (await run(["find", "--jsonl"])).stdout.trimEnd().split("\n");
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      { path: "a\nb", kind: "file" },
      { path: "d/", kind: "directory" },
      { path: "d/é", kind: "file" },
      { path: "link", kind: "symlink" },
      {
        details: { scopePath: ".", fileCount: 4, meta: { limits: { resultLimit: 200 } } },
        isError: false,
      },
    ]);
    const json = JSON.parse((await run(["find", "--json"])).stdout);
    expect(json.details.files).toEqual(["a\nb", "d/", "d/é", "link"]);
    expect(json.text).toBe('"a\\nb"\nd/\nd/é\nlink');
  });
});

test("a name that is no UTF-8 is shown escaped, and given as its bytes with -0", async () => {
  await inPlace(none, async ({ run, folder, env }) => {
    spawnSync("sh", ["-c", "printf x > \"$(printf 'a\\377')\""], { cwd: folder });
    expect((await run(["find"])).stdout).toBe('"a\\udcff"\n');
    const child = Bun.spawn([join(import.meta.dir, "../../dist/atomic"), "find", "-0"], {
      cwd: folder,
      env,
      stdout: "pipe",
    });
    expect([...(await child.stdout.bytes())]).toEqual([0x61, 0xff, 0]);
  });
});

const ruled: Readonly<Record<string, readonly [string, readonly string[], readonly string[]]>> = {
  "a nested file overrules a folder rule": [
    "**/cache/\n",
    ["keep/cache/one.txt", "drop/cache/two.txt", "keep/.gitignore=!cache\n"],
    ["keep/cache/one.txt"],
  ],
  "nothing comes back from a folder that is left out": [
    "tmp/\n!tmp/in/*\n",
    ["tmp/in/lost.txt", "seen.txt"],
    ["seen.txt"],
  ],
  "an anchored exception": [
    "out/\n!/core/out/\n",
    ["core/out/a.js", "side/out/a.js", "x/core/out/a.js"],
    ["core/out/a.js"],
  ],
  "two stars of one segment each": [
    "/pkg/*/*\n!/pkg/*/meta\n",
    ["pkg/red/meta/info", "pkg/red/meta/in/deep", "pkg/red/code/x"],
    ["pkg/red/meta/in/deep", "pkg/red/meta/info"],
  ],
  "rules about names count below an exception": [
    "g*\n!gold\n",
    ["gold/ring", "gold/glint", "gum/z"],
    ["gold/ring"],
  ],
  "all below is left out, whatever is excepted deeper": [
    "zoo/**\n!zoo/cat/paw\n",
    ["zoo/cat/paw", "zoo/x"],
    [],
  ],
  "escapes and classes": [
    "\\#lit\n\\!bang\n*.l[oO]g\n[!a]x\nq\\?\n**/deep/**/z\na/**/b\n",
    ["#lit", "!bang", "x.lOg", "bx", "ax", "q?", "qq", "deep/z", "p/deep/1/2/z", "a/b", "a/1/2/b"],
    ["ax", "qq"],
  ],
  "a mark at its start, CR at its line ends, a blank at an end": [
    "\ufeffsecret.txt\r\nlogs/ \r\n*.tmp\r\n",
    ["secret.txt", "logs/a", "a.tmp", "api/spec.txt"],
    ["api/spec.txt"],
  ],
};

test.each(Object.entries(ruled))("B051, B053: %s", async (_, [rules, files, expected]) => {
  const tree = Object.fromEntries(
    files.map((file) => [file.split("=")[0]!, file.split("=")[1] ?? ""]),
  );
  await inPlace({ ".gitignore": rules, ...tree }, async (place) => {
    const all = await found(place, "**/*");
    expect(all.filter((path) => !/\/$|gitignore$/.test(path))).toEqual([...expected]);
  });
});

const globs: readonly (readonly [string, readonly string[]])[] = [
  ["1.{0..9}", ["1.0", "1.5"]],
  ["{note.md,docs/**/*}", ["docs/.page.md", "docs/page.md", "note.md"]],
  ["parts/**/*.conf", ["parts/a.conf", "parts/base/.hid.conf", "parts/base/net.conf"]],
  ["parts/*", ["parts/a.conf", "parts/base/"]],
  ["parts", ["parts/a.conf", "parts/base/", "parts/base/.hid.conf", "parts/base/net.conf"]],
  ["**/", [".dot/", "docs/", "parts/", "parts/base/"]],
  ["./parts/../*.conf", ["top.conf"]],
  ["lit{eral}.ts", ["lit{eral}.ts"]],
  ["*.{ts,tsx,js}", [".dot/d.ts", "a.ts", "b.tsx", "c.js", "lit{eral}.ts"]],
  ["br[1-5].txt", ["br[1-5].txt"]],
  ["[b]r?.txt", ["br3.txt"]],
];

const globTree = [
  "top.conf",
  "parts/a.conf",
  "parts/base/net.conf",
  "parts/base/.hid.conf",
  "1.0",
  "1.5",
  "1.x",
  "x.7",
  "note.md",
  "docs/page.md",
  "docs/.page.md",
  "lit{eral}.ts",
  "a.ts",
  "b.tsx",
  "c.js",
  ".dot/d.ts",
  "A.TS",
  "br[1-5].txt",
  "br3.txt",
];

test("B059: globs mean what they mean to a shell", async () => {
  await inPlace(Object.fromEntries(globTree.map((file) => [file, ""])), async (place) => {
    for (const [glob, expected] of globs) {
      expect([glob, await found(place, glob)]).toEqual([glob, [...expected]]);
    }
    expect(await found(place, `${place.folder}/*.conf`)).toEqual(["top.conf"]);
  });
});

test("B026: a name that looks like a pattern is that name first", async () => {
  const odd = [
    "app/[slug]/page.tsx",
    "app/[[...opt-in]]/page.tsx",
    "app/(auth)/login.tsx",
    "q?.txt",
    "app/{a,b}/y.tsx",
    "st*r.txt",
    "a;b.txt",
    "a,b.txt",
    "sp ace.txt",
    "#hash.txt",
    "!bang.txt",
    "~tilde.txt",
    "back\\slash.txt",
    "quo'te.txt",
    'dq".txt',
    "per%20cent.txt",
  ];
  const tree = Object.fromEntries([...odd, "app/s/page.tsx"].map((file) => [file, ""]));
  await inPlace(tree, async (place) => {
    for (const name of odd) expect(await found(place, name)).toEqual([name]);
    expect(await found(place, "app/**/page.tsx")).toEqual([
      "app/[[...opt-in]]/page.tsx",
      "app/[slug]/page.tsx",
      "app/s/page.tsx",
    ]);
    expect(await found(place, "'sp ace.txt'")).toEqual(["sp ace.txt"]);
  });
});

test("B024: pipes, devices and links in a circle are listed and not opened or followed", async () => {
  await inPlace({ "plain.txt": "" }, async (place) => {
    spawnSync("mkfifo", [join(place.folder, "pipe")]);
    symlinkSync("/dev/zero", join(place.folder, "zero"));
    symlinkSync(".", join(place.folder, "round"));
    expect(await found(place)).toEqual(["pipe", "plain.txt", "round", "zero"]);
    expect(await found(place, "round/*.txt")).toEqual(["round/plain.txt"]);
  });
});

test("a tree deeper than any path may be long is listed as far as it can be, and that is said", async () => {
  await inPlace(none, async ({ run, folder }) => {
    const made = spawnSync("sh", [
      "-c",
      `cd "$0" && i=0; while [ $i -lt 2000 ]; do mkdir deep && cd -P deep || exit 1; i=$((i+1)); done`,
      folder,
    ]);
    expect(made.status).toBe(0);
    const { status, stdout, stderr } = await run(["find", "--limit", "5000"]);
    expect(status).toBe(0);
    expect(stdout.split("\n").length).toBeGreaterThan(700);
    expect(stderr).toMatch(/^Folders that could not be listed: .* \(ENAMETOOLONG\)\n$/);
    spawnSync("rm", ["-rf", join(folder, "deep")]);
  });
});

test.skipIf(process.getuid?.() === 0)("a folder without access is named", async () => {
  await inPlace({ "shut/a": "", b: "" }, async ({ run, folder }) => {
    chmodSync(join(folder, "shut"), 0);
    expect(await run(["find"])).toEqual({
      status: 0,
      stdout: "b\nshut/\n",
      stderr: "Folders that could not be listed: shut (EACCES)\n",
    });
    chmodSync(join(folder, "shut"), 0o755);
  });
});

test("what ripgrep lists is listed, but for links and special files", async () => {
  if (Bun.which("rg") === null) return;
  const tree = {
    ".gitignore": "*.log\nbuild/\n!keep.log\n",
    "a/.gitignore": "/only-here\n",
    "a/only-here": "",
    "a/b/only-here": "",
    "a/x.log": "",
    "keep.log": "",
    "build/out": "",
    ".hidden/f": "",
    "sub/.ignore": "no*\n",
    "sub/no.txt": "",
    "sub/yes.txt": "",
  };
  await inPlace(tree, async (place) => {
    mkdirSync(join(place.folder, ".git"));
    const { stdout } = spawnSync("rg", ["--files", "--hidden", "--sort", "path", "-g", "!.git"], {
      cwd: place.folder,
      encoding: "utf8",
    });
    const ours = (await found(place)).filter((path) => !path.endsWith("/"));
    expect(ours.toSorted()).toEqual(stdout.trimEnd().split("\n").toSorted());
  });
});

test("a folder of very many entries is cut at the limit and ends in time", async () => {
  await inPlace(none, async ({ run, folder }) => {
    const many = 20_000;
    for (let i = 0; i < many; i++) {
      const path = join(folder, "many", `f${i}`);
      if (i === 0) mkdirSync(dirname(path));
      writeFileSync(path, "");
    }
    const { stdout } = await run(["find", "many", "--limit", "1000000"]);
    expect(stdout.trimEnd().split("\n").length).toBe(many);
    expect((await run(["find", "many"])).stdout.trimEnd().split("\n").length).toBe(200);
  });
});
