// What is said about tasks, as text and as details. Pure.

import { exitStatus } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { ProcessFacts } from "../ports/processes.ts";
import { signalStatus } from "../shell/signals.ts";
import type { Rendered } from "../tool.ts";
import { LOG, type TaskEnding } from "./files.ts";
import type { Task } from "./find.ts";
import { type Receipt, type Result, resultOf } from "./kill.ts";
import type { Output } from "./observe.ts";
import type { TaskState } from "./state.ts";

/** How to go on, in the words of whoever asked. */
export type Manner = "command line" | "call";

export interface Started {
  readonly kind: "started";
  readonly task: Task;
  readonly state: TaskState;
  readonly manner: Manner;
}

export interface Observed {
  readonly kind: "observed";
  readonly task: Task;
  readonly state: TaskState;
  readonly output: Output;
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly manner: Manner;
}

/** "exit code 3", "terminated by SIGKILL", "timed out after 5 s", "cancelled". */
export function endingWords(
  ending: TaskEnding,
  {
    timeoutSeconds,
    isCancelled,
  }: { readonly timeoutSeconds: number; readonly isCancelled: boolean },
): string {
  switch (ending.how) {
    case "exit":
      return `exit code ${ending.code}`;
    case "signal":
      return `terminated by ${ending.signal}`;
    case "timeout":
      return `timed out after ${timeoutSeconds} s`;
    case "stopped":
      return isCancelled ? "cancelled" : "ended with its supervisor, which was told to stop";
    case "lost":
      return "lost: its supervisor was ended from outside, so how it ended is not known";
    case "failed":
      return `failed: ${ending.message}`;
  }
}

/** The last line of the log: "[ended: exit code 0, after 1.2 s]". */
export function lastLine(
  ending: TaskEnding,
  facts: {
    readonly wallTime: number;
    readonly timeoutSeconds: number;
    readonly isCancelled: boolean;
  },
): string {
  const words = endingWords(ending, facts).replaceAll("\n", " ");
  return `[ended: ${words.slice(0, 160)}, after ${seconds(facts.wallTime)}]`;
}

/** One line: "running, 12.0 s of at most 300 s", "exit code 0, after 1.2 s". */
export function stateWords({ about }: Task, state: TaskState, now: number): string {
  const { timeoutSeconds } = about;
  switch (state.kind) {
    case "queued":
      return "about to start";
    case "running":
      return `running, ${seconds(now - about.at)} of at most ${timeoutSeconds} s`;
    case "cancelling":
      return "being ended";
    case "settled": {
      const { ending, wallTime } = state.record;
      const words = endingWords(ending, { timeoutSeconds, isCancelled: state.isCancelled });
      return `${words}, after ${seconds(wallTime)}`;
    }
    case "lost":
      return state.left.length === 0
        ? "lost: its supervisor was ended from outside, so how it ended is not known"
        : `lost: its supervisor was ended from outside; still running: ${names(state.left)}`;
  }
}

function seconds(milliseconds: number): string {
  return `${(Math.max(0, milliseconds) / 1000).toFixed(1)} s`;
}

function names(left: readonly ProcessFacts[]): string {
  const shown = left
    .slice(0, limits.bashLeft)
    .map(({ pid, command }) => `${pid} (${showName(command)})`);
  if (left.length > shown.length) shown.push(`and ${left.length - shown.length} more`);
  return shown.join(", ");
}

/** As the command line would end with it. */
export function statusOf(state: TaskState): number {
  if (state.kind === "lost") return exitStatus.failed;
  if (state.kind !== "settled") return exitStatus.success;
  const { ending } = state.record;
  switch (ending.how) {
    case "exit":
      return ending.code;
    case "signal":
      return signalStatus(ending.signal);
    case "timeout":
      return exitStatus["time limit"];
    case "stopped":
      return exitStatus.terminated;
    case "lost":
      return exitStatus.failed;
    case "failed":
      return ending.code === "bash.spawn" ? exitStatus["cannot run"] : exitStatus.failed;
  }
}

export function logOf({ folder }: Pick<Task, "folder">): string {
  return `${folder}/${LOG}`;
}

/** The id alone is the text, so that a script can take it. */
export function renderStarted({ task, manner }: Started): Rendered {
  const { id, about } = task;
  return {
    text: `${id}\n`,
    ending: {
      notes: [
        `started in the background, for at most ${about.timeoutSeconds} s; output: ${logOf(task)}`,
        waysOn(id, manner),
      ],
      status: exitStatus.success,
    },
  };
}

function waysOn(id: string, manner: Manner): string {
  return manner === "command line"
    ? `state and output: atomic tasks ${id}; to stop it: atomic kill ${id}`
    : `state and new output: bash {"id":"${id}","wait":30}; to stop it: kill {"id":"${id}"}`;
}

