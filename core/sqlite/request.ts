// What follows a database's name, as plain data (tools.md §2.5).

import { AtomicError, type ErrorCode } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import { didYouMean } from "../text/nearest.ts";

/** Something of a database that has rows. */
export interface NamedTable {
  readonly name: string;
  readonly kind: "table" | "view" | "virtual table";
}

export type Request =
  | { readonly kind: "list" }
  | { readonly kind: "query"; readonly sql: string }
  /** Schema and a few rows, or one of both. */
  | {
      readonly kind: "table";
      readonly table: NamedTable;
      readonly schema: boolean;
      /** Undefined: no rows at all. */
      readonly sample: number | undefined;
      readonly titled: boolean;
    }
  | ({ readonly kind: "rows"; readonly table: NamedTable } & RowWindow)
  /** The first rows of a table, each after its key, for a search. */
  | { readonly kind: "scan"; readonly table: NamedTable }
  /** The first of the keys that a row has. */
  | { readonly kind: "row"; readonly table: NamedTable; readonly keys: readonly string[] };

export interface RowWindow {
  readonly limit: number;
  readonly offset: number;
  /** As the caller wrote it, not yet checked. */
  readonly where: string | undefined;
  readonly order: string | undefined;
}

export interface ReadRequest {
  readonly request: Request;
  /** What was understood otherwise than written. */
  readonly notes: readonly string[];
}

/**
 * @param inner with its delimiter: "", ":TABLE", ":TABLE:KEY", ":TABLE?…", "?q=…"
 * @param file as messages call the database
 * @throws AtomicError `sqlite.param`, `sqlite.no_table`
 */
export function parseRequest(
  inner: string,
  tables: readonly NamedTable[],
  file: string,
): ReadRequest {
  const rest = inner.startsWith(":") ? inner.slice(1) : inner;
  if (rest === "") return { request: { kind: "list" }, notes: [] };
  const found = findTable(rest, tables);
  if (!found && rest.startsWith("?")) return parseQuery(rest.slice(1));
  if (!found) throw noTable(rest, tables, file);
  const { table, tail } = found;
  if (tail.startsWith("?")) return parseParameters(tail.slice(1), table);
  if (tail.length > 1) {
    return { request: { kind: "row", table, keys: spelled(tail.slice(1)) }, notes: [] };
  }
  return {
    request: { kind: "table", table, schema: true, sample: limits.sqliteSample, titled: true },
    notes: [],
  };
}

/**
 * The table whose name takes up most of the text from its beginning; ":" and "?" in it may be written %3A and %3F
 * (W-23). Of several that take up as much: the one that is written best, then the one with more escapes.
 */
export function findTable(
  text: string,
  tables: readonly NamedTable[],
): { readonly table: NamedTable; readonly tail: string } | undefined {
  const found = tables.flatMap((table) =>
    spellingsOfNames.flatMap((how, spelling) => {
      const length = matchName(text, table.name, how);
      if (length === undefined || !/^(?:$|[:?])/.test(text.slice(length))) return [];
      return [{ table, tail: text.slice(length), spelling }];
    }),
  );
  return found.toSorted(
    (a, b) =>
      a.tail.length - b.tail.length ||
      a.spelling - b.spelling ||
      a.table.name.length - b.table.name.length,
  )[0];
}

/** The text as written; then, where it has escapes of a URL, without them. */
export function spelled(text: string): readonly string[] {
  return [...new Set([text, decodeLeniently(text)])];
}

/** %XX as the characters they stand for, where they stand for any; any other "%" and "+" stay (W-24). */
export function decodeLeniently(text: string): string {
  return text.replace(/(?:%[\da-f]{2})+/gi, (run) => {
    try {
      return decodeURIComponent(run);
    } catch {
      return run;
    }
  });
}

interface NameSpelling {
  /** In these capitals. */
  readonly exact: boolean;
  /** Without escapes. */
  readonly literal: boolean;
}

/** Best first. */
const spellingsOfNames: readonly NameSpelling[] = [
  { exact: true, literal: true },
  { exact: true, literal: false },
  { exact: false, literal: true },
  { exact: false, literal: false },
];

/** @returns how much of the text the name takes up; undefined where the text does not begin with it */
function matchName(
  text: string,
  name: string,
  { exact, literal }: NameSpelling,
): number | undefined {
  let at = 0;
  for (const wanted of name) {
    const escaped = text.slice(at, at + 3);
    const written = text.slice(at, at + wanted.length);
    if (!literal && escaped.startsWith("%") && decodeLeniently(escaped) === wanted) at += 3;
    else if (same(written, wanted, exact)) at += wanted.length;
    else return undefined;
  }
  return at;
}

/** SQLite folds the capitals of ASCII only. */
function same(a: string, b: string, exact: boolean): boolean {
  if (a === b || exact) return a === b;
  return a.length === b.length && /^[a-z]+$/i.test(a) && a.toLowerCase() === b.toLowerCase();
}

