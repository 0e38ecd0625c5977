// Inputs that broke other tools: reading and editing of text files, by the built program.

import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { executable, type Ran, runProgram } from "../helpers/run-atomic.ts";
import { type EditPlace, headers, inEditPlace, utf8 } from "./edit-place.ts";

// Many processes, on a machine that may be busy: a bound for what hangs, not for what is slow.
setDefaultTimeout(120_000);

/** What a caller is told, in one line of an expectation. */
function said({ status, stdout, stderr }: Ran) {
  return { status, stdout: stdout.text, stderr: stderr.text };
}

/** Each file's bytes after one edit, made from a read of just now. */
function after(
  [name, content]: readonly [string, string | Uint8Array],
  ...lines: readonly string[]
): Promise<string> {
  return inEditPlace({ [name]: content }, async (place) => {
    await place.change(name, ...lines);
    expect(readdirSync(place.folder).toSorted()).toEqual([name]);
    return place.bytes(name);
  });
}

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, "latin1"));

const mixed = ["mixed.txt", "alpha\r\nbeta\ngamma\r\ndelta\n\r\nepsilon\r\n"] as const;

test.each([
  [["replace 2..2:", "+BETA"], "alpha\r\nBETA\ngamma\r\ndelta\n\r\nepsilon\r\n"],
  [["insert after 3:", "+new"], "alpha\r\nbeta\ngamma\r\nnew\r\ndelta\n\r\nepsilon\r\n"],
  [["delete 2"], "alpha\r\ngamma\r\ndelta\n\r\nepsilon\r\n"],
  [["delete 5"], "alpha\r\nbeta\ngamma\r\ndelta\nepsilon\r\n"],
  [
    ["replace 1..1:", "+ALPHA", "replace 4..4:", "+DELTA"],
    "ALPHA\r\nbeta\ngamma\r\nDELTA\n\r\nepsilon\r\n",
  ],
])(
  "B001: a file of mixed line ends keeps those of its other lines: %j",
  async (lines, expected) => {
    expect(await after(mixed, ...lines)).toBe(expected);
  },
);

test.each([
  ["latin1.js", "let n = 4;\n// pi\xf1ata\nlet m = 5;\n", "a\n// pi\xf1ata\nlet m = 5;\n"],
  ["gbk.py", "total = 7\n# \xc4\xe3\xba\xc3\n", "a\n# \xc4\xe3\xba\xc3\n"],
  [
    "stray.c",
    "int main(void){return 0;}\n/* \xff\xfe \xc3( \xed\xa0\x80 */\n",
    "a\n/* \xff\xfe \xc3( \xed\xa0\x80 */\n",
  ],
])(
  "B003: bytes that are not UTF-8 survive an edit elsewhere: %s",
  async (name, before, expected) => {
    expect(await after([name, latin1(before)], "replace 1..1:", "+a")).toBe(expected);
  },
);

test.each([
  ["replace of a first line", '{"a":1,\n"b":2}', ["replace 1..1:", '+{"a":9,'], '{"a":9,\n"b":2}'],
  ["delete of the last line", "red\ngreen\nblue\n", ["delete 3"], "red\ngreen\n"],
  ["delete of an open last line", "red\ngreen\nblue", ["delete 3"], "red\ngreen"],
  ["insert tail after an open line", "red\nblue", ["insert tail:", "+x"], "red\nblue\nx"],
  ["insert after an open line", "red\nblue", ["insert after 2:", "+x"], "red\nblue\nx"],
  ["insert head into nothing", "", ["insert head:", "+x"], "x\n"],
  ["insert tail into nothing", "", ["insert tail:", "+x"], "x\n"],
  ["insert head before a blank line", "\n", ["insert head:", "+x"], "x\n\n"],
  ["insert tail after a blank line", "\n", ["insert tail:", "+x"], "\nx\n"],
])(
  "B004: the end of a file is neither invented nor lost: %s",
  async (_, before, lines, expected) => {
    expect(await after(["end.txt", before], ...lines)).toBe(expected);
  },
);

