import type { Clock } from "../../core/ports/clock.ts";

/** A clock that stands still but for what is waited for: then it jumps to when the first sleeper wakes. */
export interface MemoryClock extends Clock {
  set(milliseconds: number): void;
  advance(milliseconds: number): void;
}

interface Sleeper {
  readonly due: number;
  wake(): void;
}

export function memoryClock(start: number): MemoryClock {
  let now = start;
  let isPumping = false;
  const sleepers: Sleeper[] = [];

  /** Lets everything that can go on without time go on first. */
  function pump(): void {
    isPumping = true;
    setTimeout(() => {
      isPumping = false;
      const first = sleepers.sort((one, other) => one.due - other.due).shift();
      if (!first) return;
      now = Math.max(now, first.due);
      first.wake();
      if (sleepers.length > 0) pump();
    }, 0);
  }

  return {
    now: () => now,
    set: (milliseconds) => void (now = milliseconds),
    advance: (milliseconds) => void (now += milliseconds),
    sleep(milliseconds, signal) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      if (signal?.aborted) {
        reject(signal.reason);
        return promise;
      }
      const sleeper: Sleeper = {
        due: now + milliseconds,
        wake() {
          signal?.removeEventListener("abort", stop);
          resolve();
        },
      };
      function stop() {
        const index = sleepers.indexOf(sleeper);
        if (index >= 0) sleepers.splice(index, 1);
        reject(signal!.reason);
      }
      signal?.addEventListener("abort", stop, { once: true });
      sleepers.push(sleeper);
      if (!isPumping) pump();
      return promise;
    },
  };
}
