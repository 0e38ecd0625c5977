// One construct found by syntax, against the same lines named outright: what parsing costs on top of an edit.

import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import type { BenchCase } from "../bench-case.ts";

const functions = 1_000;
const linesEach = 5;
const target = 2_501;

export const block: BenchCase = {
  name: "block",
  title: `replace a block in ${(functions * linesEach).toLocaleString("en-US")} lines of TypeScript`,
  runs: 21,
  target: 4,
  open({ folder, atomic, env, run }) {
    const path = join(folder, "blocks.ts");
    const script = join(folder, "block.txt");
    const before = Array.from({ length: functions }, (_, i) => source(i)).join("");
    const prepare = (operation: string) => () => {
      writeFileSync(path, before);
      rmSync(env["ATOMIC_HOME"]!, { recursive: true, force: true });
      const header = /^\[blocks\.ts#[0-9A-F]{4}\]$/m.exec(
        run([atomic, "read", "blocks.ts:1-2"]),
      )?.[0];
      if (header === undefined) throw new Error("The read gave no tag");
      writeFileSync(script, `${header}\n${operation}\n+export const gone = true;\n`);
    };
    const after = before.replace(source((target - 1) / linesEach), "export const gone = true;\n\n");
    function verify(): void {
      if (readFileSync(path, "utf8") !== after)
        throw new Error("The file is not what it should be");
    }
    const command = [atomic, "edit", script];
    return {
      ours: {
        name: "`replace block N:`",
        command,
        prepare: prepare(`replace block ${target}:`),
        verify,
      },
      peer: {
        name: "`replace N..M:`",
        command,
        prepare: prepare(`replace ${target}..${target + linesEach - 2}:`),
        verify,
      },
    };
  },
};

function source(i: number): string {
  return `export function f${i}(a: number, b: string): string {\n  const sum = a + ${i};\n  return \`\${b}: \${sum}\`;\n}\n\n`;
}
