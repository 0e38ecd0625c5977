import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import type { Policy } from "../../../core/policy.ts";
import { openSession } from "../../../core/session/open.ts";
import { read } from "../../../core/tools/read.ts";
import { callFor } from "../../helpers/call.ts";

const before = "one\ntwo\n";
const torn = "one\nTW";
const path = "/work/a.txt";

const table: readonly (readonly [string, Policy, string, string])[] = [
  [
    "puts a torn file back",
    { readOnly: false },
    before,
    "a.txt had been left half-written by a process that died; its content from before is back.",
  ],
  [
    "puts it back where the plan lets it be written",
    { readOnly: false, plan: [path] },
    before,
    "a.txt had been left half-written by a process that died; its content from before is back.",
  ],
  [
    "leaves it in read-only mode, and says so",
    { readOnly: true },
    torn,
    "a.txt was left half-written by a process that died. Read-only mode: read was refused, since it would write files. Nothing was written.",
  ],
  [
    "leaves it outside the plan, and says so",
    { readOnly: false, plan: ["/work/notes"] },
    torn,
    "a.txt was left half-written by a process that died. Plan mode: read was refused, since it would write a.txt, outside the allowed paths. Allowed: notes. Nothing was written.",
  ],
];

test.each(table)("a read %s", async (_, policy, left, notice) => {
  const host = memoryHost({ files: { "a.txt": before } });
  const notices: string[] = [];
  const tell = (text: string) => void notices.push(text.replaceAll(path, "a.txt"));
  const session = await openSession(host, { folder: "/home/me/state", id: "one", notice: tell });
  const image = (text: string) => ({ bytes: new TextEncoder().encode(text), mode: 0o644 });
  await session.beginChanges("edit", [
    {
      path,
      before: image(before),
      after: image("one\nTWO\n"),
      seen: undefined,
      fromHash: undefined,
      map: undefined,
      inPlace: true,
    },
  ]);
  host.fs.put(path, torn);
  const call = callFor({ cwd: "/work", session: async () => session, notice: tell });
  const outcome = await callTool(read, { path: "a.txt" }, host, call, policy);
  expect(outcome.ok).toBe(true);
  expect(host.fs.text(path)).toBe(left);
  expect(notices).toEqual([notice]);
});
