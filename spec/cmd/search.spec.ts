// Searching with the built program: what it prints, what can be done with it, and inputs that broke other tools.

import { expect, setDefaultTimeout, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { tagOf } from "../../core/hashline/tag.ts";
import { binary, inPlace } from "./program.ts";

// Many processes, on a machine that may be busy: a bound for what hangs, not for what is slow.
setDefaultTimeout(120_000);

test("what a search shows can be edited by its header and numbers", async () => {
  await inPlace({ "src/a.txt": "one\r\nneedle\r\nthree\r\n" }, async ({ run, folder }) => {
    const { status, stdout, stderr } = await run(["search", "needle"]);
    const tag = tagOf("one\nneedle\nthree\n");
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toBe(`# src/\n[src/a.txt#${tag}]\n 1:one\n*2:needle\n 3:three\n`);
    const script = `[src/a.txt#${tag}]\nreplace 2..2:\n+NEEDLE\n`;
    expect((await run(["edit"], { stdin: script })).status).toBe(0);
    expect(readFileSync(join(folder, "src/a.txt"), "utf8")).toBe("one\r\nNEEDLE\r\nthree\r\n");
  });
});

test("no match is status 0 with a word, or 1 on request; what is wrong is 2, what is missing 4", async () => {
  await inPlace({ a: "x\n" }, async ({ run }) => {
    expect(await run(["grep", "needle"])).toEqual({
      status: 0,
      stdout: "No matches found\n",
      stderr: "",
    });
    expect((await run(["search", "needle", "--exit-status"])).status).toBe(1);
    expect((await run(["search", "x", "--exit-status"])).status).toBe(0);
    expect((await run(["search", "[x"])).status).toBe(2);
    expect((await run(["search", " "])).status).toBe(2);
    expect((await run(["search", "x", "-i", "--case"])).status).toBe(2);
    expect((await run(["search", "x", "gone"])).status).toBe(4);
    expect((await run(["search"])).status).toBe(2);
  });
});

test("flags of the command line, and patterns that begin with a dash", async () => {
  await inPlace({ "a.ts": "-foo\nFOO\n", "b.js": "-foo\n" }, async ({ run }) => {
    const files = async (...args: string[]) =>
      (await run(["search", "--mode", "files", ...args])).stdout.trimEnd().split("\n");
    expect(await files("--", "-foo")).toEqual(["a.ts", "b.js"]);
    expect(await files("^FOO")).toEqual(["a.ts"]);
    expect(await files("-i", "foo$", "-g", "*.js")).toEqual(["b.js"]);
    expect(await files("--no-case", "^foo", "b.js", "a.ts")).toEqual(["a.ts"]);
    expect((await run(["search", "FOO", "-C", "0", "a.ts"])).stdout).toEndWith("]\n*2:FOO\n");
    expect((await run(["search", "FOO", "--mode", "count"])).stdout).toBe("a.ts:1\n");
  });
});

test("paths come from a file or standard input too", async () => {
  await inPlace({ "a b.txt": "x\n", "c.txt": "x\n", d: "x\n" }, async ({ run }) => {
    const files = async (stdin: string, ...args: string[]) =>
      (await run(["search", "x", "--mode", "files", "--files-from", "-", ...args], { stdin }))
        .stdout;
    expect(await files("a b.txt\nc.txt\n")).toBe("a b.txt\nc.txt\n");
    expect(await files("a b.txt\0d\0", "c.txt")).toBe("a b.txt\nc.txt\nd\n");
    const none = await run(["search", "x", "--files-from", "-"], { stdin: "" });
    expect([none.status, none.stderr.split("\n")[0]]).toEqual([2, "--files-from gave no path."]);
  });
});

test("names that are no UTF-8 come through a pipe whole", async () => {
  await inPlace({ "b.txt": "x\n" }, async ({ folder, env }) => {
    const script = `printf 'x\\n' > "$(printf 'a\\377')"; "$0" find -0 | "$0" search x --mode files --files-from -`;
    const { stdout } = spawnSync("sh", ["-c", script, binary], {
      cwd: folder,
      env,
      encoding: "utf8",
    });
    expect(stdout).toBe('"a\\udcff"\nb.txt\n');
  });
});

test("a tree that is worth a second thread is told of in order, page by page, and every time the same", async () => {
  const name = (i: number) => `d${i % 40}/f${i}.txt`;
  const numbers = Array.from({ length: 4_000 }, (_, i) => i);
  const tree = numbers.map((i) => [name(i), i % 9 === 0 ? "x\nNeedle\nneedle\n" : "hay\n"]);
  const expected = numbers
    .filter((i) => i % 9 === 0)
    .map(name)
    // oxlint-disable-next-line require-array-sort-compare -- by code units
    .sort();
  await inPlace(Object.fromEntries(tree), async ({ run }) => {
    const lines = async (...args: string[]) =>
      (await run(["search", ...args])).stdout.split("\n").filter((line) => line.startsWith("d"));
    for (let time = 0; time < 3; time++) {
      const all = await lines("-i", "needle", "--mode", "count", "--limit", "10000");
      expect(all).toEqual(expected.map((path) => `${path}:2`));
    }
    const pages = ["--mode", "files", "--limit", "200"];
    expect([
      ...(await lines("needle", ...pages)),
      ...(await lines("needle", ...pages, "--skip", "200")),
      ...(await lines("needle", ...pages, "--skip", "400")),
    ]).toEqual(expected);
  });
});

test("B055: line ends do not change what matches", async () => {
  const text = "needle\nhay needle\nhay\nfoo\nbar\n";
  const files = { "lf.txt": text, "crlf.txt": text.replaceAll("\n", "\r\n") };
  const table: readonly (readonly [string, string])[] = [
    ["needle$", "*1 *2"],
    ["^needle$", "*1"],
    ["foo\\nbar", "*4 *5"],
    ["foo\\r?\\nbar", "*4 *5"],
    ["(?s)foo.bar", "*4 *5"],
    ["(?m)^bar$", "*5"],
    ["\\s+$", ""],
  ];
  await inPlace(files, async ({ run }) => {
    for (const [pattern, expected] of table) {
      for (const name of Object.keys(files)) {
        const { stdout } = await run(["search", "--", pattern, name]);
        const hits = (stdout.match(/^\*\d+/gm) ?? []).join(" ");
        expect([pattern, name, hits]).toEqual([pattern, name, expected]);
        expect(stdout).not.toContain("\r");
      }
    }
  });
});

test("B057: no pattern is catastrophic", async () => {
  const text = `${"a".repeat(30_000)}!\n${"ab ".repeat(3_000)}\nok line\n${"x".repeat(500)}\n`;
  const patterns = ["^(a+)+$", "(a|aa)+$", "^(\\w+\\s?)*$", "(x+x+)+y", "(.*)*=", "(?s)(a|a)*b.*c"];
  await inPlace({ "redos.txt": text, other: "ok line\n" }, async ({ run }) => {
    for (const pattern of patterns) {
      const { status } = await run(["search", "--", pattern]);
      expect([pattern, status]).toEqual([pattern, 0]);
    }
    // Thousands of states for every symbol: given up on the file, said, and the other file is searched.
    const { stdout } = await run(["search", "(?:a?){900}(?:a{900}){9}b|ok line"]);
    expect(stdout).toContain(`[other#`);
  });
});

test("B024: pipes and devices are passed over, and refused where they are named", async () => {
  await inPlace({ "plain.txt": "needle\n" }, async ({ run, folder }) => {
    spawnSync("mkfifo", [join(folder, "pipe")]);
    symlinkSync("/dev/zero", join(folder, "zero"));
    symlinkSync(".", join(folder, "round"));
    expect((await run(["search", "needle", "--mode", "files"])).stdout).toBe("plain.txt\n");
    for (const name of ["pipe", "zero"]) {
      const { status, stderr } = await run(["search", "needle", name]);
      expect([name, status]).toEqual([name, 1]);
      expect(stderr).toContain("not a regular file");
    }
  });
});

test("B026, B028: a name is that name first, whatever it looks like", async () => {
  const names = ["app/[slug]/page.tsx", "a,b.txt", "sp ace.txt", "st*r.txt", "a.txt:1", "part:1-2"];
  const files = Object.fromEntries(names.map((name) => [name, `me: ${name}\n`]));
  await inPlace(
    { ...files, "a.txt": "other\n", "app/s/page.tsx": "me: decoy\n" },
    async ({ run }) => {
      for (const name of names) {
        const { stdout } = await run(["search", "me:", name]);
        expect(stdout).toEndWith(`*1:me: ${name}\n`);
      }
    },
  );
});

test("members of archives and rows of tables are searched, in labelled rows", async () => {
  const { zipSync } = await import("fflate");
  const bytes = (text: string) => new TextEncoder().encode(text);
  const zip = zipSync({
    "d/in.txt": bytes("x\nneedle in\ny\n"),
    "top.txt": bytes("needle top\n"),
    bin: bytes("needle\0"),
  });
  await inPlace({ "t.zip": zip }, async ({ run, folder }) => {
    const { Database } = await import("bun:sqlite");
    const database = new Database(join(folder, "app.db"));
    database.run("CREATE TABLE notes (id INTEGER PRIMARY KEY, t TEXT)");
    database.run("INSERT INTO notes VALUES (3, 'needle a'), (10, 'x'), (20, 'needle b')");
    database.close();
    const table: readonly (readonly [string, string])[] = [
      [
        "t.zip",
        "t.zip:d/in.txt-1- x\nt.zip:d/in.txt:2: needle in\nt.zip:d/in.txt-3- y\nt.zip:top.txt:1: needle top\n",
      ],
      ["t.zip:top.txt", "t.zip:top.txt:1: needle top\n"],
      ["t.zip:d/in.txt:3-3", "No matches found\n"],
      [
        "app.db:notes",
        'app.db:notes:3: {"id":3,"t":"needle a"}\napp.db:notes:20: {"id":20,"t":"needle b"}\n',
      ],
      [
        "app.db?q=select t from notes",
        'app.db?q=select t from notes:1: {"t":"needle a"}\napp.db?q=select t from notes:3: {"t":"needle b"}\n',
      ],
    ];
    for (const [target, expected] of table) {
      expect([target, (await run(["search", "needle", target])).stdout]).toEqual([
        target,
        expected,
      ]);
    }
    expect((await run(["search", "notes", "app.db"])).stdout).toBe(
      'app.db:tables:1: {"table":"notes","rows":3}\n',
    );
  });
});

test("files that change or go while they are searched do no harm", async () => {
  await inPlace({}, async ({ run, folder }) => {
    for (let i = 0; i < 300; i++) writeFileSync(join(folder, `f${i}`), "needle\n");
    const churn = spawn(
      "sh",
      ["-c", `while :; do rm -f f1*; for i in 1 10 11 12; do echo needle >> f$i; done; done`],
      { cwd: folder, stdio: "ignore", detached: true },
    );
    try {
      for (let i = 0; i < 5; i++) {
        const { status, stderr } = await run(["search", "needle", "--skip", String(i * 20)]);
        expect([status, stderr]).toEqual([0, ""]);
      }
    } finally {
      process.kill(-churn.pid!, "SIGKILL");
      await once(churn, "exit");
    }
  });
});

test("a million lines, and a file beyond what can be edited", async () => {
  await inPlace({}, async ({ run, folder }) => {
    const million = Array.from({ length: 1_000_000 }, (_, i) => i + 1).join("\n");
    writeFileSync(join(folder, "million"), `${million}\n`);
    expect((await run(["search", "^999999$", "million"])).stdout).toMatch(
      /^\[million#[0-9A-F]{4}\]\n 999998:999998\n\*999999:999999\n 1000000:1000000\n$/,
    );
    const block = `${"x".repeat(1023)}\n`.repeat(1024);
    const big = join(folder, "big.log");
    writeFileSync(big, "");
    for (let i = 0; i < 66; i++)
      writeFileSync(big, i === 40 ? `a needle\n${block}` : block, { flag: "a" });
    const { stdout } = await run(["search", "needle", "big.log"]);
    expect(stdout.match(/^[ *]\d+:/gm)).toEqual([
      " 40960:",
      "*40961:",
      " 40962:",
      " 40963:",
      " 40964:",
    ]);
    expect(stdout).toContain("larger than 64.0MB: shown without a tag");
  });
});

test("an interrupt ends a search at once with status 130", async () => {
  await inPlace({}, async ({ folder, env }) => {
    mkdirSync(join(folder, "deep"));
    const block = `${"ab".repeat(2000)}\n`.repeat(400);
    for (let i = 0; i < 200; i++) writeFileSync(join(folder, "deep", `f${i}`), block);
    const child = spawn(binary, ["search", "(?:[ab]{3}|b[ab])+c[^x]d"], {
      cwd: folder,
      env,
      stdio: ["ignore", "pipe", "pipe"],
    });
    await once(child, "spawn");
    child.kill("SIGINT");
    const [code, signal] = (await once(child, "exit")) as [number | null, string | null];
    // Without anything to put in order the system's own default ends it; a shell calls that 130.
    expect(signal === "SIGINT" || code === 130).toBe(true);
  });
});

test("long work shows how far it is, on a terminal only", async () => {
  const { showProgress } = await import("../../cmd/progress.ts");
  const written: string[] = [];
  const stderr = (isTerminal: boolean) => ({
    isTerminal,
    write: async (data: string | Uint8Array) => written.push(String(data)) > 0,
  });
  let time = 0;
  for (const isTerminal of [false, true]) {
    time = 0;
    const progress = showProgress({ stderr: stderr(isTerminal) }, () => time);
    for (let i = 0; i < 64; i++) {
      time += 40;
      progress.show(() => `at ${time}`);
    }
    progress.clear();
  }
  expect(written).toEqual([
    "\r\u001b[Kat 1280",
    "\r\u001b[Kat 1920",
    "\r\u001b[Kat 2560",
    "\r\u001b[K",
  ]);
});
