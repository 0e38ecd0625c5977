// Programs that we start: byte streams in and out, a group of its own that can be ended as a whole, and how it ended.

/** How a program ended: with a status of its own, or by a signal. Exactly one of the two is there. */
export type ProcessEnd =
  | { readonly code: number; readonly signal?: undefined }
  | { readonly code?: undefined; readonly signal: string };

export interface StartProcess {
  /** Absolute, or a bare name that is looked up on the PATH it will have. */
  readonly program: string;
  readonly args: readonly string[];
  /** Absolute. */
  readonly cwd: string;
  /** On top of our own environment; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Seconds of processor time after which the system ends it, also when nobody is left to do so; for programs named by their
   * absolute path. Windows has no such limit.
   */
  readonly cpuSeconds?: number;
}

/** SIGTERM may be refused or handled, SIGKILL may not. */
export type KillSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

export interface Processes {
  /** How to start the program that this is once more, such that no variable of the caller's makes another one of it. */
  readonly self: Pick<StartProcess, "program" | "args" | "env">;
  /**
   * Resolves once the program runs, as the leader of a new process group (a job of its own, no terminal's), with
   * three pipes. Whoever starts a program sees to it that `ended` settles and calls `release` afterwards.
   * @throws ProcessError where it cannot be started
   */
  start(options: StartProcess): Promise<RunningProcess>;
}

export interface RunningProcess {
  readonly pid: number;
  readonly stdin: ProcessInput;
  /** In the order they came, of any size but zero; ends with the pipe. Each can be read once; nothing is read ahead of need but what a pipe holds. */
  readonly stdout: AsyncIterable<Uint8Array>;
  readonly stderr: AsyncIterable<Uint8Array>;
  /**
   * Resolves when the program itself has ended and was waited for, whoever still holds its pipes: a child that it
   * left behind keeps `stdout` open. Never rejects.
   */
  readonly ended: Promise<ProcessEnd>;
  /**
   * Sends the signal to the whole group: the program and all it started that did not leave the group, also after the
   * program itself has ended.
   * @returns false where nobody of the group is left
   */
  kill(signal: KillSignal): boolean;
  /** Closes our ends of the three pipes; a reader of them meets their end. Calling it twice is harmless. */
  release(): void;
}

export interface ProcessInput {
  /**
   * Resolves when the pipe has taken the bytes, so that a slow reader slows the writer down. The bytes must not change
   * meanwhile. False: nobody reads any more, writing more is pointless. Never rejects.
   */
  write(bytes: Uint8Array): Promise<boolean>;
  /** The reader meets the end of its input after what was written. Calling it twice is harmless. */
  close(): void;
}

/** The program could not be started. */
export class ProcessError extends Error {
  override readonly name = "ProcessError";
  /** The errno name, such as "ENOENT" for no such program; "ENOTDIR" where the working folder is none. */
  readonly code: string;
  constructor(code: string, program: string, options?: ErrorOptions) {
    super(`${code}: ${program}`, options);
    this.code = code;
  }
}
