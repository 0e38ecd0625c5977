import type { Host } from "../../core/ports/host.ts";

import { nodeBytes } from "../shared/bytes.ts";
import { systemClock } from "../shared/clock.ts";
import { nodeDatabases } from "../shared/databases.ts";
import { processEnv } from "../shared/env.ts";
import { nodeFs } from "../shared/fs.ts";
import { packageGrammars } from "../shared/grammars.ts";
import { systemHttp } from "../shared/http.ts";
import { lazily } from "../shared/lazy.ts";
import { sqliteLocks } from "../shared/locks.ts";
import { nodeProcesses } from "../shared/processes.ts";
import { systemRandom } from "../shared/random.ts";
import { oneThread } from "../shared/one-thread.ts";
import { sqliteStores } from "../shared/stores.ts";

/** @param better what another runtime has a body of its own for */
export function nodeHost(better: { readonly [Port in keyof Host]?: () => Host[Port] } = {}): Host {
  return lazily<Host>({
    fs: nodeFs,
    bytes: nodeBytes,
    grammars: packageGrammars,
    stores: () => sqliteStores(systemClock),
    databases: nodeDatabases,
    locks: () => sqliteLocks(systemClock),
    processes: nodeProcesses,
    http: () => systemHttp,
    threads: () => oneThread,
    clock: () => systemClock,
    random: () => systemRandom,
    env: processEnv,
    ...better,
  });
}
