import type { Host } from "../../core/ports/host.ts";

import { nodeHost } from "../node/host.ts";

import { bunBytes } from "./bytes.ts";
import { bunGrammars } from "./grammars.ts";
import { bunProcesses } from "./processes.ts";
import { bunThreads } from "./threads.ts";

export function bunHost(): Host {
  return nodeHost({
    bytes: bunBytes,
    grammars: bunGrammars,
    processes: bunProcesses,
    threads: bunThreads,
  });
}
