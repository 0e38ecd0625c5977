// A file written in place by a process that died half-way is put back before anyone looks at it (decision 20).

import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import type { Call } from "../tool.ts";
import { equalBytes } from "./durable-write.ts";

/** Call it with the file's lock held. True where the file was torn and has its old content again. */
export async function settlePending(
  path: string,
  session: Session,
  { fs, bytes }: Pick<Host, "fs" | "bytes">,
): Promise<boolean> {
  let restored = false;
  for (const write of (await session.unsettled(path)).toReversed()) {
    const now = await fs.read(path);
    const whole =
      !now ||
      bytes.sha256(now.bytes) === write.afterBytesHash ||
      equalBytes(now.bytes, write.before.bytes);
    if (!whole) {
      await fs.overwrite(path, write.before.bytes);
      restored = true;
    }
    await write.settle();
  }
  return restored;
}

/** For a reader, who holds no lock. What hinders it is no reason not to read: the session's own failures are told later. */
export async function settleBeforeReading(
  path: string,
  { session, signal, notice }: Pick<Call, "session" | "signal" | "notice">,
  { fs, bytes, locks }: Pick<Host, "fs" | "bytes" | "locks">,
): Promise<void> {
  try {
    const opened = await session();
    const real = await fs.realPath(path);
    if (real === undefined || (await opened.unsettled(real)).length === 0) return;
    const options = { timeoutMs: limits.lockTimeout, signal };
    const release = await locks.acquire(opened.locksFolder, [real], options);
    try {
      if (await settlePending(real, opened, { fs, bytes })) notice(restoredText(path));
    } finally {
      release();
    }
  } catch {
    // The reader shows what is there; recording it meets the same trouble and says so.
  }
}

export function restoredText(path: string): string {
  return `${path} had been left half-written by a process that died; its content from before is back.`;
}
