// A line of waiting callers per name, within one process.

import type { Clock } from "../../core/ports/clock.ts";
import { LockTimeout } from "../../core/ports/locks.ts";

/** Resolves when the last in line has left. */
export type Queue = Promise<void>;

/**
 * Waits for all that came before.
 * @returns leaves the line
 * @throws LockTimeout, or the signal's reason
 */
export async function lineUp(
  queues: Map<string, Queue>,
  name: string,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<() => void> {
  const before = queues.get(name);
  const own = Promise.withResolvers<void>();
  const last = before ? follow(before, own.promise) : own.promise;
  queues.set(name, last);
  void forget(queues, name, last);
  if (!before) return own.resolve;
  try {
    await inTime(before, clock, timeoutMs, signal);
    return own.resolve;
  } catch (thrown) {
    own.resolve();
    throw thrown;
  }
}

async function follow(before: Queue, own: Queue): Promise<void> {
  await before;
  await own;
}

async function forget(queues: Map<string, Queue>, name: string, last: Queue): Promise<void> {
  await last;
  if (queues.get(name) === last) queues.delete(name);
}

async function inTime(
  promise: Promise<void>,
  clock: Clock,
  timeoutMs: number,
  signal: AbortSignal | undefined,
): Promise<void> {
  const done = new AbortController();
  const stop = signal ? AbortSignal.any([signal, done.signal]) : done.signal;
  const late = clock.sleep(Math.max(0, timeoutMs), stop).then(() => {
    throw new LockTimeout("another call of this process holds the lock");
  });
  try {
    await Promise.race([promise, late]);
  } finally {
    done.abort();
    late.catch(() => {});
  }
}
