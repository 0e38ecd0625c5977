// A request, answered by a connection: rows of JSON, and what is to be said about them.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Database, SqlValue } from "../ports/databases.ts";
import { thousands } from "../text/size.ts";
import {
  type CellRemark,
  cellExpression,
  distinctNames,
  packedCell,
  plainCell,
  quoteName,
  rowText,
} from "./cells.ts";
import { allowsReading, checkQuery, checkWhere, engineRefusal, parseOrder } from "./guard.ts";
import type { NamedTable, Request, RowWindow } from "./request.ts";
import {
  type Column,
  count,
  describeTable,
  keyName,
  keyValues,
  listTables,
  rowKey,
  type TableSchema,
  textEncoding,
} from "./schema.ts";
import { isRefusal } from "./failure.ts";

/** A row of the answer, a sentence below the rows, or what is there instead of rows. */
export interface AnswerLine {
  readonly kind: "row" | "note" | "absent";
  readonly text: string;
}

/**
 * Whether a request may run where nobody can stop it: nothing in it is the caller's SQL, and nothing in the schema that is not
 * plain data takes part.
 */
export function isTame(request: Request, database: Database): boolean {
  if (request.kind === "list" || request.kind === "query") return false;
  if (request.kind === "rows" && (request.where ?? request.order) !== undefined) return false;
  const { table } = request;
  if (table.kind !== "table") return false;
  return describeTable(database, table).columns.every((column) => !column.generated);
}

/**
 * @param canJudge of the `databases` port
 * @throws AtomicError of every `sqlite.` code for reading; DatabaseError
 */
export function* answer(
  database: Database,
  request: Request,
  canJudge: boolean,
): Generator<AnswerLine> {
  switch (request.kind) {
    case "list":
      yield* list(database);
      break;
    case "query":
      yield* query(database, request.sql, canJudge);
      break;
    case "table":
      yield* table(database, request);
      break;
    case "rows":
      yield* rows(database, request.table, request, canJudge);
      break;
    case "scan":
      yield* scan(database, request.table);
      break;
    case "row":
      yield* row(database, request.table, request.keys);
      break;
  }
  if (!database.isSettled()) {
    yield note("The database was written to meanwhile; read again to see one state of it");
  }
}

function* list(database: Database): Generator<AnswerLine> {
  const tables = listTables(database);
  for (const { name, kind } of tables.slice(0, limits.sqliteTables)) {
    const title = `{"table":${JSON.stringify(name)}`;
    // A view is not counted: that alone may take forever.
    if (kind === "view") yield { kind: "row", text: `${title},"view":true}` };
    else yield { kind: "row", text: `${title},"rows":${rowCount(database, name)}}` };
  }
  if (tables.length > limits.sqliteTables) {
    yield note(
      `Showing the first ${limits.sqliteTables} of ${thousands(tables.length)} tables; the others are read by their names`,
    );
  }
}

function rowCount(database: Database, name: string): string {
  const probe = limits.sqliteProbe;
  try {
    const found = count(
      database,
      `SELECT count(*) FROM (SELECT 1 FROM ${quoteName(name)} LIMIT ${probe})`,
    );
    return found < BigInt(probe) ? String(found) : `"${probe - 1}+"`;
  } catch (thrown) {
    // One table that cannot be read, such as one whose module is not there, does not hide the others.
    return `null,"error":${JSON.stringify((thrown as Error).message)}`;
  }
}

function* table(
  database: Database,
  { table, schema, sample, titled }: Extract<Request, { readonly kind: "table" }>,
): Generator<AnswerLine> {
  const described = describeTable(database, table);
  if (titled) yield* [title(`# ${table.name}`), title("Schema:")];
  if (schema) for (const column of described.columns) yield title(columnText(column));
  if (titled) yield title("Rows:");
  if (sample === undefined) return;
  const shown = yield* select(
    database,
    described,
    { tail: "LIMIT ?", values: [BigInt(sample) + 1n] },
    sample,
  );
  if (shown.more && titled) {
    yield note(
      `More rows follow; ${shown.count} are shown. Read on with ?limit=20&offset=${shown.count}`,
    );
  } else if (shown.more) yield note("More rows follow");
}

function* rows(
  database: Database,
  table: NamedTable,
  { limit, offset, where, order }: RowWindow,
  canJudge: boolean,
): Generator<AnswerLine> {
  const described = describeTable(database, table);
  const source = quoteName(table.name);
  const tail: string[] = [];
  if (where !== undefined) tail.push(`WHERE (${checkWhere(where, canJudge)})`);
  if (order !== undefined) {
    const terms = parseOrder(order).map(
      ({ column, descending }) => `${source}.${quoteName(column)}${descending ? " DESC" : ""}`,
    );
    tail.push(`ORDER BY ${terms.join(", ")}`);
  }
  tail.push("LIMIT ? OFFSET ?");
  try {
    const shown = yield* select(
      database,
      described,
      {
        tail: tail.join(" "),
        values: [BigInt(limit) + 1n, BigInt(offset)],
        isForeign: where !== undefined,
      },
      limit,
    );
    if (shown.more) {
      yield note(
        `More rows follow; continue with limit=${limit || 1}&offset=${offset + shown.count}`,
      );
    }
  } catch (thrown) {
    if (!isRefusal(thrown)) throw thrown;
    throw new AtomicError("sqlite.where", "Bad where=: it would do more than compare.", {
      cause: thrown,
      data: { parameter: "where" },
    });
  }
}

