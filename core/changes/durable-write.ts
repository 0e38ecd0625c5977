// One file's new state on disk, wholly or not at all (hashline.md decision 20): replaced, created, removed or changed in
// mode. Everything is staged first; `commit` only renames, links or unlinks. Where a rename would lose the owner or a
// hard link, the file is written in place.

import { limits } from "../limits.ts";
import type { Fs, FileStat, ReadFile } from "../ports/fs.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { FileImage } from "../session/session.ts";

type WritePorts = Pick<Host, "fs" | "random" | "clock">;

export interface WriteTarget {
  /** Real path: a link itself is never replaced. */
  readonly path: string;
  /** As it was read. Undefined: it is created, and never put over what has appeared there meanwhile. */
  readonly before: ReadFile | undefined;
  /** Undefined: it is removed. */
  readonly after: NewContent | undefined;
  /**
   * No link may have come on the way to the path since it was resolved: it is looked at again when the content is staged,
   * and whatever moves the path after that takes the staged file along.
   */
  readonly confined?: boolean | undefined;
  /** Removed with the file, in this order, as far as they are empty then. */
  readonly emptied?: readonly string[];
}

export interface NewContent {
  readonly bytes: Uint8Array;
  /** Permission bits. Default: those it has; for a new file 0o666 less the umask. */
  readonly mode?: number;
  /** Adds the execute bits for all. */
  readonly executable?: boolean;
}

export interface StagedWrite {
  /** A crash while `commit` runs may leave the file torn. */
  readonly inPlace: boolean;
  /** What the file will be, with the mode that the system gave it. */
  readonly after: FileImage | undefined;
  /** Made to put the file in, deepest first. */
  readonly folders: readonly string[];
  /**
   * Puts what was staged in place. False: the system allows no rename or link here, so `overwrite` must do it.
   * @throws TargetMoved where the target is no longer what it was; nothing was done then. FsError EEXIST: the same for
   * one that was to be created.
   */
  commit(): Promise<boolean>;
  /** Writes under the target's own name. A crash may leave it torn: log it as in place first. */
  overwrite(): Promise<void>;
  /** Puts the old state over whatever a failed write in place left. */
  restore(): Promise<void>;
  /** Removes what was staged and not committed, and the folders made for it as far as they are empty. */
  discard(): Promise<void>;
  /** Puts the old state back if the file is still what was written. False: it has moved on, and is left alone. */
  rollBack(): Promise<boolean>;
}

/** The target changed after it was read: it is as the other writer left it. */
export class TargetMoved extends Error {
  override readonly name = "TargetMoved";
  readonly now: ReadFile | undefined;
  constructor(now: ReadFile | undefined) {
    super("the file changed while it was being written");
    this.now = now;
  }
}

/** Errors of the file system pass on; nothing of the target has changed then, and nothing staged is left. */
export function stageWrite(target: WriteTarget, ports: WritePorts): Promise<StagedWrite> {
  return target.confined ? stageConfined(target, ports) : stage(target, ports);
}

function stage(target: WriteTarget, ports: WritePorts): Promise<StagedWrite> {
  const { path, before, after, emptied = [] } = target;
  if (!before) {
    if (!after) throw new TypeError("a write needs a state before or after");
    return stageCreation(path, after, undefined, ports);
  }
  if (!after) return stageRemoval(path, before, emptied, ports);
  if (equalBytes(before.bytes, after.bytes)) return stageMode(path, before, after, ports);
  return stageReplacement(path, before, after, ports);
}

/** A staged file moves with the folder that it is in; what is put in its place does not have it. */
async function stageConfined(target: WriteTarget, ports: WritePorts): Promise<StagedWrite> {
  if (!(await verifyWay(target.path, ports.fs))) throw new TargetMoved(undefined);
  const staged = await stage(target, ports);
  if (await verifyWay(target.path, ports.fs)) return staged;
  await staged.discard();
  throw new TargetMoved(undefined);
}

/** Whether the folder that exists deepest on the way to a real path is still the one of that name. */
export async function verifyWay(path: string, fs: Fs): Promise<boolean> {
  for (let at = folderOf(path); at.length > 1; at = folderOf(at.slice(0, -1))) {
    const folder = at.slice(0, -1);
    const real = await fs.realPath(folder);
    if (real !== undefined) return real === folder;
  }
  return true;
}

