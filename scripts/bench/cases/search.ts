// Searches of trees and of large files, against ripgrep with equal flags, unsorted as it is fastest.

import { join } from "node:path";

import type { BenchCase, Pair, Place } from "../bench-case.ts";
import { expectOutput, writeSample } from "../files.ts";
import { planted, sharedTree, writeLog } from "../tree.ts";

interface Query {
  readonly name: string;
  readonly title: string;
  readonly pattern: string;
  readonly ignoreCase?: boolean;
  /** No file has it. */
  readonly isAbsent?: boolean;
  /** Ends with its first page: ripgrep, which has none, looks through everything. */
  readonly isPage?: boolean;
  /** On the large trees. */
  readonly target: number;
}

const queries: readonly Query[] = [
  { name: "rare", title: "rare literal", pattern: planted.rare, target: 0.8 },
  { name: "medium", title: "medium literal", pattern: planted.medium, target: 0.8 },
  {
    name: "case",
    title: "literal in either case",
    pattern: planted.medium,
    ignoreCase: true,
    target: 0.8,
  },
  {
    name: "choice",
    title: "`(alloc|probe)_(marmot|quagga)\\(`",
    pattern: "(alloc|probe)_(marmot|quagga)\\(",
    isAbsent: true,
    target: 0.8,
  },
  {
    name: "absent",
    title: "literal that is nowhere",
    pattern: "quagga_nowhere",
    isAbsent: true,
    target: 0.8,
  },
  {
    name: "no-literal",
    title: "`[A-Z]{3}[0-9]{7}[a-z]{9}[QZ]`",
    pattern: "[A-Z]{3}[0-9]{7}[a-z]{9}[QZ]",
    isAbsent: true,
    target: 1.2,
  },
  {
    name: "ops",
    title: "`\\bstruct\\s+\\w+_ops\\s+\\w+\\s*=`",
    pattern: "\\bstruct\\s+\\w+_ops\\s+\\w+\\s*=",
    target: 0.8,
  },
  {
    name: "medium-page",
    title: "first page of a medium literal",
    pattern: planted.medium,
    isPage: true,
    target: 0.2,
  },
  {
    name: "common-page",
    title: "first page of a common literal",
    pattern: planted.common,
    isPage: true,
    target: 0.2,
  },
];

const trees = [5_000, 50_000, 100_000];
/** Of a small tree, whatever the pattern: the program's own start weighs more there. */
const SMALL_TARGET = 1.3;

const inTrees = trees.flatMap((files) =>
  queries.map((query): BenchCase => ({
    name: `search-${query.name}-${files / 1_000}k`,
    title: `${query.title}, ${files / 1_000}k files`,
    runs: files > 5_000 ? 9 : 21,
    target: files > 5_000 ? query.target : SMALL_TARGET,
    open: (place) => searchTree(place, sharedTree(place, files).folder, query),
  })),
);

function searchTree(place: Place, folder: string, query: Query): Pair {
  const { pattern, ignoreCase = false, isAbsent = false, isPage = false } = query;
  const flags = ignoreCase ? ["-i"] : [];
  const status = isAbsent ? 1 : 0;
  const verify = (stdout: string) => {
    if (!isAbsent) expectOutput(stdout, isPage ? "_" : ":");
  };
  const everything = ["--mode", "count", "--limit", "10000"];
  return {
    ours: {
      name: "`search`",
      command: [place.atomic, "search", pattern, folder, ...flags, ...(isPage ? [] : everything)],
      verify,
    },
    peer: {
      name: "`rg`",
      command: [
        "rg",
        "--hidden",
        "--no-messages",
        "--glob=!.git",
        "--glob=!node_modules",
        isPage ? "-n" : "-c",
        ...flags,
        `--regexp=${pattern}`,
        folder,
      ],
      status,
      verify,
    },
  };
}

/** No limit is set: a file that may be edited is read whole and remembered, which is most of the time here. */
const inFiles: readonly BenchCase[] = [
  {
    name: "search-log",
    title: "the last line of a log of 200 MB",
    runs: 9,
    open(place) {
      const path = join(place.folder, "a.log");
      writeLog(path, 200_000_000);
      return searchFile(place, path, planted.rare);
    },
  },
  {
    name: "search-lines",
    title: "one line of a file of a million",
    runs: 15,
    open(place) {
      const path = join(place.folder, "a.ts");
      writeSample(path, 1_000_000);
      return searchFile(place, path, "value987654 ");
    },
  },
];

function searchFile(place: Place, path: string, text: string): Pair {
  const verify = (stdout: string) => expectOutput(stdout, text);
  return {
    ours: { name: "`search`", command: [place.atomic, "search", text, path], verify },
    peer: { name: "`rg -n -B1 -A3`", command: ["rg", "-n", "-B1", "-A3", text, path], verify },
  };
}

export const searches: readonly BenchCase[] = [...inTrees, ...inFiles];
