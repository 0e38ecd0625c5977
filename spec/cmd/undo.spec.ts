// log, diff, undo and redo from outside.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { type EditPlace, inEditPlace } from "./edit-place.ts";

setDefaultTimeout(120_000);

const text = async (place: EditPlace, ...words: string[]) => {
  const ran = await place.run(words);
  return ran.status === 0 ? ran.stdout.text : `${ran.status}: ${ran.stderr.text}`;
};

const withoutTimes = (log: string) => log.replaceAll(/\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ/g, "TIME");
const idsOf = (log: string) => [...log.matchAll(/^(\d+) /gm)].map(([, id]) => id!);

test("log lists what the session changed, and what became of it", async () => {
  await inEditPlace({ "a.txt": "1\n2\n" }, async (place) => {
    expect(await text(place, "log")).toBe("This session has changed nothing yet.\n");
    await place.change("a.txt", "replace 1..1:", "+one", "+more");
    await place.run(["write", "d/b.sh", "--content", "#!/bin/sh\n"]);
    await place.run(["write", "a.txt", "--force", "--content", "x\n", "--session", "other"]);
    const listed = withoutTimes(await text(place, "log"));
    const [write, edit] = idsOf(listed);
    expect(listed).toBe(
      `${write}  TIME  write  +1 -0  d/b.sh (created)\n${edit}  TIME  edit   +2 -1  a.txt\n`,
    );
    expect(withoutTimes(await text(place, "log", "d"))).toBe(
      `${write}  TIME  write  +1 -0  d/b.sh (created)\n`,
    );
    expect(await text(place, "log", "nothing")).toStartWith(
      "4: Session default has not changed nothing.",
    );
    expect(await text(place, "log", "--limit", "1")).toContain(
      "[1 older change not shown; --limit 2 shows all]",
    );
    const { details } = JSON.parse(await text(place, "log", "a.txt", "--json"));
    expect(details).toMatchObject({
      session: "default",
      total: 1,
      changes: [{ id: edit, tool: "edit", files: [{ added: 2, deleted: 1, created: false }] }],
    });
    expect(withoutTimes(await text(place, "log", "--session", "other"))).toContain(
      "a.txt (forced)",
    );
  });
});

test("the session's diff is a patch that git apply takes, forwards and back", async () => {
  const files = { "a.txt": "1\r\n2\r\n3", "un ï.txt": "x\n", "old.bin": Uint8Array.of(0, 1, 255) };
  await inEditPlace(files, async (place) => {
    await place.change("a.txt", "replace 2..2:", "+zwei");
    await place.change("a.txt", "insert tail:", "+4");
    await place.run(["read", "un ï.txt", "old.bin:raw"]);
    await place.run(["write", "un ï.txt"], { stdin: "#!/bin/sh\n\xff" });
    await place.run(["write", "old.bin"], { stdin: Uint8Array.of(0, 2) });
    await place.run(["write", "new/empty", "--content", ""]);
    const after = snapshot(place);
    const patch = await place.run(["diff"]);
    expect(patch.status).toBe(0);
    writeFileSync(join(place.state, "patch"), patch.stdout.bytes);
    expect(await git(place, "-R")).toBe("");
    expect(snapshot(place)).toEqual(
      Object.fromEntries(
        Object.entries(files).map(([name, content]) => [
          name,
          Buffer.from(content).toString("latin1"),
        ]),
      ),
    );
    expect(await git(place)).toBe("");
    expect(snapshot(place)).toEqual(after);
    expect(await text(place, "diff", "new")).toStartWith(
      "diff --git a/new/empty b/new/empty\nnew file mode 100644\n",
    );
  });
});

async function git({ folder, state }: EditPlace, ...flags: string[]): Promise<string> {
  const args = ["git", "apply", "--whitespace=nowarn", ...flags, join(state, "patch")];
  const child = Bun.spawn(args, { cwd: folder, stdout: "ignore", stderr: "pipe" });
  return await new Response(child.stderr).text();
}

function snapshot(place: EditPlace): Readonly<Record<string, string>> {
  const names = readdirSync(place.folder, { recursive: true, withFileTypes: true });
  return Object.fromEntries(
    names
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(place.folder.length + 1))
      .map((name) => [name, place.bytes(name)]),
  );
}

