import { expect, test } from "bun:test";

import { openWorld, runEdit } from "../hashline/vectors.ts";

const old = ".atomic-0123456789abcdef.tmp";
const fresh = ".atomic-fedcba9876543210.tmp";
const foreign = ".atomic-notes.tmp";

test("an edit removes staged files that a killed process left in its folder, and no others", async () => {
  const world = await openWorld({
    files: { "a.txt": "a\n", [old]: "x", [fresh]: "x", [foreign]: "x" },
    recorded: [{ path: "a.txt", content: "a\n" }],
  });
  const { fs, clock } = world.host;
  clock.advance(16 * 60 * 1000);
  fs.put(`/work/${fresh}`, "x");
  const outcome = await runEdit(world, "[a.txt#9585]\nreplace 1..1:\n+b\n");
  expect(outcome.ok).toBe(true);
  const left = fs.paths().filter((path) => path.startsWith("/work/"));
  expect(left).toEqual([`/work/${fresh}`, `/work/${foreign}`, "/work/a.txt"].toSorted());
});

test("a folder that cannot be flushed after the rename gets its old file back", async () => {
  const world = await openWorld({
    files: { "a.txt": "a\n" },
    recorded: [{ path: "a.txt", content: "a\n" }],
  });
  world.host.fs.fail("syncDirectory", "/work/", "EIO", 1);
  const outcome = await runEdit(world, "[a.txt#9585]\nreplace 1..1:\n+b\n");
  expect(outcome.ok ? "" : outcome.error.message).toBe("Failed to write a.txt: Error code: EIO.");
  expect(world.host.fs.text("/work/a.txt")).toBe("a\n");
});
