// The tag is a hash of the whole file, whatever part is shown. The session knows the file, as it does on every read but
// the first; what the first costs more is storing the text.

import { join } from "node:path";

import type { BenchCase } from "../bench-case.ts";
import { expectOutput, sampleLine, sumCommand, writeSample } from "../files.ts";

const bytes = 50_000_000;

export const tag: BenchCase = {
  name: "tag",
  title: "tag of a 50 MB file",
  runs: 15,
  open({ folder, atomic, run }) {
    const path = join(folder, "large.ts");
    writeSample(path, Math.floor(bytes / sampleLine(500_000).length));
    run([atomic, "read", path]);
    const sum = sumCommand(path);
    return {
      ours: {
        name: "`atomic read`",
        command: [atomic, "read", `${path}:1-1`],
        verify: (stdout) => expectOutput(stdout, `1:${sampleLine(1)}\n`, "#"),
      },
      peer: {
        name: `\`${sum.slice(0, -1).join(" ")}\``,
        command: sum,
        verify: (stdout) => expectOutput(stdout, "large.ts"),
      },
    };
  },
};
