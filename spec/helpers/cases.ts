// Tests that need no runner, so that they run the same under Bun, Deno and Node.

/** Passes when `run` resolves. */
export interface Case {
  readonly name: string;
  run(): Promise<void>;
}

export interface Suite {
  readonly name: string;
  readonly cases: readonly Case[];
}
