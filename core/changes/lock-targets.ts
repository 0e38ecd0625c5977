import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import { type Locks, LockTimeout } from "../ports/locks.ts";
import type { Session } from "../session/session.ts";

/**
 * Keeps every other writer of this state folder off the files until the returned function is called.
 * @param targets `given` is what messages call it
 * @throws AtomicError `lock.timeout`
 */
export async function lockTargets(
  targets: readonly { readonly given: string; readonly locks: readonly string[] }[],
  { locksFolder }: Pick<Session, "locksFolder">,
  locks: Locks,
  signal: AbortSignal,
): Promise<() => void> {
  const keys = targets.flatMap((target) => target.locks);
  try {
    return await locks.acquire(locksFolder, keys, { timeoutMs: limits.lockTimeout, signal });
  } catch (thrown) {
    if (!(thrown instanceof LockTimeout)) throw thrown;
    const names = targets.map(({ given }) => showName(given)).join(", ");
    const seconds = limits.lockTimeout / 1000;
    const message = `Could not lock ${names} within ${seconds} s: another process is writing there. Nothing was written.`;
    throw new AtomicError("lock.timeout", message, { cause: thrown });
  }
}
