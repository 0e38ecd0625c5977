// README's examples, run in order in one folder as they are printed, with what they print.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { inFolder } from "../helpers/folder.ts";
import { executable } from "../helpers/run-atomic.ts";

setDefaultTimeout(120_000);

interface Example {
  readonly section: string;
  /** The commands of one block, which run in one shell. */
  readonly script: string;
  /** What they print together. */
  readonly output: string;
}

function examplesOf(text: string): readonly Example[] {
  const examples: Example[] = [];
  let section = "";
  for (const [, heading, block] of text.matchAll(/^## (.+)$|^```console\n([\s\S]*?)^```$/gm)) {
    if (heading !== undefined) section = heading;
    if (block === undefined) continue;
    const lines = block.split("\n").slice(0, -1);
    const script: string[] = [];
    const output: string[] = [];
    for (let i = 0; i < lines.length;) {
      const line = lines[i++]!;
      if (!line.startsWith("$ ")) {
        output.push(`${line}\n`);
        continue;
      }
      script.push(line.slice(2));
      const end = /<<'?(\w+)'?/.exec(line)?.[1];
      while (end !== undefined && script.at(-1) !== end) script.push(lines[i++]!);
    }
    examples.push({ section, script: script.join("\n"), output: output.join("") });
  }
  return examples;
}

const readme = readFileSync(new URL("../../README.md", import.meta.url), "utf8");

test("every example of README prints what README says", async () => {
  const examples = examplesOf(readme);
  expect(examples.length).toBeGreaterThan(8);
  await inFolder(async (folder) => {
    const work = join(folder, "work");
    await Bun.$`mkdir ${work}`;
    for (const { section, script, output } of examples) {
      const child = Bun.spawn(["sh", "-c", `exec 2>&1\n${script}`], {
        cwd: work,
        env: {
          PATH: `${dirname(executable)}:${process.env["PATH"]}`,
          HOME: folder,
          TMPDIR: folder,
          ATOMIC_HOME: join(folder, "state"),
        },
        stdin: "ignore",
        stdout: "pipe",
      });
      const printed = await new Response(child.stdout).text();
      expect({ section, script, printed }).toEqual({ section, script, printed: output });
    }
  });
});
