import { expect, test } from "bun:test";

import { limits } from "../../../core/limits.ts";
import { StoreError } from "../../../core/ports/store.ts";
import type { OpenSession } from "../../../core/session/open.ts";
import { change, createWorld, encode, hashOf, seen, tagFor } from "./world.ts";

const a = "/w/a.txt";
const day = 24 * 60 * 60_000;
const first = [{ at: 0, removed: 1, added: 2 }];
const second = [{ at: 4, removed: 0, added: 1 }];
const third = [{ at: 2, removed: 1, added: 0 }];

async function edit(
  session: OpenSession,
  before: string,
  after: string,
  map: typeof first,
): Promise<void> {
  const group = await session.beginChanges("edit", [change(a, before, after, { map })]);
  await group.settle([a]);
}

test("a settled change's after-image is the newest snapshot", async () => {
  const session = await createWorld().session();
  await session.record(seen(a, "old\n"));
  await edit(session, "old\n", "new\n", first);
  const { snapshots } = await session.lookup(a, tagFor("new\n"));
  expect(snapshots.map(({ text, newest }) => [text, newest])).toEqual([["new\n", true]]);
  expect((await session.lookup(a, tagFor("old\n"))).snapshots[0]?.newest).toBe(false);
});

test("before anything is settled, nothing was seen", async () => {
  const session = await createWorld().session();
  const group = await session.beginChanges("edit", [change(a, "old\n", "new\n")]);
  expect(await session.lookup(a, tagFor("new\n"))).toEqual({ snapshots: [], expired: false });
  await group.settle([]);
  expect(await session.lookup(a, tagFor("new\n"))).toEqual({ snapshots: [], expired: false });
  expect(await session.ownEdits(a, hashOf("old\n"), hashOf("new\n"))).toBeUndefined();
});

test("beginning is one durable write", async () => {
  const world = createWorld();
  const session = await world.session();
  const { writes } = world.stores;
  const group = await session.beginChanges("edit", [
    change(a, "1\n", "2\n"),
    change("/w/b.txt", "3\n", "4\n"),
  ]);
  expect([world.stores.writes - writes, world.stores.durableWrites]).toEqual([1, 1]);
  await group.settle([a, "/w/b.txt"]);
  expect([world.stores.writes - writes, world.stores.durableWrites]).toEqual([2, 1]);
});

test("of a group only what landed was written", async () => {
  const session = await createWorld().session();
  const group = await session.beginChanges("edit", [
    change(a, "1\n", "2\n"),
    change("/w/b.txt", "3\n", "4\n"),
  ]);
  await group.settle(["/w/b.txt"]);
  expect((await session.lookup(a, tagFor("2\n"))).snapshots).toEqual([]);
  expect((await session.lookup("/w/b.txt", tagFor("4\n"))).snapshots[0]?.text).toBe("4\n");
  expect(await session.ownEdits("/w/b.txt", hashOf("3\n"), hashOf("4\n"))).toHaveLength(1);
});

test("own edits chain from one text to another, in order", async () => {
  const session = await createWorld().session();
  await edit(session, "0\n", "1\n", first);
  await edit(session, "1\n", "2\n", second);
  await edit(session, "2\n", "3\n", third);
  expect(await session.ownEdits(a, hashOf("0\n"), hashOf("3\n"))).toEqual([first, second, third]);
  expect(await session.ownEdits(a, hashOf("1\n"), hashOf("2\n"))).toEqual([second]);
  expect(await session.ownEdits(a, hashOf("2\n"), hashOf("2\n"))).toEqual([]);
  expect(await session.ownEdits(a, hashOf("3\n"), hashOf("0\n"))).toBeUndefined();
  expect(await session.ownEdits("/w/b.txt", hashOf("0\n"), hashOf("1\n"))).toBeUndefined();
});

test("someone else's change in between breaks the chain", async () => {
  const world = createWorld();
  const session = await world.session();
  await edit(session, "0\n", "1\n", first);
  await edit(await world.session("two"), "1\n", "2\n", second);
  await edit(session, "2\n", "3\n", third);
  expect(await session.ownEdits(a, hashOf("0\n"), hashOf("3\n"))).toBeUndefined();
});

test("a text that comes back: the shortest way, the latest change of several", async () => {
  const session = await createWorld().session();
  await edit(session, "0\n", "1\n", first);
  await edit(session, "1\n", "0\n", second);
  await edit(session, "0\n", "1\n", third);
  expect(await session.ownEdits(a, hashOf("0\n"), hashOf("1\n"))).toEqual([third]);
  expect(await session.ownEdits(a, hashOf("1\n"), hashOf("0\n"))).toEqual([second]);
  expect(await session.ownEdits(a, hashOf("0\n"), hashOf("elsewhere\n"))).toBeUndefined();
});

