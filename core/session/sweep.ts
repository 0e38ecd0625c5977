// Old records go a few at a time, in writes that store something new anyway, so that nobody waits for a clean-up.

import { limits } from "../limits.ts";
import type { ReadTransaction, WriteTransaction } from "../ports/store.ts";
import { hasContent } from "./contents.ts";
import { getRecord, parseValue, type Space } from "./records.ts";

interface Rule {
  readonly space: Space;
  /** How long a record is kept after its time, in milliseconds. */
  readonly age: number;
  time(value: { readonly at: number; readonly used: number }): number;
  /** Kept all the same. */
  isNeeded(transaction: ReadTransaction, key: string): boolean;
}

const rules: readonly Rule[] = [
  {
    space: "versions",
    age: limits.expiredTagAge,
    time: ({ at }) => at,
    isNeeded: (transaction, key) => hasContent(transaction, key.slice(key.lastIndexOf("/") + 1)),
  },
  {
    space: "paths",
    age: limits.expiredTagAge,
    time: ({ at }) => at,
    isNeeded: (transaction, key) =>
      transaction.range("versions", { prefix: `${key}/`, limit: 1 }).length > 0,
  },
  {
    space: "changes",
    age: limits.expiredTagAge,
    time: ({ at }) => at,
    isNeeded: (transaction, key) =>
      getRecord(transaction, "pending", key.slice(key.indexOf("/") + 1)) !== undefined,
  },
  { space: "groups", age: limits.expiredTagAge, time: ({ at }) => at, isNeeded: () => false },
  { space: "conflicts", age: limits.expiredTagAge, time: ({ at }) => at, isNeeded: () => false },
  { space: "noops", age: limits.noopMemory, time: ({ at }) => at, isNeeded: () => false },
  {
    space: "sessions",
    age: limits.expiredTagAge,
    time: ({ used }) => used,
    isNeeded: (transaction, key) =>
      transaction.range("paths", { prefix: `${key}/`, limit: 1 }).length > 0 ||
      transaction.range("changes", { prefix: `${key}/`, limit: 1 }).length > 0,
  },
];

/** Looks at the next `limits.storeSweep` records, where the last look ended, and deletes those whose time is over. */
export function sweep(transaction: WriteTransaction, now: number): void {
  const [index, after] = cursor(transaction);
  const rule = rules[index % rules.length]!;
  const records = transaction.range(rule.space, {
    limit: limits.storeSweep,
    ...(after && { after }),
  });
  for (const { key, value } of records) {
    if (now - rule.time(parseValue(value)) < rule.age) continue;
    if (!rule.isNeeded(transaction, key)) transaction.delete(rule.space, key);
  }
  const next: Cursor =
    records.length < limits.storeSweep
      ? [(index + 1) % rules.length, ""]
      : [index, records[records.length - 1]!.key];
  transaction.put("meta", "sweep", JSON.stringify(next));
}

type Cursor = readonly [rule: number, after: string];

function cursor(transaction: ReadTransaction): Cursor {
  const value = transaction.get("meta", "sweep");
  return value === undefined ? [0, ""] : parseValue<Cursor>(value);
}
