// Databases as tests need them: made by statements, as bytes, with what their last writer left beside them.

import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type * as sqlite from "node:sqlite";

import { loadSqlite } from "../../adapters/shared/sqlite.ts";

/** File name suffix → bytes: "" is the database itself, "-wal" and "-journal" what lies beside it. */
export type DatabaseFiles = Readonly<Record<string, Uint8Array>>;

/** A database that nobody has open. */
export function databaseOf(...statements: readonly string[]): Uint8Array {
  return made([...statements, "PRAGMA wal_checkpoint(TRUNCATE)"], () => {})[""]!;
}

/** One that has rows in its log only: its writer was killed. */
export function databaseWithLog(
  before: readonly string[],
  logged: readonly string[],
): DatabaseFiles {
  return made(["PRAGMA journal_mode=WAL", ...before], (connection) => {
    connection.exec("PRAGMA wal_autocheckpoint=0");
    for (const statement of logged) connection.exec(statement);
  });
}

/** One whose writer was killed in the middle of a transaction that had reached the disk. */
export function databaseWithJournal(
  before: readonly string[],
  unfinished: readonly string[],
): DatabaseFiles {
  return made(before, (connection) => {
    connection.exec("PRAGMA cache_size=1");
    connection.exec("PRAGMA cache_spill=1");
    connection.exec("BEGIN IMMEDIATE");
    for (const statement of unfinished) connection.exec(statement);
  });
}

/** Works on a database of bytes. */
export function inDatabase<T>(bytes: Uint8Array, work: (connection: sqlite.DatabaseSync) => T): T {
  return inTemporary((file) => {
    writeFileSync(file, bytes);
    return opened(file, work);
  });
}

function made(
  statements: readonly string[],
  leaving: (connection: sqlite.DatabaseSync) => void,
): DatabaseFiles {
  return inTemporary((file) =>
    opened(file, (connection) => {
      for (const statement of statements) connection.exec(statement);
      leaving(connection);
      // While it is open, as a killed process would leave them.
      const files: Record<string, Uint8Array> = {};
      for (const suffix of ["", "-wal", "-journal"]) {
        if (existsSync(file + suffix)) {
          files[suffix] = new Uint8Array(readFileSync(file + suffix));
        }
      }
      return files;
    }),
  );
}

function opened<T>(file: string, work: (connection: sqlite.DatabaseSync) => T): T {
  const connection = new (loadSqlite().DatabaseSync)(file);
  try {
    return work(connection);
  } finally {
    connection.close();
  }
}

function inTemporary<T>(work: (file: string) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "atomic-spec-"));
  try {
    return work(join(folder, "made.db"));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
