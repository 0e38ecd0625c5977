// What a task is doing, told from its files and from whether its supervisor is alive. A process is known by its number and
// the moment it started, in which run of the system: a number that has gone to another, or a restart, is no mistake.

import type { Host } from "../ports/host.ts";
import type { ProcessFacts } from "../ports/processes.ts";
import { membersOf, MARK, type Tree } from "../shell/end-tree.ts";
import { limits } from "../limits.ts";
import type { Task } from "./find.ts";
import { type ProcessMark, readTaskFile, type TaskFile } from "./files.ts";

export type StatePorts = Pick<Host, "fs" | "clock" | "processes">;

export type TaskState =
  /** Its supervisor has not started it yet. */
  | { readonly kind: "queued" }
  | { readonly kind: "running" }
  /** Somebody asked for its end. */
  | { readonly kind: "cancelling" }
  | {
      readonly kind: "settled";
      readonly record: TaskFile<"ending.json">;
      readonly isCancelled: boolean;
    }
  /** Its supervisor was ended from outside, or never came: how the command ended is not known, if it has. */
  | { readonly kind: "lost"; readonly left: readonly ProcessFacts[] };

export async function stateOf(task: Task, ports: StatePorts): Promise<TaskState> {
  const settled = await settledState(task, ports);
  if (settled) return settled;
  const supervisor = await readTaskFile(task.folder, "supervisor.json", ports.fs);
  const age = ports.clock.now() - task.about.at;
  const isThere = supervisor
    ? await isAlive(supervisor, ports)
    : age >= 0 && age < limits.taskStart;
  if (!isThere) {
    // It may have written its last word between the two looks.
    return (
      (await settledState(task, ports)) ?? {
        kind: "lost",
        left: await membersOf(await treeOf(task, ports), ports.processes),
      }
    );
  }
  const [cancel, child] = await Promise.all([
    readTaskFile(task.folder, "cancel.json", ports.fs),
    readTaskFile(task.folder, "child.json", ports.fs),
  ]);
  if (cancel) return { kind: "cancelling" };
  return { kind: child ? "running" : "queued" };
}

async function settledState({ folder }: Task, { fs }: StatePorts): Promise<TaskState | undefined> {
  const record = await readTaskFile(folder, "ending.json", fs);
  if (!record) return undefined;
  const cancel = await readTaskFile(folder, "cancel.json", fs);
  return { kind: "settled", record, isCancelled: cancel !== undefined };
}

/** Whether its caller ended before there was a supervisor: nothing of it ever ran, and nobody was told its id. */
export async function neverBegan(
  { folder }: Task,
  state: TaskState,
  { fs }: Pick<StatePorts, "fs">,
): Promise<boolean> {
  if (state.kind !== "lost" || state.left.length > 0) return false;
  return (await readTaskFile(folder, "supervisor.json", fs)) === undefined;
}

export async function isAlive(
  { pid, started }: ProcessMark,
  { processes }: Pick<StatePorts, "processes">,
): Promise<boolean> {
  return started !== undefined && (await processes.find(pid))?.started === started;
}

/** All that belongs to a task whose supervisor does not look after it. */
export async function treeOf(
  { id, folder }: Pick<Task, "id" | "folder">,
  ports: Pick<StatePorts, "fs" | "processes">,
): Promise<Tree> {
  const child = await readTaskFile(folder, "child.json", ports.fs);
  return {
    group: child?.pid ?? 0,
    mark: id,
    async isGroupOurs() {
      if (child === undefined) return false;
      const leader = await ports.processes.find(child.pid);
      if (leader) return leader.started === child.started;
      // The leader's number can be another's only once the group has gone; what bears our mark proves that it has not.
      const marked = await ports.processes.marked(MARK, id);
      return marked.some(({ group }) => group === child.pid);
    },
  };
}
