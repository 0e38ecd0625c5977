import * as v from "valibot";

import type { CommandPorts } from "../commands/prepare.ts";
import {
  callOnlyFields,
  callShell,
  renderShell,
  type ShellAnswer,
  shellDetails,
  shellFields,
} from "../tasks/call-shell.ts";
import { type Call, defineTool } from "../tool.ts";

const input = v.strictObject(shellFields);

function run(
  given: v.InferOutput<typeof input>,
  ports: CommandPorts,
  call: Call,
): Promise<ShellAnswer> {
  return callShell("bash", given, ports, call);
}

export const bash = defineTool({
  name: "bash",
  summary: "Run a shell command, and end with its status",
  description:
    "Runs a command with the system's shell (bash, else sh) and returns what it wrote, output and errors together in the order they came, without control characters. " +
    "Standard input is closed, pagers, editors and colours are off. A status other than 0 and a signal are told below the output. " +
    "After timeout seconds (300, at most 3600) the command ends with all that it started. A process that it leaves in the background is left running and named. " +
    "Of long output the last 3,000 lines or 50 KiB are shown, and the answer names the file that has all of it. " +
    "With background the answer is a task id, at once: the command goes on without the call, its output in a file that read shows, whose last line says how it ended. " +
    "A call with id and no command gives a task's state and the output that was not told yet, after wait seconds at most; kill ends a task. " +
    "Over MCP a command that takes longer than 45 seconds goes on as a task by itself. " +
    "Prefer read, find, search, write and edit over cat, find, grep, redirections and sed.",
  effect: "execute",
  isBounded: true,
  input,
  run,
  render: renderShell,
  details: shellDetails,
  cli: {
    positional: "command",
    needsPositional: true,
    placeholder: "COMMAND",
    callOnly: callOnlyFields,
    options: ["stdin"],
    aliases: ["run", "exec", "shell"],
    runsCommand: true,
  },
  examples: [
    { title: "A command", input: { command: "git status --short" } },
    {
      title: "Elsewhere, with a variable, for at most a minute",
      input: { command: "make test", cwd: "src", env: { CI: "1" }, timeout: 60 },
    },
    {
      title: "A server that goes on, for an hour at most",
      input: { command: "npm run dev", background: true, timeout: 3600 },
    },
  ],
});
