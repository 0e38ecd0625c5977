// The files below some folders that a pattern is in, in path order, up to as many as are wanted.

import type { Clock } from "../ports/clock.ts";
import { FsError, readProblem } from "../ports/fs.ts";
import type { Glob } from "../scan/glob.ts";
import { FolderGlobs } from "../scan/glob-walk.ts";
import { fileOutcome, type FileScanner } from "../scan/scan-files.ts";
import { prunedFolders, walk, type WalkPorts } from "../scan/walk.ts";
import { readFailure } from "./file-errors.ts";

export interface MatchingFile {
  /** Absolute. */
  readonly path: string;
  /** Lines that match. */
  readonly count: number;
}

export interface LeftOut {
  readonly path: string;
  readonly why: "tooLarge" | "tooSlow" | "unreadable" | "special" | "binary";
}

export interface Searched {
  /** In path order. */
  readonly files: readonly MatchingFile[];
  /** All files were looked at. */
  readonly isComplete: boolean;
  readonly isLate: boolean;
  readonly looked: number;
  readonly leftOut: readonly LeftOut[];
  readonly unreadableFolders: readonly string[];
}

export interface SearchRoots {
  readonly folders: readonly { readonly path: string; readonly glob: Glob | undefined }[];
  /** Named by the caller; absolute. */
  readonly files: readonly string[];
}

export interface SearchLimits {
  /** Stops once so many files are certain to be the first that match. */
  readonly wanted: number;
  readonly gitignore: boolean;
  readonly hidden: boolean;
  /** Only files that one of these matches, each from its base. */
  readonly only: readonly { readonly base: string; readonly glob: Glob }[];
  /** By the clock. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  progress?(text: () => string): void;
}

type Ports = WalkPorts & { readonly clock: Pick<Clock, "now"> };

/** Files that are handed to the scanner at a time. */
const BATCH_FILES = 64;

/** @throws AtomicError `file.unreadable` for a root that cannot be listed; the signal's reason */
export async function findMatchingFiles(
  roots: SearchRoots,
  limits: SearchLimits,
  scanner: FileScanner,
  ports: Ports,
): Promise<Searched> {
  return new Search(limits, scanner, ports).run(roots);
}

class Search {
  readonly #limits: SearchLimits;
  readonly #scanner: FileScanner;
  readonly #ports: Ports;
  readonly #files: MatchingFile[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #unreadable: string[] = [];
  readonly #named: Set<string> = new Set();
  #pending: string[] = [];
  #looked = 0;
  #isLate = false;
  #isEnough = false;

  constructor(limits: SearchLimits, scanner: FileScanner, ports: Ports) {
    this.#limits = limits;
    this.#scanner = scanner;
    this.#ports = ports;
  }

  async run({ folders, files }: SearchRoots): Promise<Searched> {
    const roots = [...Map.groupBy(folders, ({ path }) => path)];
    for (const file of files) this.#named.add(file);
    if (roots.length === 1 && files.length === 0) {
      const [path, group] = roots[0]!;
      await this.#walk(path, group, (file) => this.#pending.push(file), true);
    } else {
      const all = new Set(files);
      for (const [path, group] of roots) {
        await this.#walk(path, group, (file) => all.add(file), false);
      }
      // oxlint-disable-next-line require-array-sort-compare -- by code units
      this.#pending = [...all].sort();
    }
    while (this.#pending.length > 0 && !this.#isOver()) this.#scanSome();
    return {
      files: this.#files,
      isComplete: this.#pending.length === 0 && !this.#isLate && !this.#isEnough,
      isLate: this.#isLate,
      looked: this.#looked,
      leftOut: this.#leftOut,
      unreadableFolders: this.#unreadable,
    };
  }

  async #walk(
    root: string,
    group: SearchRoots["folders"],
    add: (file: string) => void,
    scansMeanwhile: boolean,
  ): Promise<void> {
    const globs = new FolderGlobs(group.map(({ glob }) => glob));
    const { only, gitignore, hidden, signal, deadline } = this.#limits;
    const filters = only.map(({ base, glob }) => ({ base, globs: new FolderGlobs([glob]) }));
    const top = root.endsWith("/") ? root : `${root}/`;
    try {
      const { end, unreadable } = await walk(
        {
          root,
          gitignore,
          hidden,
          named: new Set(prunedFolders.filter((name) => globs.names(name, root))),
          signal,
          deadline,
        },
        this.#ports,
        {
          entry: (folder, name, kind) => {
            const found = globs.at(folder, name, kind === "directory");
            if (kind === "file" && found.matches) {
              const path = top + folder + name;
              if (filters.length === 0 || filters.some((filter) => passes(filter, path))) add(path);
              if (scansMeanwhile && this.#pending.length >= BATCH_FILES) {
                this.#scanSome();
                if (this.#isOver()) return "stop";
              }
            }
            return kind === "directory" && found.mayContain ? "enter" : "skip";
          },
        },
      );
      if (end === "timed out") this.#isLate = true;
      for (const { path } of unreadable) this.#unreadable.push(top + path);
    } catch (thrown) {
      throw thrown instanceof FsError ? readFailure(root, thrown) : thrown;
    }
  }

  #isOver(): boolean {
    this.#limits.signal.throwIfAborted();
    this.#isLate ||= this.#ports.clock.now() > this.#limits.deadline;
    return this.#isLate || this.#isEnough;
  }

  #scanSome(): void {
    const paths = this.#pending.splice(0, BATCH_FILES);
    const outcomes = new Int32Array(paths.length);
    this.#scanner.scan(paths, outcomes, 0);
    this.#looked += paths.length;
    paths.forEach((path, i) => this.#note(path, outcomes[i]!));
    this.#limits.progress?.(
      () => `${this.#looked} files searched, ${this.#files.length} with matches`,
    );
  }

  #note(path: string, outcome: number): void {
    if (this.#isEnough) return;
    if (outcome > 0) {
      this.#files.push({ path, count: outcome });
      this.#isEnough = this.#files.length >= this.#limits.wanted;
      return;
    }
    const why = reasons.get(outcome);
    // A binary file is only of interest where somebody asked for that very file.
    if (why && (why !== "binary" || this.#named.has(path))) this.#leftOut.push({ path, why });
  }
}

const reasons: ReadonlyMap<number, LeftOut["why"]> = new Map([
  [fileOutcome.tooLarge, "tooLarge"],
  [fileOutcome.tooSlow, "tooSlow"],
  [fileOutcome.binary, "binary"],
  [readProblem.refused, "unreadable"],
  [readProblem.special, "special"],
]);

function passes(filter: { readonly base: string; readonly globs: FolderGlobs }, path: string) {
  if (!path.startsWith(filter.base)) return false;
  const relative = path.slice(filter.base.length);
  const at = relative.lastIndexOf("/") + 1;
  return filter.globs.at(relative.slice(0, at), relative.slice(at), false).matches;
}
