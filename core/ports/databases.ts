// Users' SQLite databases. What the engine does by itself (locks, transactions, recovery) is its own; nothing here knows what
// is asked of it.

/** INTEGER as bigint, REAL as number, so that both go in and come out exactly. */
export type SqlValue = string | number | bigint | Uint8Array | null;

/** What a statement would do, as the engine asks about it while it compiles. */
export interface SqlAction {
  /** "other": anything that is not named here, such as writing, attaching or defining. */
  readonly kind: "select" | "read" | "function" | "recursive" | "pragma" | "other";
  /** The table that is read, the function or the pragma; "" where there is none. */
  readonly name: string;
}

export interface Databases {
  /** Whether `judge` has an effect. Where it has none, the text of a statement must be judged instead. */
  readonly canJudge: boolean;
  /**
   * Opens an existing database such that not a byte of it, of its journals or of their folder changes. What a journal holds
   * counts: it is applied to a private copy that is gone once the database is closed, or the process ended.
   * @param busyTimeoutMs how long one statement may wait for another connection
   * @throws DatabaseError
   */
  openToRead(file: string, busyTimeoutMs: number): Promise<Database>;
  /** Never creates a database. @throws DatabaseError */
  openToWrite(file: string, busyTimeoutMs: number): Promise<Database>;
}

/** Synchronous, as the engine is. Every method throws DatabaseError. */
export interface Database {
  /** Compiles the first statement of the text; what follows it is not looked at. */
  prepare(sql: string): Statement;
  /** From now on every statement is compiled only if each of its actions is allowed; else DatabaseError "refused". */
  judge(allows: (action: SqlAction) => boolean): void;
  /** False where somebody wrote while this connection read without locks, so that its rows may be of several states. */
  isSettled(): boolean;
  /**
   * Where the files are now that were opened with it, by their descriptors and whatever names lead to by now; its own among
   * them. Undefined where the system does not tell.
   */
  readonly openedAs: readonly string[] | undefined;
  /** Ends a transaction that is open by undoing it. Calling it twice is harmless. */
  close(): void;
}

export interface Statement {
  /** Names of the result's columns, as the engine gives them; none where there is no result. */
  readonly columns: readonly string[];
  /** Rows as they come. Leaving the loop ends the statement. */
  rows(...values: readonly SqlValue[]): Iterable<readonly SqlValue[]>;
  /** @returns how many rows the statement itself changed, without what triggers did */
  run(...values: readonly SqlValue[]): number;
}

/**
 * busy: another connection held it past the time limit. damaged: no database, or a corrupt one. refused: `judge` did not allow
 * it. unavailable: cannot be opened, read or written. sql: the engine does not accept the statement, or a rule of the schema
 * forbids the change.
 */
export type DatabaseFailure = "busy" | "damaged" | "refused" | "unavailable" | "sql";

export class DatabaseError extends Error {
  override readonly name = "DatabaseError";
  readonly reason: DatabaseFailure;
  /** @param message the engine's own */
  constructor(reason: DatabaseFailure, message: string, options?: ErrorOptions) {
    super(message, options);
    this.reason = reason;
  }
}
