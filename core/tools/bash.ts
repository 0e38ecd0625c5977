import * as v from "valibot";

import { type CommandAnswer, commandDetails, renderCommand } from "../commands/answer.ts";
import { runForeground } from "../commands/foreground.ts";
import { type CommandPorts, prepareCommand } from "../commands/prepare.ts";
import { commandFields } from "../commands/input.ts";
import { type Call, defineTool } from "../tool.ts";

const input = v.strictObject(commandFields);

async function run(
  given: v.InferOutput<typeof input>,
  ports: CommandPorts,
  call: Call,
): Promise<CommandAnswer> {
  const plan = await prepareCommand("bash", given, ports, call);
  return runForeground(plan, ports, call);
}

export const bash = defineTool({
  name: "bash",
  summary: "Run a shell command, and end with its status",
  description:
    "Runs a command with the system's shell (bash, else sh) and returns what it wrote, output and errors together in the order they came, without control characters. " +
    "Standard input is closed, pagers, editors and colours are off. A status other than 0 and a signal are told below the output. " +
    "After timeout seconds (300, at most 3600) the command ends with all that it started. A process that it leaves in the background is left running and named. " +
    "Of long output the last 3,000 lines or 50 KiB are shown, and the answer names the file that has all of it. " +
    "Prefer read, find, search, write and edit over cat, find, grep, redirections and sed.",
  effect: "execute",
  isBounded: true,
  input,
  run,
  render: renderCommand,
  details: commandDetails,
  cli: {
    positional: "command",
    placeholder: "COMMAND",
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
  ],
});
