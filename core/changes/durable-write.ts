// One file's new content on disk, wholly or not at all (hashline.md decision 20). Everything is staged first; `commit`
// only renames. Where a rename would lose the owner or a hard link, the file is written in place.

import { limits } from "../limits.ts";
import type { Fs, FileStat } from "../ports/fs.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";

type WritePorts = Pick<Host, "fs" | "random" | "clock">;

export interface WriteTarget {
  /** Real path: a link itself is never replaced. */
  readonly path: string;
  readonly stat: FileStat;
  readonly before: Uint8Array;
  readonly after: Uint8Array;
}

export interface StagedWrite {
  readonly target: WriteTarget;
  readonly inPlace: boolean;
  /** Puts the staged bytes in place. False: the system allows no rename here, so `overwrite` must do it. */
  commit(): Promise<boolean>;
  /** Writes the same inode. A crash may leave it torn: log it as in place first. */
  overwrite(): Promise<void>;
  /** Writes the old bytes over whatever a failed `overwrite` left. */
  restore(): Promise<void>;
  /** Removes what was staged and not committed. */
  discard(): Promise<void>;
  /** Puts the old bytes back if the file is still what was written. False: it has moved on, and is left alone. */
  rollBack(): Promise<boolean>;
}

/** Errors of the file system pass on; nothing of the target has changed then. */
export async function stageWrite(target: WriteTarget, ports: WritePorts): Promise<StagedWrite> {
  const { fs } = ports;
  const temporary = await stage(target, ports);
  return {
    target,
    inPlace: temporary === undefined,
    async commit() {
      if (temporary === undefined) {
        await fs.overwrite(target.path, target.after);
        return true;
      }
      try {
        await fs.rename(temporary, target.path);
      } catch (thrown) {
        if (thrown instanceof FsError && renameRefused.has(thrown.code)) return false;
        throw thrown;
      }
      await fs.syncDirectory(folderOf(target.path));
      await sweepStaged(folderOf(target.path), ports);
      return true;
    },
    overwrite: () => fs.overwrite(target.path, target.after),
    restore: () => fs.overwrite(target.path, target.before),
    async discard() {
      if (temporary !== undefined) await fs.remove(temporary);
    },
    async rollBack() {
      const now = await fs.read(target.path);
      if (!now || !equalBytes(now.bytes, target.after)) return false;
      const back = await stageWrite(
        { ...target, stat: now.stat, before: target.after, after: target.before },
        ports,
      );
      if (!(await back.commit())) {
        await back.overwrite();
        await back.discard();
      }
      return true;
    },
  };
}

const renameRefused = new Set(["EBUSY", "EPERM", "EXDEV", "EACCES"]);
const stagingRefused = new Set(["EPERM", "EACCES", "EROFS"]);

/** A flushed file beside the target with its mode and owner; undefined where the target must be written in place. */
async function stage({ path, stat, after }: WriteTarget, { fs, random }: WritePorts) {
  if (stat.links > 1) return undefined;
  const temporary = `${folderOf(path)}.atomic-${random.hex(8)}.tmp`;
  try {
    await fs.create(temporary, after, { mode: stat.mode, owner: { uid: stat.uid, gid: stat.gid } });
    return temporary;
  } catch (thrown) {
    await removeQuietly(fs, temporary);
    if (thrown instanceof FsError && stagingRefused.has(thrown.code)) return undefined;
    throw thrown;
  }
}

/** A process that was killed between staging and renaming leaves its staged file behind. */
async function sweepStaged(folder: string, { fs, clock }: WritePorts): Promise<void> {
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
    // The failure that led here is the one to tell.
  }
}

/** With its final slash, so that a file in the root folder works too. */
function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf("/") + 1);
}

export function equalBytes(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
