// What bash and powershell do with a call: wait for the command, leave it to the background, or ask after one that is there.

import * as v from "valibot";

import { type CommandAnswer, commandDetails, renderCommand } from "../commands/answer.ts";
import { runForeground } from "../commands/foreground.ts";
import {
  type CommandInput,
  type CommandPlan,
  type CommandPorts,
  prepareCommand,
} from "../commands/prepare.ts";
import { commandFields } from "../commands/input.ts";
import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { FsError } from "../ports/fs.ts";
import type { CommandEnding } from "../shell/run.ts";
import type { Truncation } from "../text/truncate.ts";
import type { Call, Rendered } from "../tool.ts";
import {
  type Manner,
  type Observed,
  observedDetails,
  renderObserved,
  renderStarted,
  type Started,
  startedDetails,
} from "./answer.ts";
import { readTaskFile, removeTask, replaceTaskFile } from "./files.ts";
import { findTask, type Task } from "./find.ts";
import { abandonTask, killTask } from "./kill.ts";
import { lastWords, readOutput, waitForTask } from "./observe.ts";
import { startTask } from "./start.ts";
import { stateOf, type TaskState } from "./state.ts";

/** The fields of every tool that runs commands, the ones about the background included. */
export const shellFields = {
  ...commandFields,
  command: v.optional(commandFields.command),
  background: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        "Return at once with a task id; the command goes on without us, with the same time limit",
      ),
    ),
    false,
  ),
  id: v.optional(
    v.pipe(
      v.string(),
      v.description("In place of a command: a task, whose state and new output are wanted"),
    ),
  ),
  wait: v.optional(
    v.pipe(
      v.number(),
      v.minValue(0),
      v.maxValue(limits.bashTimeoutMost),
      v.description("With id: seconds to wait for its end, at most"),
    ),
  ),
  offset: v.optional(
    v.pipe(
      v.number(),
      v.integer(),
      v.minValue(0),
      v.description("With id: the byte of its output to begin at; else what was not told yet"),
    ),
  ),
} as const;

/** What only a call can ask; the command line has `atomic tasks` for it. */
export const callOnlyFields = ["id", "wait", "offset"] as const;

export interface ShellInput extends Omit<CommandInput, "command"> {
  readonly command?: string | undefined;
  readonly background?: boolean | undefined;
  readonly id?: string | undefined;
  readonly wait?: number | undefined;
  readonly offset?: number | undefined;
}

export type ShellAnswer =
  { readonly kind: "command"; readonly answer: CommandAnswer } | Started | Observed;

/** @throws AtomicError `usage.input`, `bash.cwd`, `bash.spawn`, `task.unknown`, `task.foreign`, `task.unavailable` */
export async function callShell(
  tool: "bash" | "powershell",
  input: ShellInput,
  ports: CommandPorts,
  call: Call,
): Promise<ShellAnswer> {
  const { command, background = false, id } = input;
  if (id !== undefined) return observe(id, input, ports, call);
  for (const field of ["wait", "offset"] as const) {
    if (input[field] !== undefined) throw misused(field, "goes with id only");
  }
  if (command === undefined) throw misused("command", "is missing, and there is no id either");
  if (background && call.options.stdin === true) {
    throw new AtomicError(
      "usage.command",
      "Flag --stdin does not go with --background: our standard input ends when we do.",
    );
  }
  const plan = await prepareCommand(tool, { ...input, command }, ports, call);
  // A handler has answered already.
  if (plan.taken) return foreground(plan, ports, call);
  if (background) {
    const { task } = await startTask(plan, call, ports);
    // A short one has ended by now.
    const state = await stateOf(task, ports);
    return { kind: "started", task, state, manner: mannerOf(call) };
  }
  const answer =
    call.yieldAfter === undefined
      ? await foreground(plan, ports, call)
      : await patient(plan, call.yieldAfter * 1000, ports, call);
  return answer;
}

async function foreground(
  plan: CommandPlan,
  ports: CommandPorts,
  call: Call,
): Promise<ShellAnswer> {
  return { kind: "command", answer: await runForeground(plan, ports, call) };
}

