import { expect, test } from "bun:test";

import { StoreError, type WriteTransaction } from "../../../core/ports/store.ts";
import { currentFormat, migrate } from "../../../core/session/migrations.ts";
import { createWorld, folder, seen, tagFor } from "./world.ts";

const lost =
  'The session state was damaged. It was set aside as "/home/me/.local/state/atomic/aside-1" and a new one is in use: tags handed out before are unknown now, so read again before you edit.';

test("opening a known state writes nothing", async () => {
  const world = createWorld();
  (await world.state()).close();
  expect(world.stores.writes).toBe(1);
  (await world.state()).close();
  expect([world.stores.opens, world.stores.reads, world.stores.writes]).toEqual([2, 2, 1]);
});

test("a file that is no store is set aside, and the session works with a new one", async () => {
  const world = createWorld();
  world.stores.foreign.add(folder);
  const session = await world.session();
  expect(world.notices).toEqual([lost]);
  await session.record(seen("/w/a", "a\n"));
  expect((await session.lookup("/w/a", tagFor("a\n"))).snapshots[0]?.text).toBe("a\n");
});

test("damage that shows later is set aside then, and the call that met it goes on", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a", "a\n"));
  world.stores.damaged.add(folder);
  await session.record(seen("/w/b", "b\n"));
  expect(world.notices).toEqual([lost]);
  expect((await session.lookup("/w/a", tagFor("a\n"))).snapshots).toEqual([]);
  expect((await session.lookup("/w/b", tagFor("b\n"))).snapshots[0]?.text).toBe("b\n");
});

test("calls that meet the damage together replace the store once", async () => {
  const world = createWorld();
  const session = await world.session();
  world.stores.damaged.add(folder);
  const paths = ["/w/a", "/w/b", "/w/c"];
  await Promise.all(paths.map((path) => session.record(seen(path, "x\n"))));
  expect(world.notices).toEqual([lost]);
  for (const path of paths) {
    expect((await session.lookup(path, tagFor("x\n"))).snapshots).toHaveLength(1);
  }
});

test("a store that another process has replaced already is not set aside again", async () => {
  const world = createWorld();
  const slow = await world.session();
  const quick = await world.session();
  world.stores.damaged.add(folder);
  await quick.record(seen("/w/a", "a\n"));
  expect(world.notices).toHaveLength(1);
  // What the slow one holds open is the damaged store, although the folder's is whole again.
  const held = world.stores.disks.get(`${folder}/aside-1`)!;
  for (const space of held.spaces.values()) for (const key of space.keys()) space.set(key, "{");
  await slow.record(seen("/w/a", "a\n"));
  expect(world.notices).toHaveLength(1);
  expect((await slow.lookup("/w/a", tagFor("a\n"))).snapshots[0]?.text).toBe("a\n");
});

test("a record that does not parse is damage", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a", "a\n"));
  const paths = world.stores.disks.get(folder)!.spaces.get("paths")!;
  for (const key of paths.keys()) paths.set(key, "{");
  await session.record(seen("/w/a", "a\n"));
  expect(world.notices).toEqual([lost]);
  expect((await session.lookup("/w/a", tagFor("a\n"))).snapshots[0]?.text).toBe("a\n");
});

test("a change begun before the damage still settles after it", async () => {
  const world = createWorld();
  const session = await world.session();
  const content = new TextEncoder().encode("1\n");
  const group = await session.beginChanges("edit", [
    {
      path: "/w/a",
      before: undefined,
      after: { bytes: content, mode: 0o644 },
      seen: seen("/w/a", "1\n"),
      fromHash: undefined,
      map: undefined,
      inPlace: false,
    },
  ]);
  world.stores.damaged.add(folder);
  await group.settle(["/w/a"]);
  expect((await session.lookup("/w/a", tagFor("1\n"))).snapshots[0]?.text).toBe("1\n");
});

test("a store of a newer program is refused and left alone", async () => {
  const world = createWorld();
  (await world.state()).close();
  const meta = world.stores.disks.get(folder)!.spaces.get("meta")!;
  meta.set("schema", "7");
  expect(await world.session().catch((error) => error)).toMatchObject({
    code: "session.unavailable",
    message: `The session state in "${folder}" has format 7, and this program knows none after ${currentFormat}. It was left as it is.`,
    hint: "Use the newer atomic that wrote it, or set ATOMIC_HOME to another folder.",
  });
  expect([meta.get("schema"), world.stores.writes, world.notices]).toEqual(["7", 1, []]);
});

test("a newer program that comes in between stops this one's writes, not its reads", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a", "a\n"));
  world.stores.disks.get(folder)!.spaces.get("meta")!.set("schema", "7");
  await expect(session.record(seen("/w/a", "b\n"))).rejects.toThrow("has format 7");
  expect((await session.lookup("/w/a", tagFor("a\n"))).snapshots[0]?.text).toBe("a\n");
});

test("migrations run from the store's format on, once and in order", () => {
  const ran: number[] = [];
  const meta = new Map([["schema", "1"]]);
  const transaction = {
    get: (_: string, key: string) => meta.get(key),
    put: (_: string, key: string, value: string) => void meta.set(key, value),
  } as unknown as WriteTransaction;
  const steps = [1, 2, 3].map((step) => () => void ran.push(step));
  migrate(transaction, folder, steps);
  migrate(transaction, folder, steps);
  expect([ran, meta.get("schema")]).toEqual([[2, 3], "3"]);
  expect(() => migrate(transaction, folder, steps.slice(1))).toThrow("has format 3");
});

test("a state that cannot be opened says which folder, why and what to do", async () => {
  const world = createWorld();
  world.stores.fault = new StoreError("unavailable", "unable to open database file");
  expect(await world.session().catch((error) => error)).toMatchObject({
    code: "session.unavailable",
    message: `The session state in "${folder}" is not available: it cannot be opened or written (unable to open database file).`,
    hint: "Run `atomic doctor` to see what is wrong with the state folder.",
    status: 7,
  });
});

test("a state that could not be replaced is tried again by the next call", async () => {
  const world = createWorld();
  const session = await world.session();
  world.stores.damaged.add(folder);
  const { setAside } = world.stores;
  world.stores.setAside = async () => {
    throw new StoreError("unavailable", "read-only file system");
  };
  await expect(session.record(seen("/w/a", "a\n"))).rejects.toThrow("read-only file system");
  world.stores.setAside = setAside;
  await session.record(seen("/w/a", "a\n"));
  expect((await session.lookup("/w/a", tagFor("a\n"))).snapshots).toHaveLength(1);
});
