// Keeping a target inside its folder, whatever links say (tools.md §1.3). Plain paths are not confined.

import { AtomicError } from "../errors.ts";
import { resolvePath, showName } from "../paths.ts";
import type { FileStat, Fs } from "../ports/fs.ts";
import type { Call } from "../tool.ts";

/** A folder that what is named in it may not leave. */
export interface Root {
  /** Absolute, links not resolved. */
  readonly path: string;
  /** What kind of target is confined, as messages begin: "archive", "local://" … */
  readonly kind: string;
  /** How messages call the folder. */
  readonly name: "workspace" | "skills folder" | "session folder";
}

export async function workspaceRoot(kind: string, call: Pick<Call, "workspace">): Promise<Root> {
  return { path: await call.workspace(), kind, name: "workspace" };
}

/**
 * Refuses a path that leaves the root by its text. Asks the disk only about the root.
 * @throws AtomicError `selector.escape`
 */
export async function confineName(root: Root, path: string, typed: string, fs: Fs): Promise<void> {
  if (isWithin(path, root.path)) return;
  const realRoot = await fs.realPath(root.path);
  if (realRoot === undefined || !isWithin(path, realRoot)) throw escape(root, typed);
}

/**
 * Refuses a path that leaves the root by its text or through a link. A path that does not exist passes by its text alone.
 * @param path absolute
 * @param typed as the caller named it
 * @throws AtomicError `selector.escape`; FsError where the way cannot be looked at
 */
export async function confine(root: Root, path: string, typed: string, fs: Fs): Promise<void> {
  await confinedPath(root, path, typed, fs);
}

/**
 * Where a path leads, inside the root. Whoever works on that path is not led elsewhere by a link that is turned meanwhile.
 * @returns absolute, links resolved; the path itself where there is nothing
 * @throws AtomicError `selector.escape`
 */
export async function confinedPath(
  root: Root,
  path: string,
  typed: string,
  fs: Fs,
): Promise<string> {
  const realRoot = (await fs.realPath(root.path)) ?? root.path;
  if (!isWithin(path, root.path) && !isWithin(path, realRoot)) throw escape(root, typed);
  const real = await fs.realPath(path);
  if (real !== undefined && !isWithin(real, realRoot)) throw escape(root, typed);
  return real ?? path;
}

/**
 * Holds what was opened against its name once more: it must be the very file that the name leads to now, inside the root.
 * Whoever swaps a folder for a link between the check and the opening is caught.
 * @param opened of the descriptor
 * @throws AtomicError `selector.escape`
 */
export async function confineOpened(
  root: Root,
  path: string,
  typed: string,
  opened: FileStat,
  fs: Fs,
): Promise<void> {
  const realRoot = (await fs.realPath(root.path)) ?? root.path;
  const real = await fs.realPath(path);
  const now = real !== undefined && isWithin(real, realRoot) ? await fs.lstat(real) : undefined;
  if (now?.identity !== opened.identity) throw escape(root, typed);
}

/** Both absolute and normalised. Whole segments count: "..foo" in a folder is a name like any other. */
export function isWithin(path: string, folder: string): boolean {
  if (path === folder) return true;
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`);
}

export function escape({ kind, name, path }: Root, typed: string): AtomicError {
  const widen =
    name === "workspace"
      ? `The workspace is ${showName(resolvePath(".", path))}; another one is named with --workspace DIR or ATOMIC_WORKSPACE.`
      : `The folder is ${showName(path)}.`;
  return new AtomicError("selector.escape", `${kind} leaves the ${name}: ${showName(typed)}`, {
    data: { path: typed, root: path },
    hint: widen,
  });
}
