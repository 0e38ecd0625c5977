import { expect, test } from "bun:test";

import {
  clearSession,
  describeSession,
  inspectState,
  listSessions,
  newSessionId,
} from "../../../core/session/manage.ts";
import { bytes, change, createWorld, encode, hashOf, seen, start, tagFor } from "./world.ts";

const minute = 60_000;

function stored(...texts: string[]): number {
  return texts.reduce((sum, text) => sum + bytes.compress(encode(text)).length, 0);
}

test("sessions are listed with their counts, the last used first", async () => {
  const world = createWorld();
  const one = await world.session("one");
  await one.record(seen("/w/a", "a\n"));
  await one.record(seen("/w/a", "b\n"));
  world.now += 15 * minute;
  const two = await world.session("two");
  await two.record(seen("/w/a", "a\n"));
  await (await two.beginChanges("edit", [change("/w/b", "x\n", "y\n")])).settle(["/w/b"]);
  expect(await listSessions(await world.state())).toEqual([
    {
      id: "two",
      created: start + 15 * minute,
      used: start + 15 * minute,
      paths: 2,
      tags: 2,
      changes: 1,
      bytes: stored("a\n", "x\n", "y\n"),
    },
    {
      id: "one",
      created: start,
      used: start,
      paths: 1,
      tags: 2,
      changes: 0,
      bytes: stored("a\n", "b\n"),
    },
  ]);
});

test("one session is described with the files it saw", async () => {
  const world = createWorld();
  const one = await world.session("one");
  await one.record(seen("/w/b", "b\n"));
  await one.record(seen("/w/a", "old\n"));
  world.now += minute;
  await one.record({ ...seen("/w/a", "new\n"), bytesHash: "f00d" });
  const state = await world.state();
  expect((await describeSession(state, "one"))!.files).toEqual([
    { path: "/w/a", tag: tagFor("new\n"), bytesHash: "f00d", at: start + minute, versions: 2 },
    { path: "/w/b", tag: tagFor("b\n"), bytesHash: hashOf("b\n"), at: start, versions: 1 },
  ]);
  expect(await describeSession(state, "on")).toBeUndefined();
});

test("a new id is valid, and different each time", () => {
  expect(newSessionId({ hex: (length) => "ab".repeat(length) })).toBe("s-abababababababab");
});

test("clearing drops what the session saw, and the texts that nobody else refers to", async () => {
  const world = createWorld();
  const one = await world.session("one");
  const two = await world.session("two");
  await one.record(seen("/w/a", "shared\n"));
  await two.record(seen("/w/a", "shared\n"));
  await one.record(seen("/w/b", "secret\n"));
  await (await one.beginChanges("edit", [change("/w/c", "x\n", "y\n")])).settle(["/w/c"]);
  await one.countNoop("/w/a", "p");
  const state = await world.state();
  expect(await clearSession(state, "one", { changes: false })).toEqual({
    tags: 3,
    changes: 0,
    bytes: stored("secret\n"),
  });
  expect(await one.lookup("/w/a", tagFor("shared\n"))).toEqual({ snapshots: [], expired: false });
  expect((await two.lookup("/w/a", tagFor("shared\n"))).snapshots).toHaveLength(1);
  expect(await one.ownEdits("/w/c", hashOf("x\n"), hashOf("y\n"))).toHaveLength(1);
  expect(await one.countNoop("/w/a", "p")).toBe(1);
  expect((await listSessions(state)).map(({ id, changes }) => [id, changes])).toEqual([
    ["one", 1],
    ["two", 0],
  ]);
  expect(await clearSession(state, "one", { changes: true })).toEqual({
    tags: 0,
    changes: 1,
    bytes: stored("x\n", "y\n"),
  });
  expect((await listSessions(state)).map(({ id }) => id)).toEqual(["two"]);
});

test("clearing all leaves the backup of a write that was cut short", async () => {
  const world = createWorld();
  const one = await world.session("one");
  await one.beginChanges("edit", [change("/w/a", "0\n", "1\n", { inPlace: true })]);
  await one.beginChanges("edit", [change("/w/b", "0\n", "2\n")]);
  const state = await world.state();
  expect((await clearSession(state, "one", { changes: true })).changes).toBe(1);
  const [write] = await (await world.session("two")).unsettled("/w/a");
  expect(write!.before!.bytes).toEqual(encode("0\n"));
  expect((await inspectState(state)).unsettled).toEqual(["/w/a"]);
  const [disk] = world.stores.disks.values();
  expect([...disk!.spaces.get("groups")!.keys()]).toEqual(["one/000000000000001"]);
});

test("clearing a session that does not exist is no error", async () => {
  const state = await createWorld().state();
  expect(await clearSession(state, "none", { changes: true })).toEqual({
    tags: 0,
    changes: 0,
    bytes: 0,
  });
});

test("the state is summed up", async () => {
  const world = createWorld();
  const one = await world.session("one");
  await one.record(seen("/w/a", "a\n"));
  await one.beginChanges("edit", [change("/w/b", "b\n", "c\n")]);
  expect(await inspectState(await world.state())).toEqual({
    folder: "/home/me/.local/state/atomic",
    format: 1,
    sessions: 1,
    contents: 3,
    bytes: stored("a\n", "b\n", "c\n"),
    unsettled: ["/w/b"],
  });
});
