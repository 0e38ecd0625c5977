// The files below some folders that a pattern is in, in path order, up to as many as are wanted.

import type { Clock } from "../ports/clock.ts";
import { FsError, readProblem } from "../ports/fs.ts";
import type { Threads } from "../ports/threads.ts";
import type { Glob } from "../scan/glob.ts";
import { FolderGlobs } from "../scan/glob-walk.ts";
import { fileOutcome, type FileScanner } from "../scan/scan-files.ts";
import type { ThreadTask } from "../scan/scan-thread.ts";
import { prunedFolders, walk, type WalkPorts } from "../scan/walk.ts";
import { thousands } from "../text/size.ts";
import { readFailure } from "./file-errors.ts";
import { ScanQueue } from "./scan-queue.ts";

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

export interface BasedGlob {
  /** Absolute, ending in "/"; "": anywhere. */
  readonly base: string;
  readonly glob: Glob;
}

export interface SearchLimits {
  /** Stops once so many files are certain to be the first that match. */
  readonly wanted: number;
  readonly gitignore: boolean;
  readonly hidden: boolean;
  /** Only files that one of these matches, each from its base. */
  readonly only: readonly BasedGlob[];
  /** And none that one of these matches. */
  readonly not: readonly BasedGlob[];
  /** By the clock. */
  readonly deadline: number;
  readonly signal: AbortSignal;
  progress?(text: () => string): void;
}

type Ports = WalkPorts & { readonly clock: Clock; readonly threads: Threads };

/** Milliseconds after which others get their turn. */
const TURN = 50;

/** @throws AtomicError `file.unreadable` for a root that cannot be listed; the signal's reason */
export async function findMatchingFiles(
  roots: SearchRoots,
  limits: SearchLimits,
  scanner: FileScanner,
  task: ThreadTask,
  ports: Ports,
): Promise<Searched> {
  return new Search(limits, scanner, task, ports).run(roots);
}

class Search {
  readonly #limits: SearchLimits;
  readonly #queue: ScanQueue;
  readonly #ports: Ports;
  readonly #files: MatchingFile[] = [];
  readonly #leftOut: LeftOut[] = [];
  readonly #unreadable: string[] = [];
  readonly #named: Set<string> = new Set();
  #looked = 0;
  #yielded: number;
  #isLate = false;
  #isEnough = false;
  #isOnly = true;

  constructor(limits: SearchLimits, scanner: FileScanner, task: ThreadTask, ports: Ports) {
    this.#limits = limits;
    this.#queue = new ScanQueue(scanner, ports.threads, task, (path, outcome) =>
      this.#note(path, outcome),
    );
    this.#ports = ports;
    this.#yielded = ports.clock.now();
  }

  async run(roots: SearchRoots): Promise<Searched> {
    try {
      await this.#scan(roots);
    } finally {
      this.#queue.stop();
    }
    return {
      files: this.#files,
      isComplete: this.#queue.isEmpty && !this.#isLate && !this.#isEnough,
      isLate: this.#isLate,
      looked: this.#looked,
      leftOut: this.#leftOut,
      unreadableFolders: this.#unreadable,
    };
  }

  async #scan({ folders, files }: SearchRoots): Promise<void> {
    const roots = [...Map.groupBy(folders, ({ path }) => path)];
    this.#isOnly = roots.length === 1 && files.length === 0;
    for (const file of files) this.#named.add(file);
    if (roots.length === 1 && files.length === 0) {
      const [path, group] = roots[0]!;
      await this.#walk(path, group, (file) => this.#queue.add(file));
    } else {
      const all = new Set(files);
      for (const [path, group] of roots) {
        await this.#walk(path, group, (file) => {
          all.add(file);
          return false;
        });
      }
      // oxlint-disable-next-line require-array-sort-compare -- by code units
      for (const file of [...all].sort()) {
        if (!this.#queue.add(file)) continue;
        if (this.#isOver()) return;
        await this.#turn();
      }
    }
    await this.#queue.finish(
      () => this.#isOver(),
      () => this.#turn(),
    );
  }

  async #walk(
    root: string,
    group: SearchRoots["folders"],
    add: (file: string) => boolean,
  ): Promise<void> {
    const globs = new FolderGlobs(group.map(({ glob }) => glob));
    const { only, not, gitignore, hidden, signal, deadline } = this.#limits;
    const filterOf = ({ base, glob }: BasedGlob) => ({ base, globs: new FolderGlobs([glob]) });
    const filters = only.map(filterOf);
    const excluded = not.map(filterOf);
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
              const isWanted =
                (filters.length === 0 || filters.some((one) => passes(one, path))) &&
                !excluded.some((one) => passes(one, path));
              if (isWanted && add(path) && this.#isOver()) return "stop";
            }
            return kind === "directory" && found.mayContain ? "enter" : "skip";
          },
          pause: () => this.#turn(),
        },
      );
      if (end === "timed out") this.#isLate = true;
      for (const { path } of unreadable) this.#unreadable.push(top + path);
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      // One of several: what the others hold is still to be had.
      if (this.#isOnly) throw readFailure(root, thrown);
      this.#unreadable.push(root);
    }
  }

  #isOver(): boolean {
    this.#limits.signal.throwIfAborted();
    this.#isLate ||= this.#ports.clock.now() > this.#limits.deadline;
    return this.#isLate || this.#isEnough;
  }

  /** A server answers others between two pieces of work, and hears that this one is to end. */
  #turn(): Promise<void> | undefined {
    const { clock, threads } = this.#ports;
    const { progress } = this.#limits;
    progress?.(
      () =>
        `${thousands(this.#looked)} files searched, ${thousands(this.#files.length)} with matches`,
    );
    const now = clock.now();
    if (now - this.#yielded < TURN) return undefined;
    this.#yielded = now;
    return threads.turn();
  }

  #note(path: string, outcome: number): void {
    if (this.#isEnough) return;
    this.#looked++;
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
