// The core as a library: whoever makes a host decides who shares what has been seen.

import { expect, test } from "bun:test";

import { type MemoryHost, memoryHost } from "../../adapters/memory/host.ts";
import { callTool, type Outcome } from "../../core/call.ts";
import { tagOf } from "../../core/hashline/tag.ts";
import { openSession } from "../../core/session/open.ts";
import { edit } from "../../core/tools/edit.ts";
import { write } from "../../core/tools/write.ts";
import { read } from "../../core/tools/read.ts";
import type { AnyTool } from "../../core/tool.ts";
import { callFor } from "../helpers/call.ts";

const text = "one\ntwo\n";
const tag = tagOf(text);
const script = `[a.txt#${tag}]\nreplace 2..2:\n+TWO\n`;

interface Library {
  readonly host: MemoryHost;
  call(tool: AnyTool, input: unknown): Promise<Outcome>;
}

async function library(host: MemoryHost, folder = "/home/me/state", id = "one"): Promise<Library> {
  const session = await openSession(host, { folder, id, notice: () => {} });
  return {
    host,
    call: (tool, input) =>
      callTool(tool, input, host, callFor({ cwd: host.env.cwd, session: async () => session }), {
        readOnly: false,
      }),
  };
}

const files = { "a.txt": text };

function code(outcome: Outcome): string | undefined {
  return outcome.ok ? undefined : outcome.error.code;
}

test("two hosts built separately share nothing: the tag of one authorises no edit in the other", async () => {
  const [first, second] = [
    await library(memoryHost({ files })),
    await library(memoryHost({ files })),
  ];
  expect(code(await first.call(read, { path: "a.txt" }))).toBeUndefined();
  expect(code(await second.call(edit, { input: script }))).toBe("edit.unknown_tag");
  expect(second.host.fs.text("/work/a.txt")).toBe(text);
  expect(code(await first.call(edit, { input: script }))).toBeUndefined();
  expect(first.host.fs.text("/work/a.txt")).toBe("one\nTWO\n");
  expect(second.host.fs.text("/work/a.txt")).toBe(text);
});

test("two hosts over one disk share nothing either, where each has a store of its own", async () => {
  const one = memoryHost({ files });
  const first = await library(one, "/home/me/first");
  const second = await library(sharing(one), "/home/me/second");
  expect(code(await first.call(read, { path: "a.txt" }))).toBeUndefined();
  expect(code(await second.call(edit, { input: script }))).toBe("edit.unknown_tag");
  expect(one.fs.text("/work/a.txt")).toBe(text);
});

test("two hosts that share a store share what their common session has seen", async () => {
  const one = memoryHost({ files });
  const [first, second] = [await library(one), await library(sharing(one))];
  expect(code(await first.call(read, { path: "a.txt" }))).toBeUndefined();
  expect(code(await second.call(edit, { input: script }))).toBeUndefined();
  expect(one.fs.text("/work/a.txt")).toBe("one\nTWO\n");
});

test("an observation gives leave to write where it was made, and where the store is shared", async () => {
  const input = { path: "a.txt", content: "mine\n" };
  const one = memoryHost({ files });
  const reader = await library(one);
  await reader.call(read, { path: "a.txt" });
  const apart = await library(memoryHost({ files }));
  expect(code(await apart.call(write, input))).toBe("file.conflict");
  const otherStore = await library(sharing(one), "/home/me/second");
  expect(code(await otherStore.call(write, input))).toBe("file.conflict");
  expect(one.fs.text("/work/a.txt")).toBe(text);
  const sameStore = await library(sharing(one));
  expect(code(await sameStore.call(write, input))).toBeUndefined();
  expect(one.fs.text("/work/a.txt")).toBe("mine\n");
});

test("sessions of one store stay apart", async () => {
  const one = memoryHost({ files });
  const first = await library(one);
  const other = await library(sharing(one), undefined, "two");
  expect(code(await first.call(read, { path: "a.txt" }))).toBeUndefined();
  expect(code(await other.call(edit, { input: script }))).toBe("edit.unknown_tag");
});

/** A host of its own, as another process would build it, over the same disk. */
function sharing({ fs, stores, locks }: MemoryHost): MemoryHost {
  return { ...memoryHost({ env: { pid: 4712 } }), fs, stores, locks };
}