test("B004: lines that are not there are named, and no phantom line is shown", async () => {
  await inEditPlace(
    { "three.txt": "red\ngreen\nblue\n", "blank.txt": "red\n\n" },
    async (place) => {
      const { run, header, edit, bytes } = place;
      const refused = await edit(await header("three.txt"), "delete 3..999");
      expect(refused).toMatchObject({ status: 2, stdout: { text: "" } });
      expect(refused.stderr.text).toContain("(file has 3 lines)");
      expect(refused.stderr.text).toContain("Nothing was written.");
      expect(bytes("three.txt")).toBe("red\ngreen\nblue\n");
      expect(said(await run(["read", "--plain", "three.txt"]))).toEqual({
        status: 0,
        stdout: "1:red\n2:green\n3:blue\n",
        stderr: "",
      });
      expect((await run(["read", "--plain", "blank.txt"])).stdout.text).toBe("1:red\n2:\n");
      const beyond = await run(["read", "three.txt:4"]);
      expect(beyond.stdout.text + beyond.stderr.text).toContain("Line 4 is beyond EOF");
    },
  );
});

test("B005: rows take the file's CRLF, and the returned tag is good for the next edit", async () => {
  await inEditPlace(
    { "crlf.c": "int a;\r\nint b;\r\nint c;\r\n" },
    async ({ change, edit, bytes }) => {
      const first = await change("crlf.c", "replace 2..2:", "+int B;", "+int B2;");
      expect(bytes("crlf.c")).toBe("int a;\r\nint B;\r\nint B2;\r\nint c;\r\n");
      const second = await edit(headers(first)[0]!, "replace 4..4:", "+int C;\r");
      expect(second).toMatchObject({ status: 0, stderr: { text: "" } });
      expect(bytes("crlf.c")).toBe("int a;\r\nint B;\r\nint B2;\r\nint C;\r\n");
    },
  );
});

const ten = Array.from({ length: 10 }, (_, i) => `line ${i + 1}\n`).join("");

test("B007: an old tag does not undo a later edit of the same line", async () => {
  await inEditPlace({ "ten.txt": ten }, async ({ header, edit, bytes }) => {
    const old = await header("ten.txt");
    expect((await edit(old, "replace 5..5:", "+FIRST")).status).toBe(0);
    const second = await edit(old, "replace 5..5:", "+SECOND");
    expect(second).toMatchObject({ status: 3, stdout: { text: "" } });
    expect(second.stderr.text).toContain(
      "Edit rejected for ten.txt: file changed between read and edit.",
    );
    expect(bytes("ten.txt")).toBe(ten.replace("line 5", "FIRST"));
  });
});

test("B007: an old tag's line is found where an earlier edit moved it", async () => {
  await inEditPlace({ "ten.txt": ten }, async ({ header, edit, bytes }) => {
    const old = await header("ten.txt");
    expect((await edit(old, "delete 1..2")).status).toBe(0);
    const second = await edit(old, "replace 8..8:", "+EIGHT");
    expect(second.status).toBe(0);
    expect(second.stdout.text).toContain(
      "Recovered from a stale file hash using an earlier in-session snapshot (a prior edit in this session advanced the hash).",
    );
    expect(bytes("ten.txt")).toBe(
      "line 3\nline 4\nline 5\nline 6\nline 7\nEIGHT\nline 9\nline 10\n",
    );
  });
});

test("B009: a row like the line above the range is written, and the returned tag is the disk's", async () => {
  const before = "const rows = [\n  item(1),\n  item(1),\n  item(2),\n];\nexport { rows };\n";
  await inEditPlace({ "echo.ts": before }, async ({ change, header, bytes }) => {
    const edited = await change("echo.ts", "replace 4..4:", "+  item(1),", "+  item(2),");
    expect(bytes("echo.ts")).toBe(
      "const rows = [\n  item(1),\n  item(1),\n  item(1),\n  item(2),\n];\nexport { rows };\n",
    );
    expect(headers(edited)).toEqual([await header("echo.ts")]);
  });
});

