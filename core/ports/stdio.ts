// The three streams and the process's end. Only the command line uses this port; tools return data.

export interface Stdio {
  readonly stdin: {
    readonly isTerminal: boolean;
    /** Everything up to the end of input. */
    read(): Promise<Uint8Array>;
    /** The same in pieces, as they come. Either of the two, once. */
    chunks(): AsyncIterable<Uint8Array>;
  };
  readonly stdout: Output;
  readonly stderr: Output;
  /** Ends the process once both outputs have been delivered or their readers are gone. */
  exit(status: number): Promise<never>;
  /**
   * Calls back at the first interrupt (130) and the first termination (143) request. A second one of either kind meets the
   * system's default action, unless the listener is a `lasting` one, which hears of each.
   */
  onStop(listener: (status: 130 | 143) => void, options?: { readonly lasting: boolean }): void;
}

export interface Output {
  readonly isTerminal: boolean;
  /** Waits for the reader (backpressure). False when the reader has gone: writing more is pointless. */
  write(data: Uint8Array | string): Promise<boolean>;
}
