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
  return callShell("powershell", given, ports, call);
}

export const powershell = defineTool({
  name: "powershell",
  summary: "Run a PowerShell command, and end with its status",
  description:
    "Runs a command with pwsh, else Windows PowerShell, where the machine has one, without a profile and without prompts. All else is as in bash: output and errors together, standard input closed, timeout seconds (300, at most 3600) after which everything it started ends, the end of long output and the name of the file that has all of it, background, id and wait.",
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