test("B011: `$&` and its like are text", async () => {
  const row = "pid=$$; m='$&'; a=\"$1\"; b=$'\\t'; c='$`'; d='$<n>'; e='\\1 \\0 \\$'";
  const got = await after(["dollar.sh", 'say "ready"\nend\n'], "replace 1..1:", `+${row}`);
  expect(got).toBe("pid=$$; m='$&'; a=\"$1\"; b=$'\\t'; c='$`'; d='$<n>'; e='\\1 \\0 \\$'\nend\n");
});

const hundred = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");
const everyFifth = Array.from({ length: 20 }, (_, i) => (i + 1) * 5);

test("B013: twenty edits at once in one session are all in the file", async () => {
  await inEditPlace({ "hundred.txt": hundred }, async ({ header, edit, bytes }) => {
    const tag = await header("hundred.txt");
    const edits = everyFifth.map((line) => edit(tag, `replace ${line}..${line}:`, `+new ${line}`));
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual(everyFifth.map(() => 0));
    expect(bytes("hundred.txt").split("\n")).toEqual([
      ...Array.from({ length: 100 }, (_, i) => ((i + 1) % 5 === 0 ? `new ${i + 1}` : `${i + 1}`)),
      "",
    ]);
  });
});

test("B013: two sessions at once: what is said to be written is there", async () => {
  await inEditPlace({ "hundred.txt": hundred }, async (place) => {
    for (let round = 0; round < 10; round++) {
      place.put("hundred.txt", hundred);
      const edits = await Promise.all(
        ["one", "two"].map(async (session) => {
          const at = ["--session", session];
          const read = await place.run(["read", ...at, "hundred.txt"]);
          const tag = read.stdout.text.split("\n")[0]!;
          const lines = session === "one" ? [10, 50] : [11, 50];
          return await Promise.all(
            lines.map(async (line) => {
              const row = `${session} ${line}`;
              const stdin = `${tag}\nreplace ${line}..${line}:\n+${row}\n`;
              return { line, row, ran: await place.run(["edit", ...at], { stdin }) };
            }),
          );
        }),
      );
      const rows = place.bytes("hundred.txt").split("\n");
      expect(rows).toHaveLength(101);
      const expected = new Map<number, string>();
      for (const { line, row, ran } of edits.flat()) {
        if (ran.status === 0) {
          // Line 50 is asked for twice: a second success means that its session had read the first one's row.
          if (rows[line - 1] === row || !expected.has(line)) expected.set(line, row);
        } else {
          expect(ran).toMatchObject({ status: 3, stdout: { text: "" } });
          expect(ran.stderr.text).toMatch(/^Edit rejected for hundred\.txt|^Stale hashline tag/);
        }
      }
      expect(rows.slice(0, 100)).toEqual(
        Array.from({ length: 100 }, (_, i) => expected.get(i + 1) ?? `${i + 1}`),
      );
    }
  });
});

const uni = [
  "// \u{1F600}\u{1F600} \u6F22\u5B57 \u043A\u043E\u043C",
  'const s = "\u{1D4B3}\u{1D4B4} \u2014 e\u0301\u00E9";',
  "function load() {",
  "  const m = `\u{1F4BE} ${s}`;",
  "  return m;",
  "}",
  "const after = 1;",
  "",
];
const uniAfter = [uni[0], uni[1], "function load() {", "  return 0;", "}", "const after = 1;", ""];

test.each([
  ["uni.ts", "\n", ""],
  ["uni_crlf.ts", "\r\n", ""],
  ["uni_bom.ts", "\n", "\uFEFF"],
  ["uni_bom_crlf.ts", "\r\n", "\uFEFF"],
])("B015: a block behind characters of many bytes: %s", async (name, end, mark) => {
  await inEditPlace({ [name]: mark + uni.join(end) }, async ({ change, bytes }) => {
    const rows = ["+function load() {", "+  return 0;", "+}"];
    const { stdout } = await change(name, "replace block 3:", ...rows);
    expect(stdout.text.split("\n")[1]).toBe("replace block 3 → resolved lines 3-6 (4 lines)");
    expect(bytes(name)).toBe(utf8(mark + uniAfter.join(end)));
  });
});

