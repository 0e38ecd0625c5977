// What the engine asks of a syntax resolver. The engine itself knows no language.

export interface BlockSpan {
  /** First line, 1-based; at or before the asked line where decorators fold in. */
  readonly start: number;
  /** Last line, inclusive. */
  readonly end: number;
  /** The last line goes on past the construct, as with the comma after a JSON pair. */
  readonly continues: boolean;
  /** How it was found. */
  readonly by: "syntax" | "braces" | "indentation";
}

/**
 * The span of the construct that begins on a 1-based line; undefined where none does; "overdue" where telling takes too
 * long; "failed" where the parser of this process cannot be trusted any more.
 */
export type SpanLookup = (line: number) => BlockSpan | "overdue" | "failed" | undefined;

export interface BlockResolver {
  /** Parses once. `text` has LF terminators and no BOM; the path's name and the text's first line tell the language. */
  open(path: string, text: string): Promise<SpanLookup>;
}

export interface ClosableResolver extends BlockResolver {
  /** Frees what the lookups hold; none of them may be asked afterwards. */
  close(): void;
}
