// Databases as containers of tables: app.db, app.db:users, app.db:users:42, app.db?q=SELECT … (tools.md §§2.5, 4).

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Database } from "../ports/databases.ts";
import { answer, type AnswerLine, isTame } from "../sqlite/answer.ts";
import { databaseFailure } from "../sqlite/failure.ts";
import { type NamedTable, parseRequest, type Request } from "../sqlite/request.ts";
import { listTables } from "../sqlite/schema.ts";
import { thousands } from "../text/size.ts";
import { confinedPath, confineOpened, escape, type Root } from "./confine.ts";
import type { Container, ContainerFile } from "./container.ts";
import type { Contents, TargetCall, TargetPorts } from "./resource.ts";
import { runJob } from "./run-job.ts";

export async function openSqlite(
  file: ContainerFile,
  root: Root,
  ports: TargetPorts,
  call: TargetCall,
): Promise<Container> {
  const { path, typed, stat } = file;
  const { databases, fs } = ports;
  const failing = failuresOf(typed);
  const real = await confinedPath(root, path, typed, fs);
  const database = await failing(() => databases.openToRead(real, limits.sqliteBusy));
  let tables: readonly NamedTable[];
  try {
    // SQLite opens by name. Where the system does not tell what it has opened, it is what still has that name.
    if (database.openedAs?.includes(real) === false) throw escape(root, typed);
    await confineOpened(root, real, typed, stat, fs);
    tables = await failing(async () => listTables(database));
  } catch (thrown) {
    database.close();
    throw thrown;
  }
  /** The latest row that was asked for and is not there. */
  let missed: { readonly inner: string; readonly answer: Contents | AtomicError } | undefined;
  return {
    async part(inner, peeled) {
      try {
        const { request, notes } = parseRequest(inner, tables, typed);
        // users:2-3 is the row 2-3, and not lines of users.
        const namesLines = request.kind === "table" && peeled.some((each) => !/^raw$/i.test(each));
        if (namesLines && missed?.inner.startsWith(`${inner}:`)) return missed.answer;
        const found = await answered(inner, request, notes);
        const isMissing = found instanceof AtomicError || found.absent === true;
        if (request.kind === "row" && isMissing) missed = { inner, answer: found };
        return found;
      } catch (thrown) {
        return orLess(thrown);
      }
    },
    async close() {
      database.close();
    },
  };

  async function answered(
    inner: string,
    request: Request,
    notes: readonly string[],
  ): Promise<Contents | AtomicError> {
    try {
      const isScan = call.purpose === "search" && request.kind === "table" && request.titled;
      if (isScan) {
        const lines = await failing(() =>
          answerTo({ kind: "scan", table: request.table }, database),
        );
        return scanned(file, inner, request, lines, notes);
      }
      const lines = await failing(() => answerTo(request, database));
      const contents = contentsOf(file, inner, request, lines, notes);
      const isList = call.purpose === "search" && request.kind === "list";
      return isList ? { ...contents, display: `${typed}:tables` } : contents;
    } catch (thrown) {
      return orLess(thrown);
    }
  }

  async function answerTo(request: Request, database: Database): Promise<readonly AnswerLine[]> {
    if (isTame(request, database)) return [...answer(database, request, databases.canJudge)];
    const job = { file: real, identity: stat.identity, display: typed, request };
    const { messages, late } = await runJob(job, ports, call);
    const lines = messages.filter(isLine);
    if (!late) return lines;
    const rows = lines.filter(({ kind }) => kind === "row").length;
    const seconds = limits.sqliteTime / 1000;
    if (rows === 0) {
      throw new AtomicError(
        "sqlite.time",
        `${showName(typed)}: stopped after ${seconds} s, before there was a row.`,
        { data: { path: typed } },
      );
    }
    // What stands above the rows of a table is none of them.
    const had =
      request.kind === "table"
        ? "these are the rows that had come"
        : `${thousands(rows)} ${rows === 1 ? "row" : "rows"} had come`;
    const text = `[Stopped after ${seconds} s: ${had}; there may be more]`;
    return [...lines, { kind: "note", text }];
  }
}

/** Failures that a shorter reading of the target may not have. */
const mayMeanLess: ReadonlySet<string> = new Set([
  "sqlite.no_table",
  "sqlite.no_key",
  "sqlite.composite_pk",
  "sqlite.param",
  "sqlite.query",
  "sqlite.where",
  "sqlite.order",
  "sqlite.sql",
]);

function orLess(thrown: unknown): AtomicError {
  if (thrown instanceof AtomicError && mayMeanLess.has(thrown.code)) return thrown;
  throw thrown;
}

function contentsOf(
  { path, typed }: ContainerFile,
  inner: string,
  request: Request,
  lines: readonly AnswerLine[],
  notes: readonly string[],
): Contents {
  const rows = lines.filter(({ kind }) => kind !== "note").map(({ text }) => text);
  const isAbsent = lines.some(({ kind }) => kind === "absent");
  const said = lines.filter(({ kind }) => kind === "note").map(({ text }) => text);
  const noun = request.kind === "list" ? "tables" : "rows";
  return {
    source: "sqlite",
    sourcePath: path + inner,
    display: typed + inner,
    bytes: new TextEncoder().encode(rows.map((row) => `${row}\n`).join("")),
    numbered: false,
    empty: `(no ${noun})`,
    notes: [...notes, ...said],
    details: {
      ...("table" in request && { table: request.table.name }),
      [noun]: isAbsent ? 0 : request.kind === "table" ? undefined : rows.length,
    },
    ...(isAbsent && { absent: true }),
  };
}

/** Rows that come in pairs, the key of each before it. */
function scanned(
  file: ContainerFile,
  inner: string,
  request: Request,
  lines: readonly AnswerLine[],
  notes: readonly string[],
): Contents {
  const pairs = lines.filter(({ kind }) => kind === "row");
  const rest = lines.filter(({ kind }) => kind === "note");
  const rows = pairs.filter((_, i) => i % 2 === 1);
  const rowNames = pairs.filter((_, i) => i % 2 === 0).map(({ text }) => text);
  return { ...contentsOf(file, inner, request, [...rows, ...rest], notes), rowNames };
}

function isLine(message: { readonly kind: string }): message is AnswerLine {
  return ["row", "note", "absent"].includes(message.kind);
}

function failuresOf(typed: string) {
  return async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (thrown) {
      throw databaseFailure(typed, thrown);
    }
  };
}
