// Contents: bytes under the name of their SHA-256, compressed, bounded by total size and age.

import { limits } from "../limits.ts";
import type { Bytes } from "../ports/bytes.ts";
import type { ReadTransaction, WriteTransaction } from "../ports/store.ts";
import {
  type ContentRecord,
  getNumber,
  getRecord,
  listRecords,
  padded,
  putRecord,
} from "./records.ts";

export interface Content {
  readonly hash: string;
  readonly bytes: Uint8Array;
  /** The compressed bytes, made once and only when asked for: call it before a transaction, not in one. */
  frame(): Uint8Array;
}

export function contentOf(bytes: Uint8Array, port: Pick<Bytes, "sha256" | "compress">): Content {
  let frame: Uint8Array | undefined;
  return {
    hash: port.sha256(bytes),
    bytes,
    frame: () => (frame ??= port.compress(bytes)),
  };
}

export function hasContent(transaction: ReadTransaction, hash: string): boolean {
  return getRecord(transaction, "contents", hash) !== undefined;
}

/** Whether its last use should be written down again. */
export function isStale(used: number, now: number): boolean {
  return Math.abs(now - used) >= limits.storeTouch;
}

/** Stores a content, or marks it as used. @returns whether it is new */
export function keepContent(transaction: WriteTransaction, content: Content, now: number): boolean {
  const { hash, bytes } = content;
  if (touchContent(transaction, hash, now)) return false;
  const frame = content.frame();
  transaction.putBlob(hash, frame);
  putRecord(transaction, "contents", hash, { size: bytes.length, stored: frame.length, used: now });
  transaction.put("used", usedKey(hash, now), "");
  addBytes(transaction, frame.length);
  return true;
}

/** @returns whether the content is there */
export function touchContent(transaction: WriteTransaction, hash: string, now: number): boolean {
  const record = getRecord(transaction, "contents", hash);
  if (!record) return false;
  if (isStale(record.used, now)) {
    transaction.delete("used", usedKey(hash, record.used));
    transaction.put("used", usedKey(hash, now), "");
    putRecord(transaction, "contents", hash, { ...record, used: now });
  }
  return true;
}

export interface StoredContent {
  readonly hash: string;
  readonly record: ContentRecord;
  readonly frame: Uint8Array;
}

export function storedContent(
  transaction: ReadTransaction,
  hash: string,
): StoredContent | undefined {
  const record = getRecord(transaction, "contents", hash);
  const frame = record && transaction.blob(hash);
  return frame && { hash, record, frame };
}

/** The bytes; undefined where what is stored is not what was stored once. */
export function unpack(
  { hash, record, frame }: StoredContent,
  port: Pick<Bytes, "sha256" | "decompress">,
): Uint8Array | undefined {
  let bytes: Uint8Array;
  try {
    bytes = port.decompress(frame, record.size);
  } catch {
    return undefined;
  }
  return port.sha256(bytes) === hash ? bytes : undefined;
}

export function dropContent(transaction: WriteTransaction, hash: string): void {
  const record = getRecord(transaction, "contents", hash);
  if (!record) return;
  transaction.deleteBlob(hash);
  transaction.delete("contents", hash);
  transaction.delete("used", usedKey(hash, record.used));
  addBytes(transaction, -record.stored);
}

/**
 * Drops the least recently used contents until the rest is within the limits of size and age, at most
 * `limits.storeEvictions` at a time, so that one call never pays for all others.
 * @param spared the hash of a content that stays, as does what unsettled changes refer to
 */
export function evictContents(transaction: WriteTransaction, now: number, spared?: string): void {
  let total = getNumber(transaction, "bytes");
  const oldest = now - limits.storeAge;
  const isDue = (used: number) => total > limits.storeBytes || used < oldest;
  const first = transaction.range("used", { limit: 1 })[0];
  if (!first || !isDue(parseUsed(first.key).used)) return;
  const pinned = pinnedContents(transaction, now);
  let after: string | undefined;
  let dropped = 0;
  for (;;) {
    const batch = transaction.range("used", { limit: 64, ...(after && { after }) });
    if (batch.length === 0) return;
    for (const { key } of batch) {
      const { hash, used } = parseUsed(key);
      if (!isDue(used) || dropped === limits.storeEvictions) return;
      if (hash === spared || pinned.has(hash)) continue;
      total -= getRecord(transaction, "contents", hash)?.stored ?? 0;
      dropContent(transaction, hash);
      dropped++;
    }
    after = batch[batch.length - 1]!.key;
  }
}

/** Images of changes that nobody has said the end of. A write in place may need its backup however long ago it broke. */
function pinnedContents(transaction: WriteTransaction, now: number): ReadonlySet<string> {
  const pinned = new Set<string>();
  for (const { key, value: pending } of listRecords(transaction, "pending", "")) {
    if (!pending.inPlace && pending.at < now - limits.storeAge) {
      transaction.delete("pending", key);
      continue;
    }
    const change = getRecord(transaction, "changes", `${pending.session}/${key}`);
    if (change?.before) pinned.add(change.before.hash);
    if (change?.after) pinned.add(change.after.hash);
    if (change?.seen) pinned.add(change.seen.hash);
  }
  return pinned;
}

function addBytes(transaction: WriteTransaction, bytes: number): void {
  transaction.put("meta", "bytes", String(getNumber(transaction, "bytes") + bytes));
}

function usedKey(hash: string, used: number): string {
  return `${padded(used)}/${hash}`;
}

function parseUsed(key: string): { readonly hash: string; readonly used: number } {
  const slash = key.indexOf("/");
  return { used: Number(key.slice(0, slash)), hash: key.slice(slash + 1) };
}
