// Who runs us, and where. Read once at the edge; never changes during a call.

export interface Env {
  /** An environment variable; undefined when unset. */
  get(name: string): string | undefined;
  /** Absolute. */
  readonly cwd: string;
  /** The user's home folder, absolute; undefined where the system knows none. */
  readonly home: string | undefined;
  readonly platform: "linux" | "macos" | "windows" | "other";
  readonly pid: number;
  /** -1 where the system has no such number. */
  readonly uid: number;
  readonly host: string;
}
