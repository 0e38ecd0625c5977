// The format of the session store, version 1: its spaces, keys and values. Values are JSON.
//
// space     key                           value
// meta      schema                        format version, decimal
// meta      id                            random name of this store, to tell it from its successor
// meta      seq                           last sequence number given out
// meta      bytes                         sum of `stored` over `contents`
// meta      sweep                         where the next look for old records starts
// sessions  SESSION                       SessionRecord
// paths     SESSION/PATH                  PathRecord: what the session saw last
// versions  SESSION/PATH/TAG/CONTENT      VersionRecord; without its content it says that the tag has expired
// contents  CONTENT                       ContentRecord; its blob, named CONTENT, is the compressed bytes
// used      TIME/CONTENT                  empty; contents by last use
// groups    SESSION/SEQ                   GroupRecord: one call that changed files
// changes   SESSION/PATH/SEQ              ChangeRecord: what it did to one of them
// pending   PATH/SEQ                      PendingRecord: begun, not known to have ended; its images are never evicted
// noops     SESSION/PATH/PAYLOAD          NoopRecord
// conflicts SESSION                       ConflictsRecord: what the numbers of conflict:// stand for
//
// SESSION is an id as in locate.ts. PATH and PAYLOAD are 32 hex digits of a SHA-256, CONTENT all 64 of the SHA-256 of the
// bytes: a snapshot's normalised text or a change's file image. SEQ and TIME (ms) are decimal, zero-padded to 15. A
// content is stored once, whoever refers to it; reference counts are not needed, as a reference may outlive its content.

import type { Bytes } from "../ports/bytes.ts";
import { type ReadTransaction, StoreError, type WriteTransaction } from "../ports/store.ts";
import type { LineMap } from "../text/line-map.ts";
import type { NumberedConflict } from "../documents/conflicts.ts";

export interface SessionRecord {
  readonly created: number;
  readonly used: number;
}

export interface PathRecord {
  readonly path: string;
  readonly tag: string;
  readonly hash: string;
  readonly bytesHash: string;
  /** When this content was last recorded. */
  readonly at: number;
}

export interface VersionRecord {
  /** Grows with each recording: the greatest of a path is its newest. */
  readonly seq: number;
  readonly at: number;
}

export interface ContentRecord {
  /** Bytes before and after compression. */
  readonly size: number;
  readonly stored: number;
  readonly used: number;
}

export interface GroupRecord {
  readonly tool: string;
  readonly at: number;
  readonly pid: number;
  readonly host: string;
  readonly paths: readonly string[];
}

export interface ImageRecord {
  /** SHA-256 of the file's bytes. */
  readonly hash: string;
  readonly mode: number;
}

export interface ChangeRecord {
  readonly path: string;
  readonly tool: string;
  readonly at: number;
  /** Absent: the file was created. */
  readonly before?: ImageRecord;
  /** Absent: the file was removed. */
  readonly after?: ImageRecord;
  /** Hash of the normalised text before. */
  readonly from?: string;
  /** The normalised text after. */
  readonly seen?: { readonly tag: string; readonly hash: string };
  readonly map?: LineMap;
  readonly inPlace: boolean;
  /** Made to put the file in, deepest first. Absent: none. */
  readonly folders?: readonly string[];
  /** Absent: no. */
  readonly forced?: boolean;
  /** The number of the group whose change of this path it takes back. Absent: it takes none back. */
  readonly undoes?: number;
  /** Absent: not known, the process did not live to say. */
  readonly landed?: boolean;
}

export interface PendingRecord {
  readonly session: string;
  readonly inPlace: boolean;
  readonly at: number;
}

export interface NoopRecord {
  readonly count: number;
  readonly at: number;
}

export interface ConflictsRecord {
  readonly at: number;
  readonly blocks: readonly NumberedConflict[];
}

interface Spaces {
  readonly sessions: SessionRecord;
  readonly paths: PathRecord;
  readonly versions: VersionRecord;
  readonly contents: ContentRecord;
  readonly groups: GroupRecord;
  readonly changes: ChangeRecord;
  readonly pending: PendingRecord;
  readonly noops: NoopRecord;
  readonly conflicts: ConflictsRecord;
}

export type Space = keyof Spaces;

export function getRecord<S extends Space>(
  transaction: ReadTransaction,
  space: S,
  key: string,
): Spaces[S] | undefined {
  const value = transaction.get(space, key);
  return value === undefined ? undefined : parseValue<Spaces[S]>(value);
}

export function putRecord<S extends Space>(
  transaction: WriteTransaction,
  space: S,
  key: string,
  value: Spaces[S],
): void {
  transaction.put(space, key, JSON.stringify(value));
}

export function listRecords<S extends Space>(
  transaction: ReadTransaction,
  space: S,
  prefix: string,
  options: { readonly reverse?: boolean; readonly limit?: number } = {},
): readonly { readonly key: string; readonly value: Spaces[S] }[] {
  return transaction
    .range(space, { ...options, prefix })
    .map(({ key, value }) => ({ key, value: parseValue<Spaces[S]>(value) }));
}

/** What does not parse was not written by us: the store is damaged. */
export function parseValue<T>(value: string): T {
  try {
    return JSON.parse(value) as T;
  } catch (cause) {
    throw new StoreError("corrupt", "a record does not parse", { cause });
  }
}

/** @returns how many there were */
export function deleteRecords(transaction: WriteTransaction, space: Space, prefix: string): number {
  const found = transaction.range(space, { prefix });
  for (const { key } of found) transaction.delete(space, key);
  return found.length;
}

export function getNumber(transaction: ReadTransaction, name: "schema" | "seq" | "bytes"): number {
  const number = parseValue<unknown>(transaction.get("meta", name) ?? "0");
  if (Number.isSafeInteger(number)) return number as number;
  throw new StoreError("corrupt", `${name} is no number`);
}

export function nextSequence(transaction: WriteTransaction): number {
  const next = getNumber(transaction, "seq") + 1;
  transaction.put("meta", "seq", String(next));
  return next;
}

/** So many digits that the order of the keys is the order of the numbers. */
export function padded(number: number): string {
  return String(Math.max(0, Math.trunc(number))).padStart(15, "0");
}

/** The short name of a path or a payload. JSON, because a lone surrogate has no UTF-8 of its own. */
export function keyOf(text: string, bytes: Pick<Bytes, "sha256">): string {
  return bytes.sha256(new TextEncoder().encode(JSON.stringify(text))).slice(0, 32);
}
