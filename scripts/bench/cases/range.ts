// Ten lines from the middle of a million. The tag needs the whole file, so the scan for it is the least this can cost.

import { join } from "node:path";

import type { BenchCase, Place, Side } from "../bench-case.ts";
import { expectOutput, sampleLine, sumCommand, writeSample } from "../files.ts";

const lines = 1_000_000;
const first = 500_000;
const shared = { title: "10 lines of 1,000,000", runs: 15 };

export const rangeAgainstHead: BenchCase = {
  ...shared,
  name: "range-head",
  target: 2,
  open(place) {
    const path = prepareFile(place);
    return {
      ours: readRange(place, path),
      peer: {
        name: "`atomic read` of its head",
        command: [place.atomic, "read", path],
        verify: (stdout) => expectOutput(stdout, `1:${sampleLine(1)}\n`),
      },
    };
  },
};

export const rangeAgainstSum: BenchCase = {
  ...shared,
  name: "range-sum",
  open(place) {
    const path = prepareFile(place);
    const sum = sumCommand(path);
    return {
      ours: readRange(place, path),
      peer: {
        name: `\`${sum.slice(0, -1).join(" ")}\``,
        command: sum,
        verify: (stdout) => expectOutput(stdout, "million.ts"),
      },
    };
  },
};

/** Known to the session from then on, so that both sides do the same: look, and not store. */
function prepareFile({ folder, atomic, run }: Place): string {
  const path = join(folder, "million.ts");
  writeSample(path, lines);
  run([atomic, "read", path]);
  return path;
}

function readRange({ atomic }: Place, path: string): Side {
  return {
    name: "`atomic read FILE:500000-500009`",
    command: [atomic, "read", `${path}:${first}-${first + 9}`],
    verify: (stdout) => expectOutput(stdout, `\n${first + 9}:${sampleLine(first + 9)}\n`),
  };
}
