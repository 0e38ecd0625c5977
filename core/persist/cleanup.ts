// Takes away kept output that nobody has touched for 30 days (seed 000, "Persisted tool output").

import { limits } from "../limits.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";

type Ports = Pick<Host, "fs" | "env" | "clock">;

export interface CleanupRoot {
  /** Absolute. */
  readonly path: string;
  // Those below it that are taken away, by their names; "*" is any: "*" or "*/tool-results".
  readonly folders: readonly string[];
  /** The same for those that are taken away only once nothing has been in them for as long. */
  readonly empty?: readonly string[];
}

export interface Cleaned {
  readonly removed: readonly string[];
  /** The time was over before everything was looked at. */
  readonly isPartial: boolean;
}

const MARKER = ".last-cleanup";
const DEEPEST = 32;

/**
 * Removes folders whose newest file is older than 30 days; one fresh file keeps all. Nothing is followed, what cannot be
 * read is kept, and what belongs to somebody else is left alone.
 * @param isInUse asked of a folder that would go
 * @param time milliseconds; undefined: as long as it takes, and also where the last time was less than a day ago
 */
export async function cleanUp(
  roots: readonly CleanupRoot[],
  {
    isInUse,
    time,
  }: { isInUse(folder: string): Promise<boolean>; readonly time: number | undefined },
  ports: Ports,
): Promise<Cleaned> {
  const removed: string[] = [];
  const end = time === undefined ? Infinity : ports.clock.now() + time;
  for (const root of roots) {
    if (time !== undefined && !(await isDue(root.path, ports))) continue;
    for (const folder of await matchingAll(root.path, root.folders, ports)) {
      if (ports.clock.now() > end) return { removed, isPartial: true };
      if (await removeOld(folder, isInUse, ports)) removed.push(folder);
    }
    for (const folder of await matchingAll(root.path, root.empty ?? [], ports)) {
      await removeEmpty(folder, ports);
    }
    await mark(root.path, ports);
  }
  return { removed, isPartial: false };
}

async function isDue(root: string, { fs, clock }: Ports): Promise<boolean> {
  const stat = await orNothing(() => fs.lstat(root));
  if (stat?.kind !== "directory") return false;
  const last = await orNothing(() => fs.lstat(`${root}/${MARKER}`));
  return last === undefined || clock.now() - last.modified >= limits.cleanupPause;
}

async function mark(root: string, { fs }: Ports): Promise<void> {
  const path = `${root}/${MARKER}`;
  await orNothing(() => fs.remove(path));
  await orNothing(() => fs.create(path, new Uint8Array(0), { mode: 0o600 }));
}

async function matchingAll(
  path: string,
  patterns: readonly string[],
  ports: Ports,
): Promise<readonly string[]> {
  const found: string[] = [];
  for (const pattern of patterns) found.push(...(await matching(path, pattern.split("/"), ports)));
  return found;
}

async function matching(
  folder: string,
  [name, ...rest]: readonly string[],
  ports: Ports,
): Promise<readonly string[]> {
  if (name === undefined) return [folder];
  const { fs } = ports;
  // A link leads to what is not ours to clean.
  if ((await orNothing(() => fs.lstat(folder)))?.kind !== "directory") return [];
  if (name !== "*") return matching(`${folder}/${name}`, rest, ports);
  const found: string[] = [];
  for (const entry of (await orNothing(() => fs.list(folder))) ?? []) {
    if (entry.kind !== "directory") continue;
    found.push(...(await matching(`${folder}/${entry.name}`, rest, ports)));
  }
  return found;
}

async function removeOld(
  folder: string,
  isInUse: (folder: string) => Promise<boolean>,
  ports: Ports,
): Promise<boolean> {
  const { fs, env, clock } = ports;
  const before = await orNothing(() => fs.lstat(folder));
  if (before?.kind !== "directory" || (env.uid >= 0 && before.uid !== env.uid)) return false;
  const newest = await newestIn(folder, DEEPEST, ports);
  if (newest === undefined || clock.now() - Math.max(newest, 0) < limits.cleanupAge) return false;
  // An empty folder counts by its own age.
  if (newest < 0 && clock.now() - before.modified < limits.cleanupAge) return false;
  if (await isInUse(folder)) return false;
  // It must still be the one that was looked at.
  if ((await orNothing(() => fs.lstat(folder)))?.identity !== before.identity) return false;
  return removeTree(folder, ports);
}

/** When the newest file was changed; -1 where there is none, undefined where that cannot be told. */
async function newestIn(
  folder: string,
  depth: number,
  { fs, env, clock }: Ports,
): Promise<number | undefined> {
  const entries = await orNothing(() => fs.list(folder));
  if (!entries || depth === 0) return undefined;
  let newest = -1;
  for (const { name } of entries) {
    const path = `${folder}/${name}`;
    const stat = await orNothing(() => fs.lstat(path));
    if (!stat || (env.uid >= 0 && stat.uid !== env.uid)) return undefined;
    if (stat.kind !== "directory" && stat.kind !== "file") return undefined;
    const time =
      stat.kind === "file" ? stat.modified : await newestIn(path, depth - 1, { fs, env, clock });
    if (time === undefined) return undefined;
    newest = Math.max(newest, time);
  }
  return newest;
}

/** The system refuses it for one that is not. */
async function removeEmpty(folder: string, { fs, env, clock }: Ports): Promise<void> {
  const stat = await orNothing(() => fs.lstat(folder));
  if (stat?.kind !== "directory" || (env.uid >= 0 && stat.uid !== env.uid)) return;
  if (clock.now() - stat.modified < limits.cleanupAge) return;
  await orNothing(() => fs.removeDirectory(folder));
}

async function removeTree(folder: string, ports: Ports): Promise<boolean> {
  const { fs, clock } = ports;
  for (const { name } of (await orNothing(() => fs.list(folder))) ?? []) {
    const path = `${folder}/${name}`;
    const stat = await orNothing(() => fs.lstat(path));
    if (stat?.kind === "directory") await removeTree(path, ports);
    // Somebody may have written there meanwhile.
    else if (stat?.kind === "file" && clock.now() - stat.modified >= limits.cleanupAge) {
      await orNothing(() => fs.remove(path));
    }
  }
  return (await orNothing(() => fs.removeDirectory(folder))) === true;
}

/** Whatever the system refuses here is no reason to fail: the next time may do it. */
async function orNothing<T>(work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof FsError) return undefined;
    throw thrown;
  }
}
