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
   * Calls back for the first interrupt (130), termination (143) or hang-up (129) that is asked for, and for the next one
   * that comes half a second later or more: a signal to a group and one to its leader mean the same. After that, and before
   * this is called, the system's own default applies; a `lasting` listener hears of each one instead.
   */
  onStop(listener: (status: StopStatus) => void, options?: { readonly lasting: boolean }): void;
}

/** 128 and the signal's number. */
export type StopStatus = 129 | 130 | 143;

export interface Output {
  readonly isTerminal: boolean;
  /** Waits for the reader (backpressure). False when the reader has gone: writing more is pointless. */
  write(data: Uint8Array | string): Promise<boolean>;
}
