import type { Bytes } from "./bytes.ts";
import type { Clock } from "./clock.ts";
import type { Databases } from "./databases.ts";
import type { Env } from "./env.ts";
import type { Fs } from "./fs.ts";
import type { Grammars } from "./grammars.ts";
import type { Http } from "./http.ts";
import type { Locks } from "./locks.ts";
import type { Processes } from "./processes.ts";
import type { Random } from "./random.ts";
import type { Stores } from "./store.ts";
import type { Threads } from "./threads.ts";

/** Everything the core may ask of the outside world. A tool names only the ports it uses. */
export interface Host {
  readonly fs: Fs;
  readonly bytes: Bytes;
  readonly grammars: Grammars;
  readonly stores: Stores;
  readonly databases: Databases;
  readonly locks: Locks;
  readonly processes: Processes;
  readonly http: Http;
  readonly threads: Threads;
  readonly clock: Clock;
  readonly random: Random;
  readonly env: Env;
}
