// A request on its way to a process of its own, and the answer on its way back: one line each for what was said.

import { asAtomicError, AtomicError, type ErrorCode } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Database } from "../ports/databases.ts";
import type { Host } from "../ports/host.ts";
import { answer, type AnswerLine } from "./answer.ts";
import { type Change, change, type ChangeDone } from "./change.ts";
import { databaseFailure } from "./failure.ts";
import type { Request } from "./request.ts";

export interface Job {
  /** Absolute, links resolved. */
  readonly file: string;
  /** Of the file that is meant, as in FileStat: SQLite opens by name, and the name may lead elsewhere by then. */
  readonly identity: string | undefined;
  /** As messages call it. */
  readonly display: string;
  /** What to read, or what to change. */
  readonly request?: Request;
  readonly change?: Change;
}

/** "committing": from here on nobody may end the process, or what came of it is not known. */
export type JobMessage =
  | AnswerLine
  | { readonly kind: "committing" }
  | { readonly kind: "changed"; readonly done: ChangeDone }
  | { readonly kind: "failed"; readonly error: AtomicError }
  | { readonly kind: "done" };

type JobPorts = Pick<Host, "databases" | "fs">;

/** Does the job and gives every message as a line. Never throws. */
export async function* serveJob(text: string, ports: JobPorts): AsyncGenerator<string> {
  const job = JSON.parse(text) as Job;
  try {
    const database = await open(job, ports);
    try {
      await checkIdentity(database, job, ports);
      if (job.request) yield* reading(database, job.request, ports);
      if (job.change) yield* changing(database, job.change);
    } finally {
      database.close();
    }
    yield lineOf("done", "");
  } catch (thrown) {
    const { code, message, data, hint } = asAtomicError(databaseFailure(job.display, thrown));
    yield lineOf("failed", JSON.stringify({ code, message, data, hint }));
  }
}

function open({ file, change }: Job, { databases }: JobPorts): Promise<Database> {
  const writes = change?.dryRun === false;
  return writes
    ? databases.openToWrite(file, limits.sqliteBusy)
    : databases.openToRead(file, limits.sqliteBusy);
}

async function checkIdentity(
  { openedAs }: Database,
  { file, identity, display }: Job,
  { fs }: JobPorts,
): Promise<void> {
  const isOpened = openedAs === undefined || openedAs.includes(file);
  if (isOpened && (await fs.stat(file))?.identity === identity) return;
  throw new AtomicError(
    "sqlite.unavailable",
    `${display}: the file was replaced while it was being opened. Nothing was read or written.`,
    { data: { path: display } },
  );
}

function* reading(
  database: Database,
  request: Request,
  { databases }: JobPorts,
): Generator<string> {
  for (const { kind, text } of answer(database, request, databases.canJudge)) {
    yield lineOf(kind, text);
  }
}

function* changing(database: Database, wanted: Change): Generator<string> {
  const steps = change(database, wanted);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return void (yield lineOf("changed", JSON.stringify(step.value)));
    yield lineOf("committing", "");
  }
}

/** @returns undefined for a line that is not whole */
export function readMessage(line: string): JobMessage | undefined {
  const kind = kinds.get(line[0] ?? "");
  const text = line.slice(1);
  switch (kind) {
    case "row":
    case "note":
    case "absent":
      return { kind, text };
    case "committing":
    case "done":
      return { kind };
    case "changed":
      return { kind, done: JSON.parse(text) as ChangeDone };
    case "failed":
      return { kind, error: readError(text) };
    default:
      return undefined;
  }
}

function readError(text: string): AtomicError {
  const { code, message, data, hint } = JSON.parse(text) as {
    readonly code: ErrorCode;
    readonly message: string;
    readonly data: Readonly<Record<string, unknown>>;
    readonly hint?: string;
  };
  return new AtomicError(code, message, { data, ...(hint !== undefined && { hint }) });
}

const letters: Readonly<Record<JobMessage["kind"], string>> = {
  row: "R",
  note: "N",
  absent: "A",
  committing: "C",
  changed: "W",
  failed: "F",
  done: "D",
};
const kinds = new Map(
  Object.entries(letters).map(([kind, letter]) => [letter, kind as JobMessage["kind"]]),
);

/** JSON has no line feed in it, and nor has any sentence of ours but for names, which are shown by their escapes. */
function lineOf(kind: JobMessage["kind"], text: string): string {
  return `${letters[kind]}${text.replaceAll("\n", " ")}\n`;
}
