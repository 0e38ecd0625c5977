// Users' databases through node:sqlite, which all three runtimes have.

import type * as sqlite from "node:sqlite";

import {
  type Database,
  DatabaseError,
  type DatabaseFailure,
  type Databases,
  type SqlAction,
  type SqlValue,
  type Statement,
} from "../../core/ports/databases.ts";

import { errnoOf, isAbsence } from "./errno.ts";
import { openedBy, type OpenedFile } from "./opened-files.ts";
import { loadSqlite } from "./sqlite.ts";

/** Primary result codes. */
const BUSY = 5;
const READONLY = 8;
const CANTOPEN = 14;
const failures: Readonly<Record<number, DatabaseFailure>> = {
  1: "sql",
  3: "refused",
  [BUSY]: "busy",
  6: "busy",
  7: "unavailable",
  [READONLY]: "unavailable",
  10: "unavailable",
  11: "damaged",
  13: "unavailable",
  [CANTOPEN]: "unavailable",
  18: "sql",
  19: "sql",
  20: "sql",
  21: "sql",
  23: "refused",
  25: "sql",
  26: "damaged",
};

/** Action codes of the authorizer (https://sqlite.org/c3ref/c_alter_table.html). */
const actions: Readonly<Record<number, SqlAction["kind"]>> = {
  19: "pragma",
  20: "read",
  21: "select",
  31: "function",
  33: "recursive",
};

/** Node 22 has neither of these, and the types do not know them yet. */
interface LaterConnection {
  setAuthorizer?(
    callback: (code: number, first: string | null, second: string | null) => number,
  ): void;
  enableDefensive?(active: boolean): void;
}

/** How often a copy is begun anew because the database was written to meanwhile. */
const ATTEMPTS = 5;
/** Of a database's header (https://sqlite.org/fileformat.html): the versions by which a WAL is needed to write and to read. */
const VERSIONS = 18;
const WAL_HEADER = 32;

export function nodeDatabases(): Databases {
  const { DatabaseSync } = loadSqlite();
  const canJudge =
    (DatabaseSync.prototype as unknown as LaterConnection).setAuthorizer !== undefined;
  return {
    canJudge,
    async openToRead(file, busyTimeoutMs) {
      const real = realPathOf(file);
      if (isFilled(`${real}-wal`)) return openCopy(real, busyTimeoutMs);
      // A reader that takes locks would make the log that is missing.
      const needsLog = beginning(real, 100)
        .subarray(VERSIONS, VERSIONS + 2)
        .includes(2);
      if (!needsLog) return openInPlace(real, busyTimeoutMs);
      if (isFilled(`${real}-journal`)) return openCopy(real, busyTimeoutMs);
      const { result: connection, files } = openedBy(() =>
        refusing(() => new DatabaseSync(urlOf(real, "immutable=1"), { readOnly: true })),
      );
      return prepared(connection, busyTimeoutMs, true, {
        isSettled: () => !isFilled(`${real}-wal`),
        openedAs: pathsOf(files),
      });
    },
    async openToWrite(file, busyTimeoutMs) {
      const { result: connection, files } = openedBy(() =>
        refusing(() => new DatabaseSync(urlOf(realPathOf(file), "mode=rw"))),
      );
      return prepared(connection, busyTimeoutMs, false, { openedAs: pathsOf(files) });
    },
  };
}

function openInPlace(real: string, busyTimeoutMs: number): Database {
  const { DatabaseSync } = loadSqlite();
  const { result: connection, files } = openedBy(() =>
    refusing(() => new DatabaseSync(real, { readOnly: true })),
  );
  const database = prepared(connection, busyTimeoutMs, true, { openedAs: pathsOf(files) });
  try {
    touch(connection);
    return database;
  } catch (thrown) {
    database.close();
    // A journal that whoever wrote last has left: only a writer may apply it.
    const code = codeOf(thrown);
    if ((code === READONLY || code === CANTOPEN) && isFilled(`${real}-journal`)) {
      return openCopy(real, busyTimeoutMs);
    }
    throw translated(thrown);
  }
}

/** The database with its log or journal, as they are at one moment, in a folder that nobody else looks into. */
function openCopy(real: string, busyTimeoutMs: number): Database {
  const fs = process.getBuiltinModule("node:fs");
  const { DatabaseSync } = loadSqlite();
  const folder = privateFolder();
  const remove = () => fs.rmSync(folder, { recursive: true, force: true });
  try {
    const copy = `${folder}/copy.db`;
    const openedAs = copyWhole(real, copy);
    const connection = refusing(() => new DatabaseSync(copy));
    const database = prepared(connection, busyTimeoutMs, true, {
      onClose: remove,
      openedAs,
    });
    try {
      touch(connection);
    } catch (thrown) {
      database.close();
      throw translated(thrown);
    }
    // What is open needs no name, and so is gone with the process however it ends. Windows does not allow it.
    if (process.platform !== "win32") remove();
    return database;
  } catch (thrown) {
    remove();
    throw translated(thrown);
  }
}

/**
 * A checkpoint under way harms nothing: what it writes into the database is still in the log. Only a log that was begun
 * anew while the database was copied is another's.
 * @returns see `Database.openedAs`
 */
function copyWhole(real: string, copy: string): readonly string[] | undefined {
  const fs = process.getBuiltinModule("node:fs");
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const before = fingerprint(real);
    let openedAs: readonly string[] | undefined;
    for (const suffix of ["", "-wal", "-journal"]) {
      fs.rmSync(copy + suffix, { force: true });
      if (suffix !== "" && !isFilled(real + suffix)) continue;
      const { result: fd, files } = openedBy(() => fs.openSync(real + suffix, "r"));
      try {
        if (suffix === "") openedAs = pathsOf(files);
        // By its descriptor, so that it is the very file whose place is told.
        const from = files?.find(({ path }) => path === real + suffix)?.descriptor;
        fs.copyFileSync(from ?? real + suffix, copy + suffix, fs.constants.COPYFILE_FICLONE);
      } finally {
        fs.closeSync(fd);
      }
      fs.chmodSync(copy + suffix, 0o600);
    }
    if (fingerprint(real) === before) return openedAs;
  }
  throw new DatabaseError("busy", "it is being written to all the time");
}

