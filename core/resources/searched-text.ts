// What a search found in one text.

/** What a session records of a file whose tag is shown. */
export interface SeenFile {
  /** Real. */
  readonly path: string;
  readonly tag: string;
  readonly content: Uint8Array;
  readonly bytesHash: string;
}

export interface TextRow {
  readonly line: number;
  /** In place of the number, where it has a name. */
  readonly name?: string;
  readonly isHit: boolean;
  readonly text: string;
}

export interface SearchedText {
  readonly display: string;
  /** Its rows carry its name, since there is nothing to edit by. */
  readonly isLabelled: boolean;
  /** Numbers of the lines that match, ascending. */
  readonly hits: readonly number[];
  /** What to record before its tag is shown; undefined: it has none. */
  readonly seen: SeenFile | undefined;
  /** What the reader should know of it. */
  readonly notice?: string;
  /** @param most hits that are shown */
  rows(
    most: number,
    context: { readonly before: number; readonly after: number },
  ): { readonly rows: readonly TextRow[]; readonly cut: number };
}
