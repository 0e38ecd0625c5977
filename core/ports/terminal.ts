// The terminal as a place where a person answers: keys come one by one, and the size changes. Only the command line has one.

export interface Terminal {
  /**
   * Takes the terminal over: keys are neither shown nor gathered to lines. It is put back, after `leave` is written, when it
   * is closed and however else the process ends, but for what no program can meet.
   * @returns undefined where there is no terminal to read from
   */
  open(use: TerminalUse): Promise<OpenTerminal | undefined>;
}

export interface TerminalUse {
  /** Written last, to undo what was written before. */
  readonly leave: string;
  key(bytes: Uint8Array): void;
  /** The size may have changed, or the screen been used by others. */
  resize(): void;
  /** There will be no more keys: the terminal is gone. */
  end(): void;
}

export interface OpenTerminal {
  /** Undefined where the terminal does not say. */
  size(): { readonly columns: number; readonly rows: number } | undefined;
  write(text: string): Promise<void>;
  /** May be called twice. */
  close(): Promise<void>;
}
