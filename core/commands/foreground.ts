// A command that the call waits for.

import { AtomicError } from "../errors.ts";
import { ProcessError } from "../ports/processes.ts";
import { sessionTemp } from "../persist/private-tree.ts";
import { openSpill, type SpillFile } from "../persist/spill.ts";
import { type Capture, createCapture } from "../shell/capture.ts";
import { runCommand } from "../shell/run.ts";
import type { Call } from "../tool.ts";
import type { CommandAnswer } from "./answer.ts";
import type { HandlerResult } from "./handlers.ts";
import type { CommandPlan, CommandPorts } from "./prepare.ts";

/** What a handler has answered in place of the command. */
async function takenAnswer(
  plan: CommandPlan & { readonly taken: HandlerResult },
  capture: Capture,
): Promise<CommandAnswer> {
  const { run: _, ...about } = plan;
  const { output, exitCode } = plan.taken;
  await capture.push(new TextEncoder().encode(output));
  return {
    plan: { ...about, noTerminal: undefined },
    result: {
      ending: { how: "exit", code: exitCode },
      wallTime: 0,
      hasTerminal: false,
      left: [],
    },
    captured: await capture.finish(),
  };
}

/** @throws AtomicError `bash.spawn` */
export async function runForeground(
  plan: CommandPlan,
  ports: CommandPorts,
  call: Pick<Call, "sessionId" | "signal" | "live" | "emit">,
): Promise<CommandAnswer> {
  const { live, emit } = call;
  const capture = createCapture(
    () => openLog(call.sessionId, ports),
    (live ?? emit) &&
      (async (text) => {
        await live?.(text);
        await emit?.({ type: "update", text });
      }),
  );
  const { taken } = plan;
  if (taken) return takenAnswer({ ...plan, taken }, capture);
  const { run, ...about } = plan;
  try {
    const result = await runCommand(run, ports, { stop: call.signal, sink: capture.push });
    const noTerminal =
      run.terminal && !result.hasTerminal ? "this runtime cannot make one" : plan.noTerminal;
    return { plan: { ...about, noTerminal }, result, captured: await capture.finish() };
  } catch (thrown) {
    throw thrown instanceof ProcessError ? notStarted(thrown, plan) : thrown;
  }
}

export function notStarted(fault: ProcessError, { run, shell }: CommandPlan): AtomicError {
  const size = run.args.reduce((sum, word) => sum + word.length, 0);
  const [why, hint] =
    fault.code === "E2BIG"
      ? [`is too long for the system (${size} characters)`, "Write it to a file, and run that."]
      : [`could not be started with ${shell}: ${fault.code}`, undefined];
  return new AtomicError("bash.spawn", `The command ${why}.`, {
    cause: fault,
    ...(hint !== undefined && { hint }),
  });
}

async function openLog(session: string, ports: CommandPorts): Promise<SpillFile> {
  const folder = await sessionTemp(session, ports);
  return openSpill(`${folder}/atomic-bash-${ports.random.hex(8)}.log`, ports.fs);
}
