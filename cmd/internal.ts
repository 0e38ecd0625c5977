// What the program does when it has started itself: jobs that must be stoppable. No command for people.

import { serveJob } from "../core/sqlite/job.ts";
import { exitStatus } from "../core/errors.ts";
import type { Program } from "./command.ts";
import type { Stop } from "./exit.ts";

/** What a job may touch. */
type Surroundings = Pick<Program, "stdio" | "host"> & { readonly stop: Stop };

const jobs: Readonly<Record<string, (program: Surroundings) => Promise<number>>> = {
  async sqlite({ stdio, host }) {
    const ports = await host();
    const job = new TextDecoder().decode(await stdio.stdin.read());
    for await (const line of serveJob(job, ports)) {
      if (!(await stdio.stdout.write(line))) break;
    }
    return exitStatus.success;
  },
  mcp: async (program) => (await import("./mcp/calls.ts")).serveCalls(program),
};

/** @param words what follows "--internal" */
export async function runInternal(
  [name = ""]: readonly string[],
  program: Surroundings,
): Promise<number> {
  const job = Object.hasOwn(jobs, name) ? jobs[name] : undefined;
  if (job) return job(program);
  await program.stdio.stderr.write("--internal is not for use by hand.\n");
  return exitStatus.usage;
}
