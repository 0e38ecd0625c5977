// The shape of a case. One file in cases/ for each, one row in cases.ts.

/** One of the two programs that are compared. */
export interface Side {
  /** As the table names it. */
  readonly name: string;
  readonly command: readonly string[];
  /** With which it ends when it has done its work; default 0. */
  readonly status?: number;
  /** Brings about the state that each run starts from. Not timed. */
  prepare?(): void;
  /** Throws when the run did not do its work: a program that fails fast must not win. */
  verify(stdout: string): void;
}

export interface Place {
  /** An empty folder for the case, removed afterwards. */
  readonly folder: string;
  /** A folder for what several cases use, kept until the last one has ended. */
  readonly shared: string;
  /** The executable under test. */
  readonly atomic: string;
  /** The environment of every run; ATOMIC_HOME lies beside the folder. */
  readonly env: Readonly<Record<string, string>>;
  /** Runs a command in the folder, outside the timed part. Throws when it fails. Returns its standard output. */
  run(command: readonly string[]): string;
}

export interface Pair {
  readonly ours: Side;
  readonly peer: Side;
}

export interface BenchCase {
  readonly name: string;
  /** What is measured, in a few words. */
  readonly title: string;
  /** Timed runs of each side, after a few that are not counted. */
  readonly runs: number;
  /** The most that the ratio may be, where a limit is set. */
  readonly target?: number;
  open(place: Place): Pair;
}
