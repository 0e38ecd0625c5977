// A file that the session has not seen: its text is compressed and stored as well, which cat need not do.

import { join } from "node:path";

import type { BenchCase } from "../bench-case.ts";
import { expectOutput, sampleLine, writeSample } from "../files.ts";

const lines = 900;
const shown = 2_000;

export const read: BenchCase = {
  name: "read",
  title: "read 2,000 lines",
  runs: 41,
  open({ folder, atomic }) {
    const path = join(folder, "sample.ts");
    let version = 0;
    function prepare(): void {
      version += 1;
      writeSample(path, lines, shortLines(version));
    }
    return {
      ours: {
        name: "`atomic read`",
        command: [atomic, "read", path],
        prepare,
        verify: (stdout) => expectOutput(stdout, `\n${shown}:${sampleLine(lines)}\n`),
      },
      peer: {
        name: "`cat -n`",
        command: ["cat", "-n", path],
        prepare,
        verify: (stdout) => expectOutput(stdout, `${shown}\t${sampleLine(lines)}\n`),
      },
    };
  },
};

/** 2,000 whole lines of code would be cut at 50 KiB, so the others are short, as closing brackets and blanks are. */
function shortLines(version: number): string {
  return `// ${version}\n${"}\n".repeat(shown - lines - 1)}`;
}