export function startedDetails({ task, state }: Started): Readonly<Record<string, unknown>> {
  const { about } = task;
  return {
    task: taskDetails(task, state),
    timeoutSeconds: about.timeoutSeconds,
    ...(about.requestedTimeoutSeconds !== undefined && {
      requestedTimeoutSeconds: about.requestedTimeoutSeconds,
    }),
    fullOutputPath: logOf(task),
  };
}

export function renderObserved(observed: Observed): Rendered {
  const { task, state, output, now, manner } = observed;
  const { text, footer } = output;
  const words = stateWords(task, state, now);
  const isOver = state.kind === "settled" || state.kind === "lost";
  const notes = [isOver ? words : `still ${words}; task ${task.id}`];
  if (state.kind === "settled" && state.record.left.length > 0) {
    notes.push(`left running: ${names(state.record.left)}; ${killHint(task.id, manner)}`);
  }
  notes.push(placeWords(task, output, isOver));
  if (output.fault !== undefined) notes.push(`its log ${output.fault}`);
  if (state.kind === "settled" && state.record.logFault !== undefined) {
    notes.push(`its log was cut short: ${state.record.logFault}`);
  }
  if (state.kind === "lost") notes.push(killHint(task.id, manner));
  if (!isOver && manner === "call") notes.push(waysOn(task.id, manner));
  const shown = footer === undefined ? text : `${text.replace(/\n+$/, "")}\n\n${footer}\n`;
  return { text: shown, ending: { notes, status: statusOf(state) } };
}

function killHint(id: string, manner: Manner): string {
  return `to end what is left: ${manner === "command line" ? `atomic kill ${id}` : `kill {"id":"${id}"}`}`;
}

function placeWords(task: Task, { from, to, total }: Output, isOver: boolean): string {
  if (total === 0) return `no output${isOver ? "" : " yet"}; log: ${logOf(task)}`;
  if (from === to) return `no output after byte ${from}; log: ${logOf(task)}`;
  return `bytes ${from} to ${to} of ${total} of the output; log: ${logOf(task)}`;
}

export function observedDetails({
  task,
  state,
  output,
}: Observed): Readonly<Record<string, unknown>> {
  const { about } = task;
  const { truncation, from, to, total } = output;
  return {
    task: taskDetails(task, state),
    timeoutSeconds: about.timeoutSeconds,
    ...(about.requestedTimeoutSeconds !== undefined && {
      requestedTimeoutSeconds: about.requestedTimeoutSeconds,
    }),
    output: { from, to, total },
    nextOffset: to,
    ...(truncation?.truncated && { truncation }),
    ...(output.fault === undefined && { fullOutputPath: logOf(task) }),
  };
}

/** As lists and details show it. */
export function taskDetails(
  { id, about }: Task,
  state: TaskState,
): Readonly<Record<string, unknown>> {
  const common = {
    id,
    state: state.kind,
    command: about.command,
    cwd: about.cwd,
    startedAt: new Date(about.at).toISOString(),
    deadline: new Date(about.at + about.timeoutSeconds * 1000).toISOString(),
  };
  if (state.kind === "lost") return { ...common, left: processesOf(state.left) };
  if (state.kind !== "settled") return common;
  const { ending, wallTime, at, left } = state.record;
  return {
    ...common,
    endedAt: new Date(at).toISOString(),
    wallTimeMs: wallTime,
    result: resultOf(ending, state.isCancelled),
    ...(left.length > 0 && { left: processesOf(left) }),
  };
}

function processesOf(left: readonly ProcessFacts[]) {
  return left.map(({ pid, command }) => ({ pid, command }));
}

export function renderReceipt(receipt: Receipt): Rendered {
  const { taskId, decision, execution, cleanup, unrecorded } = receipt;
  const done =
    execution.kind === "settled" ? `settled: ${resultWords(execution.result)}` : execution.kind;
  const lines = [
    taskId,
    `decision: ${decision}`,
    `execution: ${done}`,
    cleanup.kind === "failed"
      ? `cleanup: failed; could not be ended: ${names(cleanup.left)}`
      : `cleanup: ${cleanup.kind}`,
  ];
  if (unrecorded !== undefined) {
    lines.push(`the decision could not be written down: ${unrecorded}`);
  }
  const text = lines.join("\n");
  if (cleanup.kind !== "failed") return { text };
  return { text: `${text}\n`, ending: { notes: [], status: exitStatus.failed } };
}

function resultWords(result: Result): string {
  switch (result.kind) {
    case "completed":
      return `completed, exit code ${result.exitCode}`;
    case "failed":
      return `failed, ${result.message}`;
    case "cancelled":
      return `cancelled (${result.cause})`;
  }
}

export function receiptDetails({ at, ...receipt }: Receipt): Readonly<Record<string, unknown>> {
  const { unrecorded, ...rest } = receipt;
  const { cleanup } = rest;
  return {
    ...rest,
    decidedAt: new Date(at).toISOString(),
    cleanup:
      cleanup.kind === "failed" ? { kind: "failed", left: processesOf(cleanup.left) } : cleanup,
    ...(unrecorded !== undefined && { unrecorded }),
  };
}
