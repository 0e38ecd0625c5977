// The write tool from outside: what comes in by flag and pipe, which names it takes, and many writers at once.

import { expect, setDefaultTimeout, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { executable, runProgram } from "../helpers/run-atomic.ts";
import { headers, inEditPlace, utf8 } from "./edit-place.ts";

// Many processes, on a machine that may be busy: a bound for what hangs, not for what is slow.
setDefaultTimeout(120_000);

test("content comes from the flag, else byte for byte from standard input", async () => {
  await inEditPlace({}, async (place) => {
    const made = await place.run(["write", "a.txt", "--content", "one\ntwo\n"]);
    expect([made.status, made.stdout.text]).toEqual([
      0,
      "[a.txt#0127]\nSuccessfully wrote to a.txt\n",
    ]);
    const bytes = Uint8Array.from({ length: 256 }, (_, i) => i);
    const piped = await place.run(["write", "bin", "--json"], { stdin: bytes });
    expect(JSON.parse(piped.stdout.text)).toMatchObject({
      details: { bytes: 256, outcome: "created" },
      isError: false,
    });
    expect(place.bytes("bin")).toBe(Buffer.from(bytes).toString("latin1"));
    await place.run(["write", "empty"], { stdin: "" });
    expect(place.bytes("empty")).toBe("");
    await place.run(["write", "bom"], { stdin: "\ufeffx\r\n" });
    expect(place.bytes("bom")).toBe(utf8("\ufeffx\r\n"));
    const called = await place.run(["call", "write"], {
      stdin: JSON.stringify({ path: "c.txt", content: "é\n" }),
    });
    expect([called.status, place.bytes("c.txt")]).toEqual([0, utf8("é\n")]);
    const forced = await place.run([
      "call",
      "write",
      '{"path":"c.txt","content":"x","force":true}',
    ]);
    expect([forced.status, forced.stderr.text]).toEqual([
      2,
      'Unknown field "force". The fields of write are: path, content.\nNothing was written.\n',
    ]);
  });
});

test("the answer's header is one to edit by, and a dry run writes nothing", async () => {
  await inEditPlace({}, async (place) => {
    const dry = await place.run(["write", "d/a", "--content", "x\n", "--dry-run"]);
    expect([dry.status, dry.stdout.text]).toEqual([
      0,
      "d/a would be created; nothing was written\n",
    ]);
    expect(readdirSync(place.folder)).toEqual([]);
    const written = await place.run(["write", "d/a", "--content", "x\n"]);
    expect((await place.edit(headers(written)[0]!, "replace 1..1:", "+y")).status).toBe(0);
    expect(place.bytes("d/a")).toBe("y\n");
  });
});

test("B016: links stay links, and what they lead to has the new bytes", async () => {
  await inEditPlace({ "real/conf.txt": "old\n" }, async (place) => {
    const at = (name: string) => join(place.folder, name);
    symlinkSync("real/conf.txt", at("link.txt"));
    symlinkSync("link.txt", at("link2.txt"));
    symlinkSync("real", at("dirlink"));
    symlinkSync("b", at("a"));
    symlinkSync("a", at("b"));
    await place.run(["read", "link2.txt"]);
    for (const name of ["link.txt", "link2.txt", "dirlink/conf.txt"]) {
      expect((await place.run(["write", name, "--content", `${name}\n`])).status).toBe(0);
      expect(place.bytes("real/conf.txt")).toBe(`${name}\n`);
    }
    expect([readlinkSync(at("link.txt")), readlinkSync(at("link2.txt"))]).toEqual([
      "real/conf.txt",
      "link.txt",
    ]);
    const loop = await place.run(["write", "a", "--content", "x"]);
    expect([loop.status, loop.stderr.text]).toEqual([
      1,
      'Cannot write "a": its symbolic links form a loop (ELOOP).\nNothing was written.\n',
    ]);
    const out = await place.run(["write", "made", "--content", "x"]);
    expect(out.status).toBe(0);
    symlinkSync("later", at("dangling"));
    expect((await place.run(["write", "dangling", "--content", "through\n"])).status).toBe(0);
    expect([place.bytes("later"), readlinkSync(at("dangling"))]).toEqual(["through\n", "later"]);
  });
});

test("B020: entities, dollars and backslashes arrive as they are", async () => {
  const text = "&amp; &lt;b&gt; &#39; $& $$ $' $` \\n \\u0041 %41 {{x}} <%= y %>\n";
  await inEditPlace({}, async (place) => {
    await place.run(["write", "e.html"], { stdin: text });
    expect(place.bytes("e.html")).toBe(text);
    await place.run(["write", "f.html", "--content", text]);
    expect(place.bytes("f.html")).toBe(text);
    expect((await place.run(["read", "e.html:raw"])).stdout.text).toBe(text);
  });
});

test("names with blanks, colons, brackets, newlines and of the greatest length are that very file", async () => {
  const names = [
    " lead and trail ",
    "a:b",
    "x:5",
    "#hash#",
    "[a#0A3B]",
    'it\'s "quoted"',
    "new\nline",
    "~tilde",
    "@at",
    "ünï",
    "-dash",
    "n".repeat(255),
    "deep/".repeat(40) + "f",
  ];
  await inEditPlace({}, async (place) => {
    for (const name of names) {
      const ran = await place.run(["write", `--content=${name}!`, "--", name]);
      expect([name, ran.status, ran.stderr.text]).toEqual([name, 0, ""]);
      expect(readFileSync(join(place.folder, name), "utf8")).toBe(`${name}!`);
    }
    const long = await place.run(["write", "n".repeat(256), "--content", "x"]);
    expect([long.status, long.stderr.text.split(": ").at(-1)]).toEqual([
      1,
      "the name is too long (ENAMETOOLONG).\nNothing was written.\n",
    ]);
    expect(readdirSync(place.folder).filter((name) => name.includes(".tmp"))).toEqual([]);
  });
});

test.skipIf(process.platform !== "linux")(
  "a name that is not UTF-8 is that very file, whether it is read, written, edited, shown or undone",
  async () => {
    const script = String.raw`
old=$(printf 'caf\351.txt') new=$(printf 'd\377/new\376')
printf 'one\ntwo\n' > "$old"
"$0" read "$old" | head -1
"$0" write "$old" --content 'one
TWO
'
printf x | "$0" write "$new"
{ "$0" read "$old" | head -1; printf 'replace 1..1:\n+ONE\n'; } | "$0" edit
"$0" diff > patch && git init -q copy && printf 'one\ntwo\n' > "copy/$old" && git -C copy apply ../patch
cmp "$old" "copy/$old" && cmp "$new" "copy/$new" && echo applied
"$0" undo "$new" && "$0" undo "$old" > /dev/null && "$0" undo "$old" | sed 1,2d
find . -path ./copy -prune -o -type f -print | sort
"$0" write other --content "$old" 2>&1
`;
    await inEditPlace({}, async (place) => {
      const ran = await runProgram(["/bin/sh", "-c", script, executable], {
        cwd: place.folder,
        env: { PATH: "/usr/bin:/bin", HOME: place.folder, ATOMIC_HOME: place.state, LC_ALL: "C" },
      });
      expect(ran.stdout.text.replace(/^Took back change \d+/m, "Took back change N")).toBe(
        String.raw`["caf\udce9.txt"#0127]
["caf\udce9.txt"#8E53]
Successfully wrote to "caf\udce9.txt"
["d\udcff/new\udcfe"#30EA]
Successfully wrote to "d\udcff/new\udcfe"
["caf\udce9.txt"#F038]
-one
*1:ONE
 2:TWO
applied
Took back change N (write):

"d\udcff/new\udcfe" is removed.
["caf\udce9.txt"#0127]
 1:one
-TWO
*2:two
./caf${"\ufffd"}.txt
./patch
Field "content" holds half a surrogate pair, or a byte that is not UTF-8, and so is no text.
Nothing was written.
On the command line, pipe it in: standard input is written byte for byte.
`,
      );
      expect(
        readdirSync(place.folder, "buffer")
          .map((name) => name.toString("latin1"))
          .sort(),
      ).toEqual(["caf\u00e9.txt", "copy", "patch"]);
    });
  },
);

test("a very large content is written whole, and what is too large to edit has no tag", async () => {
  await inEditPlace({}, async (place) => {
    const row = `${"0123456789".repeat(10)}\n`;
    const large = Buffer.alloc(row.length * 700_000, row);
    const ran = await place.run(["write", "large"], { stdin: large });
    expect([ran.status, ran.stdout.text]).toEqual([0, "Successfully wrote to large\n"]);
    expect(statSync(join(place.folder, "large")).size).toBe(large.length);
    expect(readFileSync(join(place.folder, "large")).equals(large)).toBe(true);
  });
});

test("of 16 sessions that write one file, only those that saw what is there win", async () => {
  await inEditPlace({ "f.txt": "start\n" }, async (place) => {
    const sessions = Array.from({ length: 16 }, (_, i) => `s${i}`);
    const as = (session: string, ...words: string[]) => place.run([...words, "--session", session]);
    const readers = sessions.filter((_, i) => i % 2 === 0);
    for (const session of readers) await as(session, "read", "f.txt");
    const ran = await Promise.all(
      sessions.map(async (session) => ({
        session,
        ...(await as(session, "write", "f.txt", "--content", `${session}\n`)),
      })),
    );
    const won = ran.filter(({ status }) => status === 0);
    expect(won).toHaveLength(1);
    expect(readers).toContain(won[0]!.session);
    expect(place.bytes("f.txt")).toBe(`${won[0]!.session}\n`);
    for (const { session, status, stderr } of ran.filter((one) => one !== won[0])) {
      const reason = readers.includes(session)
        ? "changed_since_observation"
        : "no_prior_observation";
      expect([session, status]).toEqual([session, 3]);
      expect(stderr.text).toStartWith(`FILE_MUTATION_CONFLICT:${reason} f.txt\n`);
      expect(stderr.text).toMatch(new RegExp(`^Requester: session=${session} pid=\\d+ user=`, "m"));
    }
    expect(readdirSync(place.folder)).toEqual(["f.txt"]);
  });
});

test("of 16 sessions that create one file, one wins and the others are told", async () => {
  await inEditPlace({}, async (place) => {
    const ran = await Promise.all(
      Array.from({ length: 16 }, (_, i) =>
        place.run(["write", "d/new.txt", "--content", `${i}\n`, "--session", `s${i}`]),
      ),
    );
    const won = ran.flatMap(({ status }, i) => (status === 0 ? [i] : []));
    expect(won).toHaveLength(1);
    expect(place.bytes("d/new.txt")).toBe(`${won[0]}\n`);
    for (const { status, stderr } of ran.filter((_, i) => i !== won[0])) {
      expect(status).toBe(3);
      expect(stderr.text).toMatch(
        /^FILE_MUTATION_CONFLICT:(?:target_exists|no_prior_observation) /,
      );
    }
    expect(readdirSync(join(place.folder, "d"))).toEqual(["new.txt"]);
  });
});

test("a size limit of the system ends in an error, the old content and no stray file", async () => {
  await inEditPlace({ "a.txt": "old\n" }, async (place) => {
    await place.run(["read", "a.txt"]);
    const limited = await runLimited(place.folder, place.state, "x".repeat(3_000_000));
    expect(limited.status).toBe(1);
    expect(limited.stderr).toContain("Failed to write a.txt: Error code: EFBIG.");
    expect(place.bytes("a.txt")).toBe("old\n");
    expect(readdirSync(place.folder)).toEqual(["a.txt"]);
  });
});

async function runLimited(cwd: string, state: string, stdin: string) {
  const { executable } = await import("../helpers/run-atomic.ts");
  // In blocks of 512 or 1,024 bytes: either way smaller than the content and larger than the session's store.
  const script = `trap '' XFSZ; ulimit -f 2000; exec "$0" write a.txt`;
  const child = Bun.spawn(["sh", "-c", script, executable], {
    cwd,
    env: { ...process.env, ATOMIC_HOME: state },
    stdin: new TextEncoder().encode(stdin),
    stdout: "pipe",
    stderr: "pipe",
  });
  return { status: await child.exited, stderr: await new Response(child.stderr).text() };
}

test("a folder is made only after every refusal has passed", async () => {
  await inEditPlace({ taken: "x" }, async (place) => {
    for (const [target, flags] of [
      ["new/a", ["--read-only"]],
      ["new/a", ["--plan", "elsewhere"]],
      ["taken/new/a", []],
      ["local://../new/a", []],
    ] as const) {
      const ran = await place.run(["write", target, "--content", "x", ...flags]);
      expect([target, ran.status === 0]).toEqual([target, false]);
    }
    mkdirSync(join(place.folder, "shut"), { mode: 0o555 });
    expect(readdirSync(place.folder).toSorted()).toEqual(["shut", "taken"]);
  });
});
