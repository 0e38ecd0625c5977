// All paths of a tree, rules of .gitignore kept, sorted: against fd, which lists them as they come.

import type { BenchCase } from "../bench-case.ts";
import { sharedTree } from "../tree.ts";

/** Files, and the most that the ratio may be. */
const trees = [
  [5_000, 1.2],
  [50_000, 0.7],
  [100_000, 0.7],
] as const;

export const finds: readonly BenchCase[] = trees.map(([files, target]): BenchCase => ({
  name: `find-${files / 1_000}k`,
  title: `list a tree of ${files / 1_000}k files`,
  runs: files > 5_000 ? 9 : 21,
  target,
  open(place) {
    const { folder, kept } = sharedTree(place, files);
    // Folders are listed as well.
    const verify = (stdout: string) => {
      const count = stdout.split("\0").length - 1;
      if (count < kept) throw new Error(`${count} paths were listed, of ${kept} files alone`);
    };
    return {
      ours: {
        name: "`find -0`",
        command: [place.atomic, "find", folder, "-0", "--limit", "1000000", "--timeout", "60"],
        verify,
      },
      peer: {
        name: "`fd`",
        command: [
          Bun.which("fd") ?? "fdfind",
          "--hidden",
          "--exclude=.git",
          "--exclude=node_modules",
          "-0",
          ".",
          folder,
        ],
        verify,
      },
    };
  },
}));
