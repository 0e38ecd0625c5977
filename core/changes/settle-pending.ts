// A file written in place by a process that died half-way is put back before anyone looks at it (decision 20).

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import type { Call } from "../tool.ts";
import { equalBytes } from "./durable-write.ts";

/** What was done about a torn file. */
export type Mended = "restored" | "removed";

/** Call it with the file's lock held. Undefined where nothing was torn. */
export async function settlePending(
  path: string,
  session: Session,
  { fs }: Pick<Host, "fs">,
): Promise<Mended | undefined> {
  let mended: Mended | undefined;
  for (const { before, after, settle } of (await session.unsettled(path)).toReversed()) {
    const now = await fs.read(path);
    if (now && !equalBytes(now.bytes, after.bytes)) {
      if (!before) {
        // Another's file of that name is no beginning of ours.
        if (isBeginning(now.bytes, after.bytes)) {
          await fs.remove(path);
          mended = "removed";
        }
      } else if (!equalBytes(now.bytes, before.bytes)) {
        await fs.overwrite(path, before.bytes);
        if (now.stat.mode !== before.mode) await fs.setMode(path, before.mode);
        mended = "restored";
      }
    }
    await settle();
  }
  return mended;
}

function isBeginning(part: Uint8Array, whole: Uint8Array): boolean {
  return part.length < whole.length && equalBytes(part, whole.subarray(0, part.length));
}

/** For a reader, who holds no lock. What hinders it is no reason not to read: the session's own failures are told later. */
export async function settleBeforeReading(
  path: string,
  {
    session,
    signal,
    notice,
    allowWrite,
  }: Pick<Call, "session" | "signal" | "notice" | "allowWrite">,
  { fs, locks }: Pick<Host, "fs" | "locks">,
): Promise<void> {
  try {
    const opened = await session();
    const real = await fs.realPath(path);
    if (real === undefined || (await opened.unsettled(real)).length === 0) return;
    await allowWrite(real, path);
    const options = { timeoutMs: limits.lockTimeout, signal };
    const release = await locks.acquire(opened.locksFolder, [real], options);
    try {
      const mended = await settlePending(real, opened, { fs });
      if (mended) notice(mendedText(path, mended));
    } finally {
      release();
    }
  } catch (thrown) {
    if (thrown instanceof AtomicError && thrown.code.startsWith("policy.")) {
      notice(`${path} was left half-written by a process that died. ${thrown.message}`);
    }
    // The reader shows what is there; recording it meets the same trouble and says so.
  }
}

export function mendedText(path: string, mended: Mended): string {
  const outcome =
    mended === "restored" ? "its content from before is back" : "it was new, and is removed";
  return `${path} had been left half-written by a process that died; ${outcome}.`;
}
