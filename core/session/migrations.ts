// The version of the store's format, and the way from each version to the next.

import { AtomicError } from "../errors.ts";
import type { ReadTransaction, WriteTransaction } from "../ports/store.ts";
import { getNumber } from "./records.ts";

/** Entry i leads from format i to format i + 1; format 0 is an empty store. An entry, once released, never changes. */
export const migrations: readonly ((transaction: WriteTransaction) => void)[] = [
  // 1: the spaces of records.ts begin empty.
  () => {},
];

export const currentFormat = migrations.length;

/** The store's format; less than `currentFormat`: `migrate`. Throws `session.unavailable` for that of a newer program. */
export function checkFormat(
  transaction: ReadTransaction,
  folder: string,
  newest: number = currentFormat,
): number {
  const format = getNumber(transaction, "schema");
  if (format <= newest) return format;
  throw new AtomicError(
    "session.unavailable",
    `The session state in ${JSON.stringify(folder)} has format ${format}, and this program knows none after ${newest}. It was left as it is.`,
    {
      data: { folder, format },
      hint: "Use the newer atomic that wrote it, or set ATOMIC_HOME to another folder.",
    },
  );
}

export function migrate(
  transaction: WriteTransaction,
  folder: string,
  steps: readonly ((transaction: WriteTransaction) => void)[] = migrations,
): void {
  const format = checkFormat(transaction, folder, steps.length);
  for (const step of steps.slice(format)) step(transaction);
  transaction.put("meta", "schema", String(steps.length));
}
