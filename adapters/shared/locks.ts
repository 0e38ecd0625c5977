// Locks as write locks on small SQLite databases that stay empty: the kernel frees them when their holder dies.

import { xxhash32 } from "../../core/hashline/xxhash32.ts";
import type { Clock } from "../../core/ports/clock.ts";
import { type Locks, LockTimeout } from "../../core/ports/locks.ts";
import { StoreError } from "../../core/ports/store.ts";

import { errnoOf } from "./errno.ts";
import { makePrivate } from "./private-file.ts";
import { lineUp, type Queue } from "./queue.ts";
import { backoff, isBusy, openDatabase } from "./sqlite.ts";

/** Bounds the files of a folder. Keys of one shard exclude each other too, which costs a wait and nothing more. */
const SHARDS = 1024;

export function sqliteLocks(clock: Clock): Locks {
  // Callers of one process wait here, first come first served, instead of asking the system again and again.
  const queues = new Map<string, Queue>();

  return {
    async acquire(folder, keys, { timeoutMs, signal }) {
      signal?.throwIfAborted();
      const deadline = performance.now() + timeoutMs;
      const names = new Set(keys.map((key) => fileOf(key)));
      const held: (() => void)[] = [];
      function release() {
        for (const free of held.splice(0).toReversed()) free();
      }
      try {
        for (const name of [...names].sort()) {
          const file = `${folder}/${name}`;
          held.push(await lineUp(queues, file, clock, deadline - performance.now(), signal));
          held.push(await take(file, { clock, deadline, signal }));
        }
        return release;
      } catch (thrown) {
        release();
        throw thrown;
      }
    },
  };
}

/** A few plain words name a lock of the program's own, which must not meet a file's by chance: it has its own file. */
function fileOf(key: string): string {
  if (/^[a-z][a-z ]{0,30}$/.test(key)) return `${key.replaceAll(" ", "-")}.lock`;
  const shard = xxhash32(new TextEncoder().encode(key)) % SHARDS;
  return `${String(shard).padStart(4, "0")}.lock`;
}

interface Wait {
  readonly clock: Clock;
  /** In the time of performance.now(). */
  readonly deadline: number;
  readonly signal: AbortSignal | undefined;
}

async function take(file: string, { clock, deadline, signal }: Wait): Promise<() => void> {
  const database = openLock(file);
  try {
    // A journal on disk would be left behind by a killed holder.
    database.get("PRAGMA journal_mode=MEMORY");
    for (let tries = 0; ; tries++) {
      try {
        database.run("BEGIN IMMEDIATE");
        return () => database.close();
      } catch (thrown) {
        if (!isBusy(thrown)) throw thrown;
      }
      const left = deadline - performance.now();
      if (left <= 0) throw new LockTimeout(`another process holds the lock "${file}"`);
      await clock.sleep(Math.min(left, backoff(tries)), signal);
    }
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

function openLock(file: string) {
  try {
    if (makePrivate(file) === undefined) {
      throw new StoreError("corrupt", `the lock "${file}" is not a regular file`);
    }
  } catch (thrown) {
    const code = errnoOf(thrown);
    if (code === undefined) throw thrown;
    throw new StoreError("unavailable", `the lock "${file}" cannot be made: ${code}`, {
      cause: thrown,
    });
  }
  return openDatabase(file, 0);
}
