// Random histories of writes and edits, taken back one by one and done again: every state on the way comes back.

import { expect, test } from "bun:test";
import fc from "fast-check";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import { undoGroup } from "../../../core/changes/undo.ts";
import { isStanding, ledgerOf } from "../../../core/session/ledger.ts";
import { openSession } from "../../../core/session/open.ts";
import type { AnyTool } from "../../../core/tool.ts";
import { edit } from "../../../core/tools/edit.ts";
import { read } from "../../../core/tools/read.ts";
import { write } from "../../../core/tools/write.ts";
import { callFor } from "../../helpers/call.ts";

const names = ["a", "b", "d/c", "d/e/f", "g h/\ni"];
const name = fc.constantFrom(...names);
const row = fc.constantFrom("", "x", "y", "  {", "}", "é", "#! z", "a\tb");
const ending = fc.constantFrom("\n", "\n", "\r\n", "\r");
const content = fc
  .tuple(
    fc.constantFrom("", "", "\ufeff", "#!/bin/sh\n"),
    fc.array(fc.tuple(row, ending), { maxLength: 8 }),
    row,
  )
  .map(([first, rows, last]) => first + rows.flat().join("") + last);
const operation = fc.record({ kind: fc.nat(4), at: fc.nat(20), length: fc.nat(3), row });
const step = fc.oneof(
  fc.record({ do: fc.constant("write" as const), name, content }),
  fc.record({
    do: fc.constant("edit" as const),
    parts: fc.uniqueArray(fc.tuple(name, fc.array(operation, { minLength: 1, maxLength: 3 })), {
      selector: ([of]) => of,
      minLength: 1,
      maxLength: 3,
    }),
  }),
);

type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never;

function lineOf({ kind, at, length, row: text }: Operation, count: number): string {
  const n = 1 + (at % Math.max(1, count));
  const m = Math.min(Math.max(1, count), n + length);
  switch (kind) {
    case 0:
      return `replace ${n}..${m}:\n+${text}\n+${text}2`;
    case 1:
      return `delete ${n}..${m}`;
    case 2:
      return `insert before ${n}:\n+${text}`;
    case 3:
      return `insert tail:\n+${text}`;
    default:
      return `insert head:\n+${text}`;
  }
}

test("what is undone to the first change and redone to the last is what it was at each of them", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 10 }), async (steps) => {
      const host = memoryHost({ files: { a: "1\n2\n3\n", "d/c": { content: "x", mode: 0o755 } } });
      const session = await openSession(host, {
        folder: "/home/me/state",
        id: "one",
        notice: () => {},
      });
      async function run(tool: AnyTool, input: unknown): Promise<string | undefined> {
        const call = callFor({ cwd: "/work", session: async () => session });
        const outcome = await callTool(tool, input, host, call, { readOnly: false });
        if (outcome.ok) return "text" in outcome.rendered ? outcome.rendered.text : "";
        expect(outcome.error.code).not.toBe("internal");
        return undefined;
      }
      async function state(): Promise<unknown> {
        const files = host.fs.paths().filter((path) => path.startsWith("/work/"));
        return Promise.all(
          files.map(async (path) => {
            const stat = await host.fs.lstat(path);
            return [path, stat?.kind, stat?.mode, host.fs.text(path)];
          }),
        );
      }
      async function newest(action: "undo" | "redo"): Promise<void> {
        const depth = action === "undo" ? 0 : 1;
        const group = ledgerOf(await session.history()).find(
          (entry) => entry.depth === depth && isStanding(entry),
        );
        await undoGroup(group!, {
          ports: host,
          session,
          cwd: "/work",
          dryRun: false,
          signal: new AbortController().signal,
          tool: action,
          notice: () => {},
        });
      }

      const states = [await state()];
      for (const each of steps) {
        const logged = (await session.history()).length;
        if (each.do === "write") {
          await run(read, { path: each.name });
          await run(write, { path: each.name, content: each.content });
        } else {
          let input = "";
          for (const [path, operations] of each.parts) {
            const header = (await run(read, { path }))?.split("\n")[0];
            if (!header?.startsWith("[")) continue;
            const count = (host.fs.text(`/work/${path}`) ?? "").split(/\r\n?|\n/).length - 1;
            input += `${header}\n${operations.map((op) => lineOf(op, count)).join("\n")}\n`;
          }
          if (input !== "") await run(edit, { input });
        }
        if ((await session.history()).length > logged) states.push(await state());
      }
      for (let i = states.length - 2; i >= 0; i--) {
        await newest("undo");
        expect(await state()).toEqual(states[i]);
      }
      for (let i = 1; i < states.length; i++) {
        await newest("redo");
        expect(await state()).toEqual(states[i]);
      }
    }),
    { numRuns: Number(process.env["RUNS"] ?? 30) },
  );
}, 120_000);
