import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { CAP_MARKER, openSpill } from "../../../core/persist/spill.ts";
import { nodeFs } from "../../../adapters/shared/fs.ts";
import { inFolder } from "../../helpers/folder.ts";

const CAP = 67_108_864;
const marker = `\n${CAP_MARKER}\n`;

async function spilled(
  pieces: readonly Uint8Array[],
  { reserve = 0, last }: { readonly reserve?: number; readonly last?: string } = {},
): Promise<{ readonly bytes: Buffer; readonly isCut: boolean }> {
  return inFolder(async (folder) => {
    const spill = await openSpill(`${folder}/log`, nodeFs(), reserve);
    for (const piece of pieces) await spill.write(piece);
    await spill.finish(last);
    await spill.finish(last);
    const bytes = Buffer.from(await Bun.file(`${folder}/log`).bytes());
    return { bytes, isCut: spill.isCut };
  });
}

test("the marker is the seed's", () => {
  expect(CAP_MARKER).toBe("[Output truncated: persisted-output cap of 67108864 bytes reached]");
});

test("output of exactly the cap is kept whole", async () => {
  const half = new Uint8Array(CAP / 2).fill(0x78);
  const { bytes, isCut } = await spilled([half, half.subarray(5), half.subarray(0, 5)]);
  expect([bytes.length, isCut, bytes.at(-1)]).toEqual([CAP, false, 0x78]);
});

test("one byte more is cut, within the cap, with the marker on a line of its own", async () => {
  const half = new Uint8Array(CAP / 2).fill(0x78);
  const { bytes, isCut } = await spilled([half, half, Uint8Array.of(0x79), half]);
  expect(isCut).toBe(true);
  expect(bytes.length).toBeLessThanOrEqual(CAP);
  expect(bytes.length).toBeGreaterThan(CAP - 8);
  expect(bytes.subarray(-marker.length - 1).toString()).toBe(`x${marker}`);
});

test("no character is split, wherever the pieces end; bytes that are no text stay", async () => {
  const room = CAP - marker.length - 3;
  for (const before of [1, 2, 3]) {
    const lead = new Uint8Array(room - before).fill(0x78);
    const emoji = new TextEncoder().encode("😀".repeat(40));
    for (const cut of [1, 2, 3, 5]) {
      const { bytes } = await spilled([lead, emoji.subarray(0, cut), emoji.subarray(cut)]);
      const end = bytes.subarray(room - before, -marker.length);
      expect(end.toString()).toBe("😀");
    }
  }
  const binary = new Uint8Array(CAP + 100).fill(0xff);
  const { bytes } = await spilled([binary]);
  expect(bytes.subarray(-marker.length).toString()).toBe(marker);
  expect(bytes.subarray(0, -marker.length).every((byte) => byte === 0xff)).toBe(true);
});

test("the last line has room, and a line of its own", async () => {
  const half = new Uint8Array(CAP / 2).fill(0x78);
  const { bytes } = await spilled([half, half, half], { reserve: 100, last: "[ended]" });
  expect(bytes.length).toBeLessThanOrEqual(CAP);
  expect(bytes.subarray(-marker.length - 8).toString()).toBe(`${marker}[ended]\n`);
  const short = await spilled([Buffer.from("a")], { last: "[ended]" });
  expect(short.bytes.toString()).toBe("a\n[ended]\n");
  expect((await spilled([], { last: "[ended]" })).bytes.toString()).toBe("[ended]\n");
});

test("a planted name is refused, be it a file or a link", async () => {
  const host = memoryHost({ files: { "/t/log": "x", "/t/link": { link: "/work/target" } } });
  for (const name of ["log", "link"]) {
    await expect(openSpill(`/t/${name}`, host.fs)).rejects.toThrow("EEXIST");
  }
  expect(host.fs.text("/t/log")).toBe("x");
  expect(host.fs.paths()).not.toContain("/work/target");
});