function parseQuery(text: string): ReadRequest {
  if (!text.startsWith("q=")) {
    const name = /^[^=&]*/.exec(text)![0];
    throw new AtomicError(
      "sqlite.param",
      `Unknown parameter ${JSON.stringify(name)}: what follows a database's name is q=, as in app.db?q=SELECT 1; ${parameterNames.join(", ")} follow a table's, as in app.db:users?limit=20.`,
      { data: { parameter: name } },
    );
  }
  const written = text.slice(2);
  const sql = decodeLeniently(written);
  // Whoever writes blanks as they are may have meant "%20" in a LIKE as it is, too.
  const notes =
    sql !== written && /\s/.test(written)
      ? [`[The query was read as: ${sql}; a "%" before two hex digits is written %25]`]
      : [];
  return { request: { kind: "query", sql }, notes };
}

const parameterNames = ["limit", "offset", "where", "order", "schema", "sampleRows", "id"] as const;
type Parameter = (typeof parameterNames)[number];

function parseParameters(text: string, table: NamedTable): ReadRequest {
  const given = new Map<Parameter, string>();
  for (const part of text.split(/&(?=[A-Za-z_]+=)/)) {
    const [, written = part, value] = /^([A-Za-z_]+)=([^]*)$/.exec(part) ?? [];
    const name = parameterNames.find(
      (each) => each === written.replace("sample_rows", "sampleRows"),
    );
    if (name === undefined) throw unknownParameter(written);
    if (value === undefined) throw wrong(name, part, "has no value");
    if (given.has(name)) throw wrong(name, part, "was given twice");
    given.set(name, decodeLeniently(value));
  }
  checkTogether(given);
  const id = given.get("id");
  if (id !== undefined) {
    if (id === "") throw wrong("id", "id=", "has no value");
    return { request: { kind: "row", table, keys: [id] }, notes: [] };
  }
  const notes: string[] = [];
  const sample = given.get("sampleRows");
  if (sample !== undefined) {
    const rows = amount("sampleRows", sample, limits.sqliteSampleMost, notes);
    return {
      request: { kind: "table", table, schema: false, sample: rows, titled: false },
      notes,
    };
  }
  if (isOn(given.get("schema"))) {
    return {
      request: { kind: "table", table, schema: true, sample: undefined, titled: false },
      notes,
    };
  }
  if (given.has("schema")) return { request: { ...whole, table }, notes };
  const limit = given.get("limit");
  const request: Request = {
    kind: "rows",
    table,
    limit:
      limit === undefined
        ? limits.sqliteRows
        : amount("limit", limit, limits.sqliteRowsMost, notes),
    offset: amount("offset", given.get("offset") ?? "0", Number.MAX_SAFE_INTEGER, notes),
    where: given.get("where"),
    order: given.get("order"),
  };
  return { request, notes };
}

const whole = { kind: "table", schema: true, sample: limits.sqliteSample, titled: true } as const;

/** Each of these says by itself what is shown. */
function checkTogether(given: ReadonlyMap<Parameter, string>): void {
  for (const alone of ["id", "schema", "sampleRows"] as const) {
    const other = [...given.keys()].find((name) => name !== alone);
    if (given.has(alone) && other !== undefined) {
      throw wrong(alone, `${alone}=`, `stands alone, but was given with ${other}`);
    }
  }
}

function isOn(value: string | undefined): boolean {
  if (value === undefined || /^(?:0|false)$/i.test(value)) return false;
  if (/^(?:1|true)$/i.test(value)) return true;
  throw wrong("schema", value, "must be 1 or true");
}

function amount(name: Parameter, text: string, most: number, notes: string[]): number {
  if (!/^\d+$/.test(text)) throw wrong(name, text, `must be a number from 0 to ${most}`);
  const value = Number(text);
  if (value <= most) return value;
  notes.push(`[${name}=${text} is over the limit; ${most} was taken]`);
  return most;
}

function unknownParameter(name: string): AtomicError {
  return new AtomicError(
    "sqlite.param",
    `Unknown parameter ${JSON.stringify(name)}${didYouMean(name, parameterNames) || "."} Known are ${parameterNames.join(", ")}; "&" inside a value is written %26.`,
    { data: { parameter: name } },
  );
}

function wrong(parameter: Parameter, found: string, problem: string): AtomicError {
  return new AtomicError(
    "sqlite.param",
    `Parameter ${parameter} ${problem}, but got ${JSON.stringify(found)}.`,
    { data: { parameter } },
  );
}

/** @param rest begins with the name that no table has */
export function noTable(rest: string, tables: readonly NamedTable[], file: string): AtomicError {
  const name = /^[^:?]*/.exec(rest)![0];
  const near = didYouMean(
    name,
    tables.map((table) => table.name),
  );
  const code: ErrorCode = "sqlite.no_table";
  return new AtomicError(code, `${showName(file)}: no such table: ${showName(name)}${near}`, {
    data: { path: file, table: name },
    hint: `The tables are listed by reading ${showName(file)}.`,
  });
}
