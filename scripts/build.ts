// Builds the executable.
//
//   bun scripts/build.ts [--target bun-linux-arm64] [--outfile PATH] [--if-stale]
//
// --target    build for another system: bun-{linux,darwin,windows}-{x64,arm64}, with -musl or -baseline where Bun has
//             such a build. Bun fetches the runtime of that system once.
// --outfile   where to; else dist/atomic, and dist/atomic-<system> with --target
// --if-stale  do nothing when the executable was built from what is there now

import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { parseArgs } from "node:util";

import { compressedGrammars } from "./grammars.ts";

const root = resolve(import.meta.dirname, "..");

/** All that the executable depends on; the lockfile stands for the packages and Bun itself. */
const sources = ["cmd", "core", "adapters", "scripts/build.ts", "scripts/grammars.ts"];
const settings = ["package.json", "bun.lock", "tsconfig.json"];

/**
 * How every executable of ours is compiled. The folder that it is started in must not configure it, so nothing is
 * loaded from there; an import that is only known at run time would load from there too, so there must be none.
 */
export const compileFlags = [
  "--compile",
  "--minify",
  "--bytecode",
  "--format=esm",
  "--splitting",
  "--sourcemap=none",
  "--reject-unresolved",
  "--no-compile-autoload-dotenv",
  "--no-compile-autoload-bunfig",
  "--no-compile-autoload-tsconfig",
  "--no-compile-autoload-package-json",
] as const;

export interface BuildOptions {
  readonly entry: string;
  readonly outfile: string;
  /** Such as "bun-linux-arm64"; else this machine. */
  readonly target?: string | undefined;
  /** That system's Bun; else Bun fetches it. */
  readonly runtime?: string | undefined;
  /** Name → JavaScript expression. */
  readonly define?: Readonly<Record<string, string>>;
  /** The code of further threads, each an entry of its own. */
  readonly threads?: readonly string[];
  /** Folders to embed. */
  readonly assets?: readonly string[];
}

/** Compiles one executable. It appears at `outfile` whole or not at all. Throws with the compiler's own messages. */
export function compile(options: BuildOptions): void {
  const { entry, outfile, target, runtime, define = {}, threads = [], assets = [] } = options;
  mkdirSync(dirname(outfile), { recursive: true });
  const staging = mkdtempSync(join(dirname(outfile), ".build-"));
  try {
    const staged = join(staging, basename(outfile));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [
        "build",
        entry,
        ...threads,
        ...compileFlags,
        ...Object.entries(define).flatMap(([name, value]) => ["--define", `${name}=${value}`]),
        ...assets.flatMap((folder) => ["--asset", folder]),
        ...(target === undefined ? [] : [`--target=${target}`]),
        ...(runtime === undefined ? [] : [`--compile-executable-path=${runtime}`]),
        `--outfile=${staged}`,
      ],
      // Bun leaves its half-made executable in the working folder when it is killed.
      { cwd: staging, env: withoutBunSettings(process.env), encoding: "utf8" },
    );
    if (status !== 0) throw new Error(`Could not compile "${entry}":\n${stdout}${stderr}`);
    // On Windows Bun adds the ending by itself.
    const made = readdirSync(staging).find((name) => name.startsWith(basename(outfile)));
    if (made === undefined) throw new Error(`Bun compiled "${entry}", but wrote no executable.`);
    renameSync(join(staging, made), join(dirname(outfile), made));
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** BUN_OPTIONS and its kin would change what is built. */
export function withoutBunSettings(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !name.startsWith("BUN_")));
}

export interface Commit {
  /** With "-dirty" when tracked files differ. */
  readonly name: string;
  /** When it was made, seconds since the epoch. */
  readonly time: number;
  /** The same in Coordinated Universal Time: YYYY-MM-DD. */
  readonly date: string;
}

/** @returns The commit that is checked out; undefined outside a repository. */
export function checkedOutCommit(folder = root): Commit | undefined {
  const git = (...args: string[]) =>
    spawnSync("git", ["-C", folder, ...args], { encoding: "utf8" }).stdout?.trim() ?? "";
  // A copy without history may lie inside somebody else's repository.
  if (
    git("rev-parse", "--show-cdup") !== "" ||
    git("rev-parse", "--is-inside-work-tree") !== "true"
  )
    return undefined;
  const name = git("describe", "--always", "--dirty", "--abbrev=12", "--exclude=*");
  if (name === "") return undefined;
  const time = Number(git("show", "-s", "--format=%ct"));
  return { name, time, date: new Date(time * 1000).toISOString().slice(0, 10) };
}

function fingerprint(inputs: readonly string[]): string {
  const hash = new Bun.CryptoHasher("sha256");
  for (const input of inputs) hash.update(`${input}\0`);
  for (const file of [...sources.flatMap((name) => filesBelow(join(root, name))), ...settings]) {
    const path = resolve(root, file);
    hash
      .update(`${relative(root, path)}\0`)
      .update(readFileSync(path))
      .update("\0");
  }
  return hash.digest("hex");
}

function filesBelow(path: string): readonly string[] {
  if (path.endsWith(".ts")) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

function main(): void {
  const { values } = parseArgs({
    options: {
      target: { type: "string" },
      outfile: { type: "string" },
      "if-stale": { type: "boolean", default: false },
    },
  });
  const { target } = values;
  const name = target === undefined ? "atomic" : `atomic-${target.replace(/^bun-/, "")}`;
  const outfile = values.outfile === undefined ? join(root, "dist", name) : resolve(values.outfile);
  const commit = checkedOutCommit();
  const stamp = join(dirname(outfile), `.${basename(outfile)}.built-from`);
  const current = fingerprint([target ?? "", commit?.name ?? "", commit?.date ?? ""]);
  if (values["if-stale"] && existsSync(outfile) && existsSync(stamp)) {
    if (readFileSync(stamp, "utf8") === current) return;
  }
  console.log(`Building ${relative(process.cwd(), outfile) || outfile}`);
  buildAtomic({ outfile, target, commit });
  writeFileSync(stamp, current);
}

export function buildAtomic({
  commit,
  ...options
}: Pick<BuildOptions, "outfile" | "target" | "runtime"> & {
  readonly commit: Commit | undefined;
}): void {
  compile({
    ...options,
    entry: join(root, "cmd/main.ts"),
    define: commit
      ? { ATOMIC_COMMIT: JSON.stringify(commit.name), ATOMIC_DATE: JSON.stringify(commit.date) }
      : {},
    threads: [join(root, "cmd/scan-thread.ts")],
    assets: [compressedGrammars()],
  });
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error(error instanceof Error ? error.message : String(error));
    process.exitCode = 1;
  }
}