function withLinks(work: (place: EditPlace) => Promise<void>): Promise<void> {
  return inEditPlace({ "real/conf.txt": "one\ntwo\n" }, async (place) => {
    const links = {
      "link.txt": "real/conf.txt",
      "link2.txt": "link.txt",
      dirlink: "real",
      a: "b",
      b: "a",
    };
    for (const [name, to] of Object.entries(links)) symlinkSync(to, join(place.folder, name));
    await work(place);
    for (const [name, to] of Object.entries(links))
      expect(readlinkSync(join(place.folder, name))).toBe(to);
    expect(readdirSync(place.folder).toSorted()).toEqual([
      "a",
      "b",
      "dirlink",
      "link.txt",
      "link2.txt",
      "real",
    ]);
    expect(readdirSync(join(place.folder, "real"))).toEqual(["conf.txt"]);
  });
}

test.each(["link.txt", "link2.txt", "dirlink/conf.txt"])(
  "B016: an edit through a link changes the file and keeps the link: %s",
  async (name) => {
    await withLinks(async ({ change, bytes }) => {
      await change(name, "replace 1..1:", "+ONE");
      expect(bytes("real/conf.txt")).toBe("ONE\ntwo\n");
    });
  },
);

test("B016: a tag belongs to the file, whatever name it was read by", async () => {
  await withLinks(async ({ header, edit, bytes }) => {
    const byLink = (await header("link2.txt")).replace("link2.txt", "real/conf.txt");
    expect((await edit(byLink, "replace 1..1:", "+ONE")).status).toBe(0);
    const byName = (await header("real/conf.txt")).replace("real/conf.txt", "dirlink/conf.txt");
    expect((await edit(byName, "replace 2..2:", "+TWO")).status).toBe(0);
    expect(bytes("real/conf.txt")).toBe("ONE\nTWO\n");
  });
});

test("B016: sections under two names of one file are sections of one file", async () => {
  await withLinks(async ({ header, edit, bytes }) => {
    const [byName, byLink] = [await header("real/conf.txt"), await header("link.txt")];
    const both = await edit(byName, "replace 1..1:", "+ONE", byLink, "replace 2..2:", "+TWO");
    expect(both).toMatchObject({ status: 2, stdout: { text: "" } });
    expect(both.stderr.text).toContain(
      "Multiple hashline sections resolve to the same file (real/conf.txt and link.txt). Merge their ops under one header before applying.",
    );
    expect(bytes("real/conf.txt")).toBe("one\ntwo\n");
  });
});

test("B016: links that form a loop are an error", async () => {
  await withLinks(async ({ run, edit }) => {
    expect(said(await run(["read", "a"]))).toEqual({
      status: 1,
      stdout: "",
      stderr: 'Cannot read "a": its symbolic links form a loop (ELOOP).\n',
    });
    expect(said(await edit("[a#0000]", "delete 1"))).toEqual({
      status: 1,
      stdout: "",
      stderr: "Could not edit file: a. Error code: ELOOP.\nNothing was written.\n",
    });
  });
});

/** The program as an ordinary user; the folder and the state are that user's. */
async function asOrdinaryUser(
  files: Readonly<Record<string, string>>,
  work: (
    place: EditPlace,
    edit: (name: string, ...lines: string[]) => Promise<Ran>,
  ) => Promise<void>,
): Promise<void> {
  await inEditPlace(files, async (place) => {
    const root = dirname(place.folder);
    const isRoot = process.getuid!() === 0;
    const user = 65_534;
    if (isRoot) for (const path of [root, place.folder]) chownSync(path, user, user);
    if (isRoot)
      for (const name of Object.keys(files)) chownSync(join(place.folder, name), user, user);
    const become = isRoot
      ? ["setpriv", `--reuid=${user}`, `--regid=${user}`, "--clear-groups", "--inh-caps=-all", "--"]
      : [];
    const env = { PATH: "/usr/bin:/bin", HOME: root, ATOMIC_HOME: place.state };
    const run = (args: readonly string[], stdin = "") =>
      runProgram([...become, executable, ...args], { cwd: place.folder, env, stdin });
    try {
      await work(place, async (name, ...lines) => {
        const read = await run(["read", name]);
        expect(read.status).toBe(0);
        return run(["edit"], [read.stdout.text.split("\n")[0], ...lines, ""].join("\n"));
      });
    } finally {
      chmodSync(place.folder, 0o755);
    }
  });
}

