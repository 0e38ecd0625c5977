// One row inserted, updated or deleted, in one transaction (seed 003, "SQLite table insert", "SQLite row update / delete").

import { AtomicError } from "../errors.ts";
import { showName } from "../paths.ts";
import type { Database, SqlValue } from "../ports/databases.ts";
import {
  type CellRemark,
  cellExpression,
  distinctNames,
  packedCell,
  quoteName,
  rowText,
} from "./cells.ts";
import { type Assignment, readPayload } from "./payload.ts";
import { findTable, noTable, spelled } from "./request.ts";
import {
  count,
  describeTable,
  keyName,
  keyValues,
  listTables,
  rowKey,
  type RowKey,
  type TableSchema,
  textEncoding,
} from "./schema.ts";

export interface Change {
  /** What follows the database's name: ":TABLE" or ":TABLE:KEY". */
  readonly inner: string;
  /** The database, as messages call it. */
  readonly display: string;
  readonly content: string;
  /** Only looks whether it could be done. */
  readonly dryRun: boolean;
}

export interface ChangeDone {
  readonly kind: "inserted" | "updated" | "deleted";
  readonly table: string;
  readonly key: string | undefined;
  /** Rows that the write itself changed: 0 or 1. */
  readonly changes: number;
  /** Rows that triggers and foreign keys changed besides. */
  readonly further: number;
  /** Of an inserted row, where its table has rowids: in decimal. */
  readonly rowid?: string;
  /** The row as a read showed it before, as JSON. */
  readonly before?: string;
}

interface Target {
  readonly table: TableSchema;
  readonly key: string | undefined;
}

interface FoundRow {
  readonly text: string;
  readonly value: SqlValue;
  readonly row: string;
}

/**
 * Yields once, when the change is made and about to be committed: from there on it can no longer be stopped.
 * @throws AtomicError of every `sqlite.` code for writing; DatabaseError. Nothing is changed then.
 */
export function* change(database: Database, wanted: Change): Generator<void, ChangeDone> {
  if (wanted.dryRun) return changing(database, wanted, false);
  database.prepare("BEGIN IMMEDIATE").run();
  const done = changing(database, wanted, true);
  yield;
  database.prepare("COMMIT").run();
  return done;
}

function changing(
  database: Database,
  { inner, content, display }: Change,
  writes: boolean,
): ChangeDone {
  const { table, key } = findTarget(database, inner, display);
  const before = count(database, "SELECT total_changes()");
  const isBlank = content.trim() === "";
  if (key === undefined) {
    if (isBlank) {
      throw new AtomicError(
        "sqlite.payload",
        `SQLite row content is empty: to delete a row of ${showName(table.name)}, name its key; to insert one with its defaults, write {}.`,
        { data: { table: table.name } },
      );
    }
    return insert(database, table, readPayload(content, table), { before, writes });
  }
  if (table.withoutRowid) {
    throw new AtomicError(
      "sqlite.without_rowid",
      `${showName(table.name)} is a WITHOUT ROWID table, whose rows are not updated or deleted by key.`,
      { data: { table: table.name } },
    );
  }
  const rowsKey = rowKey(table);
  const values = isBlank ? undefined : readPayload(content, table);
  if (values?.length === 0) {
    throw new AtomicError(
      "sqlite.empty_update",
      `The update of row '${key}' in ${table.name} names no column.`,
      { data: { table: table.name, key }, hint: "Empty content deletes the row." },
    );
  }
  const found = findRow(database, table, rowsKey, key);
  const kind = values ? "updated" : "deleted";
  if (!found) return { kind, table: table.name, key, changes: 0, further: 0 };
  const where = `WHERE ${keyName(rowsKey)} = ?`;
  const name = quoteName(table.name);
  const changes = !writes
    ? 1
    : values
      ? database
          .prepare(
            `UPDATE ${name} SET ${values.map(({ column }) => `${quoteName(column)} = ?`).join(", ")} ${where}`,
          )
          .run(...values.map(({ value }) => value), found.value)
      : database.prepare(`DELETE FROM ${name} ${where}`).run(found.value);
  if (changes > 1) {
    throw new AtomicError(
      "sqlite.key",
      `Key '${key}' names ${changes} rows of ${table.name}; nothing was written.`,
      { data: { table: table.name, key } },
    );
  }
  return {
    kind,
    table: table.name,
    key: found.text,
    changes,
    further: furtherChanges(database, before, changes),
    before: found.row,
  };
}

