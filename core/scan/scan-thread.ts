// The scanning of batches as a second thread does it, and what both threads know of a batch.

import { LineMatcher } from "./match-lines.ts";
import { planPattern } from "./plan.ts";
import { type Convert, FileScanner, type ScanPorts } from "./scan-files.ts";

/** The first message to a thread: what it looks for. */
export interface ThreadTask {
  readonly pattern: string;
  readonly ignoreCase: boolean;
}

/** Every message after it. */
export interface ThreadBatch {
  /** Absolute paths, with a NUL between two. */
  readonly paths: string;
  readonly state: BatchState;
}

/** Shared memory: who has the batch, then one outcome for each file. */
export type BatchState = Int32Array<SharedArrayBuffer>;

export const batchStatus = { free: 0, taken: 1, done: 2 } as const;

const STATUS = 0;

/** A batch for so many files. */
export function newBatch(files: number): BatchState {
  return new Int32Array(new SharedArrayBuffer(4 * (1 + files)));
}

export function statusOf(state: BatchState): number {
  return Atomics.load(state, STATUS);
}

/** @returns whether the batch is now the caller's: no one else may scan it */
export function claim(state: BatchState): boolean {
  const { free, taken } = batchStatus;
  return Atomics.compareExchange(state, STATUS, free, taken) === free;
}

export function scanBatch(
  scanner: FileScanner,
  paths: readonly string[],
  { buffer }: BatchState,
): void {
  scanner.scan(paths, new Int32Array(buffer, 4), 0);
}

export function finish(state: BatchState): void {
  Atomics.store(state, STATUS, batchStatus.done);
  Atomics.notify(state, STATUS);
}

/** Resolves once the batch is done, or after so many milliseconds. */
export async function untilDone(state: BatchState, milliseconds: number): Promise<void> {
  const waiting = Atomics.waitAsync(state, STATUS, batchStatus.taken, milliseconds);
  if (waiting.async) await waiting.value;
}

/** @returns what to do with each message, in the order in which they come */
export function scanThread(ports: ScanPorts, convert: Convert): (message: unknown) => void {
  let scanner: FileScanner | undefined;
  return (message) => {
    if (!scanner) {
      const { pattern, ignoreCase } = message as ThreadTask;
      const plan = planPattern(pattern, { ignoreCase });
      scanner = new FileScanner(new LineMatcher(plan, ports.bytes), ports, convert);
      return;
    }
    const { paths, state } = message as ThreadBatch;
    if (!claim(state)) return;
    scanBatch(scanner, paths.split("\0"), state);
    finish(state);
  };
}
