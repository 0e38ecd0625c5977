// What a command costs when it runs through us: against the shell alone, and against the least that any program of our kind
// costs with a shell.

import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { compile } from "../../build.ts";
import type { BenchCase, Side } from "../bench-case.ts";

export const bashAgainstShell: BenchCase = {
  name: "bash-shell",
  title: "run `true`",
  runs: 61,
  open: ({ atomic }) => ({
    ours: ourTrue(atomic),
    peer: silent("`bash -c true`", ["bash", "-c", "true"]),
  }),
};

export const bashAgainstEmpty: BenchCase = {
  name: "bash",
  title: "run `true`",
  runs: 61,
  target: 1.5,
  open({ folder, atomic }) {
    const entry = join(folder, "empty.ts");
    const outfile = join(folder, "empty");
    writeFileSync(entry, "export {};\n");
    compile({ entry, outfile });
    // The shell becomes the program: one after the other, and nothing besides.
    return {
      ours: ourTrue(atomic),
      peer: silent("empty compiled Bun program and bash", ["bash", "-c", outfile]),
    };
  },
};

function ourTrue(atomic: string): Side {
  return silent("`atomic bash true`", [atomic, "bash", "true"]);
}

function silent(name: string, command: readonly string[]): Side {
  return {
    name,
    command,
    verify(stdout) {
      if (stdout !== "") throw new Error(`Expected no output, but got "${stdout}"`);
    },
  };
}
