// Mutual exclusion between processes of one user, freed by the kernel when a holder dies.

export interface Locks {
  /**
   * Takes all locks at once, in an order common to every process, so that two callers never wait for each other.
   * Waits at most `timeoutMs`, then throws LockTimeout; ends early with the signal's reason when it aborts.
   * @param folder an existing private folder that all contenders share
   * @param keys any text; one key names one lock
   * @returns a function that frees them; calling it twice is harmless
   */
  acquire(
    folder: string,
    keys: readonly string[],
    options: { readonly timeoutMs: number; readonly signal?: AbortSignal },
  ): Promise<() => void>;
}

export class LockTimeout extends Error {
  override readonly name = "LockTimeout";
}
