// SQLite as the store and the locks use it, through node:sqlite, which all three runtimes have. In Bun it starts faster
// than bun:sqlite, which first loads a part of node's library.

import type * as sqlite from "node:sqlite";

import { StoreError, type StoreFailure } from "../../core/ports/store.ts";

export type Row = Readonly<Record<string, string | number | Uint8Array | null>>;

/** Each statement is compiled once. What SQLite refuses comes out as a StoreError. */
export interface Database {
  run(sql: string, ...values: readonly sqlite.SQLInputValue[]): void;
  get(sql: string, ...values: readonly sqlite.SQLInputValue[]): Row | undefined;
  all(sql: string, ...values: readonly sqlite.SQLInputValue[]): readonly Row[];
  close(): void;
}

const BUSY = 5;
const LOCKED = 6;
/** Primary result codes. SQLITE_ERROR stands for a table that is missing: our statements are right by themselves. */
const failures: Readonly<Record<number, StoreFailure>> = {
  1: "corrupt",
  [BUSY]: "busy",
  [LOCKED]: "busy",
  11: "corrupt",
  26: "corrupt",
};

/**
 * @param file absolute; made where it is missing
 * @param busyTimeoutMs how long one statement may block while another connection is in the way
 */
export function openDatabase(file: string, busyTimeoutMs: number): Database {
  const { DatabaseSync } = loadSqlite();
  const connection = refusing(() => new DatabaseSync(file));
  const statements = new Map<string, sqlite.StatementSync>();
  // Statements only, never `exec`: its errors carry no code in Deno.
  function prepared(sql: string): sqlite.StatementSync {
    const known = statements.get(sql);
    if (known) return known;
    const statement = connection.prepare(sql);
    statements.set(sql, statement);
    return statement;
  }
  const database: Database = {
    run: (sql, ...values) => void refusing(() => prepared(sql).run(...values)),
    get: (sql, ...values) => refusing(() => prepared(sql).get(...values) as Row | undefined),
    all: (sql, ...values) => refusing(() => prepared(sql).all(...values) as readonly Row[]),
    close: () => connection.close(),
  };
  try {
    // Before all else: any other statement may meet a lock.
    database.get(`PRAGMA busy_timeout=${busyTimeoutMs}`);
    return database;
  } catch (thrown) {
    connection.close();
    throw thrown;
  }
}

export function isBusy(thrown: unknown): boolean {
  return thrown instanceof StoreError && thrown.reason === "busy";
}

/** Between two attempts: random, so that those who wait do not keep step with each other, and longer as time goes by. */
export function backoff(attempt: number): number {
  return 1 + Math.random() * Math.min(16, 2 ** attempt);
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    const { code, errcode, message } = thrown as {
      readonly code?: string;
      readonly errcode?: number;
      readonly message: string;
    };
    if (code !== "ERR_SQLITE_ERROR") throw thrown;
    // The one failure that comes without a code, and only in Deno, is that of opening.
    const reason = (errcode !== undefined && failures[errcode & 0xff]) || "unavailable";
    throw new StoreError(reason, message, { cause: thrown });
  }
}

/** Node 22 warns on standard error that the module is experimental, which is no news for whoever runs atomic. */
export function loadSqlite(): typeof sqlite {
  const { emitWarning } = process;
  process.emitWarning = () => {};
  try {
    return process.getBuiltinModule("node:sqlite");
  } finally {
    process.emitWarning = emitWarning;
  }
}
