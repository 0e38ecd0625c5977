import { expect, test } from "bun:test";

import fc from "fast-check";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { createCleaner } from "../../../core/shell/clean.ts";
import type { Task } from "../../../core/tasks/find.ts";
import { readOutput } from "../../../core/tasks/observe.ts";
import type { TaskState } from "../../../core/tasks/state.ts";

const id = `task_${"0".repeat(32)}`;
const about = { id, session: "s", command: "c", cwd: "/", shell: "sh", timeoutSeconds: 1, at: 0 };
const task: Task = { id, folder: `/t/${id}`, about };
const running: TaskState = { kind: "running" };

function settled(outputBytes: number): TaskState {
  const ending = { how: "exit", code: 0 } as const;
  const record = { at: 0, ending, wallTime: 0, hasTerminal: false, left: [], outputBytes };
  return { kind: "settled", record, isCancelled: false };
}

/** What begins, fills and ends escape sequences, and characters of several bytes. */
const tokens = [
  "\u001b",
  "[",
  "]",
  "\\",
  "m",
  "\u0007",
  "\r",
  "\n",
  "\u009b",
  "\u00a0",
  "€",
  "😀",
  "3",
];
const token = fc.constantFrom(...tokens);

test("whatever the offsets, the pieces of an output are the whole of it", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(token, { maxLength: 60 }),
      fc.array(fc.nat(60), { maxLength: 8 }),
      async (written, cuts) => {
        const all = new TextEncoder().encode(written.join(""));
        const sizes = [...cuts.filter((cut) => cut < all.length), all.length];
        const cleaner = createCleaner();
        const clean = [...cleaner.push(all), ...cleaner.finish()];
        const host = memoryHost({ files: {} });
        let text = "";
        let offset = 0;
        for (const [at, size] of sizes.toSorted((a, b) => a - b).entries()) {
          host.fs.put(`${task.folder}/output.log`, all.slice(0, size));
          const state = at === sizes.length - 1 ? settled(size) : running;
          const output = await readOutput(task, state, { offset, fs: host.fs });
          expect([output.from, output.total]).toEqual([offset, size]);
          text += output.text;
          offset = output.to;
        }
        expect(text).toBe(
          new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(clean)),
        );
        expect(offset).toBe(all.length);
      },
    ),
    { numRuns: 2_000 },
  );
});

test("the last line is no output, and shows only as such once the task has ended", async () => {
  const host = memoryHost({ files: {} });
  const line = "[ended: exit code 0, after 0.1 s]\n";
  const path = `${task.folder}/output.log`;
  const seen = async (log: string, state: TaskState, offset = 0) => {
    host.fs.put(path, log);
    const { text, to, total } = await readOutput(task, state, { offset, fs: host.fs });
    return [text, to, total];
  };
  expect(await seen(`a${line}`, running)).toEqual(["a", 1, 1]);
  expect(await seen(`a\n${line}`, running)).toEqual(["a", 1, 1]);
  expect(await seen(`a\n${line}`, settled(2))).toEqual(["a\n", 2, 2]);
  expect(await seen(`a\n${line}`, settled(2), 1)).toEqual(["\n", 2, 2]);
  expect(await seen(`a\n${line}b`, running)).toEqual([`a\n${line}b`, 37, 37]);
  expect(await seen(line, running)).toEqual(["", 0, 0]);
});
