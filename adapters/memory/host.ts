// A whole host in memory, for tests: everything it does follows from its options, and anything can be made to fail.

import type { Env } from "../../core/ports/env.ts";
import type { Grammars } from "../../core/ports/grammars.ts";
import type { Http } from "../../core/ports/http.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Random } from "../../core/ports/random.ts";

import { nodeBytes } from "../shared/bytes.ts";
import { packageGrammars } from "../shared/grammars.ts";

import { type MemoryClock, memoryClock } from "./clock.ts";
import { memoryDatabases } from "./databases.ts";
import { type MemoryEntry, type MemoryFs, memoryFs } from "./fs.ts";
import { memoryLocks } from "./locks.ts";
import { memoryProcesses, type MemoryProcesses, type MemoryProgram } from "./processes.ts";
import { seededRandom } from "./random.ts";
import { type MemoryStores, memoryStores } from "./stores.ts";

export interface MemoryHost extends Host {
  readonly fs: MemoryFs;
  readonly stores: MemoryStores;
  readonly clock: MemoryClock;
  readonly processes: MemoryProcesses;
}

export interface MemoryHostOptions {
  /** Path → what stands there; a relative path starts at the working folder. */
  readonly files?: Readonly<Record<string, MemoryEntry>>;
  /** Name → program. */
  readonly programs?: Readonly<Record<string, MemoryProgram>>;
  /** Variables of the environment. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly env?: Partial<Omit<Env, "get">>;
  readonly gid?: number;
  readonly umask?: number;
  /** Milliseconds since the epoch. */
  readonly now?: number;
  /** Of the random numbers; or the numbers themselves. */
  readonly random?: number | Random;
  readonly grammars?: Grammars;
  /** Who answers requests; nobody, where it is left out. */
  readonly fetch?: Http["fetch"];
}

export function memoryHost(options: MemoryHostOptions = {}): MemoryHost {
  const { variables = {}, files = {}, programs = {}, random = 1 } = options;
  const env: Env = {
    get: (name) => (Object.hasOwn(variables, name) ? variables[name] : undefined),
    cwd: "/work",
    home: "/home/me",
    platform: "linux",
    pid: 4711,
    uid: 1000,
    host: "box",
    ...options.env,
  };
  const clock = memoryClock(options.now ?? 1_700_000_000_000);
  const user = { uid: env.uid, gid: options.gid ?? env.uid };
  const fs = memoryFs({ user, umask: options.umask ?? 0o022, now: clock.now });
  for (const folder of [env.cwd, env.home, "/tmp"]) {
    if (folder !== undefined && folder !== "/") fs.put(folder, { kind: "directory" });
  }
  for (const [path, entry] of Object.entries(files)) {
    fs.put(path.startsWith("/") ? path : `${env.cwd}/${path}`, entry);
  }
  return {
    fs,
    bytes: nodeBytes(),
    grammars: options.grammars ?? packageGrammars(),
    stores: memoryStores(fs),
    databases: memoryDatabases(fs),
    locks: memoryLocks(fs, clock),
    processes: memoryProcesses(programs, {
      isFolder: async (path) => (await fs.stat(path))?.kind === "directory",
      variable: env.get,
    }),
    http: {
      fetch: options.fetch ?? (() => Promise.reject(new TypeError("Unable to connect"))),
    },
    threads: { start: () => undefined, turn: () => Promise.resolve() },
    clock,
    random: typeof random === "number" ? seededRandom(random) : random,
    env,
  };
}
