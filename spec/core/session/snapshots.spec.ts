import { expect, test } from "bun:test";

import { AtomicError } from "../../../core/errors.ts";
import { limits } from "../../../core/limits.ts";
import { StoreError } from "../../../core/ports/store.ts";
import { createWorld, encode, seen, tagFor } from "./world.ts";

const minute = 60_000;
const day = 24 * 60 * minute;

test("a recorded text is found under its tag, by every process of the session", async () => {
  const world = createWorld();
  const first = await world.session();
  await first.record(seen("/w/a.txt", "one\ntwo\n"));
  first.close();
  const second = await world.session();
  expect(await second.lookup("/w/a.txt", tagFor("one\ntwo\n"))).toEqual({
    snapshots: [
      {
        tag: tagFor("one\ntwo\n"),
        hash: "c3f9c8c283a2b1f2f1896f27a01cbe3cddc0c9d93f752e4639035a0f5b36f6e8",
        newest: true,
        text: "one\ntwo\n",
      },
    ],
    expired: false,
  });
});

test("an unknown tag, another path and another session find nothing", async () => {
  const world = createWorld();
  const one = await world.session("one");
  const two = await world.session("two");
  const tag = tagFor("a\n");
  await one.record(seen("/w/a.txt", "a\n"));
  const nothing = { snapshots: [], expired: false };
  expect(await one.lookup("/w/a.txt", "0000")).toEqual(nothing);
  expect(await one.lookup("/w/b.txt", tag)).toEqual(nothing);
  expect(await two.lookup("/w/a.txt", tag)).toEqual(nothing);
});

test("a session whose id begins like another's sees none of its snapshots", async () => {
  const world = createWorld();
  await (await world.session("agent-10")).record(seen("/w/a.txt", "a\n"));
  expect(
    (await (await world.session("agent-1")).lookup("/w/a.txt", tagFor("a\n"))).snapshots,
  ).toEqual([]);
});

test("recording a known text again makes it the newest", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "old\n"));
  await session.record(seen("/w/a.txt", "new\n"));
  const newest = async (text: string) =>
    (await session.lookup("/w/a.txt", tagFor(text))).snapshots.map((snapshot) => snapshot.newest);
  expect([await newest("old\n"), await newest("new\n")]).toEqual([[false], [true]]);
  await session.record(seen("/w/a.txt", "old\n"));
  expect([await newest("old\n"), await newest("new\n")]).toEqual([[true], [false]]);
});

test("two texts under one tag are both found, the newest first", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "x\n", "BEEF"));
  await session.record(seen("/w/a.txt", "y\n", "BEEF"));
  const texts = async () =>
    (await session.lookup("/w/a.txt", "BEEF")).snapshots.map(({ text, newest }) => [text, newest]);
  expect(await texts()).toEqual([
    ["y\n", true],
    ["x\n", false],
  ]);
  await session.record(seen("/w/a.txt", "x\n", "BEEF"));
  expect(await texts()).toEqual([
    ["x\n", true],
    ["y\n", false],
  ]);
});

test("texts that differ in trailing blanks only share a tag and stay two", async () => {
  const world = createWorld();
  const session = await world.session();
  expect(tagFor("a  \n")).toBe(tagFor("a\n"));
  await session.record(seen("/w/a.txt", "a\n"));
  await session.record(seen("/w/a.txt", "a  \n"));
  const { snapshots } = await session.lookup("/w/a.txt", tagFor("a\n"));
  expect(snapshots.map(({ text }) => text)).toEqual(["a  \n", "a\n"]);
});

test("bytes that are not UTF-8, an empty text and a leading U+FEFF come back as they were", async () => {
  const world = createWorld();
  const session = await world.session();
  for (const text of ["", "\ufeffx", "a\u{1f600}\n"]) {
    await session.record(seen("/w/a.txt", text));
    expect((await session.lookup("/w/a.txt", tagFor(text))).snapshots[0]?.text).toBe(text);
  }
  const content = Uint8Array.of(0x61, 0xff, 0x0a);
  await session.record({ path: "/w/b", tag: "0001", content, bytesHash: "b" });
  expect((await session.lookup("/w/b", "0001")).snapshots[0]?.text).toBe("a\udcff\n");
});

test("one text in many places is stored once", async () => {
  const world = createWorld();
  await (await world.session("one")).record(seen("/w/a.txt", "same\n"));
  await (await world.session("one")).record(seen("/w/b.txt", "same\n"));
  await (await world.session("two")).record(seen("/w/a.txt", "same\n"));
  const [disk] = world.stores.disks.values();
  expect(disk!.blobs.size).toBe(1);
});

test("recording what is known, unchanged and just used writes nothing", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  const writes = world.stores.writes;
  world.now += 10 * minute - 1;
  await session.record(seen("/w/a.txt", "a\n"));
  await session.lookup("/w/a.txt", tagFor("a\n"));
  expect(world.stores.writes).toBe(writes);
  world.now += 1;
  await session.record(seen("/w/a.txt", "a\n"));
  expect(world.stores.writes).toBe(writes + 1);
  await session.record({ ...seen("/w/a.txt", "a\n"), bytesHash: "with CRLF" });
  expect(world.stores.writes).toBe(writes + 2);
});