async function stageReplacement(
  path: string,
  before: ReadFile,
  wanted: NewContent,
  ports: WritePorts,
): Promise<StagedWrite> {
  const { fs } = ports;
  const { stat } = before;
  const after = imageOf(wanted, stat.mode);
  const temporary = await stageBeside(path, stat, after, ports);
  let landed = false;
  async function writeOver({ bytes, mode }: FileImage): Promise<void> {
    await fs.overwrite(path, bytes);
    if (after.mode !== stat.mode) await fs.setMode(path, mode);
  }
  return {
    inPlace: temporary === undefined,
    after,
    folders: [],
    async commit() {
      await verify(path, before, fs);
      if (temporary === undefined) {
        landed = true;
        await writeOver(after);
        return true;
      }
      try {
        await fs.rename(temporary, path);
      } catch (thrown) {
        if (thrown instanceof FsError && renameRefused.has(thrown.code)) return false;
        throw thrown;
      }
      landed = true;
      await fs.syncDirectory(folderOf(path));
      await sweepStaged(folderOf(path), ports);
      return true;
    },
    async overwrite() {
      landed = true;
      await writeOver(after);
    },
    async restore() {
      if (landed) await writeOver({ bytes: before.bytes, mode: stat.mode });
    },
    async discard() {
      if (temporary !== undefined) await fs.remove(temporary);
    },
    async rollBack() {
      if (!landed) return true;
      const now = await fs.read(path);
      if (!now || !equalBytes(now.bytes, after.bytes)) return false;
      const old = { bytes: before.bytes, mode: stat.mode };
      await land(await stageReplacement(path, now, old, ports));
      return true;
    },
  };
}

/**
 * Staged beside the target and linked to its name, which fails where the name is taken: a killed process leaves the
 * whole file or none. Where the system has no hard links, `overwrite` creates it under its name.
 * @param owner of a file that is put back
 */
async function stageCreation(
  path: string,
  wanted: NewContent,
  owner: FileStat | undefined,
  ports: WritePorts,
): Promise<StagedWrite> {
  const { fs } = ports;
  const temporary = temporaryBeside(path, ports);
  const folders: string[] = [];
  const as = owner && { uid: owner.uid, gid: owner.gid };
  let after: FileImage;
  try {
    await createInFolders(temporary, wanted, as, folders, fs);
    const { mode } = (await fs.stat(temporary)) ?? { mode: wanted.mode ?? 0o666 };
    after = imageOf(wanted, mode);
    if (after.mode !== mode) await fs.setMode(temporary, after.mode);
  } catch (thrown) {
    await removeQuietly(fs, temporary);
    await removeEmpty(fs, folders);
    throw thrown;
  }
  let landed = false;
  /** Only what we put there, and only while it is that. */
  async function takeBack(): Promise<boolean> {
    if (!landed) return true;
    const now = await fs.read(path);
    if (now && !equalBytes(now.bytes, after.bytes)) return false;
    await fs.remove(path);
    return true;
  }
  return {
    inPlace: false,
    after,
    folders,
    async commit() {
      try {
        await fs.link(temporary, path);
      } catch (thrown) {
        if (thrown instanceof FsError && linkRefused.has(thrown.code)) return false;
        throw thrown;
      }
      landed = true;
      await removeQuietly(fs, temporary);
      await fs.syncDirectory(folderOf(path));
      await sweepStaged(folderOf(path), ports);
      return true;
    },
    async overwrite() {
      await fs.create(path, after.bytes, { mode: after.mode, ...(as && { owner: as }) });
      landed = true;
      await fs.syncDirectory(folderOf(path));
    },
    async restore() {
      await takeBack();
    },
    async discard() {
      await fs.remove(temporary);
      await removeEmpty(fs, folders);
    },
    rollBack: takeBack,
  };
}

async function stageRemoval(
  path: string,
  before: ReadFile,
  emptied: readonly string[],
  ports: WritePorts,
): Promise<StagedWrite> {
  const { fs } = ports;
  let landed = false;
  return {
    inPlace: false,
    after: undefined,
    folders: [],
    async commit() {
      await verify(path, before, fs);
      await fs.remove(path);
      landed = true;
      await fs.syncDirectory(folderOf(path));
      await removeEmpty(fs, emptied);
      return true;
    },
    ...neverInPlace,
    async rollBack() {
      if (!landed) return true;
      const { bytes, stat } = before;
      try {
        await land(await stageCreation(path, { bytes, mode: stat.mode }, stat, ports));
        return true;
      } catch (thrown) {
        if (thrown instanceof FsError && thrown.code === "EEXIST") return false;
        throw thrown;
      }
    },
  };
}

/** The bytes stay as they are: one system call, which is done or not done. */
async function stageMode(
  path: string,
  before: ReadFile,
  wanted: NewContent,
  { fs }: WritePorts,
): Promise<StagedWrite> {
  const old = before.stat.mode;
  const after = imageOf(wanted, old);
  let landed = false;
  return {
    inPlace: false,
    after,
    folders: [],
    async commit() {
      await verify(path, before, fs);
      if (after.mode === old) return true;
      await fs.setMode(path, after.mode);
      landed = true;
      return true;
    },
    ...neverInPlace,
    async rollBack() {
      if (!landed) return true;
      const now = await fs.read(path);
      if (!now || now.stat.mode !== after.mode || !equalBytes(now.bytes, after.bytes)) return false;
      await fs.setMode(path, old);
      return true;
    },
  };
}

/** Of a write whose `commit` always does it all, and that stages nothing. */
const neverInPlace: Pick<StagedWrite, "overwrite" | "restore" | "discard"> = {
  overwrite: () => Promise.resolve(),
  restore: () => Promise.resolve(),
  discard: () => Promise.resolve(),
};

