// The content of a row write as values to bind (tools.md §9.3).

import { AtomicError } from "../errors.ts";
import type { SqlValue } from "../ports/databases.ts";
import { showName } from "../paths.ts";
import { Json5Error, type Json5Value, parseJson5 } from "../text/json5.ts";
import type { Column, TableSchema } from "./schema.ts";

/** A value for a column of the table, under the column's own name. */
export interface Assignment {
  readonly column: string;
  readonly value: SqlValue;
}

/** Everything is checked before anything is bound. @throws AtomicError `sqlite.payload`, `sqlite.column`, `sqlite.value` */
export function readPayload(content: string, table: TableSchema): readonly Assignment[] {
  const parsed = parsePayload(content);
  const assignments: Assignment[] = [];
  for (const { name, value } of parsed) {
    const column = findColumn(name, table);
    if (assignments.some((other) => other.column === column.name)) {
      throw new AtomicError("sqlite.payload", `Column ${showName(column.name)} is given twice.`, {
        data: { table: table.name, column: column.name },
      });
    }
    assignments.push({ column: column.name, value: toBind(value, column, table) });
  }
  return assignments;
}

type Members = readonly { readonly name: string; readonly value: Json5Value }[];

function parsePayload(content: string): Members {
  let value: Json5Value;
  try {
    value = parseJson5(content);
  } catch (thrown) {
    if (!(thrown instanceof Json5Error)) throw thrown;
    const before = content.slice(0, thrown.at).split("\n");
    const place = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
    throw payload(`is not valid JSON5: ${place}: ${thrown.message}`, thrown);
  }
  if (typeof value === "object" && value !== null && "members" in value) return value.members;
  const found = Array.isArray(value) ? "a list" : value === null ? "null" : `a ${typeof value}`;
  throw payload(`must be a JSON5 object, but is ${found.replace("bigint", "number")}`);
}

function payload(problem: string, cause?: unknown): AtomicError {
  return new AtomicError("sqlite.payload", `SQLite row content ${problem}.`, { cause });
}

/** SQLite folds the capitals of ASCII; the very name comes first all the same. */
function findColumn(name: string, table: TableSchema): Column {
  const folded = (text: string) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
  const column =
    table.columns.find((each) => each.name === name) ??
    table.columns.find((each) => folded(each.name) === folded(name));
  const data = { table: table.name, column: name };
  if (!column) {
    const known = table.columns.map((each) => showName(each.name)).join(", ");
    throw new AtomicError(
      "sqlite.column",
      `Table ${showName(table.name)} has no column ${showName(name)}; its columns are ${known}.`,
      { data },
    );
  }
  if (column.generated) {
    throw new AtomicError(
      "sqlite.column",
      `Column ${showName(column.name)} of table ${showName(table.name)} is computed from others and cannot be written.`,
      { data },
    );
  }
  return column;
}

function toBind(value: Json5Value, { name }: Column, table: TableSchema): SqlValue {
  const wrong = (problem: string) =>
    new AtomicError(
      "sqlite.value",
      `Column ${showName(name)} of table ${showName(table.name)}: ${problem}.`,
      { data: { table: table.name, column: name } },
    );
  switch (typeof value) {
    case "boolean":
      return value ? 1n : 0n;
    case "string":
      if (!value.isWellFormed()) throw wrong("half a surrogate pair is no text");
      return value;
    case "bigint":
      if (BigInt.asIntN(64, value) !== value) throw wrong(`${value} does not fit into 64 bits`);
      return value;
    case "number":
      if (Number.isNaN(value)) throw wrong("NaN cannot be stored; SQLite would make NULL of it");
      // A whole number is an INTEGER: as a REAL it would land as "1.0" in a TEXT column (W-42).
      return Number.isSafeInteger(value) ? BigInt(value) : value;
    default:
      if (value === null) return null;
      throw wrong(
        `a value must be a string, number, boolean or null, but is ${Array.isArray(value) ? "a list" : "an object"}`,
      );
  }
}
