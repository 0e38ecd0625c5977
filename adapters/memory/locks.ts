import type { Clock } from "../../core/ports/clock.ts";
import type { Fs } from "../../core/ports/fs.ts";
import type { Locks } from "../../core/ports/locks.ts";
import { StoreError } from "../../core/ports/store.ts";

import { lineUp, type Queue } from "../shared/queue.ts";

/** Locks among the callers of one host, in the order in which they came. */
export function memoryLocks(fs: Pick<Fs, "stat">, clock: Clock): Locks {
  const queues = new Map<string, Queue>();
  return {
    async acquire(folder, keys, { timeoutMs, signal }) {
      signal?.throwIfAborted();
      if ((await fs.stat(folder))?.kind !== "directory") {
        throw new StoreError("unavailable", `there is no folder "${folder}" for locks`);
      }
      const deadline = clock.now() + timeoutMs;
      const held: (() => void)[] = [];
      function release() {
        for (const leave of held.splice(0)) leave();
      }
      try {
        for (const key of [...new Set(keys)].sort()) {
          const left = deadline - clock.now();
          held.push(await lineUp(queues, `${folder}\0${key}`, clock, left, signal));
        }
        return release;
      } catch (thrown) {
        release();
        throw thrown;
      }
    },
  };
}