/** A command that is a task from the start, so that it can go on when the call has waited long enough. */
async function patient(
  plan: CommandPlan,
  milliseconds: number,
  ports: CommandPorts,
  call: Call,
): Promise<ShellAnswer> {
  const { signal } = call;
  let started: Awaited<ReturnType<typeof startTask>>;
  try {
    started = await startTask(plan, call, ports);
  } catch (thrown) {
    const isNoPlace =
      thrown instanceof AtomicError &&
      (thrown.code === "task.unavailable" || thrown.code === "session.unavailable");
    if (!isNoPlace) throw thrown;
    call.notice(`${thrown.message} It runs without one, and is waited for.`);
    return foreground(plan, ports, call);
  }
  const { task, interrupt } = started;
  // At once, since we may be about to end ourselves; what is left to do is the supervisor's.
  signal.addEventListener("abort", interrupt, { once: true });
  let state: TaskState;
  try {
    state = await waitForTask(task, milliseconds, {
      signal,
      ports,
      ...(call.progress && { tick: tellingProgress(task, call.progress, ports) }),
    });
  } catch (thrown) {
    if (signal.aborted) await abandonTask(task, ports);
    throw thrown;
  } finally {
    signal.removeEventListener("abort", interrupt);
  }
  if (state.kind === "settled") {
    const answer = answerOf(plan, task, state);
    if (answer) {
      // Nobody was told of a task, unless its log is needed.
      if (!answer.captured.truncation.truncated) await removeTask(task.folder, ports.fs);
      return { kind: "command", answer };
    }
  }
  // With nobody to look after it, it must not go on unseen.
  if (state.kind === "lost") await killTask(task, ports);
  return look(task, state, { offset: 0, ports, call });
}

/** Whoever waits may see what the command says meanwhile. */
function tellingProgress(
  task: Task,
  progress: NonNullable<Call["progress"]>,
  { fs }: CommandPorts,
): () => Promise<void> {
  let told = 0;
  return async () => {
    const words = await lastWords(task, told, fs).catch((thrown: unknown) => {
      if (thrown instanceof FsError) return undefined;
      throw thrown;
    });
    if (!words) return;
    told = words.total;
    if (words.text !== "") progress(() => words.text);
  };
}

/** As if it had been waited for here; undefined where not enough is known. */
function answerOf(
  { command, shell, timeoutSeconds, requestedTimeoutSeconds }: CommandPlan,
  { about }: Task,
  { record }: TaskState & { readonly kind: "settled" },
): CommandAnswer | undefined {
  const { captured, ending, wallTime, hasTerminal, left } = record;
  if (captured === undefined || ending.how === "lost" || ending.how === "failed") return undefined;
  const known: CommandEnding = ending;
  const truncation = captured.truncation as unknown as Truncation;
  return {
    plan: {
      command,
      shell,
      timeoutSeconds,
      requestedTimeoutSeconds,
      noTerminal: about.noTerminal,
    },
    result: { ending: known, wallTime, hasTerminal, left },
    captured: {
      text: captured.text,
      truncation,
      footer: captured.footer,
      logPath: truncation.truncated ? captured.logPath : undefined,
      logBytes: record.outputBytes,
      logFault: record.logFault,
    },
  };
}

async function observe(
  id: string,
  input: ShellInput,
  ports: CommandPorts,
  call: Call,
): Promise<ShellAnswer> {
  for (const field of ["command", "cwd", "env"] as const) {
    if (input[field] !== undefined) {
      throw misused(field, "does not go with id, which asks after a command that runs already");
    }
  }
  for (const field of ["background", "pty"] as const) {
    if (input[field] === true) {
      throw misused(field, "does not go with id, which asks after a command that runs already");
    }
  }
  const task = await findTask(id, call, ports);
  const told = await readTaskFile(task.folder, "told.json", ports.fs);
  const wait = Math.min(input.wait ?? 0, call.yieldAfter ?? limits.bashTimeoutMost);
  const state = await waitForTask(task, wait * 1000, { signal: call.signal, ports });
  return look(task, state, { offset: input.offset ?? told?.offset ?? 0, ports, call });
}

async function look(
  task: Task,
  state: TaskState,
  {
    offset,
    ports,
    call,
  }: { readonly offset: number; readonly ports: CommandPorts; readonly call: Call },
): Promise<Observed> {
  const output = await readOutput(task, state, { offset, fs: ports.fs });
  try {
    await replaceTaskFile(task.folder, "told.json", { offset: output.to }, ports);
  } catch (thrown) {
    // Then the same is told once more.
    if (!(thrown instanceof FsError)) throw thrown;
  }
  const now = ports.clock.now();
  return { kind: "observed", task, state, output, now, manner: mannerOf(call) };
}

function mannerOf({ options }: Call): Manner {
  return options.unlimited ? "command line" : "call";
}

function misused(field: string, problem: string): AtomicError {
  return new AtomicError("usage.input", `Field "${field}" ${problem}.`, { data: { field } });
}

export function renderShell(answer: ShellAnswer): Rendered {
  switch (answer.kind) {
    case "command":
      return renderCommand(answer.answer);
    case "started":
      return renderStarted(answer);
    case "observed":
      return renderObserved(answer);
  }
}

export function shellDetails(answer: ShellAnswer): Readonly<Record<string, unknown>> {
  switch (answer.kind) {
    case "command":
      return commandDetails(answer.answer);
    case "started":
      return startedDetails(answer);
    case "observed":
      return observedDetails(answer);
  }
}
