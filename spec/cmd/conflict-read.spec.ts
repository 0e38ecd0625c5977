// Conflicts that a merge left in a file, looked at and numbered by the built program (tools.md §10).

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import { inEditPlace } from "./edit-place.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/cases/B023/${name}`, import.meta.url));

const twice = "a\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nb\n<<<<<<< o\n=======\nz\n>>>>>>> t\n";

test("FILE:conflicts shows the marked regions alone, each with its number", async () => {
  await inEditPlace({ "t.txt": twice }, async (place) => {
    const shown = async (target: string) => (await place.run(["read", target])).stdout.text;
    const header = await place.header("t.txt");
    expect(await shown("t.txt:conflicts")).toBe(
      `${header}
#1 lines 2-6
#2 lines 8-11
2:<<<<<<< o
3:x
4:=======
5:y
6:>>>>>>> t
8:<<<<<<< o
9:=======
10:z
11:>>>>>>> t
`,
    );
    expect(await shown("t.txt:conflicts:3-4,10")).toBe(
      `${header}\n#1 lines 2-6\n#2 lines 8-11\n3:x\n4:=======\n10:z\n`,
    );
    expect(await shown("t.txt:1:conflicts:raw")).toBe(
      twice.replace("a\n", "").replace("b\n", "").trimEnd(),
    );
    expect(await shown("t.txt:7:conflicts")).toBe(
      `${header}\n#2 lines 8-11\n8:<<<<<<< o\n9:=======\n10:z\n11:>>>>>>> t\n`,
    );
    expect(await shown("t.txt:7-7:conflicts")).toBe(
      "no conflict markers in these lines of t.txt\n",
    );
    const { details } = JSON.parse(
      await shown("t.txt:conflicts").then(() => jsonOf(place, "t.txt:conflicts")),
    );
    expect(details.conflicts).toEqual([
      { id: 1, first: 2, last: 6, ambiguous: false },
      { id: 2, first: 8, last: 11, ambiguous: false },
    ]);
  });
});

test("selectors follow conflict://: :raw a conflict, and any a side", async () => {
  await inEditPlace(
    { "t.txt": "a\n<<<<<<< o\nx\ny\n=======\nz\n>>>>>>> t\nb\n" },
    async (place) => {
      await place.run(["read", "t.txt:conflicts"]);
      const shown = async (target: string) => {
        const { status, stdout, stderr } = await place.run(["read", target]);
        return status === 0 ? stdout.text : stderr.text.split(":")[0];
      };
      expect(await shown("conflict://1:raw")).toBe("<<<<<<< o\nx\ny\n=======\nz\n>>>>>>> t");
      expect(await shown("conflict://1/ours:raw")).toBe("x\ny\n");
      expect(await shown("conflict://1/ours:2")).toBe("y");
      expect(await shown("conflict://1/theirs:1-1")).toBe("z");
      expect(await shown("conflict://1:2-3")).toBe("Bad conflict target conflict");
      expect(await shown("conflict://1/ours:cell:0")).toBe("Bad conflict target conflict");
    },
  );
});

async function jsonOf(
  place: { run(args: readonly string[]): Promise<{ stdout: { text: string } }> },
  target: string,
) {
  return (await place.run(["read", "--json", target])).stdout.text;
}

