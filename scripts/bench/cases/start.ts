// The least that a program compiled by Bun costs, against ours.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { compile } from "../../build.ts";
import type { BenchCase } from "../bench-case.ts";

export const start: BenchCase = {
  name: "start",
  title: "start",
  runs: 61,
  target: 1.5,
  open({ folder, atomic }) {
    const entry = join(folder, "empty.ts");
    const outfile = join(folder, "empty");
    writeFileSync(entry, "export {};\n");
    compile({ entry, outfile });
    return {
      ours: {
        name: "`atomic --version`",
        command: [atomic, "--version"],
        verify(stdout) {
          if (!/^atomic \d+\.\d+\.\d+\n$/.test(stdout))
            throw new Error(`Not a version: "${stdout}"`);
        },
      },
      peer: {
        name: "empty compiled Bun program",
        command: [outfile],
        verify(stdout) {
          if (stdout !== "") throw new Error(`Expected no output, but got "${stdout}"`);
        },
      },
    };
  },
};
