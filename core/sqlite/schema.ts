// What a database's schema says of its tables, read without running anything that the schema itself brings along.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Database, SqlValue } from "../ports/databases.ts";
import { quoteName, type TextEncodingOf } from "./cells.ts";
import type { NamedTable } from "./request.ts";

export interface Column {
  readonly name: string;
  /** As declared; "" where nothing is. */
  readonly type: string;
  readonly notNull: boolean;
  /** As it is written in SQL; null where there is none. */
  readonly standard: string | null;
  /** Place in the primary key, from 1; 0: no part of it. */
  readonly key: number;
  /** Computed from others, so that it cannot be written. */
  readonly generated: boolean;
  readonly id: bigint;
}

export interface TableSchema extends NamedTable {
  readonly columns: readonly Column[];
  readonly withoutRowid: boolean;
}

/** By what one row is found. */
export type RowKey =
  | { readonly kind: "column"; readonly column: Column }
  | { readonly kind: "rowid"; readonly alias: string };

/** Tables and views in the order of their names. Opens no virtual table and compiles no view: they may be made to harm. */
export function listTables(database: Database): readonly NamedTable[] {
  const rows = database
    .prepare(
      "SELECT name, type, substr(sql, 1, 40) FROM sqlite_schema WHERE type IN ('table','view') AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name",
    )
    .rows();
  const tables: NamedTable[] = [];
  for (const [name, type, sql] of rows) {
    const isVirtual = /^\s*CREATE\s+VIRTUAL\b/i.test(String(sql));
    tables.push({
      name: String(name),
      kind: type === "view" ? "view" : isVirtual ? "virtual table" : "table",
    });
  }
  return tables;
}

export function describeTable(database: Database, table: NamedTable): TableSchema {
  const columns: Column[] = [];
  const rows = database
    .prepare('SELECT cid, name, type, "notnull", dflt_value, pk, hidden FROM pragma_table_xinfo(?)')
    .rows(table.name);
  for (const [id, name, type, notNull, standard, key, hidden] of rows) {
    // Of a virtual table: an argument, not a part of its rows.
    if (hidden === 1n) continue;
    columns.push({
      id: id as bigint,
      name: String(name),
      type: String(type),
      notNull: notNull === 1n,
      standard: standard === null ? null : String(standard),
      key: Number(key),
      generated: hidden === 2n || hidden === 3n,
    });
  }
  // Documented for index_info: it knows a table's own name only where the table has no rowid.
  const withoutRowid =
    table.kind === "table" &&
    count(database, "SELECT count(*) FROM pragma_index_info(?)", table.name) > 0n;
  return { ...table, columns, withoutRowid };
}

export function textEncoding(database: Database): TextEncodingOf {
  for (const [encoding] of database.prepare("PRAGMA encoding").rows()) {
    return String(encoding).toLowerCase() as TextEncodingOf;
  }
  return "utf-8";
}

/**
 * The single column of the primary key, else the rowid by a name that no column has.
 * @throws AtomicError `sqlite.composite_pk`, `sqlite.no_key`
 */
export function rowKey({ name, kind, columns, withoutRowid }: TableSchema): RowKey {
  const key = columns.filter((column) => column.key > 0).toSorted((a, b) => a.key - b.key);
  const [single, second] = key;
  if (single && !second) return { kind: "column", column: single };
  if (second) {
    const names = key.map((column) => showName(column.name));
    const where = key.map((column) => `${column.name}=…`).join(" AND ");
    throw new AtomicError(
      "sqlite.composite_pk",
      `${showName(name)} has a primary key of ${key.length} columns (${names.join(", ")}), so one value names no row of it.`,
      {
        data: { table: name, columns: key.map((column) => column.name) },
        hint: `To read one, use ?where=${where}.`,
      },
    );
  }
  const taken = new Set(columns.map((column) => column.name.toLowerCase()));
  const alias = ["rowid", "_rowid_", "oid"].find((each) => !taken.has(each));
  if (kind === "view" || withoutRowid || alias === undefined) {
    const why =
      kind === "view" ? "it is a view" : "its columns take all the names that a rowid can have";
    throw new AtomicError(
      "sqlite.no_key",
      `The rows of ${showName(name)} cannot be named by a key: ${why}.`,
      { data: { table: name }, hint: "Use ?where= to read some of them." },
    );
  }
  return { kind: "rowid", alias };
}

/** How a key is named in SQL. */
export function keyName(key: RowKey): string {
  return quoteName(key.kind === "column" ? key.column.name : key.alias);
}

/**
 * The values that a written key may be, best first. What is not exactly the number that it says is no key of a number column:
 * it would meet a neighbour.
 */
export function keyValues(key: RowKey, text: string): readonly SqlValue[] {
  const integer = toInteger(text);
  const real = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i.test(text) ? Number(text) : undefined;
  if (key.kind === "rowid") return integer === undefined ? [] : [integer];
  const affinity = affinityOf(key.column.type);
  if (affinity === "text") return [text];
  const numbers: SqlValue[] =
    integer !== undefined
      ? [integer]
      : real !== undefined && Math.abs(real) < limits.exactNumber
        ? [real]
        : [];
  if (affinity === "none") return [text, ...numbers];
  return integer === undefined && real === undefined && !/^[+-]?\d+$/.test(text) ? [text] : numbers;
}

/** Exact, within the 64 bits that SQLite has; undefined for what is no whole number or does not fit. */
export function toInteger(text: string): bigint | undefined {
  if (!/^[+-]?\d{1,30}$/.test(text)) return undefined;
  const value = BigInt(text.replace(/^\+/, ""));
  return BigInt.asIntN(64, value) === value ? value : undefined;
}

/** https://sqlite.org/datatype3.html, as far as it matters to comparing. */
export function affinityOf(type: string): "text" | "number" | "none" {
  if (/int/i.test(type)) return "number";
  if (/char|clob|text/i.test(type)) return "text";
  return /blob/i.test(type) || /^(?:any)?$/i.test(type.trim()) ? "none" : "number";
}

export function count(database: Database, sql: string, ...values: readonly SqlValue[]): bigint {
  for (const [value] of database.prepare(sql).rows(...values)) return value as bigint;
  return 0n;
}
