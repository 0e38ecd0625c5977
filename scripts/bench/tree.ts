// Trees of source files that are the same on every machine: folders in folders, sizes as code has them, rules that leave
// some out, and a few words whose number of files is known.

import { closeSync, mkdirSync, openSync, writeFileSync, writeSync } from "node:fs";
import { join } from "node:path";

/** Words that stand in known shares of the files, for patterns that are rare, medium and common. */
export const planted = {
  /** In one file of 5,000. */
  rare: "quagga_recalibrate",
  /** In one file of 50. */
  medium: "marmot_threshold",
  /** In every other file. */
  common: "return status",
} as const;

const RARE = 5_000;
const MEDIUM = 50;
const PER_FOLDER = 14;

const nouns = [
  ..."buffer device queue inode socket packet driver timer cache vector region handle sensor".split(
    " ",
  ),
  ..."channel engine mapper filter signal router bridge module record thread worker context".split(
    " ",
  ),
];
const verbs = "read write init probe reset flush alloc free lock map sync poll parse emit".split(
  " ",
);
const endings = [".c", ".c", ".c", ".h", ".h", ".ts", ".js", ".md", ".json", ".txt"];

/** A generator of numbers that is the same everywhere. @returns from 0 up to `below` */
export function numbers(seed: number): (below: number) => number {
  let state = seed >>> 0 || 1;
  return (below) => {
    state ^= state << 13;
    state >>>= 0;
    state ^= state >>> 17;
    state ^= state << 5;
    state >>>= 0;
    return state % below;
  };
}

/**
 * Writes about 6 KiB a file on average, into nested folders of 14 files, with a `.git`, a `.gitignore` of 24 rules at the top
 * and one of 3 in every 20th folder. About 3 % of the files are ignored.
 * @returns how many files were written that are not ignored
 */
export function writeTree(folder: string, files: number): number {
  const next = numbers(files);
  const lines = sampleLines(next);
  mkdirSync(join(folder, ".git/info"), { recursive: true });
  writeFileSync(join(folder, ".git/HEAD"), "ref: refs/heads/main\n");
  writeFileSync(join(folder, ".gitignore"), rootRules);
  let kept = 1;
  const folders = [folder];
  for (let written = 0, at = 0; written < files; at++) {
    const here = folders[at]!;
    mkdirSync(here, { recursive: true });
    if (at % 20 === 7) {
      writeFileSync(join(here, ".gitignore"), "/generated.c\nlocal-*\n!local-keep.h\n");
      kept++;
    }
    for (let i = 0; i < 4; i++) {
      folders.push(join(here, `${pick(nouns, next)}${i === 0 ? "" : `-${pick(verbs, next)}${i}`}`));
    }
    for (let i = 0; i < PER_FOLDER && written < files; i++, written++) {
      const isIgnored = next(33) === 0;
      const ending = isIgnored ? ".o" : pick(endings, next);
      const name = `${pick(verbs, next)}_${pick(nouns, next)}_${i}${ending}`;
      writeFileSync(join(here, name), content(written, lines, next));
      if (!isIgnored) kept++;
    }
  }
  return kept;
}

const rootRules =
  `*.o *.ko *.so *.a *.tmp *.orig *.rej *~ .#* \\#*# /dist/ /vmlinux /tools/**/out core.* !core.c tags TAGS
cscope.* **/coverage/*.xml /arch/*/include/generated/ *.mod.c !.gitkeep *.[ls]st build-?/ `.replace(
    /\s/g,
    "\n",
  );

function content(index: number, lines: readonly string[], next: (below: number) => number) {
  // Most are small, a few are large.
  const scale = next(20);
  const count = scale < 12 ? 20 + next(100) : scale < 19 ? 150 + next(250) : 400 + next(1600);
  let text = "";
  let at = next(lines.length);
  for (let i = 0; i < count; i++) {
    text += lines[at]!;
    at = next(6) === 0 ? next(lines.length) : at + 1 < lines.length ? at + 1 : 0;
  }
  if (index % 2 === 0) text += `\t${planted.common};\n}\n`;
  if (index % MEDIUM === 17) text += `\tif (level > ${planted.medium}) return -1;\n`;
  if (index % RARE === 4321) text += `\t${planted.rare}(dev);\n`;
  return text;
}

function sampleLines(next: (below: number) => number): string[] {
  const lines: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    const [a, b, c] = [pick(nouns, next), pick(nouns, next), pick(verbs, next)];
    const shapes = [
      () => `static int ${a}_${c}(struct ${b} *${b}, unsigned int flags)\n{\n`,
      () => `\tif (!${a}->${b})\n\t\treturn -ENOMEM;\n`,
      () => `\t${a}_${c}(${b}, 0x${next(65536).toString(16)});\n`,
      () => `}\n\n/* ${c} the ${a} before the ${b} is used: see section ${next(40)} */\n`,
      () => `#define ${a.toUpperCase()}_${b.toUpperCase()}_${next(100)} ${next(4096)}\n`,
      () => `\tfor (i = 0; i < ARRAY_SIZE(${a}s); i++)\n\t\t${b}[i] = ${c}_${a}(i);\n`,
      () => `const ${a} = ${c}${b[0]!.toUpperCase()}${b.slice(1)}("${a}-${next(1000)}");\n`,
      () =>
        next(40) === 0
          ? `static const struct ${a}_ops ${b}_${a}_ops = {\n\t.${c} = ${b}_${c},\n};\n`
          : `\tunsigned long ${a}_${b} = ${next(1 << 20)};\n`,
    ];
    lines.push(pick(shapes, next)());
  }
  return lines;
}

function pick<T>(from: readonly T[], next: (below: number) => number): T {
  return from[next(from.length)]!;
}

/**
 * A tree of so many files, written for the first case that asks for it.
 * @returns its folder, and how many files in it are not ignored
 */
export function sharedTree(
  { shared }: { readonly shared: string },
  files: number,
): { readonly folder: string; readonly kept: number } {
  const folder = join(shared, `tree-${files}`);
  let kept = written.get(folder);
  if (kept === undefined) written.set(folder, (kept = writeTree(folder, files)));
  return { folder, kept };
}

const written = new Map<string, number>();

/** A log of about `bytes`, each line another; the planted words stand at its very end. */
export function writeLog(path: string, bytes: number): void {
  const next = numbers(bytes);
  const file = openSync(path, "w");
  try {
    let written = 0;
    for (let line = 0; written < bytes;) {
      let piece = "";
      while (piece.length < 1 << 20) {
        line++;
        const [noun, verb] = [pick(nouns, next), pick(verbs, next)];
        piece += `2026-01-02T03:04:05.${String(line % 1000).padStart(3, "0")}Z INFO ${noun}[${next(9999)}]: ${verb} took ${next(5000)} ms, id=${next(1 << 30).toString(16)}\n`;
      }
      written += writeSync(file, piece);
    }
    writeSync(file, `ERROR ${planted.rare} failed\n`);
  } finally {
    closeSync(file);
  }
}
