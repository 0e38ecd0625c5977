import * as v from "valibot";

import { type CommandAnswer, commandDetails, renderCommand } from "../commands/answer.ts";
import { runForeground } from "../commands/foreground.ts";
import { commandFields } from "../commands/input.ts";
import { type CommandPorts, prepareCommand } from "../commands/prepare.ts";
import { type Call, defineTool } from "../tool.ts";

const input = v.strictObject(commandFields);

async function run(
  given: v.InferOutput<typeof input>,
  ports: CommandPorts,
  call: Call,
): Promise<CommandAnswer> {
  const plan = await prepareCommand("powershell", given, ports, call);
  return runForeground(plan, ports, call);
}

export const powershell = defineTool({
  name: "powershell",
  summary: "Run a PowerShell command, and end with its status",
  description:
    "Runs a command with pwsh, else Windows PowerShell, where the machine has one, without a profile and without prompts. All else is as in bash: output and errors together, standard input closed, timeout seconds (300, at most 3600) after which everything it started ends, the end of long output and the name of the file that has all of it.",
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
    aliases: ["pwsh"],
    runsCommand: true,
  },
  examples: [
    {
      title: "The largest files of a folder",
      input: {
        command: "Get-ChildItem | Sort-Object Length -Descending | Select-Object -First 5",
        cwd: "src",
      },
    },
  ],
});
