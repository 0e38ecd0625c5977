import { expect, test } from "bun:test";

import { change, createWorld, seen } from "./world.ts";

const minute = 60_000;

test("identical payloads are counted per target and session, across processes", async () => {
  const world = createWorld();
  const count = async (id: string, target: string, payload: string) =>
    (await world.session(id)).countNoop(target, payload);
  expect(await count("one", "/w/a", "p")).toBe(1);
  expect(await count("one", "/w/a", "p")).toBe(2);
  expect(await count("one", "/w/a", "q")).toBe(1);
  expect(await count("one", "/w/b", "p")).toBe(1);
  expect(await count("two", "/w/a", "p")).toBe(1);
  expect(await count("one", "/w/a", "p")).toBe(3);
});

test("the count starts again after an hour without an attempt", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.countNoop("/w/a", "p");
  world.now += 59 * minute;
  expect(await session.countNoop("/w/a", "p")).toBe(2);
  world.now += 59 * minute;
  expect(await session.countNoop("/w/a", "p")).toBe(3);
  world.now += 60 * minute;
  expect(await session.countNoop("/w/a", "p")).toBe(1);
});

test("a landed change of the target starts its counts again, and no other's", async () => {
  const session = await createWorld().session();
  for (const target of ["/w/a", "/w/b"]) await session.countNoop(target, "p");
  const changes = [change("/w/a", "0\n", "1\n"), change("/w/b", "0\n", "1\n")];
  await (await session.beginChanges("edit", changes)).settle(["/w/a"]);
  expect(await session.countNoop("/w/a", "p")).toBe(1);
  expect(await session.countNoop("/w/b", "p")).toBe(2);
});

test("a target seen with another text starts its counts again; seen the same, it does not", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a", "a\n"));
  await session.countNoop("/w/a", "p");
  world.now += 20 * minute;
  await session.record(seen("/w/a", "a\n"));
  expect(await session.countNoop("/w/a", "p")).toBe(2);
  await session.record(seen("/w/a", "b\n"));
  expect(await session.countNoop("/w/a", "p")).toBe(1);
});

test("a payload with a lone surrogate is not taken for another", async () => {
  const session = await createWorld().session();
  expect(await session.countNoop("/w/a", "\udcff")).toBe(1);
  expect(await session.countNoop("/w/a", "\udcfe")).toBe(1);
  expect(await session.countNoop("/w/a", "\ufffd")).toBe(1);
});