test("B018: a read-only file is refused, and stays as it is", async () => {
  await asOrdinaryUser({ "ro.txt": "x" }, async ({ folder, bytes }, edit) => {
    chmodSync(join(folder, "ro.txt"), 0o444);
    expect(said(await edit("ro.txt", "replace 1..1:", "+y"))).toEqual({
      status: 1,
      stdout: "",
      stderr: "Could not edit file: ro.txt. Error code: EACCES.\nNothing was written.\n",
    });
    expect(bytes("ro.txt")).toBe("x");
    expect(statSync(join(folder, "ro.txt")).mode & 0o777).toBe(0o444);
    expect(readdirSync(folder)).toEqual(["ro.txt"]);
  });
});

test("B018: a writable file in a read-only folder is written in place", async () => {
  await asOrdinaryUser({ "w.txt": "x\n" }, async ({ folder, bytes }, edit) => {
    chmodSync(join(folder, "w.txt"), 0o640);
    chmodSync(folder, 0o555);
    const { ino } = statSync(join(folder, "w.txt"));
    expect((await edit("w.txt", "replace 1..1:", "+y")).status).toBe(0);
    expect(bytes("w.txt")).toBe("y\n");
    expect(statSync(join(folder, "w.txt"))).toMatchObject({ ino, mode: 0o100640 });
    expect(readdirSync(folder)).toEqual(["w.txt"]);
  });
});

test("B024: pipes and devices are refused at once, and standard input is left alone", async () => {
  await inEditPlace({ "plain.txt": "needle\n" }, async ({ folder, run, edit }) => {
    await runProgram(["mkfifo", "pipe"], { cwd: folder, env: { PATH: "/usr/bin:/bin" } });
    const links = { zero: "/dev/zero", in: "/dev/stdin", mem: "/proc/self/mem" };
    for (const [name, to] of Object.entries(links)) symlinkSync(to, join(folder, name));
    const refusals: Record<string, string> = {
      pipe: "not a regular file, it is a FIFO (named pipe)",
      zero: "not a regular file, it is a character device",
      "/dev/tty": "not a regular file, it is a character device",
      mem: "the operating system refused it (EIO)",
    };
    for (const [target, why] of Object.entries(refusals)) {
      const read = await run(["read", target]);
      expect(read).toMatchObject({ status: 1, stdout: { text: "" } });
      expect(read.stderr.text).toContain(`Cannot read "${target}": ${why}`);
      const edited = await edit(`[${target}#0000]`, "delete 1");
      expect(edited).toMatchObject({ status: 1, stdout: { text: "" } });
      expect(edited.stderr.text).toContain(`Could not edit file: ${target}.`);
    }
    for (const target of ["in", "/dev/stdin", "/proc/kmsg"]) {
      const read = await run(["read", target], { stdin: "secret\n" });
      expect([target, read.status, read.stdout.text]).toEqual([target, 1, ""]);
      expect(read.stderr.text).toContain(`Cannot read "${target}": `);
    }
    expect(lstatSync(join(folder, "pipe")).isFIFO()).toBe(true);
    const version = await run(["read", "--plain", "/proc/version"]);
    expect(version).toMatchObject({ status: 0, stderr: { text: "" } });
    expect(version.stdout.text).toStartWith("1:Linux version ");
  });
});

const oddNames = [
  "app/[slug]/page.tsx",
  "app/[[...opt-in]]/page.tsx",
  "app/(auth)/login.tsx",
  "app/@modal/x.tsx",
  "app/{a,b}/y.tsx",
  "q?.txt",
  "st*r.txt",
  "a;b.txt",
  "a,b.txt",
  "sp ace.txt",
  "-dash.txt",
  "#hash.txt",
  "p#1A2B].txt",
  "[p#1A2B].txt",
  "!bang.txt",
  "~tilde.txt",
  "back\\slash.txt",
  "quo'te.txt",
  'dq".txt',
  "'quoted.txt'",
  '"quoted.txt"',
  " blank.txt ",
  "per%20cent.txt",
  "caret^.txt",
  "\u043A\u043E\u043C \u{1F600}.txt",
];
const decoy = {
  "app/s/page.tsx": "decoy\n",
  "quoted.txt": "decoy\n",
  "blank.txt": "decoy\n",
  p: "decoy\n",
};

