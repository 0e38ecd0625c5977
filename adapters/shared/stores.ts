// The record store as one SQLite database per folder.

import type { Clock } from "../../core/ports/clock.ts";
import {
  type RecordRange,
  type Store,
  type StoredRecord,
  StoreError,
  type Stores,
  type WriteTransaction,
} from "../../core/ports/store.ts";

import { errnoOf, isAbsence } from "./errno.ts";
import { identityOf, makePrivate } from "./private-file.ts";
import { backoff, type Database, isBusy, openDatabase, type Row } from "./sqlite.ts";

/** "atom": what makes a database ours. */
const APPLICATION = 0x61746f6d;
const VERSION = 1;
/** How long one statement may block the event loop; the rest of the waiting is done outside SQLite. */
const BLOCK = 5;
/** The least page of an SQLite database. */
const SMALLEST = 512;
const tables = [
  "CREATE TABLE records (space TEXT NOT NULL, key TEXT NOT NULL, value NOT NULL, PRIMARY KEY (space, key)) WITHOUT ROWID",
  "CREATE TABLE blobs (name TEXT PRIMARY KEY NOT NULL, data BLOB NOT NULL)",
];
const suffixes = ["-wal", "-shm"];
/** Above every printable character. */
const LAST = "\u007f";

export function sqliteStores(clock: Clock): Stores {
  return {
    async open(folder, { busyTimeoutMs = 30_000 } = {}) {
      const file = `${folder}/atomic.db`;
      const identity = preparing(file);
      const database = openDatabase(file, BLOCK);
      try {
        await waiting(clock, busyTimeoutMs, () => prepareDatabase(database));
      } catch (thrown) {
        database.close();
        throw thrown;
      }
      return storeOf(database, file, identity, clock, busyTimeoutMs);
    },

    async setAside(folder) {
      const { renameSync } = process.getBuiltinModule("node:fs");
      const file = `${folder}/atomic.db`;
      const stamp = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
      const chance = Math.random().toString(36).slice(2, 8).padEnd(6, "0");
      const aside = `${folder}/atomic-damaged-${stamp}-${chance}.db`;
      // The log goes first: whoever makes a new store while an old log lies beside it deletes the log.
      for (const suffix of ["-wal", "", "-shm"]) {
        try {
          renameSync(file + suffix, aside + suffix);
        } catch (thrown) {
          if (suffix !== "" && isAbsence(thrown)) continue;
          throw unavailable(thrown, "cannot be set aside");
        }
      }
      return aside;
    },
  };
}

function preparing(file: string): string {
  let made: ReturnType<typeof makePrivate>;
  try {
    made = makePrivate(file);
    const { chmodSync, statSync } = process.getBuiltinModule("node:fs");
    for (const suffix of suffixes) {
      const stat = statSync(file + suffix, { throwIfNoEntry: false });
      if (stat && (stat.mode & 0o077) !== 0) chmodSync(file + suffix, 0o600);
    }
  } catch (thrown) {
    throw unavailable(thrown, "cannot be opened");
  }
  if (made === undefined) throw new StoreError("corrupt", "it is not a regular file");
  // SQLite takes a file of a few bytes for an empty one and would write over it.
  if (made.size > 0 && made.size < SMALLEST) {
    throw new StoreError("corrupt", "it is too short to be a database");
  }
  return made.identity;
}

function unavailable(thrown: unknown, what: string): StoreError {
  const code = errnoOf(thrown);
  if (code === undefined) throw thrown;
  return new StoreError("unavailable", `its file ${what}: ${code}`, { cause: thrown });
}

/** Makes the attempt until no other connection is in its way. */
async function waiting<T>(clock: Clock, busyTimeoutMs: number, attempt: () => T): Promise<T> {
  const deadline = performance.now() + busyTimeoutMs;
  for (let tries = 0; ; tries++) {
    try {
      return attempt();
    } catch (thrown) {
      if (!isBusy(thrown) || performance.now() >= deadline) throw thrown;
    }
    await clock.sleep(backoff(tries));
  }
}

/** May be called again after it found another connection in the way at any point. */
function prepareDatabase(database: Database): void {
  database.run("PRAGMA synchronous=NORMAL");
  // Where a commit flushes, macOS needs more than fsync to reach the disk.
  database.get("PRAGMA fullfsync=1");
  if (isOurs(database)) return;
  database.get("PRAGMA journal_mode=WAL");
  inTransaction(database, "BEGIN IMMEDIATE", () => {
    if (isOurs(database)) return;
    for (const sql of tables) database.run(sql);
    database.run(`PRAGMA application_id=${APPLICATION}`);
    database.run(`PRAGMA user_version=${VERSION}`);
  });
}

/** False for a database that holds nothing yet. */
function isOurs(database: Database): boolean {
  const application = number(database, "PRAGMA application_id");
  const version = number(database, "PRAGMA user_version");
  if (application === APPLICATION && version === VERSION) return true;
  if (application === APPLICATION && version > VERSION) {
    throw new StoreError("unavailable", "it was made by a newer version of atomic");
  }
  const isEmpty = number(database, "SELECT count(*) FROM sqlite_schema") === 0;
  if (application === 0 && version === 0 && isEmpty) return false;
  throw new StoreError("corrupt", "it is a database of something else");
}

function number(database: Database, sql: string): number {
  return Number(Object.values(database.get(sql) ?? {})[0]);
}