test("conflict:// reads what the newest look at conflicts numbered, and nothing else", async () => {
  await inEditPlace({ "u.txt": "plain\n" }, async (place) => {
    const none = await place.run(["read", "conflict://1"]);
    expect([none.status, none.stderr.text]).toEqual([
      4,
      `There are no numbered conflicts: no file below ${place.folder} has any.\nRead FILE:conflicts to number the conflicts of a file.\n`,
    ]);
    place.put("t.txt", twice);
    await place.run(["read", "t.txt:conflicts"]);
    const shown = async (target: string) => (await place.run(["read", target])).stdout.text;
    expect(await shown("conflict://2")).toBe(
      `${await place.header("t.txt")}\nconflict://2 is t.txt:8-11\n8:<<<<<<< o\n9:=======\n10:z\n11:>>>>>>> t\n`,
    );
    expect(await shown("conflict://*")).toBe("#1 t.txt:2-6\n#2 t.txt:8-11\n");
    expect(await shown("conflict://1/theirs")).toBe("y\n");
    expect(await shown("conflict://2/ours")).toBe("");
    const base = await place.run(["read", "conflict://1/base"]);
    expect([base.status, base.stderr.text]).toEqual([
      1,
      "conflict://1 is t.txt:2-6, and that conflict has no base section.\n",
    ]);
    const third = await place.run(["read", "conflict://3"]);
    expect([third.status, third.stderr.text]).toEqual([
      4,
      "There is no conflict 3: 2 conflicts are numbered, from 1 to 2.\n",
    ]);
    // It moved, and can still be told; then it changed.
    place.put("t.txt", `first\n${twice}`);
    expect(await shown("conflict://1/ours")).toBe("x\n");
    place.put("t.txt", twice.replace("x\n", "X\n"));
    const stale = await place.run(["read", "conflict://1"]);
    expect([stale.status, stale.stderr.text]).toEqual([
      3,
      "Conflict 1 is no longer in t.txt as it was on lines 2-6 when it was numbered.\nRead FILE:conflicts again and use the new numbers.\n",
    ]);
    expect(await shown("u.txt:conflicts")).toBe("no conflict markers in u.txt\n");
    const gone = await place.run(["read", "conflict://*"]);
    expect([gone.status, gone.stderr.text]).toEqual([
      4,
      "There are no numbered conflicts: the file that was read last with :conflicts had none.\nRead FILE:conflicts to number the conflicts of a file.\n",
    ]);
  });
});

test("B023 a side comes with the terminators of its file, and an ambiguous conflict is said to be one", async () => {
  const files = { "crlf.txt": fixture("crlf.txt"), "seven.rst": fixture("seven.rst") };
  await inEditPlace(files, async (place) => {
    await place.run(["read", "crlf.txt:conflicts"]);
    const { stdout } = await place.run(["read", "conflict://1/ours"]);
    expect(stdout.text).toBe("O\r\n");
    expect((await place.run(["read", "seven.rst:conflicts"])).stdout.text).toContain(
      "#1 lines 2-8 (several of its lines may be the separator: its sides cannot be told)\n",
    );
  });
});

test("a file whose name ends in :conflicts is read by that name", async () => {
  await inEditPlace({ "x.txt": twice, "x.txt:conflicts": "mine\n" }, async (place) => {
    const { stdout } = await place.run(["read", "x.txt:conflicts"]);
    expect(stdout.text).toContain("1:mine\n");
  });
});

test("where nothing is numbered, all conflicts below the working folder are, by path", async () => {
  const files = {
    "b.txt": twice,
    "a/x.txt": twice,
    ".gitignore": "out/\n",
    "out/y.txt": twice,
    "node_modules/z.txt": twice,
    bin: `\0${twice}`,
  };
  await inEditPlace(files, async (place) => {
    const listed = await place.run(["read", "conflict://*"]);
    expect(listed.stdout.text).toBe(
      "#1 a/x.txt:2-6\n#2 a/x.txt:8-11\n#3 b.txt:2-6\n#4 b.txt:8-11\n",
    );
    expect(listed.stderr.text).toBe(
      `Numbered 4 conflicts below ${place.folder}, by path; conflict://* lists them.\n`,
    );
    const other = ["--session", "other"];
    const all = await place.run(["write", "conflict://*", "--content", "@theirs", ...other]);
    expect(all.stdout.text).toStartWith("4 conflicts resolved\n");
    expect(place.bytes("a/x.txt")).toBe("a\ny\nb\nz\n");
    expect(place.bytes("out/y.txt")).toBe(twice);
  });
});
