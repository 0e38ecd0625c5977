// Conflicts resolved by number through the built program (seed 000, "Conflict resolution and file writes").

import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";

import { type EditPlace, headers, inEditPlace } from "./edit-place.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../fixtures/cases/B023/${name}`, import.meta.url));

const sides: readonly (readonly [string, string, string])[] = [
  ["eight.rst", "@ours", "eight_expected_ours.rst"],
  ["eight.rst", "@theirs", "eight_expected_theirs.rst"],
];

for (const [name, content, expected] of sides) {
  test(`B023: ${name} with ${content}`, async () => {
    await inEditPlace({ [name]: fixture(name) }, async (place) => {
      await place.run(["read", `${name}:conflicts`]);
      expect((await place.run(["write", "conflict://1", "--content", content])).status).toBe(0);
      expect(place.bytes(name)).toBe(fixture(expected).toString("latin1"));
    });
  });
}

const two = "a\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nb\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nc\n";

const write = (place: EditPlace, target: string, content: string, ...flags: string[]) =>
  place.run(["write", target, "--content", content, ...flags]);

test("one conflict is replaced, its header comes first, and the others keep their numbers", async () => {
  await inEditPlace({ "t.txt": two }, async (place) => {
    await place.run(["read", "t.txt:conflicts"]);
    const dry = await write(place, "conflict://1", "@both", "--dry-run");
    expect(dry.stdout.text).toBe(
      "1 conflict would be resolved; nothing was written\n#1 t.txt:2-6\n",
    );
    expect(place.bytes("t.txt")).toBe(two);
    const first = await write(place, "conflict://1", "@both\n$& and @ours\n");
    expect(first.stdout.text).toBe(
      `${await place.header("t.txt")}\nconflict 1 resolved\n#1 t.txt:2-6\n`,
    );
    expect(place.bytes("t.txt")).toBe(
      "a\nx\ny\n$& and @ours\nb\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nc\n",
    );
    // The answer's header is one to edit by.
    expect((await place.edit(headers(first)[0]!, "delete 4")).status).toBe(0);
    expect((await place.run(["read", "conflict://*"])).stdout.text).toBe(
      "#1 t.txt (resolved)\n#2 t.txt:6-10\n",
    );
    const again = await write(place, "conflict://1", "z");
    expect([again.status, again.stderr.text.split("\n")[0]]).toEqual([
      3,
      "Conflict 1 was resolved already.",
    ]);
    expect((await write(place, "conflict://2", "")).status).toBe(0);
    expect(place.bytes("t.txt")).toBe("a\nx\ny\nb\nc\n");
    const done = await write(place, "conflict://*", "z");
    expect([done.status, done.stderr.text.split("\n")[0]]).toEqual([
      4,
      "All numbered conflicts are resolved already.",
    ]);
  });
});

test("of twins the one that the number means is replaced, also after another one is gone", async () => {
  await inEditPlace({ "t.txt": two }, async (place) => {
    await place.run(["read", "t.txt:conflicts"]);
    await write(place, "conflict://2", "SECOND");
    expect(place.bytes("t.txt")).toBe("a\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\nb\nSECOND\nc\n");
    await write(place, "conflict://1", "FIRST");
    expect(place.bytes("t.txt")).toBe("a\nFIRST\nb\nSECOND\nc\n");
  });
});

test("conflict://* replaces all of them, and lists the snapshots", async () => {
  await inEditPlace({ "t.txt": two }, async (place) => {
    await place.run(["read", "t.txt:conflicts"]);
    const { stdout } = await write(place, "conflict://*", "@theirs");
    expect(stdout.text).toBe(
      `2 conflicts resolved\n#1 t.txt:2-6\n#2 t.txt:8-12\n\nSnapshots:\n${await place.header("t.txt")}\n`,
    );
    expect(place.bytes("t.txt")).toBe("a\ny\nb\ny\nc\n");
  });
});

test("what cannot be resolved leaves every file as it is", async () => {
  const latin = Buffer.from("\xe9\n<<<<<<< o\nx\n=======\ny\n>>>>>>> t\n", "latin1");
  await inEditPlace(
    { "t.txt": two, "l.txt": latin, "s.rst": fixture("seven.rst") },
    async (place) => {
      const refused = async (target: string, content: string, ...flags: string[]) => {
        const ran = await write(place, target, content, ...flags);
        return [ran.status, ran.stderr.text.split("\n")[0]];
      };
      await place.run(["read", "s.rst:conflicts"]);
      expect(await refused("conflict://1", "@ours")).toEqual([
        1,
        "Conflict 1 (s.rst:2-8) has several lines that may be its separator, so its sides cannot be told. Nothing was written.",
      ]);
      await place.run(["read", "l.txt:conflicts"]);
      expect((await refused("conflict://1", "ü"))[0]).toBe(1);
      expect(await refused("conflict://1", "@base")).toEqual([
        1,
        "The conflict on lines 2-6 has no base section, so @base stands for nothing. Nothing was written.",
      ]);
      expect((await write(place, "conflict://1", "@ours")).status).toBe(0);
      expect(place.bytes("l.txt")).toBe("\xe9\nx\n");
      await place.run(["read", "t.txt:conflicts"]);
      expect(await refused("conflict://2/ours", "x")).toEqual([
        2,
        "Cannot write conflict://2/ours: a single side is read-only. Write conflict://2 with @ours as its content to take that side.",
      ]);
      expect((await refused("conflict://2", "x", "--read-only"))[0]).toBe(5);
      expect((await refused("conflict://2", "x", "--plan", "l.txt"))[0]).toBe(5);
      expect((await refused("conflict://9", "x"))[0]).toBe(4);
      place.put("t.txt", two.replace("x", "X"));
      // The first one changed, and so did nothing.
      expect(await refused("conflict://*", "@ours")).toEqual([
        3,
        "Conflict 1 is no longer in t.txt as it was on lines 2-6 when it was numbered.",
      ]);
      expect(place.bytes("t.txt")).toBe(two.replace("x", "X"));
    },
  );
});