function inTransaction<T>(database: Database, begin: string, work: () => T): T {
  database.run(begin);
  try {
    const result = work();
    database.run("COMMIT");
    return result;
  } catch (thrown) {
    rollBack(database);
    throw thrown;
  }
}

function rollBack(database: Database): void {
  try {
    database.run("ROLLBACK");
  } catch {
    // After some failures SQLite has done so by itself.
  }
}

/** @param identity the name of the file that the database was opened from */
function storeOf(
  database: Database,
  file: string,
  identity: string,
  clock: Clock,
  busyTimeoutMs: number,
): Store {
  let isOpen = true;

  /** Runs the work once, in the first transaction that could begin; nothing else gets in between. */
  async function transact<T>(begin: () => void, work: () => T): Promise<T> {
    const attempt = () => {
      if (!isOpen) throw new StoreError("unavailable", "it is closed");
      // Set aside by another process, or removed: what is written there now, nobody will find.
      if (identityOf(file) !== identity) throw new StoreError("corrupt", "its file was replaced");
      begin();
      return outcomeOf(() => {
        try {
          const value = work();
          database.run("COMMIT");
          return value;
        } catch (thrown) {
          rollBack(database);
          throw thrown;
        }
      });
    };
    const outcome = await waiting(clock, busyTimeoutMs, attempt);
    if ("thrown" in outcome) throw outcome.thrown;
    return outcome.value;
  }

  return {
    read: (work) => {
      const transaction = transactionOver(database);
      return transact(
        () => {
          database.run("BEGIN");
          try {
            // The view begins with the first statement that looks at the data.
            database.get("SELECT 1 FROM records LIMIT 1");
          } catch (thrown) {
            rollBack(database);
            throw thrown;
          }
        },
        () => transaction.during(work),
      );
    },

    write: (work, { durable = false } = {}) => {
      const transaction = transactionOver(database);
      return transact(
        () => {
          database.run(`PRAGMA synchronous=${durable ? "FULL" : "NORMAL"}`);
          database.run("BEGIN IMMEDIATE");
        },
        () => transaction.during(work),
      );
    },

    close() {
      if (isOpen) database.close();
      isOpen = false;
    },
  };
}

type Result<T> = { readonly value: T } | { readonly thrown: unknown };

/** So that a failure of the work's own is not taken for one of the attempt to begin. */
function outcomeOf<T>(work: () => T): Result<T> {
  try {
    return { value: work() };
  } catch (thrown) {
    return { thrown };
  }
}

interface Scope {
  /** Gives the work its transaction, which means nothing afterwards. */
  during<T>(work: (transaction: WriteTransaction) => T): T;
}

function transactionOver(database: Database): Scope {
  let isOpen = false;
  function live(): Database {
    if (!isOpen) throw new StoreError("unavailable", "the transaction is over");
    return database;
  }
  const transaction: WriteTransaction = {
    get(space, key) {
      const row = live().get("SELECT value FROM records WHERE space=? AND key=?", space, key);
      return row && textOf(row["value"]!);
    },
    range: (space, range = {}) => selectRange(live(), space, range),
    blob(name) {
      return live().get("SELECT data FROM blobs WHERE name=?", name)?.["data"] as
        Uint8Array | undefined;
    },
    hasBlob: (name) => live().get("SELECT 1 FROM blobs WHERE name=?", name) !== undefined,
    put(space, key, value) {
      live().run("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", space, key, storedText(value));
    },
    delete(space, key) {
      live().run("DELETE FROM records WHERE space=? AND key=?", space, key);
    },
    putBlob(name, bytes) {
      live().run("INSERT OR REPLACE INTO blobs VALUES (?, ?)", name, bytes);
    },
    deleteBlob(name) {
      live().run("DELETE FROM blobs WHERE name=?", name);
    },
  };
  return {
    during(work) {
      isOpen = true;
      try {
        return work(transaction);
      } finally {
        isOpen = false;
      }
    },
  };
}

function selectRange(
  database: Database,
  space: string,
  { prefix = "", after, reverse = false, limit = -1 }: RecordRange,
): readonly StoredRecord[] {
  let low = prefix;
  let high = prefix + LAST;
  if (after !== undefined && reverse && after < high) high = after;
  // The least text that is greater than `after` and no key.
  if (after !== undefined && !reverse && after >= low) low = `${after}\u0001`;
  const rows = database.all(
    `SELECT key, value FROM records WHERE space=? AND key>=? AND key<? ORDER BY key ${reverse ? "DESC" : "ASC"} LIMIT ?`,
    space,
    low,
    high,
    limit,
  );
  return rows.map(({ key, value }) => ({ key: key as string, value: textOf(value!) }));
}

/** SQLite's text is UTF-8, and two of the runtimes read it only up to a NUL: other texts go as UTF-16 in a blob. */
function storedText(text: string): string | Uint8Array {
  if (text.isWellFormed() && !text.includes("\0")) return text;
  const bytes = new Uint8Array(2 * text.length);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < text.length; i++) view.setUint16(2 * i, text.charCodeAt(i), true);
  return bytes;
}

function textOf(stored: Row[string]): string {
  if (typeof stored === "string") return stored;
  const bytes = stored as Uint8Array;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const parts: string[] = [];
  for (let at = 0; at < bytes.length; at += 2) {
    parts.push(String.fromCharCode(view.getUint16(at, true)));
  }
  return parts.join("");
}
