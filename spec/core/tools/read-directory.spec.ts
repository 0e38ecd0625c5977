import { expect, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { type MemoryHost, memoryHost } from "../../../adapters/memory/host.ts";
import type { Session } from "../../../core/session/session.ts";
import { read } from "../../../core/tools/read.ts";

const now = 1_700_000_000_000;
const second = 1000;
const hour = 3600 * second;
const day = 24 * hour;

const file = (size: number, age: number): MemoryEntry => ({
  content: new Uint8Array(size),
  modified: now - age,
});
const folder = (age: number): MemoryEntry => ({ kind: "directory", modified: now - age });

async function show(host: MemoryHost, path: string, raw = false) {
  const notices: string[] = [];
  const data = await read.run({ path, plain: false, raw }, host, {
    cwd: "/work",
    signal: new AbortController().signal,
    options: { dryRun: false, partial: false, unlimited: true },
    notice: (text: string) => void notices.push(text),
    session: async () => ({ unsettled: async () => [] }) as unknown as Session,
  } as never);
  const rendered = read.render(data);
  const text = "text" in rendered ? rendered.text : new TextDecoder().decode(rendered.bytes);
  return { text, details: read.details(data), notices };
}

const many: Readonly<Record<string, MemoryEntry>> = {
  many: folder(second),
  ...Object.fromEntries(
    Array.from({ length: 20 }, (_, i) => [`many/f${i}`, file(i * 100, i * hour)]),
  ),
};

test("a folder is a tree of two levels, newest first", async () => {
  const host = memoryHost({
    now,
    files: {
      emptyd: folder(0),
      ...many,
      src: folder(2 * second),
      "src/deep": folder(4 * second),
      lib: folder(3 * second),
      "src/deep/hidden.txt": file(1, 0),
      "src/a.ts": file(2, 3 * second),
      "src/.git/HEAD": file(3, 0),
      "node_modules/x/y": file(3, 0),
      "lib/node_modules": file(1536, 40 * day),
      "old.bin": file(3_565_158, 800 * day),
    },
  });
  const { text, details } = await show(host, ".");
  expect(text).toBe(
    `.
  - emptyd/
  - many/
    - f0  0B        0s
    - f1  100B      1h
    - f2  200B      2h
    - f3  300B      3h
    - f4  400B      4h
    - f5  500B      5h
    - f6  600B      6h
    - f7  700B      7h
    - f8  800B      8h
    - f9  900B      9h
    - f10  1000B     10h
    - … 8 more
    - f19  1.9KB     19h
  - src/
    - a.ts  2B        3s
    - deep/
  - lib/
    - node_modules  1.5KB     1mo
  - old.bin  3.4MB     2y`,
  );
  expect(details).toEqual({
    meta: {
      source: "directory",
      sourcePath: "/work",
      limits: { perDirLimit: 12, totalLines: 22 },
    },
    isDirectory: true,
    resolvedPath: "/work",
    totalLines: 22,
    lines: [{ first: 1, last: 22 }],
  });
});

test("selectors slice the rows of a folder", async () => {
  const host = memoryHost({ now, files: many });

  expect((await show(host, "many:5-6")).text).toBe(
    `  - f2  200B      2h
  - f3  300B      3h
  - f4  400B      4h
  - f5  500B      5h
  - f6  600B      6h
  - f7  700B      7h

[12 lines remain; continue with :10]`,
  );
  expect((await show(host, "many:20")).text).toBe("  - f18  1.8KB     18h\n  - f19  1.9KB     19h");
  expect((await show(host, "many:2-3:raw")).text).toBe(
    "  - f0  0B        0s\n  - f1  100B      1h",
  );
  expect((await show(host, "many:99")).text).toBe(
    "Line 99 is beyond EOF: many has 21 lines; the last one is many:21",
  );
});

test("links are shown and not descended, special files named, an empty folder said", async () => {
  const host = memoryHost({
    now,
    files: {
      "real/x": file(5, 60 * second),
      "a/gone": { link: "nowhere" },
      "a/to": { link: "../real" },
      "a/up": { link: ".." },
      "a/top": { link: "/" },
      "a/file": { link: "../real/x" },
      "a/pipe": { kind: "fifo" },
      "a/line\nfeed": file(0, 5 * day),
      emptyd: folder(0),
    },
  });
  expect((await show(host, "a")).text.split("\n").toSorted()).toEqual([
    '  - "line\\nfeed"  0B        5d',
    "  - file -> ../real/x  5B        1m",
    "  - gone -> nowhere (missing)",
    "  - pipe  (fifo)",
    "  - to -> ../real/",
    "  - top -> /",
    "  - up -> ../",
    ".",
  ]);
  expect((await show(host, "emptyd")).text).toBe("(folder is empty)");
});

test("the root shows 500 entries and keeps the oldest; what is over 20,000 is only counted", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 501 }, (_, i) => [`b/${i}`, file(0, i * second)]),
  );
  const { text } = await show(memoryHost({ now, files }), "b");
  const rows = text.split("\n");
  expect(rows.length).toBe(502);
  expect(rows.slice(-3)).toEqual([
    "  - 498  0B        8m",
    "  - … 1 more",
    "  - 500  0B        8m",
  ]);
  const crowd = Object.fromEntries(
    Array.from({ length: 20_003 }, (_, i) => [`c/${i}`, file(0, i * second)]),
  );
  const shown = (await show(memoryHost({ now, files: crowd }), "c")).text.split("\n");
  expect(shown.slice(-3)).toEqual([
    expect.stringMatching(/^ {2}- \d+ {2}0B {8}5h$/),
    "",
    "[A folder has more than 20,000 entries: of the rest only the number is known]",
  ]);
  expect(shown.find((row) => row.includes("more"))).toBe("  - … 19503 more");
});

test("folders that cannot be listed say so, and time is bounded", async () => {
  const host = memoryHost({
    now,
    files: {
      "d/shut": folder(0),
      "d/late": folder(second),
      "d/late/y": file(0, 0),
    },
  });
  host.fs.fail("list", "/work/d/shut", "EACCES");
  expect((await show(host, "d")).text).toBe(
    ".\n  - shut/ (cannot be listed: EACCES)\n  - late/\n    - y  0B        0s",
  );
  host.fs.before("list", "/work/d/shut", () => host.clock.advance(6000));
  expect((await show(host, "d")).text).toBe(
    `.
  - shut/ (cannot be listed: EACCES)
  - late/ (not listed)

[Stopped after 5 s: folders marked "not listed" were not looked into]`,
  );
});