test("a change without a line map is no step", async () => {
  const session = await createWorld().session();
  const binary = { ...change(a, "0\n", "1\n"), map: undefined, fromHash: undefined };
  await (await session.beginChanges("write", [binary])).settle([a]);
  expect(await session.ownEdits(a, hashOf("0\n"), hashOf("1\n"))).toBeUndefined();
});

test("a killed process's change counts once the file is seen to hold it", async () => {
  const world = createWorld();
  const killed = await world.session();
  await killed.beginChanges("edit", [change(a, "0\n", "1\n", { map: first })]);
  const next = await world.session();
  // The file holds "1\n" now: that is what the caller compares with.
  expect(await next.ownEdits(a, hashOf("0\n"), hashOf("1\n"))).toEqual([first]);
  expect(await next.ownEdits(a, hashOf("0\n"), hashOf("2\n"))).toBeUndefined();
  await next.record(seen(a, "1\n"));
  await edit(next, "1\n", "2\n", second);
  expect(await next.ownEdits(a, hashOf("0\n"), hashOf("2\n"))).toEqual([first, second]);
});

test("a killed process's change counts once the next change starts from it", async () => {
  const world = createWorld();
  await (await world.session()).beginChanges("edit", [change(a, "0\n", "1\n", { map: first })]);
  const next = await world.session();
  await edit(next, "1\n", "2\n", second);
  expect(await next.ownEdits(a, hashOf("0\n"), hashOf("2\n"))).toEqual([first, second]);
});

test("a killed process's change that never reached the file is no step", async () => {
  const world = createWorld();
  await (await world.session()).beginChanges("edit", [change(a, "0\n", "1\n", { map: first })]);
  const next = await world.session();
  await next.record(seen(a, "0\n"));
  await edit(next, "0\n", "2\n", second);
  expect(await next.ownEdits(a, hashOf("0\n"), hashOf("2\n"))).toEqual([second]);
});

test("a recording resolves a killed change even when nothing else is new", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen(a, "1\n"));
  await (await world.session()).beginChanges("edit", [change(a, "0\n", "1\n", { map: first })]);
  await session.record(seen(a, "1\n"));
  const [disk] = world.stores.disks.values();
  expect(disk!.spaces.get("pending")!.size).toBe(0);
  await edit(session, "1\n", "2\n", second);
  expect(await session.ownEdits(a, hashOf("0\n"), hashOf("2\n"))).toEqual([first, second]);
});

test("in-place writes without an end are found by every session, with their backup", async () => {
  const world = createWorld();
  await (
    await world.session()
  ).beginChanges("edit", [
    change(a, "0\n", "1\n", { inPlace: true }),
    change("/w/b.txt", "0\n", "1\n"),
  ]);
  const other = await world.session("two");
  expect(await other.unsettled("/w/b.txt")).toEqual([]);
  const [write, ...more] = await other.unsettled(a);
  expect(more).toEqual([]);
  expect(write!.before).toEqual({ bytes: encode("0\n"), mode: 0o644 });
  expect(write!.after).toEqual({ bytes: encode("1\n"), mode: 0o644 });
  await write!.settle();
  expect(await other.unsettled(a)).toEqual([]);
});

test("several in-place writes without an end come oldest first", async () => {
  const world = createWorld();
  for (const [before, after] of [
    ["0\n", "1\n"],
    ["1\n", "2\n"],
  ] as const) {
    const session = await world.session(`s${before.trim()}`);
    await session.beginChanges("edit", [change(a, before, after, { inPlace: true })]);
  }
  const writes = await (await world.session()).unsettled(a);
  expect(writes.map(({ after }) => after.bytes)).toEqual([encode("1\n"), encode("2\n")]);
});

test("settled in-place writes are not found", async () => {
  const session = await createWorld().session();
  const write = [change(a, "0\n", "1\n", { inPlace: true })];
  await (await session.beginChanges("edit", write)).settle([a]);
  await (await session.beginChanges("edit", write)).settle([]);
  expect(await session.unsettled(a)).toEqual([]);
});

test("a damaged backup is said once and then forgotten", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.beginChanges("edit", [change(a, "0\n", "1\n", { inPlace: true })]);
  const [disk] = world.stores.disks.values();
  disk!.blobs.set(hashOf("0\n"), Uint8Array.of(0));
  expect(await session.unsettled(a).catch((error) => error)).toMatchObject({
    code: "session.unavailable",
    message: 'A write of "/w/a.txt" was cut short, and its backup in the session state is damaged.',
  });
  expect(await session.unsettled(a)).toEqual([]);
});