test("undo goes back change by change, redo forward again, and each says what it did", async () => {
  await inEditPlace({ "a.txt": "1\n" }, async (place) => {
    await place.change("a.txt", "replace 1..1:", "+one");
    await place.run(["write", "b.txt", "--content", "b\n"]);
    const [write, edit] = idsOf(await text(place, "log"));
    expect(await text(place, "undo", "--dry-run")).toStartWith(
      `undo would take back change ${write} (write); nothing was written\ndiff --git a/b.txt b/b.txt\ndeleted file mode 100644\n`,
    );
    expect(await text(place, "undo")).toBe(
      `Took back change ${write} (write):\n\nb.txt is removed.\n`,
    );
    expect(existsSync(join(place.folder, "b.txt"))).toBe(false);
    expect(await text(place, "undo", "a.txt")).toBe(
      `Took back change ${edit} (edit):\n\n${await place.header("a.txt")}\n-one\n*1:1\n`,
    );
    expect(await text(place, "undo")).toStartWith(
      "4: There is no change left to take back in session default.\n",
    );
    expect(await text(place, "undo", edit!)).toMatch(
      /^4: Change \d+ was taken back already, by \d+\./,
    );
    await text(place, "redo");
    expect(place.bytes("a.txt")).toBe("one\n");
    await text(place, "redo");
    expect(place.bytes("b.txt")).toBe("b\n");
    expect(await text(place, "redo")).toStartWith("4: There is no undo left to take back");
    // What came back is known to the session, so it may be written over.
    expect(await text(place, "write", "b.txt", "--content", "c\n")).toContain(
      "Successfully wrote to b.txt",
    );
  });
});

test("an archive is taken back as a whole, and no row of it is shown", async () => {
  await inEditPlace({}, async (place) => {
    await place.run(["write", "z.zip:a", "--content", "one"]);
    await place.run(["write", "z.zip:a", "--content", "two"]);
    expect(await text(place, "undo")).toEndWith("(write):\n\nz.zip is restored.\n");
    expect(await text(place, "read", "z.zip:a")).toBe("1:one\n");
    expect(await text(place, "redo")).toEndWith("(undo):\n\nz.zip is restored.\n");
    expect(await text(place, "read", "z.zip:a")).toBe("1:two\n");
  });
});

test("an undo that would overwrite somebody's work is refused with status 3", async () => {
  await inEditPlace({ "a.txt": "1\n2\n3\n" }, async (place) => {
    await place.change("a.txt", "replace 2..2:", "+two");
    place.put("a.txt", "1\nTWO\n3\n");
    expect(await text(place, "undo")).toStartWith(
      "3: FILE_MUTATION_CONFLICT:changed_since_observation a.txt\nReason: the file has changed since in or near the lines that would be taken back.\n",
    );
    expect(place.bytes("a.txt")).toBe("1\nTWO\n3\n");
  });
});

test("an empty argument means nothing, and what is there again as nothing is no part of a patch", async () => {
  await inEditPlace({}, async (place) => {
    await place.run(["write", "a.txt", "--content", "x\n"]);
    for (const name of ["undo", "redo", "log", "diff"]) {
      const ran = await place.run([name, ""]);
      expect([name, ran.status, ran.stderr.text.split("\n")[0]]).toEqual([
        name,
        2,
        "The argument PATH|ID is empty.",
      ]);
    }
    expect(place.bytes("a.txt")).toBe("x\n");
    expect((await place.run(["undo"])).status).toBe(0);
    expect(await place.run(["diff"])).toMatchObject({ status: 0, stdout: { text: "" } });
    mkdirSync(join(place.folder, "a.txt"));
    const blocked = await place.run(["redo"]);
    expect([blocked.status, blocked.stderr.text.split("\n").slice(0, 3)]).toEqual([
      3,
      [
        "FILE_MUTATION_CONFLICT:target_unreadable a.txt",
        "Reason: a folder is there now (error code EISDIR).",
        "Do: move away what is there, then retry.",
      ],
    ]);
  });
});

test("both policies refuse an undo before anything is touched", async () => {
  await inEditPlace({ "a.txt": "1\n" }, async (place) => {
    await place.change("a.txt", "replace 1..1:", "+one");
    expect(await text(place, "undo", "--read-only")).toStartWith(
      "5: Read-only mode: undo was refused",
    );
    expect(await text(place, "undo", "--plan", "b.txt")).toStartWith(
      "5: Plan mode: undo was refused",
    );
    expect(place.bytes("a.txt")).toBe("one\n");
    expect(await text(place, "undo", "--plan", "a.txt")).toContain("Took back change");
  });
});

test("of many undos at once each change is taken back once", async () => {
  await inEditPlace({ "a.txt": "0\n" }, async (place) => {
    for (let i = 1; i <= 3; i++) await place.change("a.txt", "replace 1..1:", `+${i}`);
    const [newest] = idsOf(await text(place, "log"));
    const ran = await Promise.all(Array.from({ length: 8 }, () => place.run(["undo", newest!])));
    expect(ran.filter(({ status }) => status === 0)).toHaveLength(1);
    expect(place.bytes("a.txt")).toBe("2\n");
    expect(readdirSync(place.folder)).toEqual(["a.txt"]);
  });
});
