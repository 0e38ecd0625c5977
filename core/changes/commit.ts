// Several files written as one: staged, logged, renamed; put back where one of them fails (hashline.md decision 19).

import { AtomicError } from "../errors.ts";
import { toolMessage } from "../hashline/messages.ts";
import { FsError, type ReadFile } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Change, ChangeGroup, Session } from "../session/session.ts";
import { stageWrite, type StagedWrite, TargetMoved, type WriteTarget } from "./durable-write.ts";

export interface PlannedWrite extends WriteTarget {
  /** As messages name it. */
  readonly name: string;
  readonly change: Omit<Change, "path" | "before" | "after" | "inPlace" | "folders">;
  /**
   * The error where the target has changed between its reading and the last moment before the write. Undefined as `now`:
   * it is gone, or it was to be created and has appeared.
   */
  moved(now: ReadFile | undefined): AtomicError;
}

/** Where the files were put, in the order of the writes. */
export interface CommittedWrite {
  /** Undefined: removed. */
  readonly mode: number | undefined;
  /** Made to put it in, deepest first. */
  readonly folders: readonly string[];
}

/**
 * On an error no target is changed, or the message names those that are. Not cancelled once it runs.
 * @param tool its name, for the change log
 * @throws AtomicError `file.write`, `session.unavailable`, and what `moved` gives
 */
export async function commitWrites(
  tool: string,
  writes: readonly PlannedWrite[],
  session: Session,
  ports: Pick<Host, "fs" | "random" | "clock">,
  notice: (text: string) => void,
): Promise<readonly CommittedWrite[]> {
  const staged: StagedWrite[] = [];
  const names = writes.map(({ name }) => name);
  try {
    for (const [i, write] of writes.entries()) {
      try {
        staged.push(await stageWrite(write, ports));
      } catch (thrown) {
        const others = names.filter((_, j) => j !== i);
        throw failureOf(tool, write, thrown, [], others);
      }
    }
    const changes = writes.map((write, i) => changeOf(write, staged[i]!));
    const group = await session.beginChanges(tool, changes);
    const landed = await landAll(tool, writes, staged, group);
    // What could not be put back stays in the log as begun: the next call on that file mends it.
    if (!landed.torn) await settle(() => group.settle(landed.paths), notice);
    if (landed.failure) throw landed.failure;
  } catch (thrown) {
    for (const write of staged) await discardQuietly(write);
    throw thrown;
  }
  return staged.map(({ after, folders }) => ({ mode: after?.mode, folders }));
}

interface Landed {
  readonly paths: readonly string[];
  /** A file may hold neither its old nor its new content. */
  readonly torn: boolean;
  readonly failure: AtomicError | undefined;
}

/** The paths that hold their new content at the end, and why it is not all of them. */
async function landAll(
  tool: string,
  writes: readonly PlannedWrite[],
  staged: readonly StagedWrite[],
  group: ChangeGroup,
): Promise<Landed> {
  const names = writes.map(({ name }) => name);
  for (const [i, write] of staged.entries()) {
    let inPlace = write.inPlace;
    try {
      if (await write.commit()) continue;
      // The system allows no rename here, and what is written instead a crash can tear.
      await group.writeInPlace(writes[i]!.path);
      inPlace = true;
      await write.overwrite();
      await write.discard();
    } catch (thrown) {
      // A failure to flush the folder comes after the rename: then the file is put back like the others.
      const torn = inPlace ? !(await restored(write)) : false;
      if (!inPlace) await rolledBack(write);
      const written: number[] = [];
      for (let j = i - 1; j >= 0; j--) if (!(await rolledBack(staged[j]!))) written.unshift(j);
      const failure = failureOf(
        tool,
        writes[i]!,
        thrown,
        written.map((j) => names[j]!),
        names.filter((_, j) => j !== i && !written.includes(j)),
      );
      return { paths: written.map((j) => writes[j]!.path), torn, failure };
    }
  }
  return { paths: writes.map(({ path }) => path), torn: false, failure: undefined };
}

function changeOf(write: PlannedWrite, { after, folders, inPlace }: StagedWrite): Change {
  const { path, before, change } = write;
  return {
    ...change,
    path,
    before: before && { bytes: before.bytes, mode: before.stat.mode },
    after,
    inPlace,
    folders,
  };
}

async function rolledBack(write: StagedWrite): Promise<boolean> {
  try {
    return await write.rollBack();
  } catch {
    return false;
  }
}

/** A failed write in place may have left anything: the old bytes go back. */
async function restored(write: StagedWrite): Promise<boolean> {
  try {
    await write.restore();
    return true;
  } catch {
    return false;
  }
}

async function settle(work: () => Promise<void>, notice: (text: string) => void): Promise<void> {
  try {
    await work();
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    notice(
      `The files were written, but the session could not record it: ${reason} Read them again before editing.`,
    );
  }
}

async function discardQuietly(write: StagedWrite): Promise<void> {
  try {
    await write.discard();
  } catch {
    // The failure that led here is the one to tell.
  }
}

/** @param written the other targets that could not be put back, which the message must name */
function failureOf(
  tool: string,
  { name, before, moved }: PlannedWrite,
  thrown: unknown,
  written: readonly string[],
  unwritten: readonly string[],
): AtomicError {
  if (thrown instanceof AtomicError) return thrown;
  const appeared = !before && thrown instanceof FsError && thrown.code === "EEXIST";
  const hasMoved = appeared || thrown instanceof TargetMoved;
  const now = thrown instanceof TargetMoved ? thrown.now : undefined;
  if (hasMoved && written.length === 0) return moved(now);
  const reason = hasMoved
    ? moved(now).message
    : thrown instanceof FsError
      ? `Error code: ${thrown.code}.`
      : thrown instanceof Error
        ? thrown.message
        : String(thrown);
  const parts = tool === "edit" ? "Sections" : "Files";
  const message = toolMessage.writeFailed(name, reason, written, unwritten, parts);
  const errno = thrown instanceof FsError ? { errno: thrown.code } : {};
  return new AtomicError("file.write", message, {
    cause: thrown,
    data: { path: name, ...errno, written, unwritten },
  });
}
