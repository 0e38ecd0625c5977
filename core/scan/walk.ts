// A tree in path order: by the code units of the whole path, as if every folder's name ended in "/". Links are never followed.

import type { Clock } from "../ports/clock.ts";
import { type DirectoryEntry, type FileKind, type Fs, FsError } from "../ports/fs.ts";
import { type IgnorePorts, type IgnoreStack, ignoresAbove, noIgnores } from "./ignore-stack.ts";

export interface WalkOptions {
  /** Absolute; a link itself is followed. */
  readonly root: string;
  readonly gitignore: boolean;
  /** Whether names that begin with a dot count. */
  readonly hidden: boolean;
  /** Of the folders that are left out by their name: those that the caller named, which count whatever rules say. */
  readonly named: ReadonlySet<string>;
  readonly signal: AbortSignal;
  /** By the clock, in milliseconds. */
  readonly deadline: number;
}

export type WalkPorts = IgnorePorts & {
  readonly fs: Pick<Fs, "read" | "lstat" | "list">;
  readonly clock: Pick<Clock, "now">;
};

export interface WalkVisitor {
  /**
   * Told of every entry, in path order, a folder before what is in it.
   * @param folder relative to the root: "" or ending in "/"
   * @returns "enter": go into this folder; "skip": do not; "stop": end the walk here
   */
  entry(folder: string, name: string, kind: FileKind): "enter" | "skip" | "stop";
  /** Between folders, so that others get their turn. */
  pause?(): Promise<void> | undefined;
}

export interface WalkEnd {
  readonly end: "complete" | "stopped" | "timed out";
  /** Folders that could not be listed, relative to the root, with the error's name. */
  readonly unreadable: readonly { readonly path: string; readonly code: string }[];
}

/** Folders that broad scans leave out (seed 000, "Finding paths"). */
export const prunedFolders: readonly string[] = [".git", "node_modules"];

/** Entries after which the time is looked at. */
const STRIDE = 1_024;

interface Level {
  readonly folder: string;
  readonly names: readonly string[];
  /** Of those that are neither files nor folders. */
  readonly kinds: ReadonlyMap<string, FileKind> | undefined;
  readonly ignores: IgnoreStack;
  at: number;
}

/** @throws the signal's reason when it aborts; FsError where the root itself cannot be listed */
export async function walk(
  options: WalkOptions,
  ports: WalkPorts,
  visitor: WalkVisitor,
): Promise<WalkEnd> {
  const { root, gitignore, signal, deadline } = options;
  const { fs, clock } = ports;
  const unreadable: { path: string; code: string }[] = [];
  const top = root.endsWith("/") ? root : `${root}/`;
  let seen = 0;
  let isLate = false;

  const above = gitignore ? await ignoresAbove(root, ports) : noIgnores;
  const first = await fs.list(root);
  const levels: Level[] = [];
  if (first) {
    const name = root.slice(root.lastIndexOf("/") + 1);
    levels.push(levelOf("", first, await above.enter(name, root, first)));
  }

  function checkTime(): boolean {
    signal.throwIfAborted();
    isLate ||= clock.now() > deadline;
    return isLate;
  }

  function isTime(): boolean {
    return ++seen % STRIDE === 0 && checkTime();
  }

  while (levels.length > 0) {
    const level = levels.at(-1)!;
    const { folder, ignores } = level;
    const below = nextFolder(level, options, visitor, isTime);
    if (below === STOPPED) return { end: "stopped", unreadable };
    if (below === LATE) return { end: "timed out", unreadable };
    if (below === undefined) {
      levels.pop();
      continue;
    }
    if (checkTime()) return { end: "timed out", unreadable };
    await visitor.pause?.();
    const path = `${folder}${below}`;
    let entries: readonly DirectoryEntry[] | undefined;
    try {
      entries = await fs.list(top + path);
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      unreadable.push({ path, code: thrown.code });
      continue;
    }
    // Gone meanwhile.
    if (!entries) continue;
    const stack = await ignores.enter(below, top + path, entries);
    levels.push(levelOf(`${path}/`, entries, stack));
  }
  return { end: "complete", unreadable };
}

/** In place of a folder's name, which holds no slash. */
const STOPPED = "/stopped";
const LATE = "/late";

/**
 * Tells of a folder's entries up to the first that is to be entered. Short, since it is what runs for every name of a tree.
 * @returns its name; undefined: there is none any more
 */
function nextFolder(
  level: Level,
  { hidden, named }: WalkOptions,
  visitor: WalkVisitor,
  isLate: () => boolean,
): string | undefined {
  const { folder, names, kinds, ignores } = level;
  while (level.at < names.length) {
    const key = names[level.at++]!;
    if (isLate()) return LATE;
    const isFolder = key.endsWith("/");
    const name = isFolder ? key.slice(0, -1) : key;
    const isNamed = isFolder && named.has(name);
    if (isFolder && !isNamed && prunedFolders.includes(name)) continue;
    if (!hidden && !isNamed && name.startsWith(".")) continue;
    if (!isNamed && ignores.ignores(name, isFolder)) continue;
    const kind = isFolder ? "directory" : (kinds?.get(name) ?? "file");
    const wish = visitor.entry(folder, name, kind);
    if (wish === "stop") return STOPPED;
    if (isFolder && wish === "enter") return name;
  }
  return undefined;
}

function levelOf(folder: string, entries: readonly DirectoryEntry[], ignores: IgnoreStack): Level {
  const names: string[] = [];
  let kinds: Map<string, FileKind> | undefined;
  for (let i = 0; i < entries.length; i++) {
    const { name, kind } = entries[i]!;
    names.push(kind === "directory" ? `${name}/` : name);
    if (kind !== "directory" && kind !== "file") (kinds ??= new Map()).set(name, kind);
  }
  // By code units, which is what a sort without a comparison does.
  // oxlint-disable-next-line require-array-sort-compare -- a comparison would make it several times slower
  return { folder, names: names.sort(), kinds, ignores, at: 0 };
}