function pathsOf(files: readonly OpenedFile[] | undefined): readonly string[] | undefined {
  return files?.map(({ path }) => path);
}

function fingerprint(real: string): string {
  const parts = ["-wal", "-journal"].map((suffix) =>
    isFilled(real + suffix) ? beginning(real + suffix, WAL_HEADER).toString("hex") : "",
  );
  return parts.join("/");
}

function privateFolder(): string {
  const { mkdtempSync } = process.getBuiltinModule("node:fs");
  const { tmpdir } = process.getBuiltinModule("node:os");
  try {
    return mkdtempSync(`${tmpdir()}/atomic-database-`);
  } catch (thrown) {
    throw translated(thrown);
  }
}

interface Hook {
  onClose(): void;
}

function prepared(
  connection: sqlite.DatabaseSync,
  busyTimeoutMs: number,
  toRead: boolean,
  {
    isSettled = () => true,
    openedAs,
    onClose,
  }: Partial<Pick<Database, "isSettled" | "openedAs"> & Hook> = {},
): Database {
  const later = connection as unknown as LaterConnection;
  let isOpen = true;
  function close(): void {
    if (!isOpen) return;
    isOpen = false;
    connection.close();
    onClose?.();
  }
  try {
    // Before all else: any other statement may meet a lock.
    const settings = [`busy_timeout=${busyTimeoutMs}`, "trusted_schema=OFF", "cell_size_check=ON"];
    if (toRead) settings.push("query_only=ON");
    for (const setting of settings) refusing(() => connection.prepare(`PRAGMA ${setting}`).all());
    later.enableDefensive?.(true);
  } catch (thrown) {
    close();
    throw thrown;
  }
  return {
    prepare: (sql) => statementOf(refusing(() => connection.prepare(sql))),
    judge(allows) {
      later.setAuthorizer?.((code, first, second) => {
        const kind = actions[code] ?? "other";
        return allows({ kind, name: (kind === "function" ? second : first) ?? "" }) ? 0 : 1;
      });
    },
    isSettled,
    openedAs,
    close,
  };
}

function statementOf(statement: sqlite.StatementSync): Statement {
  statement.setReadBigInts(true);
  (statement as unknown as { setReturnArrays(on: boolean): void }).setReturnArrays(true);
  return {
    columns: refusing(() => statement.columns().map(({ name }) => name)),
    *rows(...values) {
      const rows = refusing(() => statement.iterate(...(values as sqlite.SQLInputValue[])));
      try {
        for (;;) {
          const next = refusing(() => rows.next());
          if (next.done === true) return;
          yield next.value as unknown as readonly SqlValue[];
        }
      } finally {
        rows.return?.();
      }
    },
    run: (...values) =>
      Number(refusing(() => statement.run(...(values as sqlite.SQLInputValue[]))).changes),
  };
}

/** The first read: locks are taken, a journal is applied, the header is looked at. */
function touch(connection: sqlite.DatabaseSync): void {
  connection.prepare("SELECT count(*) FROM sqlite_schema").get();
}

function realPathOf(file: string): string {
  try {
    return process.getBuiltinModule("node:fs").realpathSync.native(file);
  } catch (thrown) {
    throw translated(thrown);
  }
}

function isFilled(file: string): boolean {
  try {
    return process.getBuiltinModule("node:fs").statSync(file).size > 0;
  } catch (thrown) {
    if (isAbsence(thrown)) return false;
    throw translated(thrown);
  }
}

function beginning(file: string, length: number): Buffer {
  const { closeSync, openSync, readSync } = process.getBuiltinModule("node:fs");
  try {
    const fd = openSync(file, "r");
    try {
      const buffer = Buffer.alloc(length);
      return buffer.subarray(0, readSync(fd, buffer, 0, length, 0));
    } finally {
      closeSync(fd);
    }
  } catch (thrown) {
    throw translated(thrown);
  }
}

/** Whatever the name holds: "?", "#" and "%" mean something in a URL. */
function urlOf(file: string, parameters: string): URL {
  const url = process.getBuiltinModule("node:url").pathToFileURL(file);
  url.search = parameters;
  return url;
}

function refusing<T>(work: () => T): T {
  try {
    return work();
  } catch (thrown) {
    throw translated(thrown);
  }
}

function translated(thrown: unknown): unknown {
  if (thrown instanceof DatabaseError) return thrown;
  const errno = errnoOf(thrown);
  if (errno !== undefined) return new DatabaseError("unavailable", errno, { cause: thrown });
  const { code, message } = thrown as { readonly code?: string; readonly message: string };
  if (code !== "ERR_SQLITE_ERROR") return thrown;
  // The one failure that comes without a code, and only in Deno, is that of opening.
  const primary = codeOf(thrown);
  // Of a function it says so in its message only.
  if (message.startsWith("not authorized"))
    return new DatabaseError("refused", message, { cause: thrown });
  const reason = (primary !== undefined && failures[primary]) || "unavailable";
  return new DatabaseError(reason, message, { cause: thrown });
}

function codeOf(thrown: unknown): number | undefined {
  const cause = thrown instanceof DatabaseError ? thrown.cause : thrown;
  const code = (cause as { readonly errcode?: number } | undefined)?.errcode;
  return code === undefined ? undefined : code & 0xff;
}
