// Tars that are packed by bzip2 or xz, and members that are stored without their holes, as the real programs write them.

import { readFileSync } from "node:fs";

import { expect, test } from "bun:test";

import { nodeBytes } from "../../../adapters/shared/bytes.ts";
import { sourceOf } from "../../../core/archives/archive.ts";
import { tarBzip2, tarXz } from "../../../core/archives/packed-tar.ts";
import type { AtomicError } from "../../../core/errors.ts";

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../../fixtures/packed/${name}`, import.meta.url)));

async function membersOf(name: string, bytes: Uint8Array, signal = new AbortController().signal) {
  const format = /\.t(?:ar\.b|b)z2$/.test(name) ? tarBzip2 : tarXz;
  const context = { bytes: nodeBytes(), name, signal };
  const archive = await format.open(sourceOf([bytes]), context);
  const members = new Map<string, string>();
  for (const member of archive.members) {
    if (member.kind !== "file") continue;
    members.set(member.name, Buffer.from(await archive.read(member)).toString("latin1"));
  }
  return { members, remarks: archive.remarks };
}

async function failureOf(name: string, bytes: Uint8Array): Promise<string> {
  try {
    await membersOf(name, bytes);
    return "none";
  } catch (thrown) {
    const { code, message } = thrown as AtomicError;
    return `${code}: ${message}`;
  }
}

const numbers = Array.from({ length: 3000 }, (_, i) => `${i + 1}\n`).join("");
const packed = {
  "a.txt": "packed\n",
  "dir/b.txt": `${numbers}${"x".repeat(600)}\n${numbers}`,
};

test.each(["t.tar.bz2", "two.tbz2", "t.tar.xz", "two.txz"])(
  "%s gives every byte, whatever its streams, blocks and checks",
  async (name) => {
    const { members, remarks } = await membersOf(name, fixture(name));
    expect(Object.fromEntries(members)).toEqual(packed);
    expect(remarks).toEqual([]);
  },
);

test.each([
  "gnu-sparse.tar.xz",
  "pax-sparse-0.0.tar.xz",
  "pax-sparse-0.1.tar.xz",
  "pax-sparse-1.0.tar.xz",
])("B036 %s: a sparse file is read with its holes", async (name) => {
  const { members } = await membersOf(name, fixture(name));
  const s = Buffer.alloc(1024 * 1024);
  s.write("hello", 500_000);
  const many = Buffer.alloc(400 * 1024);
  for (let i = 1; i <= 30; i++) many.write(`part${i}`, i * 12_288);
  expect([...members.keys()]).toEqual(["s", "many", "z"]);
  expect(members.get("s") === s.toString("latin1")).toBe(true);
  expect(members.get("many") === many.toString("latin1")).toBe(true);
  expect(members.get("z")).toBe("after\n");
});

test("what follows a bzip2 stream is told, and zeros are nothing", async () => {
  const whole = fixture("t.tar.bz2");
  const junk = Buffer.concat([whole, Buffer.from("junk\n")]);
  expect((await membersOf("t.tar.bz2", junk)).remarks).toEqual([
    "5 bytes that are no bzip2 follow its end",
  ]);
  const zeros = Buffer.concat([whole, Buffer.alloc(7)]);
  expect((await membersOf("t.tar.bz2", zeros)).remarks).toEqual([]);
});

test("what is damaged or cut short is refused by name", async () => {
  const flipped = (name: string, at: number) => {
    const bytes = fixture(name);
    bytes[at] = bytes[at]! ^ 1;
    return bytes;
  };
  expect(await failureOf("t.tar.bz2", fixture("t.tar.bz2").subarray(0, 900))).toMatch(
    /^archive\.bounds: Cannot read t\.tar\.bz2: bad bzip2 data near byte \d+: it is cut short\.$/,
  );
  expect(await failureOf("t.tar.bz2", flipped("t.tar.bz2", 12))).toMatch(
    /^archive\.checksum: Cannot read t\.tar\.bz2: its content does not match the checksum of the bzip2 block/,
  );
  const xz = fixture("t.tar.xz");
  expect(await failureOf("t.tar.xz", xz.subarray(0, 900))).toMatch(/cut short\.$/);
  expect(await failureOf("t.tar.xz", xz.subarray(0, -5))).toMatch(/cut short\.$/);
  expect(await failureOf("t.tar.xz", flipped("t.tar.xz", 8))).toMatch(
    /^archive\.checksum: Cannot read t\.tar\.xz: the xz header that ends near byte 12 /,
  );
  expect(await failureOf("t.tar.xz", Buffer.concat([xz, Buffer.from("junkjunkjunk")]))).toMatch(
    /no xz stream begins there\.$/,
  );
  expect(await failureOf("filter.txz", fixture("filter.txz"))).toBe(
    "archive.method: Cannot read filter.txz: it is packed through the filter 4, and only LZMA2 is known.",
  );
});

test.each(["t.tar.bz2", "t.tar.xz"])("no flipped bit of %s goes unnoticed", async (name) => {
  const whole = fixture(name);
  for (let at = 0; at < whole.length; at += 7) {
    const bytes = whole.slice();
    bytes[at] = bytes[at]! ^ (1 << (at % 8));
    const failure = await failureOf(name, bytes);
    // The bits that fill a bzip2 file's last byte mean nothing.
    if (failure !== "none" || at === whole.length - 1) expect(failure).toMatch(/^(none|archive\.)/);
    else expect(await membersOf(name, bytes)).toEqual(await membersOf(name, whole));
  }
});

test("it ends when it is no longer wanted", async () => {
  const abort = new AbortController();
  abort.abort(new Error("enough"));
  await expect(membersOf("two.txz", fixture("two.txz"), abort.signal)).rejects.toThrow("enough");
  await expect(membersOf("t.tar.bz2", fixture("t.tar.bz2"), abort.signal)).rejects.toThrow(
    "enough",
  );
});