function insert(
  database: Database,
  table: TableSchema,
  values: readonly Assignment[],
  { before, writes }: { readonly before: bigint; readonly writes: boolean },
): ChangeDone {
  const done = { kind: "inserted", table: table.name, key: undefined } as const;
  if (!writes) return { ...done, changes: 1, further: 0 };
  const name = quoteName(table.name);
  const columns = values.map(({ column }) => quoteName(column)).join(", ");
  const marks = values.map(() => "?").join(", ");
  const sql =
    values.length === 0
      ? `INSERT INTO ${name} DEFAULT VALUES`
      : `INSERT INTO ${name} (${columns}) VALUES (${marks})`;
  const changes = database.prepare(sql).run(...values.map(({ value }) => value));
  const rowid = table.withoutRowid ? undefined : count(database, "SELECT last_insert_rowid()");
  return {
    ...done,
    changes,
    further: furtherChanges(database, before, changes),
    ...(rowid !== undefined && { rowid: String(rowid) }),
  };
}

function furtherChanges(database: Database, before: bigint, changes: number): number {
  return Math.max(0, Number(count(database, "SELECT total_changes()") - before) - changes);
}

/** @throws AtomicError with the seed's texts */
function findTarget(database: Database, inner: string, display: string): Target {
  const rest = inner.replace(/^:/, "");
  const tables = listTables(database);
  const found = findTable(rest, tables);
  const tail = found?.tail ?? /\?.*$/s.exec(rest)?.[0] ?? "";
  if (tail.startsWith("?")) {
    throw new AtomicError("sqlite.params", "SQLite write paths do not support query parameters");
  }
  const [name = ""] = rest.split(":");
  if (name === "" && !found) {
    throw new AtomicError("sqlite.target", "SQLite write path must target a table");
  }
  if (!found) throw noTable(rest, tables, display);
  if (found.table.kind === "view") {
    throw new AtomicError(
      "sqlite.target",
      `SQLite write path must target a table, and ${showName(found.table.name)} is a view`,
      { data: { table: found.table.name } },
    );
  }
  if (tail === ":") {
    throw new AtomicError("sqlite.key", "SQLite row writes require a non-empty row key");
  }
  return {
    table: describeTable(database, found.table),
    key: tail === "" ? undefined : tail.slice(1),
  };
}

function findRow(
  database: Database,
  { name, kind, columns }: TableSchema,
  key: RowKey,
  written: string,
): FoundRow | undefined {
  const table = quoteName(name);
  const encoding = textEncoding(database);
  const remarks = new Set<CellRemark>();
  // What is not plain data is not asked for: a virtual table's values cost what its module likes.
  const shown = kind === "table" ? columns : [];
  const cells = shown.map((column) => cellExpression(`${table}.${quoteName(column.name)}`));
  const names = distinctNames(shown.map((column) => column.name));
  for (const text of spelled(written)) {
    for (const value of keyValues(key, text)) {
      const statement = database.prepare(
        `SELECT ${cells.join(", ") || "1"} FROM ${table} WHERE ${keyName(key)} = ? LIMIT 1`,
      );
      for (const row of statement.rows(value)) {
        const texts = shown.map((_, i) => packedCell(row[i]!, encoding, remarks));
        return { text, value, row: rowText(names, texts) };
      }
    }
  }
  return undefined;
}
