// Snapshots: which contents a session has seen of a path, under which tags, and which of them is the newest.

import type { Bytes } from "../ports/bytes.ts";
import type { ReadTransaction, WriteTransaction } from "../ports/store.ts";
import { fromStored } from "../text/encoding.ts";
import { dropContent, isStale, storedContent, touchContent, unpack } from "./contents.ts";
import {
  deleteRecords,
  getRecord,
  keyOf,
  listRecords,
  nextSequence,
  putRecord,
} from "./records.ts";
import type { Observation, Snapshot, TagLookup } from "./session.ts";
import type { State } from "./state.ts";

/** What a session saw of a path, without the content itself. */
export interface Sight {
  readonly path: string;
  readonly tag: string;
  readonly hash: string;
  readonly bytesHash: string;
}

/** Whether recording it now would change nothing that matters: it is the newest, and was used a moment ago. */
export function isFresh(
  transaction: ReadTransaction,
  session: string,
  pathKey: string,
  sight: Sight,
  now: number,
): boolean {
  const path = getRecord(transaction, "paths", `${session}/${pathKey}`);
  if (path?.hash !== sight.hash || path.bytesHash !== sight.bytesHash || path.tag !== sight.tag) {
    return false;
  }
  if (isStale(path.at, now)) return false;
  const content = getRecord(transaction, "contents", sight.hash);
  return content !== undefined && !isStale(content.used, now);
}

/** Makes it the newest of its path. Another content than before starts the path's no-op counters again. */
export function putSight(
  transaction: WriteTransaction,
  session: string,
  pathKey: string,
  sight: Sight,
  now: number,
): void {
  const key = `${session}/${pathKey}`;
  const known = getRecord(transaction, "paths", key);
  if (known && known.hash !== sight.hash) deleteRecords(transaction, "noops", `${key}/`);
  const { path, tag, hash, bytesHash } = sight;
  putRecord(transaction, "paths", key, { path, tag, hash, bytesHash, at: now });
  const seq = nextSequence(transaction);
  putRecord(transaction, "versions", `${key}/${tag}/${hash}`, { seq, at: now });
  touchSession(transaction, session, now);
}

export function touchSession(transaction: WriteTransaction, session: string, now: number): void {
  const known = getRecord(transaction, "sessions", session);
  if (known && !isStale(known.used, now)) return;
  putRecord(transaction, "sessions", session, { created: known?.created ?? now, used: now });
}

export async function observed(
  state: State,
  session: string,
  path: string,
  bytes: Bytes,
): Promise<Observation | undefined> {
  return state.read((transaction) => {
    const known = getRecord(transaction, "paths", `${session}/${keyOf(path, bytes)}`);
    if (!known) return undefined;
    const stored = storedContent(transaction, known.hash);
    const content = stored && unpack(stored, bytes);
    const { tag, bytesHash } = known;
    return { tag, bytesHash, text: content && fromStored(content) };
  });
}

export async function lookupTag(
  state: State,
  session: string,
  path: string,
  tag: string,
  bytes: Bytes,
  now: number,
): Promise<TagLookup> {
  const key = `${session}/${keyOf(path, bytes)}`;
  const found = await state.read((transaction) => {
    const newest = getRecord(transaction, "paths", key)?.hash;
    return listRecords(transaction, "versions", `${key}/${tag}/`)
      .toSorted((a, b) => b.value.seq - a.value.seq)
      .map((version) => {
        const hash = version.key.slice(version.key.lastIndexOf("/") + 1);
        return { hash, newest: hash === newest, stored: storedContent(transaction, hash) };
      });
  });
  const snapshots: Snapshot[] = [];
  const damaged: string[] = [];
  let stale = false;
  for (const { hash, newest, stored } of found) {
    const content = stored && unpack(stored, bytes);
    if (content) snapshots.push({ tag, hash, newest, text: fromStored(content) });
    else if (stored) damaged.push(hash);
    if (content && isStale(stored.record.used, now)) stale = true;
  }
  if (damaged.length > 0 || stale) {
    await tryWrite(state, (transaction) => {
      // A damaged content that stayed would keep the next read from storing it whole.
      for (const hash of damaged) dropContent(transaction, hash);
      for (const { hash } of snapshots) touchContent(transaction, hash, now);
    });
  }
  return { snapshots, expired: snapshots.length < found.length };
}

/** For book-keeping whose failure must not fail a look-up. */
async function tryWrite(
  state: State,
  work: (transaction: WriteTransaction) => void,
): Promise<void> {
  try {
    await state.write(work);
  } catch {
    // What follows a look-up and matters (a recording, a change) writes again and reports the same failure.
  }
}