test("images of changes without an end stay, whatever else must go", async () => {
  const world = createWorld();
  const session = await world.session();
  world.frameSize = () => limits.storeBytes / 2;
  await session.beginChanges("edit", [change(a, "0\n", "1\n", { inPlace: true })]);
  world.now += 60_000;
  await session.record(seen("/w/b.txt", "b\n"));
  world.now += 60_000;
  await session.record(seen("/w/b.txt", "c\n"));
  expect((await session.lookup("/w/b.txt", tagFor("b\n"))).expired).toBe(true);
  expect((await session.unsettled(a))[0]?.before?.bytes).toEqual(encode("0\n"));
  world.now += 400 * day;
  for (let i = 0; i < 30; i++) await session.record(seen("/w/b.txt", `${i}\n`));
  expect((await session.unsettled(a))[0]?.before?.bytes).toEqual(encode("0\n"));
});

test("eviction passes over any number of images that must stay", async () => {
  const world = createWorld();
  const session = await world.session();
  world.frameSize = () => 1;
  const changes = Array.from({ length: 100 }, (_, i) =>
    change(`/w/${i}`, `before ${i}\n`, `after ${i}\n`, { inPlace: true }),
  );
  await session.beginChanges("edit", changes);
  world.now += 60_000;
  await session.record(seen(a, "a\n"));
  world.now += 60_000;
  world.frameSize = () => limits.storeBytes;
  await session.record(seen(a, "b\n"));
  const [disk] = world.stores.disks.values();
  expect(disk!.blobs.size).toBe(201);
  expect((await session.lookup(a, tagFor("a\n"))).expired).toBe(true);
});

test("settling records the after-image although its session was cleared meanwhile", async () => {
  const world = createWorld();
  const session = await world.session();
  const group = await session.beginChanges("edit", [change(a, "0\n", "1\n")]);
  const [disk] = world.stores.disks.values();
  disk!.spaces.clear();
  disk!.blobs.clear();
  await group.settle([a]);
  expect((await session.lookup(a, tagFor("1\n"))).snapshots[0]?.text).toBe("1\n");
});

test("changes that cannot be logged are refused, before a file is touched", async () => {
  const world = createWorld();
  const session = await world.session();
  world.stores.writeFault = new StoreError("busy", "database is locked");
  expect(
    await session.beginChanges("edit", [change(a, "0\n", "1\n")]).catch((error) => error),
  ).toMatchObject({
    code: "session.unavailable",
    message:
      'The session state in "/home/me/.local/state/atomic" is not available: another process has held it for 30 seconds (database is locked).',
    hint: "Try again; if it stays so, look for an atomic process that hangs.",
  });
});

test("a process that dies inside a write leaves nothing of it", async () => {
  const world = createWorld();
  const session = await world.session();
  world.stores.beforeCommit = () => {
    throw new Error("killed");
  };
  await expect(session.beginChanges("edit", [change(a, "0\n", "1\n")])).rejects.toThrow("killed");
  world.stores.beforeCommit = undefined;
  const [disk] = world.stores.disks.values();
  expect([disk!.blobs.size, disk!.spaces.get("changes")?.size ?? 0]).toEqual([0, 0]);
});

test("the record of a change keeps what a log, a diff and an undo need", async () => {
  const world = createWorld();
  const session = await world.session();
  const group = await session.beginChanges("edit", [
    change(a, "0\n", "1\n", { map: first }),
    change("/w/new.txt", undefined, "n\n", { map: [] }),
    change("/w/gone.txt", "g\n", undefined),
  ]);
  expect(group.id).toBe("1");
  await group.settle([a, "/w/new.txt", "/w/gone.txt"]);
  const [disk] = world.stores.disks.values();
  const groups = [...disk!.spaces.get("groups")!].map(([key, value]) => [key, JSON.parse(value)]);
  expect(groups).toEqual([
    [
      "one/000000000000001",
      {
        tool: "edit",
        at: 1_700_000_000_000,
        pid: 4711,
        host: "box",
        paths: [a, "/w/new.txt", "/w/gone.txt"],
      },
    ],
  ]);
  const changes = [...disk!.spaces.get("changes")!.values()].map((value) => JSON.parse(value));
  const common = { tool: "edit", at: 1_700_000_000_000, inPlace: false, landed: true };
  const byPath = changes.toSorted((x, y) => (x.path < y.path ? -1 : 1));
  expect(byPath).toEqual([
    {
      ...common,
      path: a,
      before: { hash: hashOf("0\n"), mode: 0o644 },
      after: { hash: hashOf("1\n"), mode: 0o644 },
      from: hashOf("0\n"),
      seen: { tag: tagFor("1\n"), hash: hashOf("1\n") },
      map: first,
    },
    {
      ...common,
      path: "/w/gone.txt",
      before: { hash: hashOf("g\n"), mode: 0o644 },
      from: hashOf("g\n"),
      map: [{ at: 0, removed: 1, added: 1 }],
    },
    {
      ...common,
      path: "/w/new.txt",
      after: { hash: hashOf("n\n"), mode: 0o644 },
      seen: { tag: tagFor("n\n"), hash: hashOf("n\n") },
      map: [],
    },
  ]);
});
