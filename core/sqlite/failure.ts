// What the engine refuses, as a reader is told it.

import { AtomicError, type ErrorCode } from "../errors.ts";
import { showName } from "../paths.ts";
import { DatabaseError, type DatabaseFailure } from "../ports/databases.ts";

const codes: Readonly<Record<DatabaseFailure, ErrorCode>> = {
  busy: "sqlite.busy",
  damaged: "sqlite.damaged",
  refused: "sqlite.query",
  unavailable: "sqlite.unavailable",
  sql: "sqlite.sql",
};

/** Any failure of a connection; what is no DatabaseError comes back as it is. @param file as messages call it */
export function databaseFailure(file: string, thrown: unknown): unknown {
  if (!(thrown instanceof DatabaseError)) return thrown;
  return new AtomicError(codes[thrown.reason], `${showName(file)}: ${thrown.message}`, {
    cause: thrown,
    data: { path: file },
  });
}

export function isRefusal(thrown: unknown): boolean {
  return thrown instanceof DatabaseError && thrown.reason === "refused";
}
