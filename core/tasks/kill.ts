// Ends a task with all that it has started. The first request is the decision, and stays; what the command came to is not
// changed by it.

import { limits } from "../limits.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { ProcessFacts } from "../ports/processes.ts";
import { endTree, membersOf } from "../shell/end-tree.ts";
import {
  LOG,
  putTaskFile,
  readTaskFile,
  removeTask,
  removeWorkFiles,
  type TaskEnding,
  type TaskFile,
} from "./files.ts";
import type { Task } from "./find.ts";
import { isAlive, stateOf, type TaskState, treeOf } from "./state.ts";

export type KillPorts = Pick<Host, "fs" | "env" | "processes" | "clock" | "random">;

/** What was decided, what became of the command, and what of its processes (seed 000, "kill"; tools.md §11.7). */
export interface Receipt {
  readonly taskId: string;
  readonly decision: "cancellation-requested" | "already-settled";
  /** When the decision was made, in milliseconds since the epoch. */
  readonly at: number;
  readonly execution:
    | { readonly kind: "queued" | "running" | "cancelling" }
    | { readonly kind: "settled"; readonly result: Result };
  readonly cleanup:
    | { readonly kind: "pending" | "reaped" }
    | { readonly kind: "failed"; readonly left: readonly ProcessFacts[] };
  /** Why the decision could not be written down, where it could not. */
  readonly unrecorded: string | undefined;
}

export type Result =
  | { readonly kind: "completed"; readonly exitCode: number }
  | { readonly kind: "failed"; readonly code: string; readonly message: string }
  | {
      readonly kind: "cancelled";
      readonly cause: "user" | "execution-timeout" | "supervisor-stopped";
    };

export async function killTask(task: Task, ports: KillPorts): Promise<Receipt> {
  const { folder } = task;
  const before = await stateOf(task, ports);
  const finished =
    before.kind === "lost" && before.left.length === 0 ? await settleLost(task, ports) : before;
  if (finished.kind === "settled" && !finished.isCancelled) {
    return receiptOf(task, finished, { ports, at: finished.record.at, unrecorded: undefined });
  }
  const unrecorded = await cancelTask(task, ports);
  const state = await untilSettled(task, ports);
  const cancel = await readTaskFile(folder, "cancel.json", ports.fs);
  return receiptOf(task, state, { ports, at: cancel?.at ?? ports.clock.now(), unrecorded });
}

/** Ends a task that nobody was told of, and forgets it. */
export async function abandonTask(task: Task, ports: KillPorts): Promise<void> {
  const { execution, cleanup } = await killTask(task, ports);
  if (execution.kind === "settled" && cleanup.kind === "reaped") {
    await removeTask(task.folder, ports.fs);
  }
}

/** Asks for the end, without waiting for it. @returns why that could not be written down, where it could not */
async function cancelTask(task: Task, ports: KillPorts): Promise<string | undefined> {
  let unrecorded: string | undefined;
  try {
    await putTaskFile(task.folder, "cancel.json", { at: ports.clock.now() }, { ports });
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    unrecorded = thrown.code;
  }
  await tellSupervisor(task, ports);
  return unrecorded;
}

/** One that is not there yet will look for the request before it starts anything. */
async function tellSupervisor({ folder }: Task, ports: KillPorts): Promise<boolean> {
  const supervisor = await readTaskFile(folder, "supervisor.json", ports.fs);
  if (!supervisor || !(await isAlive(supervisor, ports))) return false;
  return ports.processes.signal({ pid: supervisor.pid }, "SIGTERM");
}

async function untilSettled(task: Task, ports: KillPorts): Promise<TaskState> {
  const { clock } = ports;
  const since = clock.now();
  let isTold = false;
  for (let pause = 5; ; pause = Math.min(2 * pause, 50)) {
    const state = await stateOf(task, ports);
    if (state.kind === "settled") return state;
    if (state.kind === "lost") return settleLost(task, ports);
    if (state.kind === "cancelling" && (await isDeaf(task, ports))) continue;
    if (clock.now() - since >= limits.killWait) return state;
    // It may have come up just when the request was written.
    if (!isTold && pause > 5) isTold = await tellSupervisor(task, ports);
    await clock.sleep(pause);
  }
}

