// Edits of several files whose file system fails, or whose process dies, at each of their calls.

import { expect, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { type MemoryHost, memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import { openSession } from "../../../core/session/open.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { edit } from "../../../core/tools/edit.ts";
import { read } from "../../../core/tools/read.ts";
import { callFor } from "../../helpers/call.ts";
import { faultyHost, Killed } from "../../helpers/faults.ts";

const old = "old\n".repeat(40);
const wanted = `new\n${"old\n".repeat(39)}`;
const kinds: Readonly<Record<string, Readonly<Record<string, MemoryEntry>>>> = {
  "three files": { "d/a": old, "d/b": old, "e/c": old },
  "a file that must be written in place between two others": {
    "d/a": old,
    s: { kind: "directory", mode: 0o555 },
    "s/b": { content: old, uid: 2000, mode: 0o666 },
    "e/c": old,
  },
};

async function run(host: MemoryHost, tool: AnyTool, input: unknown): Promise<string> {
  const session = await openSession(host, {
    folder: "/home/me/state",
    id: "one",
    notice: () => {},
  });
  const call = callFor({ cwd: "/work", session: async () => session });
  const outcome = await callTool(tool, input, host, call, { readOnly: false });
  if (outcome.ok) {
    const { rendered } = outcome;
    return "text" in rendered ? rendered.text : new TextDecoder().decode(rendered.bytes);
  }
  if (outcome.error.cause instanceof Killed) return "killed";
  return `${outcome.error.code}: ${outcome.error.message}`;
}

for (const [what, files] of Object.entries(kinds)) {
  const names = Object.keys(files).filter((name) => name.includes("/"));
  for (const fault of ["EIO", "ENOSPC", "EACCES", "EINTR", "EROFS", "kill"]) {
    test(`${what}, ${fault} at any call: each old or new, and the answer says which`, async () => {
      const hits = new Set<string>();
      for (let at = 1; ; at++) {
        const host = memoryHost({ files });
        const headers: string[] = [];
        for (const path of names) headers.push((await run(host, read, { path })).split("\n")[0]!);
        const faulty = faultyHost(host, fault, at);
        const input = headers.map((header) => `${header}\nreplace 1..1:\n+new\n`).join("");
        const answer = await run(faulty.host, edit, { input });
        const hit = faulty.hit();
        const about = [at, hit, answer];
        expect([...about, answer.startsWith("internal") && fault !== "kill"]).toEqual([
          ...about,
          false,
        ]);
        if (fault === "kill" && hit !== undefined) {
          // The next process mends what was torn.
          for (const path of names) {
            const shown = await run(host, read, { path: `${path}:raw` });
            expect([...about, path, [old, wanted].includes(shown)]).toEqual([...about, path, true]);
          }
        } else {
          const isDone = answer.startsWith("[");
          for (const path of names) {
            const isWritten =
              isDone ||
              (/Sections already written: (.*?)\./.exec(answer)?.[1] ?? "").includes(path);
            expect([...about, path, host.fs.text(`/work/${path}`)]).toEqual([
              ...about,
              path,
              isWritten ? wanted : old,
            ]);
          }
          const stray = host.fs.paths().filter((path) => path.endsWith(".tmp"));
          // What cannot be removed stays, and the next write in the folder sweeps it.
          if (hit !== "remove") expect([...about, stray]).toEqual([...about, []]);
        }
        if (hit === undefined) break;
        hits.add(hit);
      }
      expect(hits.size).toBeGreaterThan(5);
    });
  }
}
