// Programs that we start: byte streams in and out, a group of its own that can be ended as a whole, and how it ended.
// And those that run already, as far as the system tells.

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
  /** The variables of our own environment that it gets; default: all. */
  readonly inherits?: readonly string[];
  /** On top of them; undefined takes a variable out. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /**
   * Seconds of processor time after which the system ends it, also when nobody is left to do so; for programs named by their
   * absolute path. Windows has no such limit.
   */
  readonly cpuSeconds?: number;
}

/** SIGTERM may be refused or handled, SIGKILL may not. */
export type KillSignal = "SIGINT" | "SIGTERM" | "SIGKILL";

/** A program whose output and errors are one stream. */
export interface StartMerged extends StartProcess {
  /** "closed": it meets the end of its input at once. "ours": it reads what our own standard input has. */
  readonly stdin: "closed" | "ours";
  /** Its three streams are a terminal of that size, where the runtime can make one; `stdin` is the terminal then. */
  readonly terminal?: { readonly columns: number; readonly rows: number };
}

/** A process as the system shows it. */
export interface ProcessFacts {
  readonly pid: number;
  /** The number of its group; that of a leader is its pid. Where the system has no groups, its pid. */
  readonly group: number;
  /**
   * When it started, and in which run of the system: equal only for one and the same process, whoever has its number
   * later.
   */
  readonly started: string;
  /** Its words, joined by blanks, at most 200 characters. */
  readonly command: string;
  /** The number of the process that started it, or that took it in when that one ended; undefined where it is not told. */
  readonly parent?: number;
}

export interface Processes {
  /** How to start the program that this is once more, such that no variable of the caller's makes another one of it. */
  readonly self: Pick<StartProcess, "program" | "args" | "env">;
  /** A POSIX shell that the runtime brings along, whose last argument is the command; undefined where it has none. */
  readonly ownShell: Pick<StartProcess, "program" | "args" | "env"> | undefined;
  /**
   * Resolves once the program runs, as the leader of a new process group (a job of its own, no terminal's), with
   * three pipes. Whoever starts a program sees to it that `ended` settles and calls `release` afterwards.
   * @throws ProcessError where it cannot be started
   */
  start(options: StartProcess): Promise<RunningProcess>;
  /**
   * The same for a program of which only the output matters. What it has not been released of when we end, is killed with
   * its group, unless we are killed ourselves.
   * @throws ProcessError
   */
  startMerged(options: StartMerged): Promise<MergedProcess>;
  /**
   * Starts a program that outlives us: in a session of its own, with no input and no output. Nobody waits for it.
   * @returns its pid
   * @throws ProcessError
   */
  detach(options: StartProcess): Promise<number>;
  /** Every process of the system that is alive, our own included; one that has ended and waits for its parent is none. */
  list(): Promise<readonly ProcessFacts[]>;
  /** Undefined where no process that is alive has that number. */
  find(pid: number): Promise<ProcessFacts | undefined>;
  /**
   * Those that were started, directly or by others, by a program whose environment held the variable with this text in its
   * value. Processes of other users are not seen. Empty where the system does not show environments.
   */
  marked(variable: string, text: string): Promise<readonly ProcessFacts[]>;
  /** Sends a signal to one process, or to all of a group. False where there is none, or it is not ours to end. */
  signal(
    target: { readonly pid: number } | { readonly group: number },
    signal: KillSignal,
  ): boolean;
}

export interface MergedProcess extends Pick<RunningProcess, "pid" | "ended" | "kill"> {
  /** Output and errors in the order in which they were written; otherwise as `stdout` of a RunningProcess. */
  readonly output: AsyncIterable<Uint8Array>;
  /** Whether a terminal was made. */
  readonly hasTerminal: boolean;
  /** Whether the program itself, or somebody else of its group, is alive. */
  isGroupAlive(): boolean;
  /** Closes our end of the output, and leaves alone what still runs. Calling it twice is harmless. */
  release(): void;
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