/** One that has not answered an earlier request, stopped as it may be, is ended. */
async function isDeaf({ folder }: Task, ports: KillPorts): Promise<boolean> {
  const { fs, clock, processes } = ports;
  const cancel = await readTaskFile(folder, "cancel.json", fs);
  if (!cancel || clock.now() - cancel.at < limits.killTakeover) return false;
  const supervisor = await readTaskFile(folder, "supervisor.json", fs);
  if (!supervisor || !(await isAlive(supervisor, ports))) return false;
  processes.signal({ pid: supervisor.pid }, "SIGKILL");
  await clock.sleep(20);
  return true;
}

/** Does what the supervisor can do no more. */
async function settleLost(task: Task, ports: KillPorts): Promise<TaskState> {
  const { folder } = task;
  const tree = await treeOf(task, ports);
  const found = await membersOf(tree, ports.processes);
  const left = found.length === 0 ? [] : await endTree(tree, ports);
  const log = await ports.fs.stat(`${folder}/${LOG}`).catch(() => undefined);
  const isCancelled = (await readTaskFile(folder, "cancel.json", ports.fs)) !== undefined;
  const record: TaskFile<"ending.json"> = {
    at: ports.clock.now(),
    ending: { how: found.length > 0 && isCancelled ? "stopped" : "lost" },
    wallTime: Math.max(0, ports.clock.now() - task.about.at),
    hasTerminal: false,
    left: [...left],
    outputBytes: log?.size ?? 0,
  };
  try {
    // Where something is left, the next request tries again.
    if (left.length === 0) await putTaskFile(folder, "ending.json", record, { ports });
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
  }
  await removeWorkFiles(folder, ports.fs);
  const kept = await readTaskFile(folder, "ending.json", ports.fs);
  return { kind: "settled", record: kept ?? record, isCancelled };
}

async function receiptOf(
  task: Task,
  state: TaskState,
  {
    ports,
    at,
    unrecorded,
  }: {
    readonly ports: KillPorts;
    readonly at: number;
    readonly unrecorded: string | undefined;
  },
): Promise<Receipt> {
  const decision =
    state.kind === "settled" && !state.isCancelled && unrecorded === undefined
      ? "already-settled"
      : "cancellation-requested";
  const common = { taskId: task.id, decision, at, unrecorded } as const;
  if (state.kind !== "settled") {
    const kind = state.kind === "lost" ? "cancelling" : state.kind;
    return { ...common, execution: { kind }, cleanup: { kind: "pending" } };
  }
  // What the command has left behind on purpose ends as well, now that somebody asks for it.
  const tree = await treeOf(task, ports);
  const alive = await membersOf(tree, ports.processes);
  const left = alive.length === 0 ? [] : await endTree(tree, ports);
  return {
    ...common,
    execution: { kind: "settled", result: resultOf(state.record.ending, state.isCancelled) },
    cleanup: left.length === 0 ? { kind: "reaped" } : { kind: "failed", left },
  };
}

export function resultOf(ending: TaskEnding, isCancelled: boolean): Result {
  switch (ending.how) {
    case "exit":
      return { kind: "completed", exitCode: ending.code };
    case "signal":
      return { kind: "failed", code: ending.signal, message: `terminated by ${ending.signal}` };
    case "timeout":
      return { kind: "cancelled", cause: "execution-timeout" };
    case "stopped":
      return { kind: "cancelled", cause: isCancelled ? "user" : "supervisor-stopped" };
    case "lost":
      return {
        kind: "failed",
        code: "supervisor-lost",
        message: "its supervisor was ended from outside; how the command ended is not known",
      };
    case "failed":
      return { kind: "failed", code: ending.code, message: ending.message };
  }
}
