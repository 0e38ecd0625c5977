// A request on its way to a process of its own, and the answer on its way back: one line each for what was said.

import { asAtomicError, AtomicError, type ErrorCode } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Databases } from "../ports/databases.ts";
import { answer, type AnswerLine } from "./answer.ts";
import { databaseFailure } from "./failure.ts";
import type { Request } from "./request.ts";

export interface Job {
  /** Absolute. */
  readonly file: string;
  /** As messages call it. */
  readonly display: string;
  readonly request: Request;
}

export type JobMessage =
  AnswerLine | { readonly kind: "failed"; readonly error: AtomicError } | { readonly kind: "done" };

/** Does the job and gives every message as a line. Never throws. */
export async function* serveJob(text: string, databases: Databases): AsyncGenerator<string> {
  const job = JSON.parse(text) as Job;
  try {
    yield* reading(job.file, job.request, databases);
    yield lineOf("done", "");
  } catch (thrown) {
    const { code, message, data, hint } = asAtomicError(databaseFailure(job.display, thrown));
    yield lineOf("failed", JSON.stringify({ code, message, data, hint }));
  }
}

async function* reading(
  file: string,
  request: Request,
  databases: Databases,
): AsyncGenerator<string> {
  const database = await databases.openToRead(file, limits.sqliteBusy);
  try {
    for (const { kind, text } of answer(database, request, databases.canJudge)) {
      yield lineOf(kind, text);
    }
  } finally {
    database.close();
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
    case "done":
      return { kind };
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
