// Writes and edits that are cancelled at each of their calls: not begun, or carried through.

import { expect, test } from "bun:test";

import { type MemoryHost, memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import type { Fs } from "../../../core/ports/fs.ts";
import { openSession } from "../../../core/session/open.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { edit } from "../../../core/tools/edit.ts";
import { read } from "../../../core/tools/read.ts";
import { write } from "../../../core/tools/write.ts";
import { callFor } from "../../helpers/call.ts";

interface Cancelling {
  readonly host: MemoryHost;
  readonly signal: AbortSignal;
  /** The calls that were made before the cancellation. */
  readonly before: string[];
}

/** @param at the call below the working folder, from 1, before which the caller gives up */
function cancelling(host: MemoryHost, at: number): Cancelling {
  const controller = new AbortController();
  const before: string[] = [];
  let count = 0;
  const fs = new Proxy(host.fs, {
    get(target, name: keyof Fs) {
      const method = target[name] as unknown;
      if (typeof method !== "function") return method;
      return (...args: unknown[]) => {
        if (String(args[0]).startsWith("/work")) {
          if (++count === at) controller.abort();
          if (!controller.signal.aborted) before.push(name);
        }
        return (method as (...args: unknown[]) => unknown).apply(target, args);
      };
    },
  });
  return { host: { ...host, fs }, signal: controller.signal, before };
}

async function run(
  host: MemoryHost,
  tool: AnyTool,
  input: unknown,
  signal = new AbortController().signal,
): Promise<string> {
  const session = await openSession(host, {
    folder: "/home/me/state",
    id: "one",
    notice: () => {},
  });
  const call = callFor({ cwd: "/work", session: async () => session, signal });
  const outcome = await callTool(tool, input, host, call, { readOnly: false });
  if (!outcome.ok) return outcome.error.code;
  return "text" in outcome.rendered ? outcome.rendered.text : "";
}

const old = "one\ntwo\n";
const kinds: Readonly<
  Record<
    string,
    {
      readonly files: Readonly<Record<string, string>>;
      readonly wanted: Readonly<Record<string, string>>;
      call(headers: readonly string[]): readonly [AnyTool, unknown];
    }
  >
> = {
  "a write over a file": {
    files: { "d/f": old },
    wanted: { "d/f": "new\n" },
    call: () => [write, { path: "d/f", content: "new\n" }],
  },
  "a new file in new folders": {
    files: {},
    wanted: { "x/y/f": "new\n" },
    call: () => [write, { path: "x/y/f", content: "new\n" }],
  },
  "an edit of two files": {
    files: { "d/f": old, "e/g": old },
    wanted: { "d/f": "one\nTWO\n", "e/g": "one\nTWO\n" },
    call: (headers) => [
      edit,
      { input: headers.map((header) => `${header}\nreplace 2..2:\n+TWO\n`).join("") },
    ],
  },
};

for (const [what, { files, wanted, call }] of Object.entries(kinds)) {
  test(`${what}, cancelled at any call: nothing is begun, or all is done and said`, async () => {
    const ends = new Set<string>();
    for (let at = 1; ; at++) {
      const host = memoryHost({ files });
      const paths = () => host.fs.paths().filter((path) => path.startsWith("/work"));
      const headers: string[] = [];
      for (const path of Object.keys(files)) {
        headers.push((await run(host, read, { path })).split("\n")[0]!);
      }
      const found = paths();
      const stop = cancelling(host, at);
      const [tool, input] = call(headers);
      const answer = await run(stop.host, tool, input, stop.signal);
      const isDone = answer !== "aborted";
      const about = [at, stop.before.join(" "), answer];
      for (const [path, text] of Object.entries(isDone ? wanted : files)) {
        expect([...about, path, host.fs.text(`/work/${path}`)]).toEqual([...about, path, text]);
      }
      if (!isDone) expect([...about, paths()]).toEqual([...about, found]);
      // From the first byte that is staged on, it is carried through.
      if (stop.before.includes("create")) expect([...about, isDone]).toEqual([...about, true]);
      ends.add(isDone ? "done" : "aborted");
      if (!stop.signal.aborted) break;
      if (!isDone) continue;
      // What landed is known to be this session's own.
      for (const path of Object.keys(wanted)) {
        expect(await run(host, write, { path, content: "again\n" })).toContain("Successfully");
      }
    }
    expect([...ends].sort()).toEqual(["aborted", "done"]);
  });
}