/** A row of the answer for each key, and one for the row it names; in the order of the keys. */
function* scan(database: Database, table: NamedTable): Generator<AnswerLine> {
  const described = describeTable(database, table);
  const most = limits.sqliteScan;
  const source = quoteName(table.name);
  const key = singleKey(described);
  const tail = `${key === undefined ? "" : `ORDER BY ${source}.${key} `}LIMIT ?`;
  const keys =
    key === undefined
      ? []
      : [...database.prepare(`SELECT ${source}.${key} FROM ${source} ${tail}`).rows(BigInt(most))];
  const shown = select(database, described, { tail, values: [BigInt(most) + 1n] }, most);
  for (let count = 0; ;) {
    const next = shown.next();
    if (next.done) {
      if (next.value.more) {
        yield note(
          `Only the first ${thousands(most)} rows were searched; narrow them with ?where=`,
        );
      }
      return;
    }
    if (next.value.kind === "row") {
      const found = keys[count++]?.[0];
      yield { kind: "row", text: found === undefined ? String(count) : String(found) };
    }
    yield next.value;
  }
}

/** Undefined where no single value names a row: they are numbered then. */
function singleKey(table: TableSchema): string | undefined {
  try {
    return keyName(rowKey(table));
  } catch (thrown) {
    if (thrown instanceof AtomicError) return undefined;
    throw thrown;
  }
}

function* row(
  database: Database,
  table: NamedTable,
  keys: readonly string[],
): Generator<AnswerLine> {
  const described = describeTable(database, table);
  const key = rowKey(described);
  for (const text of keys) {
    for (const value of keyValues(key, text)) {
      const tail = `WHERE ${keyName(key)} = ? LIMIT 1`;
      const shown = yield* select(database, described, { tail, values: [value] }, 1);
      if (shown.count > 0) return;
    }
  }
  yield { kind: "absent", text: `no row '${keys[0]}' in ${table.name}` };
}

function* query(database: Database, written: string, canJudge: boolean): Generator<AnswerLine> {
  const sql = checkQuery(written, canJudge);
  database.judge(allowsReading);
  try {
    const statement = database.prepare(sql);
    const names = distinctNames(statement.columns);
    const spending = budget();
    let shown = 0;
    for (const values of statement.rows()) {
      if (shown === limits.sqliteQueryRows) {
        yield note(`Only the first ${thousands(shown)} rows are shown; the query has more`);
        break;
      }
      const text = rowText(names, values.map(plainCell));
      if (!spending.allows(text)) {
        yield spending.note(shown);
        break;
      }
      yield { kind: "row", text };
      shown++;
    }
  } catch (thrown) {
    throw isRefusal(thrown) ? engineRefusal(sql) : thrown;
  }
}

interface Shown {
  readonly count: number;
  /** There is at least one that is not shown. */
  readonly more: boolean;
}

/** How the rows of a table are chosen. */
interface Choice {
  readonly tail: string;
  readonly values: readonly SqlValue[];
  /** Something of it is the caller's own SQL. */
  readonly isForeign?: boolean;
}

/** All columns of a table as rows, at most so many. */
function* select(
  database: Database,
  { name, kind, columns }: TableSchema,
  { tail, values, isForeign = false }: Choice,
  most: number,
): Generator<AnswerLine, Shown> {
  const source = quoteName(name);
  // What a view computes may differ from one look at it to the next.
  const isPacked = kind === "table";
  const cells = columns.map((column) => {
    const quoted = `${source}.${quoteName(column.name)}`;
    return isPacked ? cellExpression(quoted) : quoted;
  });
  const encoding = isPacked ? textEncoding(database) : "utf-8";
  const names = distinctNames(columns.map((column) => column.name));
  const remarks = new Set<CellRemark>();
  const spending = budget();
  let shown = 0;
  let more = false;
  let cut: AnswerLine | undefined;
  if (isForeign) database.judge(allowsReading);
  const statement = database.prepare(`SELECT ${cells.join(", ")} FROM ${source} ${tail}`);
  for (const row of statement.rows(...values)) {
    if (shown === most) {
      more = true;
      break;
    }
    const text = rowText(
      names,
      row.map((value) => (isPacked ? packedCell(value, encoding, remarks) : plainCell(value))),
    );
    if (!spending.allows(text)) {
      cut = spending.note(shown);
      break;
    }
    yield { kind: "row", text };
    shown++;
  }
  if (cut) yield cut;
  for (const remark of remarks) yield note(remarkTexts[remark]);
  return { count: shown, more };
}

const remarkTexts: Readonly<Record<CellRemark, string>> = {
  "invalid text":
    "Text that is not valid in the database's encoding is shown as $text, its bytes as \\xNN",
  "left out": `Values over ${limits.sqliteValue / 1024 / 1024} MiB are left out; "bytes" is their size`,
};

/** What one answer may hold. */
function budget() {
  let left: number = limits.sqliteOutput;
  return {
    allows(text: string): boolean {
      left -= text.length;
      return left >= 0;
    },
    note: (shown: number) =>
      note(
        `Only ${thousands(shown)} rows are shown: the next would go over ${limits.sqliteOutput / 1024 / 1024} MiB`,
      ),
  };
}

function columnText({ id, name, type, notNull, standard, key, generated }: Column): string {
  const facts = `{"cid":${id},"name":${JSON.stringify(name)},"type":${JSON.stringify(type)},"notnull":${notNull ? 1 : 0},"dflt_value":${JSON.stringify(standard)},"pk":${key}`;
  return `${facts}${generated ? ',"generated":true' : ""}}`;
}

function title(text: string): AnswerLine {
  return { kind: "row", text };
}

function note(text: string): AnswerLine {
  return { kind: "note", text: `[${text}]` };
}
