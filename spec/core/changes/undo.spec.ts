// A logged change taken back over a file system in memory: exactly, merged, or not at all.

import { describe, expect, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { type MemoryHost, memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import { undoGroup, type UndoneFile } from "../../../core/changes/undo.ts";
import { AtomicError } from "../../../core/errors.ts";
import { ledgerOf } from "../../../core/session/ledger.ts";
import { openSession } from "../../../core/session/open.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { edit } from "../../../core/tools/edit.ts";
import { read } from "../../../core/tools/read.ts";
import { write } from "../../../core/tools/write.ts";
import { callFor } from "../../helpers/call.ts";
import { faultyHost, Killed } from "../../helpers/faults.ts";

async function place(files: Readonly<Record<string, MemoryEntry>>, host = memoryHost({ files })) {
  const session = await openSession(host, {
    folder: "/home/me/state",
    id: "one",
    notice: () => {},
  });
  const call = callFor({ cwd: "/work", session: async () => session });
  async function run(tool: AnyTool, input: unknown): Promise<string> {
    const outcome = await callTool(tool, input, host, call, { readOnly: false });
    if (!outcome.ok) throw outcome.error;
    return "text" in outcome.rendered ? outcome.rendered.text : "";
  }
  return {
    host,
    text: (path: string) => host.fs.text(`/work/${path}`),
    write: (path: string, content: string) => run(write, { path, content }),
    read: (path: string) => run(read, { path }),
    async edit(path: string, ...lines: string[]) {
      const header = (await run(read, { path })).split("\n")[0];
      await run(edit, { input: [header, ...lines, ""].join("\n") });
    },
    raw: (input: string) => run(edit, { input }),
    ledger: async () => ledgerOf(await session.history()),
    /** The k-th newest change, from 0. */
    async undo(k = 0, tool: "undo" | "redo" = "undo"): Promise<readonly UndoneFile[]> {
      const group = (await session.history())[k]!;
      return undoGroup(group, {
        ports: host,
        session,
        cwd: "/work",
        dryRun: false,
        signal: new AbortController().signal,
        tool,
        notice: () => {},
      });
    },
  };
}

const ten = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n";

test("an edit is taken back byte for byte, its mode too, and the undo is one to take back", async () => {
  const it = await place({
    "a.txt": { content: `\ufeff${ten.replaceAll("\n", "\r\n")}`, mode: 0o640 },
  });
  const before = it.text("a.txt");
  await it.edit("a.txt", "replace 2..3:", "+#!/bin/sh");
  const [file] = await it.undo();
  expect([it.text("a.txt"), file!.outcome]).toEqual([before, "restored"]);
  expect(file!.preview).toContain("*2:2\n*3:3");
  await it.undo(0, "redo");
  expect(it.text("a.txt")).toBe(before!.replace("2\r\n3\r\n", "#!/bin/sh\r\n"));
  expect((await it.ledger()).map(({ tool, depth, undoneBy }) => [tool, depth, undoneBy])).toEqual([
    ["redo", 2, undefined],
    ["undo", 1, expect.any(String)],
    ["edit", 0, undefined],
  ]);
});

test("a file that a write made is removed with the folders made for it, and comes back", async () => {
  const it = await place({ "kept/x": "x" });
  await it.write("new/deep/run.sh", "#!/bin/sh\n");
  await it.write("kept/y", "y\n");
  await it.undo(1);
  expect(await it.host.fs.stat("/work/new")).toBeUndefined();
  await it.undo(1);
  expect([it.text("kept/y"), it.text("kept/x")]).toEqual([undefined, "x"]);
  await it.undo(1, "redo");
  expect(it.text("new/deep/run.sh")).toBe("#!/bin/sh\n");
  expect((await it.host.fs.stat("/work/new/deep/run.sh"))?.mode).toBe(0o755);
});

test("a folder made for a file stays where something else is in it", async () => {
  const it = await place({});
  await it.write("new/deep/a", "a\n");
  it.host.fs.put("/work/new/b", "theirs");
  await it.undo();
  expect([await it.host.fs.stat("/work/new/deep"), it.text("new/b")]).toEqual([
    undefined,
    "theirs",
  ]);
});

test("an overwrite and the execute bits it gave are both taken back", async () => {
  const it = await place({ a: { content: "old\n", mode: 0o604 } });
  await it.read("a");
  await it.write("a", "#!/bin/sh\n");
  expect((await it.host.fs.stat("/work/a"))?.mode).toBe(0o715);
  await it.undo();
  expect([it.text("a"), (await it.host.fs.stat("/work/a"))?.mode]).toEqual(["old\n", 0o604]);
});

test("several files of one edit go back together, or not at all", async () => {
  const it = await place({ a: "a\n", b: "b\n" });
  const tags = [await it.read("a"), await it.read("b")].map((text) => text.split("\n")[0]);
  await it.raw(`${tags[0]}\nreplace 1..1:\n+A\n${tags[1]}\nreplace 1..1:\n+B\n`);
  it.host.fs.put("/work/b", "theirs\n");
  await expect(it.undo()).rejects.toThrow("FILE_MUTATION_CONFLICT:changed_since_observation b");
  expect([it.text("a"), it.text("b")]).toEqual(["A\n", "theirs\n"]);
  it.host.fs.put("/work/b", "B\n");
  await it.undo();
  expect([it.text("a"), it.text("b")]).toEqual(["a\n", "b\n"]);
});

describe("where the file has moved on", () => {
  test("lines far away stay, and the lines of the change go back", async () => {
    const it = await place({ a: ten });
    await it.edit("a", "replace 9..9:", "+nine", "+and more");
    it.host.fs.put("/work/a", `zero\r\n${it.text("a")}`);
    const [file] = await it.undo();
    expect([it.text("a"), file!.outcome]).toEqual([`zero\r\n${ten}`, "merged"]);
  });

  test("lines next to it are no obstacle where this session changed them itself", async () => {
    const it = await place({ a: ten });
    await it.edit("a", "replace 4..4:", "+four");
    await it.edit("a", "replace 5..5:", "+five", "+and a half");
    await it.edit("a", "delete 1");
    await it.undo(2);
    expect(it.text("a")).toBe("2\n3\n4\nfive\nand a half\n6\n7\n8\n9\n10\n");
  });

  const refused: readonly (readonly [string, string])[] = [
    ["the lines themselves", "1\n2\n3\n4\nFIVE!\n6\n7\n8\n9\n10\n"],
    ["a line next to them", "1\n2\n3\nfour\nFIVE\n6\n7\n8\n9\n10\n"],
    [
      "which of two twins it was",
      "1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n10\n1\n2\n3\n4\nFIVE\n6\n7\n8\n9\n10\n",
    ],
  ];
  for (const [what, content] of refused) {
    test(`it is refused if that is ${what}`, async () => {
      const it = await place({ a: ten });
      await it.edit("a", "replace 5..5:", "+FIVE");
      it.host.fs.put("/work/a", content);
      await expect(it.undo()).rejects.toThrow("FILE_MUTATION_CONFLICT:changed_since_observation a");
      expect(it.text("a")).toBe(content);
    });
  }

  test("a file that is gone, or was made and then changed, is left alone", async () => {
    const it = await place({ a: ten });
    await it.edit("a", "delete 1");
    it.host.fs.drop("/work/a");
    await expect(it.undo()).rejects.toThrow("Reason: the file is gone.");
    await it.write("new", "mine\n");
    it.host.fs.put("/work/new", "mine\nand theirs\n");
    await expect(it.undo()).rejects.toThrow(
      "Reason: it was made by the change and has been changed since.",
    );
    expect(it.text("new")).toBe("mine\nand theirs\n");
    it.host.fs.put("/work/new", "mine\n");
    await it.undo();
    it.host.fs.put("/work/new", "theirs\n");
    await expect(it.undo(0, "redo")).rejects.toThrow("Reason: a file is there again");
  });

  test("a mode that was set since stays", async () => {
    const it = await place({ a: { content: "old\n", mode: 0o644 } });
    await it.read("a");
    await it.write("a", "#!/bin/sh\n");
    await it.host.fs.setMode("/work/a", 0o700);
    await it.undo();
    expect([it.text("a"), (await it.host.fs.stat("/work/a"))?.mode]).toEqual(["old\n", 0o700]);
  });
});

test("without a final newline before or after, lines are never glued together", async () => {
  const it = await place({ a: "1\n2\n3\n4\n5\n6\n7\n8\n9" });
  await it.edit("a", "insert tail:", "+10");
  it.host.fs.put("/work/a", `0\n${it.text("a")}`);
  await it.undo();
  expect(it.text("a")).toBe("0\n1\n2\n3\n4\n5\n6\n7\n8\n9");
});

describe("faults", () => {
  const old = "old\n".repeat(40);
  const wanted = "new\n".repeat(60);
  const kinds: Readonly<Record<string, (host: MemoryHost) => Promise<string | undefined>>> = {
    async "an overwritten file"(host) {
      host.fs.put("/work/d/f", old);
      const it = await place({}, host);
      await it.read("d/f");
      await it.write("d/f", wanted);
      return old;
    },
    async "a new file"(host) {
      await (await place({}, host)).write("d/f", wanted);
      return undefined;
    },
  };
  for (const [what, make] of Object.entries(kinds)) {
    for (const fault of ["EIO", "ENOSPC", "EACCES", "EINTR", "EROFS", "kill"]) {
      test(`${what}, ${fault} at any call: undone or as it was`, async () => {
        const hits = new Set<string>();
        for (let at = 1; ; at++) {
          const host = memoryHost();
          const target = await make(host);
          const faulty = faultyHost(host, fault, at);
          const it = await place({}, faulty.host);
          let isDone = false;
          try {
            await it.undo();
            isDone = true;
          } catch (thrown) {
            if (!(thrown instanceof Killed) && !(thrown instanceof AtomicError)) throw thrown;
          }
          const hit = faulty.hit();
          const found = host.fs.text("/work/d/f");
          if (fault === "kill") expect([target, wanted]).toContain(found);
          else
            expect([at, hit, isDone, found]).toEqual([at, hit, isDone, isDone ? target : wanted]);
          if (hit === undefined) break;
          hits.add(hit);
        }
        expect(hits.size).toBeGreaterThan(3);
      });
    }
  }
});
