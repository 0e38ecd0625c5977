// A place with background tasks in it: none of them outlives the test.

import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { inPlace, type Place } from "./program.ts";

/** What `--json` of tasks and kill says, as far as the tests look. */
export interface Details {
  readonly task: { readonly state: string };
  readonly output: { readonly from: number; readonly to: number; readonly total: number };
  readonly decision: string;
  readonly decidedAt: string;
  readonly execution: { readonly kind: string; readonly result: Readonly<Record<string, string>> };
}

export interface TasksPlace extends Place {
  /** Of the session "default". */
  readonly tasksFolder: string;
  /** @returns the id */
  start(command: string, ...flags: readonly string[]): Promise<string>;
  pathOf(id: string, name: string): string;
  file(id: string, name: string): Record<string, unknown>;
  details(...args: readonly string[]): Promise<Details>;
}

export function inTasksPlace(
  work: (place: TasksPlace) => Promise<void>,
  files = {},
): Promise<void> {
  return inPlace(files, async (place) => {
    const TMPDIR = join(place.folder, "../tmp");
    mkdirSync(TMPDIR);
    const run: Place["run"] = (args, options = {}) =>
      place.run(args, { ...options, env: { TMPDIR, ...options.env } });
    const tasksFolder = join(place.env["ATOMIC_HOME"]!, "sessions/default/tasks");
    const pathOf = (id: string, name: string) => join(tasksFolder, id, name);
    try {
      await work({
        ...place,
        env: { ...place.env, TMPDIR },
        run,
        tasksFolder,
        pathOf,
        async start(command, ...flags) {
          const { status, stdout, stderr } = await run(["bash", "--background", ...flags, command]);
          if (status !== 0) throw new Error(stderr);
          return stdout.trim();
        },
        file: (id, name) => JSON.parse(readFileSync(pathOf(id, name), "utf8")),
        details: async (...args) => JSON.parse((await run([...args, "--json"])).stdout).details,
      });
    } finally {
      for (const session of list(join(place.env["ATOMIC_HOME"]!, "sessions"))) {
        const { stdout } = await run(["tasks", "--ids", "--running", "--session", session]);
        for (const id of stdout.split("\n").filter(Boolean)) {
          await run(["kill", "--session", session, id]);
        }
      }
      // Its supervisor has written the last word, and may not be gone yet.
      await until(() => processesWith(join(place.env["ATOMIC_HOME"]!, "sessions")).length === 0);
    }
  });
}

function list(folder: string): readonly string[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map(({ name }) => name);
  } catch {
    return [];
  }
}

/** Numbers of the processes whose words or variables hold the text. */
export function processesWith(text: string): readonly number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((name) =>
      ["cmdline", "environ"].some((file) => {
        try {
          return readFileSync(`/proc/${name}/${file}`, "latin1").includes(text);
        } catch {
          return false;
        }
      }),
    )
    .map(Number);
}

/** What never comes shows as a failure. */
export async function until(isSo: () => boolean | Promise<boolean>): Promise<void> {
  const last = performance.now() + 30_000;
  while (!(await isSo())) {
    if (performance.now() > last) throw new Error(`never so: ${String(isSo)}`);
    await Bun.sleep(10);
  }
}

export function isAlive(pid: number): boolean {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
