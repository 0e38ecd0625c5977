// How often one payload has changed nothing in one target (hashline.md decision 23).

import { limits } from "../limits.ts";
import type { WriteTransaction } from "../ports/store.ts";
import { getRecord, putRecord } from "./records.ts";

/** @returns the count, this time included; an hour's pause starts it again */
export function countNoop(
  transaction: WriteTransaction,
  session: string,
  targetKey: string,
  payloadKey: string,
  now: number,
): number {
  const key = `${session}/${targetKey}/${payloadKey}`;
  const known = getRecord(transaction, "noops", key);
  const count = known && now - known.at < limits.noopMemory ? known.count + 1 : 1;
  putRecord(transaction, "noops", key, { count, at: now });
  return count;
}
