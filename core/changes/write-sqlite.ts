// A row of a database, written in a process of its own: a trigger may run forever, and only a process can be ended.

import { archiveSplits } from "../archives/suffixes.ts";
import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { candidatePaths, resolvePath, showName } from "../paths.ts";
import { confinedPath, workspaceRoot } from "../resources/confine.ts";
import { runJob } from "../resources/run-job.ts";
import { sqliteKind } from "../resources/sqlite-kind.ts";
import type { Change, ChangeDone } from "../sqlite/change.ts";
import { formatCount } from "../text/size.ts";
import type { Call } from "../tool.ts";
import type { WriteAnswer, WriteInput, WritePorts } from "./write-kinds.ts";

export interface SqliteTarget {
  /** Absolute, links not resolved. */
  readonly path: string;
  /** The database as the caller named it. */
  readonly typed: string;
  /** What follows it, with its delimiter; "" for nothing. */
  readonly inner: string;
}

/**
 * @returns undefined where the target is no part of a database: a file of that very name exists, or what stands before the
 * table's name exists and is none (seed 003: then it is a plain file's name)
 * @throws AtomicError `sqlite.not_found`; `file.unreadable`
 */
export async function findSqliteTarget(
  target: string,
  ports: WritePorts,
  call: Call,
): Promise<SqliteTarget | undefined> {
  const local = /^local:\/\//i.exec(target)?.[0] ?? "";
  const named = target.slice(local.length);
  const cwd = local === "" ? call.cwd : await call.workspace();
  const where = { cwd, home: ports.env.home };
  // A path that matches an archive selector is never a database's (seed 003, "Notes").
  if (archiveSplits(named).length > 0) return undefined;
  const splits = sqliteKind.splits(named);
  const isNamedSo = sqliteKind.names(named);
  if (splits.length === 0 && !isNamedSo) return undefined;
  const own = await ports.fs.lstat(resolvePath(named, cwd));
  if (own && !isNamedSo) return undefined;
  let exists = false;
  for (const at of [...(isNamedSo ? [named.length] : []), ...splits]) {
    const typed = named.slice(0, at);
    for (const path of candidatePaths(typed, where)) {
      const stat = path.includes("\0") ? undefined : await ports.fs.stat(path);
      if (!stat) continue;
      exists = true;
      const file = { path, stat, typed };
      if (await sqliteKind.claims(file, ports, call)) {
        return { path, typed: local + typed, inner: named.slice(at) };
      }
      break;
    }
  }
  if (exists || splits.length === 0) return undefined;
  const missing = local + named.slice(0, splits[0]);
  throw new AtomicError("sqlite.not_found", `SQLite database '${missing}' not found`, {
    data: { path: missing },
    hint: "A write never makes a database.",
  });
}

/** @throws AtomicError of the `sqlite.` codes for writing, `selector.escape`, `policy.read_only`, `policy.plan` */
export async function writeSqlite(
  { content }: WriteInput,
  { path, typed, inner }: SqliteTarget,
  ports: WritePorts,
  call: Call,
): Promise<WriteAnswer> {
  const root = await workspaceRoot("database", call);
  const real = await confinedPath(root, path, typed, ports.fs);
  // Its journals belong to it.
  await call.allowWrite(real, typed);
  const { dryRun } = call.options;
  const change: Change = { inner, display: typed, content: textOf(content), dryRun };
  const identity = (await ports.fs.stat(real))?.identity;
  const job = { file: real, identity, display: typed, change };
  const { messages, late } = await runJob(job, ports, call);
  const changed = messages.find((message) => message.kind === "changed");
  if (changed) return answer(changed.done, { path, dryRun });
  if (messages.some(({ kind }) => kind === "committing")) throw unsure(typed);
  if (!late) throw new TypeError("a job that is done says what it has done");
  await rollBack(real, ports);
  throw new AtomicError(
    "sqlite.time",
    `${showName(typed)}: the write was stopped after ${limits.sqliteTime / 1000} s. Nothing was written.`,
    { data: { path: typed }, hint: "A trigger of the table may not come to an end." },
  );
}

function textOf(content: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch (thrown) {
    throw new AtomicError("sqlite.payload", "SQLite row content is not valid UTF-8.", {
      cause: thrown,
    });
  }
}

/** Whoever opens the database next would do it; but that may be somebody who may not write. */
async function rollBack(file: string, { databases }: WritePorts): Promise<void> {
  const database = await databases.openToWrite(file, limits.sqliteBusy);
  try {
    for (const _ of database.prepare("SELECT count(*) FROM sqlite_schema").rows()) break;
  } finally {
    database.close();
  }
}

function unsure(typed: string): AtomicError {
  return new AtomicError(
    "sqlite.unsure",
    `${showName(typed)}: the process that wrote it ended while the change was being committed. It was either made or not.`,
    { data: { path: typed }, hint: "Read the row to see." },
  );
}

function answer(
  done: ChangeDone,
  { path, dryRun }: { readonly path: string; readonly dryRun: boolean },
): WriteAnswer {
  const { kind, table, key, changes, further, rowid, before } = done;
  const lines = [dryRun ? dryText(done) : doneText(done)];
  if (further > 0) {
    lines.push(
      `Note: triggers, foreign keys or the table's own index changed ${formatCount(further, "further row", "further rows")}.`,
    );
  }
  return {
    text: lines.join("\n"),
    details: {
      table,
      ...(key !== undefined && { key }),
      outcome: changes === 0 ? "unchanged" : kind,
      changes: dryRun ? 0 : changes,
      ...(further > 0 && { further }),
      ...(rowid !== undefined && { rowid }),
      ...(before !== undefined && { before: JSON.parse(before) as unknown }),
      ...(dryRun && { dryRun }),
      // The change log keeps files, not rows.
      undoable: false,
      meta: { source: "sqlite", sourcePath: path },
    },
  };
}

/** The seed's texts. */
function doneText({ kind, table, key, changes }: ChangeDone): string {
  if (kind === "inserted") return `Inserted row into ${table}`;
  if (changes === 0) return `No row ${kind}: there is no row '${key}' in ${table}`;
  return `${kind === "updated" ? "Updated" : "Deleted"} row '${key}' in ${table}`;
}

function dryText({ kind, table, key, changes }: ChangeDone): string {
  if (kind === "inserted") return `A row would be inserted into ${table}; nothing was written`;
  if (changes === 0) return `No row would be ${kind}: there is no row '${key}' in ${table}`;
  return `Row '${key}' in ${table} would be ${kind}; nothing was written`;
}