test("B026: a name is a name, not a pattern: read, and edited under the header that the read gave", async () => {
  const files = Object.fromEntries(oddNames.map((name) => [name, `me: ${name}\nend\n`]));
  await inEditPlace({ ...files, ...decoy }, async ({ run, header, edit, bytes }) => {
    await Promise.all(
      oddNames.map(async (name) => {
        const shown = await run(["read", "--", name]);
        expect(shown.stdout.text).toMatch(/^.*\n/);
        const [head, ...rest] = shown.stdout.text.split("\n");
        expect(head).toBe(`[${name}#${head!.slice(-5, -1)}]`);
        expect(rest).toEqual([`1:me: ${name}`, "2:end", ""]);
        const edited = await edit(head!, "replace 1..1:", "+edited");
        expect(said(edited)).toMatchObject({ status: 0, stderr: "" });
        expect(bytes(name)).toBe("edited\nend\n");
        expect(headers(edited)).toEqual([await header(name)]);
      }),
    );
    for (const name of Object.keys(decoy)) expect(bytes(name)).toBe("decoy\n");
  });
});

test("B026: a name with a line break is JSON in its header, and is edited under it", async () => {
  await inEditPlace({ "new\nline.txt": "nl\n" }, async ({ folder, header, edit, bytes }) => {
    const head = await header("new\nline.txt");
    expect(head).toMatch(/^\["new\\nline\.txt"#[0-9A-F]{4}\]$/);
    const edited = await edit(head, "replace 1..1:", "+edited");
    expect(said(edited)).toMatchObject({ status: 0, stderr: "" });
    expect(bytes("new\nline.txt")).toBe("edited\n");
    expect(readdirSync(folder)).toEqual(["new\nline.txt"]);
  });
});

const selectorLike = {
  "a.txt:1": "literal one\n",
  "part:1-2": "part\n",
  "run-2031-04-05T06:07:08Z.log": "z\n",
  "x:raw": "r\n",
  "foo:bar/file": "in\n",
  "C:\\dir\\f.txt": "c\n",
};

test("B028: a file whose name ends like a selector is read and edited as that file", async () => {
  const peeled = { "a.txt": "L1\nL2\nL3\n", part: "decoy\n", x: "decoy\n" };
  await inEditPlace({ ...selectorLike, ...peeled }, async ({ run, header, edit, bytes }) => {
    for (const [name, content] of Object.entries(selectorLike)) {
      const read = await run(["read", name]);
      const head = read.stdout.text.split("\n")[0]!;
      expect(read).toMatchObject({ status: 0, stdout: { text: `${head}\n1:${content}` } });
      expect(head).toBe(`[${name}#${head.slice(-5, -1)}]`);
      expect((await edit(head, "replace 1..1:", "+edited")).status).toBe(0);
      expect(bytes(name)).toBe("edited\n");
    }
    for (const [name, content] of Object.entries(peeled)) expect(bytes(name)).toBe(content);
    expect(await header("a.txt:1")).toStartWith("[a.txt:1#");
    expect((await run(["read", "a.txt:1"])).stderr.text).toBe(
      'a.txt:1 exists under that very name and was read as such. For the lines of a.txt, read "a.txt:L1".\n',
    );
    expect((await run(["read", "--plain", "a.txt:L1-L2"])).stdout.text).toStartWith("1:L1\n2:L2\n");
  });
});

test("B028: with a folder of that name and no such file, the selector is one", async () => {
  await inEditPlace({ part: "one\ntwo\n" }, async ({ folder, run, change, bytes }) => {
    mkdirSync(join(folder, "d:1"));
    expect((await run(["read", "--plain", "part:2"])).stdout.text).toContain("2:two\n");
    await change("part:2", "replace 2..2:", "+TWO");
    expect(bytes("part")).toBe("one\nTWO\n");
  });
});