test("a text unused for 30 days is forgotten, and its tag is called expired", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  world.now += 30 * day + 1;
  await session.record(seen("/w/b.txt", "b\n"));
  expect(await session.lookup("/w/a.txt", tagFor("a\n"))).toEqual({ snapshots: [], expired: true });
  await session.record(seen("/w/a.txt", "a\n"));
  expect((await session.lookup("/w/a.txt", tagFor("a\n"))).expired).toBe(false);
});

test("looking a text up counts as use", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  world.now += 20 * day;
  await session.lookup("/w/a.txt", tagFor("a\n"));
  world.now += 20 * day;
  await session.record(seen("/w/b.txt", "b\n"));
  expect((await session.lookup("/w/a.txt", tagFor("a\n"))).expired).toBe(false);
});

test("the name of a forgotten tag is itself forgotten after 180 days", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  world.now += 181 * day;
  // One write looks over one stretch of records; a handful of them gets to all.
  for (let i = 0; i < 20; i++) await session.record(seen("/w/b.txt", `${i}\n`));
  expect(await session.lookup("/w/a.txt", tagFor("a\n"))).toEqual({
    snapshots: [],
    expired: false,
  });
});

test("beyond the size limit the least recently used texts go, never the one just recorded", async () => {
  const world = createWorld();
  world.frameSize = () => limits.storeBytes / 4;
  const session = await world.session();
  const texts = ["1\n", "2\n", "3\n", "4\n"];
  for (const text of texts) {
    await session.record(seen("/w/a.txt", text));
    world.now += 10 * minute;
  }
  const known = async () => {
    const found: string[] = [];
    for (const text of [...texts, "5\n", "6\n"]) {
      const { snapshots } = await session.lookup("/w/a.txt", tagFor(text));
      if (snapshots.length > 0) found.push(text.trim());
    }
    return found.join("");
  };
  const other = await world.session("two");
  await other.record(seen("/w/z.txt", "1\n"));
  await session.record(seen("/w/a.txt", "5\n"));
  expect(await known()).toBe("1345");
  expect((await session.lookup("/w/a.txt", tagFor("2\n"))).expired).toBe(true);
  world.frameSize = () => limits.storeBytes + 1;
  await session.record(seen("/w/a.txt", "6\n"));
  expect(await known()).toBe("6");
});

test("one write drops only so many texts; the next ones go on", async () => {
  const world = createWorld();
  const session = await world.session();
  world.frameSize = () => 1;
  for (let i = 0; i < 600; i++) await session.record(seen(`/w/${i}`, `${i}\n`));
  const [disk] = world.stores.disks.values();
  world.frameSize = () => limits.storeBytes;
  world.now += minute;
  await session.record(seen("/w/a.txt", "a\n"));
  expect(disk!.blobs.size).toBe(600 - 512 + 1);
  world.frameSize = () => 1;
  await session.record(seen("/w/a.txt", "b\n"));
  expect(disk!.blobs.size).toBe(1);
});

test("a text that is damaged in the store counts as expired, and the next read mends it", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  const [disk] = world.stores.disks.values();
  for (const blob of disk!.blobs.keys()) disk!.blobs.set(blob, Uint8Array.of(1, 2, 3));
  expect(await session.lookup("/w/a.txt", tagFor("a\n"))).toEqual({ snapshots: [], expired: true });
  await session.record(seen("/w/a.txt", "a\n"));
  expect((await session.lookup("/w/a.txt", tagFor("a\n"))).snapshots[0]?.text).toBe("a\n");
});

test("another text's bytes under the name are never taken for the snapshot", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  const [disk] = world.stores.disks.values();
  const foreign = world.host.bytes.compress(encode("b\n"));
  for (const blob of disk!.blobs.keys()) disk!.blobs.set(blob, foreign);
  expect((await session.lookup("/w/a.txt", tagFor("a\n"))).snapshots).toEqual([]);
});

test("a store that cannot be written refuses a recording, and still answers look-ups", async () => {
  const world = createWorld();
  const session = await world.session();
  await session.record(seen("/w/a.txt", "a\n"));
  world.stores.writeFault = new StoreError("unavailable", "attempt to write a readonly database");
  const refused = await session.record(seen("/w/a.txt", "b\n")).catch((error) => error);
  expect(refused).toBeInstanceOf(AtomicError);
  expect(refused).toMatchObject({
    code: "session.unavailable",
    message:
      'The session state in "/home/me/.local/state/atomic" is not available: it cannot be opened or written (attempt to write a readonly database).',
    hint: "Run `atomic doctor` to see what is wrong with the state folder.",
    status: 7,
  });
  world.now += 11 * minute;
  expect((await session.lookup("/w/a.txt", tagFor("a\n"))).snapshots[0]?.text).toBe("a\n");
});
