// How long work shares the machine: a second thread for the scan of a large tree, and turns for others on this one.

export interface Threads {
  /**
   * Starts the program's own scanning code (core/scan/scan-thread.ts) beside this one. Takes some milliseconds, during
   * which messages wait.
   * @returns undefined where the host has no threads
   */
  start(): Thread | undefined;
  /** Resolves once whatever else waits to happen on this thread, such as a signal or a message, has happened. */
  turn(): Promise<void>;
}

export interface Thread {
  /** A structured clone; shared memory stays shared. */
  post(message: unknown): void;
  /** It has ended without being asked to: what it has claimed will not be done. */
  readonly isBroken: boolean;
  /** Lets it end once it has read what was posted. */
  stop(): void;
}
