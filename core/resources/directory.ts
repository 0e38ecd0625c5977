// A folder as a tree of depth 2, newest entries first (seed 000, "read and path selectors"; tools.md §3.4).

import { aborted } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Clock } from "../ports/clock.ts";
import { type DirectoryEntry, type FileStat, type Fs, FsError } from "../ports/fs.ts";
import { formatAge, formatCount, formatSize } from "../text/size.ts";
import { readFailure, vanished } from "./file-errors.ts";
import type { Located } from "./resource.ts";

export interface DirectoryTree {
  /** The first is "."; each level is indented by two blanks. */
  readonly lines: readonly string[];
  /** What was left out for want of time or room, in sentences. */
  readonly notes: readonly string[];
  /** Some folder had more entries than are shown. */
  readonly elided: boolean;
}

interface Entry {
  readonly name: string;
  /** What a link leads to; undefined where it leads nowhere. */
  readonly stat: FileStat | undefined;
  /** The text of a symbolic link. */
  readonly link: string | undefined;
  readonly modified: number;
}

type Ports = { readonly fs: Fs; readonly clock: Clock };

/**
 * @throws AtomicError `file.not_found`, `file.unreadable`, `aborted`. A folder below that cannot be listed says so in its row.
 */
export async function listTree(
  { path, typed }: Pick<Located, "path" | "typed">,
  ports: Ports,
  signal: AbortSignal,
): Promise<DirectoryTree> {
  return new Lister(ports, signal).tree(path, typed);
}

/** One walk with its deadline. */
class Lister {
  readonly #fs: Fs;
  readonly #signal: AbortSignal;
  readonly #clock: Clock;
  readonly #now: number;
  #unsorted = false;
  #late = false;
  #elided = false;

  constructor({ fs, clock }: Ports, signal: AbortSignal) {
    this.#fs = fs;
    this.#clock = clock;
    this.#signal = signal;
    this.#now = clock.now();
  }

  async tree(path: string, typed: string): Promise<DirectoryTree> {
    let listed: readonly DirectoryEntry[] | undefined;
    try {
      listed = await this.#fs.list(path);
    } catch (thrown) {
      throw readFailure(typed, thrown);
    }
    if (!listed) throw vanished(typed);
    const entries = await this.#examine(path, listed);
    const lines = ["."];
    for (const row of this.#choose(entries, limits.directoryRoot)) {
      lines.push(...(typeof row === "string" ? [`  - ${row}`] : await this.#branch(path, row)));
    }
    const notes: string[] = [];
    if (this.#unsorted) {
      const most = formatCount(limits.directoryScan, "entry", "entries");
      notes.push(`[A folder has more than ${most}: of the rest only the number is known]`);
    }
    if (this.#late) {
      notes.push(
        `[Stopped after ${limits.directoryTime / 1000} s: folders marked "not listed" were not looked into]`,
      );
    }
    return { lines, notes, elided: this.#elided };
  }

  /** A row, and below a folder's the rows of what it holds. */
  async #branch(parent: string, entry: Entry): Promise<string[]> {
    const row = this.#row(entry);
    if (entry.link !== undefined || entry.stat?.kind !== "directory") return [`  - ${row}`];
    if (this.#isLate()) return [`  - ${row} (not listed)`];
    const path = join(parent, entry.name);
    let listed: readonly DirectoryEntry[] | undefined;
    try {
      listed = await this.#fs.list(path);
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      return [`  - ${row} (cannot be listed: ${thrown.code})`];
    }
    const below = this.#choose(
      await this.#examine(path, listed ?? []),
      limits.directoryChildren,
    ).map((child) => `    - ${typeof child === "string" ? child : this.#row(child)}`);
    return [`  - ${row}`, ...below];
  }

  /** Looks at each entry, up to the limit. What vanished meanwhile is left out. */
  async #examine(folder: string, listed: readonly DirectoryEntry[]): Promise<Examined> {
    const kept = listed.filter(
      ({ name, kind }) => !(kind === "directory" && (name === ".git" || name === "node_modules")),
    );
    const looked = kept.slice(0, limits.directoryScan);
    if (looked.length < kept.length) this.#unsorted = true;
    const entries: Entry[] = [];
    for (let i = 0; i < looked.length; i += stride) {
      if (this.#signal.aborted) throw aborted(this.#signal.reason);
      const some = await Promise.all(
        looked.slice(i, i + stride).map((entry) => this.#look(folder, entry)),
      );
      for (const entry of some) if (entry) entries.push(entry);
    }
    entries.sort((a, b) => b.modified - a.modified || (a.name < b.name ? -1 : 1));
    return { entries, unseen: kept.length - looked.length };
  }

  async #look(folder: string, { name, kind }: DirectoryEntry): Promise<Entry | undefined> {
    const path = join(folder, name);
    const own = await this.#quietly(() => this.#fs.lstat(path));
    if (kind !== "symlink") {
      return own && { name, stat: own, link: undefined, modified: own.modified };
    }
    const link = (await this.#quietly(() => this.#fs.readLink(path))) ?? "?";
    const stat = await this.#quietly(() => this.#fs.stat(path));
    return { name, stat, link, modified: (stat ?? own)?.modified ?? 0 };
  }

  /** An entry that cannot be looked at shows as one that is not there to be read. */
  async #quietly<T>(work: () => Promise<T | undefined>): Promise<T | undefined> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof FsError) return undefined;
      throw thrown;
    }
  }

  /** The newest, a row that counts what is left out, and the oldest. */
  #choose({ entries, unseen }: Examined, most: number): readonly (Entry | string)[] {
    const total = entries.length + unseen;
    if (total <= most) return entries;
    this.#elided = true;
    const oldest = entries.at(-1)!;
    return [...entries.slice(0, most - 1), `… ${total - most} more`, oldest];
  }

  #row({ name, stat, link }: Entry): string {
    const shown = showName(name);
    const arrow = link === undefined ? "" : ` -> ${showName(link)}`;
    if (!stat) return `${shown}${arrow} (missing)`;
    // A link may end in a slash already.
    if (stat.kind === "directory") return `${shown}${arrow}`.replace(/\/?$/, "/");
    if (stat.kind !== "file") return `${shown}${arrow}  (${stat.kind})`;
    const age = formatAge(this.#now - stat.modified);
    return `${shown}${arrow}  ${formatSize(stat.size).padEnd(8)}  ${age}`;
  }

  #isLate(): boolean {
    this.#late ||= this.#clock.now() - this.#now > limits.directoryTime;
    return this.#late;
  }
}

interface Examined {
  readonly entries: readonly Entry[];
  /** How many more the folder has, which nobody looked at. */
  readonly unseen: number;
}

/** System calls under way at once. */
const stride = 64;

function join(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}
