// A file too large to be held in memory, replaced by one that is written as it is made. Its old content is not kept, so the
// log says what it was and cannot give it back; all else is as with any durable write.

import { AtomicError } from "../errors.ts";
import { toolMessage } from "../hashline/messages.ts";
import { type FileStat, FsError, type OpenedFile } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import { piecesOf } from "../archives/archive.ts";
import { folderOf, sweepStaged, temporaryBeside, verifyWay } from "./durable-write.ts";
import type { TargetFile } from "./write-target.ts";

export interface LargeReplacement {
  readonly file: TargetFile;
  /** The file as it is, from which `pieces` is made. */
  readonly opened: OpenedFile;
  readonly pieces: AsyncIterable<Uint8Array>;
  readonly forced: boolean;
  /** The error where the file has changed meanwhile. */
  moved(): AtomicError;
}

/** @throws AtomicError `file.write`, `session.unavailable`, and what `moved` gives; nothing has changed then */
export async function replaceLarge(
  { file, opened, pieces, forced, moved }: LargeReplacement,
  {
    ports,
    session,
    call,
  }: {
    readonly ports: Pick<Host, "fs" | "bytes" | "random" | "clock">;
    readonly session: Session;
    readonly call: { notice(text: string): void };
  },
): Promise<void> {
  const { fs, bytes } = ports;
  const { real, given } = file;
  const { mode, uid, gid, links } = opened.stat;
  if (links > 1) {
    // A write in place can be torn, and there would be nothing to mend it with.
    const reason = `It has ${links} hard links, so it would have to be written in place, and it is too large for a backup.`;
    throw writeError(given, reason);
  }
  const temporary = temporaryBeside(real, ports);
  const after = bytes.hashing();
  async function* hashed() {
    for await (const piece of pieces) {
      after.update(piece);
      yield piece;
    }
  }
  try {
    await confine(file, fs, moved);
    await fs.create(temporary, hashed(), { mode, owner: { uid, gid } });
    await confine(file, fs, moved);
    const before = bytes.hashing();
    for await (const piece of piecesOf(opened, 0, opened.size)) before.update(piece);
    const group = await session.beginChanges("write", [
      {
        path: real,
        before: { hash: before.hex(), mode },
        after: { hash: after.hex(), mode },
        seen: undefined,
        fromHash: undefined,
        map: undefined,
        inPlace: false,
        ...(forced && { forced }),
      },
    ]);
    try {
      if (!isSame(await fs.stat(real), opened.stat)) throw moved();
      await fs.rename(temporary, real);
    } catch (thrown) {
      await group.settle([]);
      throw thrown;
    }
    await fs.syncDirectory(folderOf(real));
    await sweepStaged(folderOf(real), ports);
    await group.settle([real]).catch((thrown: unknown) => {
      const reason = thrown instanceof Error ? thrown.message : String(thrown);
      call.notice(`The archive was written, but the session could not record it: ${reason}`);
    });
  } catch (thrown) {
    await fs.remove(temporary).catch(() => false);
    if (thrown instanceof FsError) throw writeError(given, `Error code: ${thrown.code}.`, thrown);
    if (thrown instanceof RangeError) throw moved();
    throw thrown;
  }
}

async function confine(
  { real, confined }: TargetFile,
  fs: Host["fs"],
  moved: () => AtomicError,
): Promise<void> {
  if (confined && !(await verifyWay(real, fs))) throw moved();
}

/** Nobody has written to it or put another in its place, as far as the system tells. */
function isSame(now: FileStat | undefined, then: FileStat): boolean {
  return (
    now !== undefined &&
    now.identity === then.identity &&
    now.size === then.size &&
    now.modified === then.modified
  );
}

function writeError(given: string, reason: string, cause?: FsError): AtomicError {
  const message = toolMessage.writeFailed(given, reason, [], [], "Files");
  return new AtomicError("file.write", message, {
    cause,
    data: { path: given, ...(cause && { errno: cause.code }), written: [], unwritten: [] },
  });
}
