import { exitStatus } from "../core/errors.ts";
import { type Command, command } from "./command.ts";
import { bashScript, fishScript, powershellScript, zshScript } from "./completion-scripts.ts";
import { unknownWord } from "./operands.ts";
import { printText } from "./output.ts";
import { commandRows } from "./root.ts";

const shells = {
  bash: bashScript,
  zsh: zshScript,
  fish: fishScript,
  powershell: powershellScript,
} as const;

export const completions = command({
  name: "completions",
  summary: "Print the completion script for a shell",
  operands: [
    {
      name: "SHELL",
      description: "The shell",
      required: true,
      repeat: false,
      choices: Object.keys(shells),
    },
  ],
  flags: [],
  examples: [
    { title: "bash, in ~/.bashrc", line: 'eval "$(atomic completions bash)"' },
    { title: "zsh, in a folder of $fpath", line: "atomic completions zsh > ~/.zfunc/_atomic" },
    {
      title: "fish",
      line: "atomic completions fish > ~/.config/fish/completions/atomic.fish",
    },
    {
      title: "PowerShell, in $PROFILE",
      line: "atomic completions powershell | Out-String | Invoke-Expression",
    },
  ],
  topics: [],
  async run({ operands: [shell], program: { stdio } }) {
    if (!isShell(shell)) throw unknownWord("shell", String(shell), Object.keys(shells));
    const commands: readonly Command[] = await Promise.all(commandRows.map((row) => row.load()));
    await printText(shells[shell](commands), stdio.stdout);
    return exitStatus.success;
  },
});

function isShell(word: string | undefined): word is keyof typeof shells {
  return word !== undefined && Object.hasOwn(shells, word);
}
