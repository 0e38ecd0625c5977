// Batches shared with a second thread: whatever it does with them, every file is told of once and in order.

import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import type { Thread, Threads } from "../../../core/ports/threads.ts";
import { convertFile } from "../../../core/resources/convert.ts";
import { ScanQueue } from "../../../core/resources/scan-queue.ts";
import { LineMatcher } from "../../../core/scan/match-lines.ts";
import { planPattern } from "../../../core/scan/plan.ts";
import { FileScanner } from "../../../core/scan/scan-files.ts";
import { claim, scanThread, type ThreadBatch } from "../../../core/scan/scan-thread.ts";

const count = 5_000;
const files = Object.fromEntries(
  Array.from({ length: count }, (_, i) => [`f${i}`, i % 7 === 0 ? "needle\nneedle\n" : "hay\n"]),
);
const host = memoryHost({ files });
const paths = Object.keys(files).map((name) => `/work/${name}`);
const expected = paths.map((path, i) => [path, i % 7 === 0 ? 2 : 0]);

function scanner() {
  const plan = planPattern("needle", { ignoreCase: false });
  return new FileScanner(new LineMatcher(plan, host.bytes), host, convertFile);
}

/** @param post what the other thread does with a message; @returns what was told, and the messages */
async function run(post: (message: unknown, thread: { isBroken: boolean }) => void) {
  const state = { isBroken: false, stops: 0 };
  const thread: Thread = {
    post: (message) => post(message, state),
    get isBroken() {
      return state.isBroken;
    },
    stop: () => void state.stops++,
  };
  let starts = 0;
  const threads: Threads = {
    start() {
      starts++;
      return thread;
    },
    turn: () => Promise.resolve(),
  };
  const told: [string, number][] = [];
  const queue = new ScanQueue(
    scanner(),
    threads,
    { pattern: "needle", ignoreCase: false },
    (path, outcome) => told.push([path, outcome]),
  );
  for (const path of paths) queue.add(path);
  await queue.finish(
    () => false,
    () => undefined,
  );
  queue.stop();
  return { told, starts, stops: state.stops };
}

test("a thread that does all it is given at once", async () => {
  const handle = scanThread(host, convertFile);
  const { told, starts, stops } = await run((message) => handle(message));
  expect(told).toEqual(expected as typeof told);
  expect([starts, stops]).toEqual([1, 1]);
});

test("a thread that does it some time later, the last first", async () => {
  const handle = scanThread(host, convertFile);
  const waiting: unknown[] = [];
  const { told } = await run((message) => {
    if (waiting.push(message) === 1) handle(waiting.pop());
    if (waiting.length === 3) while (waiting.length > 0) handle(waiting.pop());
  });
  expect(told).toEqual(expected as typeof told);
});

test("a thread that never does anything", async () => {
  const { told } = await run(() => {});
  expect(told).toEqual(expected as typeof told);
});

test("a thread that breaks down with a batch in hand", async () => {
  let messages = 0;
  const { told } = await run((message, thread) => {
    if (++messages !== 4) return;
    expect(claim((message as ThreadBatch).state)).toBe(true);
    thread.isBroken = true;
  });
  expect(told).toEqual(expected as typeof told);
});

test("few files need no thread", () => {
  let starts = 0;
  const threads: Threads = { start: () => void starts++, turn: () => Promise.resolve() };
  const queue = new ScanQueue(
    scanner(),
    threads,
    { pattern: "needle", ignoreCase: false },
    () => {},
  );
  for (const path of paths.slice(0, 300)) queue.add(path);
  expect(starts).toBe(0);
});
