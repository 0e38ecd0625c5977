// The scripts in the shells that they are for, as somebody presses Tab in them.

import { expect, setDefaultTimeout, test } from "bun:test";
import { dirname } from "node:path";

import { hasTmux, onTmux } from "../helpers/tmux.ts";
import { binary, inPlace } from "./program.ts";

setDefaultTimeout(60_000);

const shells = {
  bash: ["exec bash --norc --noprofile", `eval "$(atomic completions bash)"`],
  zsh: ["exec zsh -f", `autoload -U compinit; compinit -D; eval "$(atomic completions zsh)"`],
  fish: ["exec fish --no-config", "atomic completions fish | source"],
};

/** What is typed before Tab, and what the line ends in after it. */
const table = [
  ["atomic und", "atomic undo"],
  ["atomic read notes", "atomic read notes.txt"],
  ["atomic tools ask", "atomic tools ask_user_question"],
  ["atomic read --plai", "atomic read --plain"],
  ["atomic log --session mine", "atomic log --session mine-0001"],
] as const;

for (const [shell, [start, load]] of Object.entries(shells)) {
  test.skipIf(!hasTmux || Bun.which(shell) === null)(`${shell} completes on Tab`, async () => {
    await inPlace({ "notes.txt": "one\n" }, async ({ folder, env, run }) => {
      await run(["read", "notes.txt", "--session", "mine-0001"]);
      const PATH = `${dirname(binary)}:${env["PATH"]}`;
      const place = { columns: 100, rows: 30, cwd: folder, env: { ...env, PATH } };
      await onTmux(place, async (terminal) => {
        await terminal.until((screen) => screen !== "");
        await terminal.text(start!);
        await terminal.keys("Enter");
        await terminal.text(`${load}; clear; echo ready`);
        await terminal.keys("Enter");
        await terminal.until((screen) => /^ready$/m.test(screen));
        for (const [typed, line] of table) {
          await terminal.keys("C-u");
          await terminal.text(typed);
          await terminal.until((screen) => screen.includes(typed));
          await terminal.keys("Tab");
          await terminal.until((screen) =>
            screen
              .split("\n")
              .some((row) => row.trimEnd().endsWith(line) || row.includes(`${line} `)),
          );
        }
        await terminal.keys("C-c");
        expect(await terminal.screen()).not.toContain("command not found");
      });
    });
  });
}
