// What the program does when it has started itself: jobs that must be stoppable. No command for people.

import { exitStatus } from "../core/errors.ts";
import type { Program } from "./command.ts";
import type { Stop } from "./exit.ts";

/** What a job may touch. */
type Surroundings = Pick<Program, "stdio" | "host"> & { readonly stop: Stop };

type Job = (program: Surroundings, words: readonly string[]) => Promise<number>;

const jobs: Readonly<Record<string, Job>> = {
  async sqlite({ stdio, host }) {
    const [ports, { serveJob }] = await Promise.all([host(), import("../core/sqlite/job.ts")]);
    const job = new TextDecoder().decode(await stdio.stdin.read());
    for await (const line of serveJob(job, ports)) {
      if (!(await stdio.stdout.write(line))) break;
    }
    return exitStatus.success;
  },
  mcp: async (program) => (await import("./mcp/calls.ts")).serveCalls(program),

  async supervise({ stdio, host }, [folder]) {
    if (folder === undefined) return exitStatus.usage;
    const stop = new AbortController();
    // Before anything is started; nobody but the deadline ends it otherwise.
    stdio.onStop(() => stop.abort(), { lasting: true });
    const { supervise } = await import("../core/tasks/supervise.ts");
    await supervise(folder, stop.signal, await host());
    return exitStatus.success;
  },
};

/** @param words what follows "--internal" */
export async function runInternal(
  [name = "", ...words]: readonly string[],
  program: Surroundings,
): Promise<number> {
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (job) return job(program, words);
  await program.stdio.stderr.write("--internal is not for use by hand.\n");
  return exitStatus.usage;
}