async function land(staged: StagedWrite): Promise<void> {
  try {
    if (!(await staged.commit())) await staged.overwrite();
  } finally {
    await staged.discard();
  }
}

async function verify(path: string, before: ReadFile, fs: Fs): Promise<void> {
  const now = await fs.read(path);
  if (!now || !equalBytes(now.bytes, before.bytes)) throw new TargetMoved(now);
}

function imageOf({ bytes, mode, executable }: NewContent, usual: number): FileImage {
  return { bytes, mode: (mode ?? usual) | (executable ? 0o111 : 0) };
}

const renameRefused = new Set(["EBUSY", "EPERM", "EXDEV", "EACCES"]);
const stagingRefused = new Set(["EPERM", "EACCES", "EROFS", "ENAMETOOLONG"]);
/** What systems say that have no hard links, or none here. */
const linkRefused = new Set([
  "EPERM",
  "EACCES",
  "ENOTSUP",
  "EOPNOTSUPP",
  "ENOSYS",
  "EMLINK",
  "EXDEV",
  "EINVAL",
]);

/** A flushed file beside the target with its owner; undefined where the target must be written in place. */
async function stageBeside(
  path: string,
  { links, uid, gid }: FileStat,
  { bytes, mode }: FileImage,
  ports: WritePorts,
) {
  if (links > 1) return undefined;
  const { fs } = ports;
  const temporary = temporaryBeside(path, ports);
  try {
    await fs.create(temporary, bytes, { mode, owner: { uid, gid } });
    return temporary;
  } catch (thrown) {
    await removeQuietly(fs, temporary);
    if (thrown instanceof FsError && stagingRefused.has(thrown.code)) return undefined;
    throw thrown;
  }
}

/** A process that fails removes the folders it made: one that found them there makes them again. */
const FOLDER_ATTEMPTS = 3;

/** @param made collects the folders that were missing, deepest first */
async function createInFolders(
  path: string,
  { bytes, mode }: NewContent,
  owner: { readonly uid: number; readonly gid: number } | undefined,
  made: string[],
  fs: Fs,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    await makeFolders(folderOf(path), made, fs);
    try {
      await fs.create(path, bytes, {
        ...(mode !== undefined && { mode }),
        ...(owner && { owner }),
      });
      return;
    } catch (thrown) {
      const gone = thrown instanceof FsError && thrown.code === "ENOENT";
      if (!gone || attempt === FOLDER_ATTEMPTS) throw thrown;
    }
  }
}

async function makeFolders(folder: string, made: string[], fs: Fs): Promise<void> {
  const missing: string[] = [];
  for (let at = folder.slice(0, -1); at !== "" && !(await fs.stat(at));) {
    missing.push(at);
    at = folderOf(at).slice(0, -1);
  }
  for (const each of missing.toReversed()) {
    await fs.makeDirectory(each);
    if (!made.includes(each)) made.unshift(each);
    await fs.syncDirectory(folderOf(each));
  }
}

/** From the deepest up to the first that is not empty. */
async function removeEmpty(fs: Fs, folders: readonly string[]): Promise<void> {
  try {
    for (const folder of folders) await fs.removeDirectory(folder);
  } catch {
    // It holds something now, or may not be removed: it stays.
  }
}

/** A process that was killed between staging and renaming leaves its staged file behind. */
export async function sweepStaged(folder: string, { fs, clock }: WritePorts): Promise<void> {
  try {
    for (const { name, kind } of (await fs.list(folder)) ?? []) {
      if (kind !== "file" || !/^\.atomic-[0-9a-f]{16}\.tmp$/.test(name)) continue;
      const stat = await fs.lstat(folder + name);
      if (stat && clock.now() - stat.modified > limits.stagedFileAge)
        await fs.remove(folder + name);
    }
  } catch {
    // The write has landed; a folder that cannot be listed is no reason to say otherwise.
  }
}

async function removeQuietly(fs: Fs, path: string): Promise<void> {
  try {
    await fs.remove(path);
  } catch {
    // What led here is the thing to tell; a later write in the folder removes it.
  }
}

export function temporaryBeside(path: string, { random }: Pick<WritePorts, "random">): string {
  return `${folderOf(path)}.atomic-${random.hex(8)}.tmp`;
}

/** With its final slash, so that a file in the root folder works too. */
export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  if (a.length !== b.length) return false;
  // Loops, since `every` takes ten times as long for a large file; over words, since a short run is not compiled.
  const words = a.byteOffset % 4 === 0 && b.byteOffset % 4 === 0 ? a.length >> 2 : 0;
  const [as, bs] = [a, b].map(({ buffer, byteOffset }) =>
    words > 0 ? new Int32Array(buffer, byteOffset, words) : new Int32Array(0),
  ) as [Int32Array, Int32Array];
  for (let i = 0; i < words; i++) if (as[i] !== bs[i]) return false;
  for (let i = words << 2; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
