// The supervisor of one task: runs its command, keeps what it writes, and writes down how it ended. It is a process of its
// own, which nobody waits for; what it has to say is in the task's folder.

import { notStarted } from "../commands/foreground.ts";
import type { CommandPlan } from "../commands/prepare.ts";
import { asAtomicError, type AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { PRIVATE_FILE } from "../persist/private-tree.ts";
import { openSpill } from "../persist/spill.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { ProcessError } from "../ports/processes.ts";
import { createCapture } from "../shell/capture.ts";
import { type CommandResult, runCommand } from "../shell/run.ts";
import { lastLine } from "./answer.ts";
import { LOG, putTaskFile, readTaskFile, type TaskEnding, type TaskFile } from "./files.ts";

type Ports = Pick<Host, "fs" | "processes" | "clock" | "random" | "env">;

const PLAN = "plan.json";
/** Room for the last words on a disk that the output has filled. */
const RESERVE = ".reserve";

/** How the supervisor is told what to run. Gone once it has read it, since variables may be secrets. @throws FsError */
export async function writePlan(
  folder: string,
  plan: CommandPlan,
  { fs }: Pick<Host, "fs">,
): Promise<void> {
  const bytes = new TextEncoder().encode(JSON.stringify(plan, undefinedAsNull));
  await fs.create(`${folder}/${PLAN}`, bytes, { mode: PRIVATE_FILE });
}

/** JSON has no undefined, which takes a variable out. */
function undefinedAsNull(_: string, value: unknown): unknown {
  return value === undefined ? null : value;
}

/**
 * @param folder of the task, as `startTask` has filled it
 * @param stop aborts when this process is asked to end
 */
export async function supervise(folder: string, stop: AbortSignal, ports: Ports): Promise<void> {
  const { fs, processes, clock, env } = ports;
  const plan = await takePlan(folder, ports);
  if (!plan) return;
  const start = clock.now();
  const me = await processes.find(env.pid);
  await putTaskFile(
    folder,
    "supervisor.json",
    { pid: env.pid, ...(me && { started: me.started }) },
    { ports },
  );
  await makeReserve(folder, ports);
  const cancel = new AbortController();
  const onStop = () => cancel.abort();
  stop.addEventListener("abort", onStop);
  if (stop.aborted || (await readTaskFile(folder, "cancel.json", fs))) onStop();

  const capture = createCapture(() => openSpill(`${folder}/${LOG}`, fs, limits.taskLastLine));
  await capture.open();
  let ending: TaskEnding;
  let result: CommandResult | undefined;
  try {
    if (cancel.signal.aborted) ending = { how: "stopped" };
    else {
      result = await runCommand(plan.run, ports, {
        stop: cancel.signal,
        sink: capture.push,
        async started({ pid }) {
          const found = await processes.find(pid);
          const child = { pid, at: clock.now(), ...(found && { started: found.started }) };
          await pressing(folder, ports, () => putTaskFile(folder, "child.json", child, { ports }));
        },
      });
      ending = result.ending;
    }
  } catch (thrown) {
    ending = faultOf(thrown, plan);
  }
  const wallTime = result?.wallTime ?? clock.now() - start;
  const isCancelled = (await readTaskFile(folder, "cancel.json", fs)) !== undefined;
  const { logBytes, logFault, ...captured } = await capture.finish(
    lastLine(ending, { wallTime, timeoutSeconds: plan.timeoutSeconds, isCancelled }),
  );
  await settle(folder, ports, {
    at: clock.now(),
    ending,
    wallTime,
    hasTerminal: result?.hasTerminal ?? false,
    left: [...(result?.left ?? [])],
    captured: {
      text: captured.text,
      truncation: { ...captured.truncation },
      ...(captured.footer !== undefined && { footer: captured.footer }),
      ...(captured.logPath !== undefined && { logPath: captured.logPath }),
    },
    outputBytes: logBytes,
    ...(logFault !== undefined && { logFault }),
  });
}

async function takePlan(folder: string, { fs }: Ports): Promise<CommandPlan | undefined> {
  const path = `${folder}/${PLAN}`;
  const file = await fs.read(path);
  // Whoever takes it away first is the supervisor.
  if (!file || !(await fs.remove(path))) return undefined;
  const plan = JSON.parse(new TextDecoder().decode(file.bytes)) as CommandPlan & {
    readonly run: { readonly env: Readonly<Record<string, string | null>> };
  };
  const env = Object.entries(plan.run.env).map(([name, value]) => [name, value ?? undefined]);
  return { ...plan, run: { ...plan.run, env: Object.fromEntries(env) } };
}

async function makeReserve(folder: string, { fs }: Ports): Promise<void> {
  try {
    await fs.create(`${folder}/${RESERVE}`, new Uint8Array(limits.taskReserve).fill(0x20), {
      mode: PRIVATE_FILE,
    });
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
  }
}

/** Worth the reserve; without it the task is only harder to tell about. */
async function pressing(
  folder: string,
  { fs }: Ports,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    await fs.remove(`${folder}/${RESERVE}`).catch(() => false);
    await work().catch((again: unknown) => {
      if (!(again instanceof FsError)) throw again;
    });
  }
}

/** On a full disk it tries again for a while, with less to say. */
async function settle(
  folder: string,
  ports: Ports,
  record: TaskFile<"ending.json">,
): Promise<void> {
  const { fs, clock } = ports;
  const since = clock.now();
  const { captured: _, ...less } = record;
  for (let tries = 0; ; tries++) {
    // First with the reserve, then with the reserve's room, then with less to say.
    const said = tries < 2 ? record : less;
    try {
      await putTaskFile(folder, "ending.json", said, { ports, isDurable: true });
      await fs.remove(`${folder}/${RESERVE}`);
      return;
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      if (!(await fs.stat(folder)) || clock.now() - since > limits.taskSettle) throw thrown;
      await fs.remove(`${folder}/${RESERVE}`).catch(() => false);
      await clock.sleep(100);
    }
  }
}

function faultOf(thrown: unknown, plan: CommandPlan): TaskEnding {
  const error: AtomicError =
    thrown instanceof ProcessError ? notStarted(thrown, plan) : asAtomicError(thrown);
  const code = error.code === "bash.spawn" ? "bash.spawn" : "internal";
  return {
    how: "failed",
    code,
    message: error.message,
    ...(error.hint !== undefined && { hint: error.hint }),
  };
}
