// A command as a task of its own: its folder, its supervisor, and the word that it runs.

import type { CommandPlan } from "../commands/prepare.ts";
import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import { ProcessError } from "../ports/processes.ts";
import type { Call } from "../tool.ts";
import {
  makeTaskFolder,
  putTaskFile,
  readTaskFile,
  removeTask,
  type TaskFile,
  unavailable,
} from "./files.ts";
import type { Task } from "./find.ts";
import { abandonTask } from "./kill.ts";
import { stateOf } from "./state.ts";
import { writePlan } from "./supervise.ts";

export type TaskPorts = Pick<Host, "fs" | "env" | "processes" | "clock" | "random">;

export interface StartedTask {
  readonly task: Task;
  /** Asks the supervisor for the end of the command, at once and without waiting. */
  readonly interrupt: () => void;
}

/**
 * Resolves once the command runs, or has ended already. A stop before that ends the task.
 * @throws AtomicError `task.unavailable`, `bash.spawn`, `aborted`
 */
export async function startTask(
  plan: CommandPlan,
  call: Pick<Call, "sessionId" | "sessionFolder" | "signal">,
  ports: TaskPorts,
): Promise<StartedTask> {
  const { fs, processes, clock } = ports;
  const id = plan.run.mark;
  const about: TaskFile<"task.json"> = {
    id,
    session: call.sessionId,
    command: plan.command,
    cwd: plan.run.cwd,
    shell: plan.shell,
    timeoutSeconds: plan.timeoutSeconds,
    ...(plan.requestedTimeoutSeconds !== undefined && {
      requestedTimeoutSeconds: plan.requestedTimeoutSeconds,
    }),
    ...(plan.noTerminal !== undefined && { noTerminal: plan.noTerminal }),
    at: clock.now(),
  };
  const folder = await makeTaskFolder(await call.sessionFolder(), id, ports);
  const task = { id, folder, about };
  let pid: number;
  try {
    call.signal.throwIfAborted();
    await putTaskFile(folder, "task.json", about, { ports });
    await writePlan(folder, withOurVariables(plan, ports), ports);
    const program = processes.self;
    pid = await processes.detach({
      ...program,
      args: [...program.args, "--internal", "supervise", folder],
      cwd: folder,
    });
  } catch (thrown) {
    await removeTask(folder, fs);
    if (!(thrown instanceof ProcessError)) throw unavailable(thrown, folder);
    throw new AtomicError(
      "task.unavailable",
      `The supervisor of a background task could not be started: ${thrown.code}. Nothing was run.`,
      { cause: thrown },
    );
  }
  // A child of ours: its number is nobody else's before we know that it has ended.
  const interrupt = () => void processes.signal({ pid }, "SIGTERM");
  call.signal.addEventListener("abort", interrupt, { once: true });
  try {
    await untilStarted(task, pid, call.signal, ports);
  } finally {
    call.signal.removeEventListener("abort", interrupt);
  }
  return { task, interrupt };
}

/** What was taken out to start ourselves belongs to the command all the same. */
function withOurVariables(plan: CommandPlan, { processes, env }: TaskPorts): CommandPlan {
  const ours = Object.keys(processes.self.env ?? {}).map((name) => [name, env.get(name)]);
  return { ...plan, run: { ...plan.run, env: { ...Object.fromEntries(ours), ...plan.run.env } } };
}

async function untilStarted(
  task: Task,
  supervisor: number,
  signal: AbortSignal,
  ports: TaskPorts,
): Promise<void> {
  const { fs, processes, clock } = ports;
  const { folder } = task;
  const since = clock.now();
  for (let pause = 2; ; pause = Math.min(2 * pause, 50)) {
    if (signal.aborted) {
      await abandonTask(task, ports);
      signal.throwIfAborted();
    }
    if (await fs.stat(`${folder}/child.json`)) return;
    const ending = await readTaskFile(folder, "ending.json", fs);
    if (ending && ending.ending.how !== "failed") return;
    if (ending?.ending.how === "failed") {
      await removeTask(folder, fs);
      const { code, message, hint } = ending.ending;
      throw new AtomicError(code, message, hint === undefined ? {} : { hint });
    }
    if ((await processes.find(supervisor)) === undefined) {
      const state = await stateOf(task, ports);
      if (state.kind === "settled") continue;
      await removeTask(folder, fs);
      throw new AtomicError(
        "task.unavailable",
        "The supervisor of a background task ended before it had started the command. Nothing was run.",
        { hint: "The disk may be full, or the system short of memory or processes." },
      );
    }
    // It is on its way; whoever asks will be told how far it has come.
    if (clock.now() - since > limits.taskStart) return;
    await clock.sleep(pause);
  }
}
