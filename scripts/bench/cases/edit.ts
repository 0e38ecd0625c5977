// One line in the middle. Ours waits until the new file, the old text and the log of changes are on the disk; git does
// not. Each run starts from a state that holds nothing but the read that gave the tag.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { BenchCase } from "../bench-case.ts";
import { sampleLine, writeSample } from "../files.ts";

const lines = 10_000;
const changed = 5_000;
const newLine = "const changed = true;";

export const edit: BenchCase = {
  name: "edit",
  title: "edit 1 line of 10,000",
  runs: 31,
  open({ folder, atomic, env, run }) {
    const path = join(folder, "sample.ts");
    const script = join(folder, "edit.txt");
    const patch = join(folder, "edit.patch");
    writeSample(path, lines);
    const before = readFileSync(path, "utf8");
    const after = before.replace(`\n${sampleLine(changed)}\n`, `\n${newLine}\n`);
    writeFileSync(patch, unifiedDiff());

    function verify(): void {
      if (readFileSync(path, "utf8") !== after)
        throw new Error("The file is not what it should be");
    }
    return {
      ours: {
        name: "`atomic edit`",
        command: [atomic, "edit", script],
        prepare() {
          writeFileSync(path, before);
          rmSync(env["ATOMIC_HOME"]!, { recursive: true, force: true });
          const text = run([atomic, "read", "sample.ts:1-2"]);
          const header = /^\[sample\.ts#[0-9A-F]{4}\]$/m.exec(text)?.[0];
          if (header === undefined) throw new Error(`No tag in "${text.slice(0, 200)}"`);
          writeFileSync(script, `${header}\nreplace ${changed}..${changed}:\n+${newLine}\n`);
        },
        verify,
      },
      peer: {
        name: "`git apply`",
        command: ["git", "apply", patch],
        prepare: () => writeFileSync(path, before),
        verify,
      },
    };
  },
};

function unifiedDiff(): string {
  const context = (from: number) =>
    [from, from + 1, from + 2].map((number) => ` ${sampleLine(number)}\n`).join("");
  return [
    "--- a/sample.ts\n+++ b/sample.ts\n",
    `@@ -${changed - 3},7 +${changed - 3},7 @@\n`,
    context(changed - 3),
    `-${sampleLine(changed)}\n+${newLine}\n`,
    context(changed + 1),
  ].join("");
}
