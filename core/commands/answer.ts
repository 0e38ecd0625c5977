// What came of a command, as text and as details (tools.md §11.2). Pure.

import { exitStatus } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { ProcessFacts } from "../ports/processes.ts";
import type { Captured } from "../shell/capture.ts";
import type { CommandEnding, CommandResult } from "../shell/run.ts";
import { signalStatus } from "../shell/signals.ts";
import type { Rendered } from "../tool.ts";
import type { CommandPlan } from "./prepare.ts";

export interface CommandAnswer {
  readonly plan: Omit<CommandPlan, "run">;
  readonly result: CommandResult;
  readonly captured: Captured;
}

/** "exit code 3", "terminated by SIGKILL", "timed out after 5 s", "aborted". */
export function endingText(ending: CommandEnding, timeoutSeconds: number): string {
  switch (ending.how) {
    case "exit":
      return `exit code ${ending.code}`;
    case "signal":
      return `terminated by ${ending.signal}`;
    case "timeout":
      return `timed out after ${timeoutSeconds} s`;
    case "stopped":
      return "aborted";
  }
}

export function renderCommand({ plan, result, captured }: CommandAnswer): Rendered {
  const { ending } = result;
  const { text, footer } = captured;
  const notes: string[] = [];
  if (plan.noTerminal !== undefined) notes.push(`no terminal: ${plan.noTerminal}; ran with pipes`);
  if (ending.how !== "exit" || ending.code !== 0) {
    notes.push(endingText(ending, plan.timeoutSeconds));
  } else if (text === "" && result.left.length === 0 && notes.length === 0) {
    notes.push("(no output)");
  }
  if (result.left.length > 0) notes.push(leftText(result));
  const shown = footer === undefined ? text : `${text.replace(/\n+$/, "")}\n\n${footer}\n`;
  return { text: shown, ending: { notes, status: statusOf(ending) } };
}

function statusOf(ending: CommandEnding): number | "stopped" {
  switch (ending.how) {
    case "exit":
      return ending.code;
    case "signal":
      return signalStatus(ending.signal);
    case "timeout":
      return exitStatus["time limit"];
    case "stopped":
      return "stopped";
  }
}

function leftText({ ending, left }: CommandResult): string {
  const shown = left
    .slice(0, limits.bashLeft)
    .map(({ pid, command }) => `${pid} (${showName(command)})`);
  if (left.length > shown.length) shown.push(`and ${left.length - shown.length} more`);
  const pids = left.slice(0, limits.bashLeft).map(({ pid }) => pid);
  const list = shown.join(", ");
  if (ending.how === "timeout" || ending.how === "stopped") return `could not be ended: ${list}`;
  return `left running: ${list}; its further output is lost; to stop it: kill ${pids.join(" ")}`;
}

export function commandDetails({
  plan,
  result,
  captured,
}: CommandAnswer): Readonly<Record<string, unknown>> {
  const { ending, left } = result;
  const { truncation, logPath } = captured;
  return {
    timeoutSeconds: plan.timeoutSeconds,
    ...(plan.requestedTimeoutSeconds !== undefined && {
      requestedTimeoutSeconds: plan.requestedTimeoutSeconds,
    }),
    wallTimeMs: result.wallTime,
    ...(ending.how === "exit" && ending.code !== 0 && { exitCode: ending.code }),
    ...(ending.how === "signal" && { signal: ending.signal }),
    ...(ending.how === "timeout" && { timedOut: true }),
    ...(ending.how === "stopped" && { aborted: true }),
    ...(truncation.truncated && { truncation }),
    ...(logPath !== undefined && { fullOutputPath: logPath }),
    ...(left.length > 0 && {
      left: left.map(({ pid, command }: ProcessFacts) => ({ pid, command })),
    }),
    ...(plan.taken ? { handledBy: plan.taken.handler } : { shell: plan.shell }),
    ...(plan.noTerminal !== undefined && { pty: "unavailable" }),
    ...(result.hasTerminal && { pty: "used" }),
  };
}
