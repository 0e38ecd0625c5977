// What a person may want to know of sessions and do with them: `atomic session` and `atomic doctor`.

import type { Random } from "../ports/random.ts";
import type { ReadTransaction, WriteTransaction } from "../ports/store.ts";
import { dropContent } from "./contents.ts";
import { deleteRecords, getNumber, getRecord, listRecords } from "./records.ts";
import type { State } from "./state.ts";

export interface SessionSummary {
  readonly id: string;
  /** Milliseconds since the epoch; `used` to within `limits.storeTouch`. */
  readonly created: number;
  readonly used: number;
  /** Paths seen, tags known (expired ones too), changes logged. */
  readonly paths: number;
  readonly tags: number;
  readonly changes: number;
  /** Compressed size of what it refers to; contents shared with others count in full. */
  readonly bytes: number;
}

export interface SessionDetails extends SessionSummary {
  /** By path. */
  readonly files: readonly SeenFile[];
}

export interface SeenFile {
  readonly path: string;
  /** Of the newest content seen. */
  readonly tag: string;
  /** SHA-256 of the file's bytes when it was last seen. */
  readonly bytesHash: string;
  readonly at: number;
  /** How many contents were recorded, expired ones too. */
  readonly versions: number;
}

export interface StateSummary {
  readonly folder: string;
  readonly format: number;
  readonly sessions: number;
  readonly contents: number;
  /** Compressed, of all contents; bounded by `limits.storeBytes`. */
  readonly bytes: number;
  /** Paths of changes that were begun and whose end is not known, without repeats, sorted. */
  readonly unsettled: readonly string[];
}

/** All sessions, the last used first. */
export async function listSessions(state: State): Promise<readonly SessionSummary[]> {
  return state.read((transaction) =>
    listRecords(transaction, "sessions", "")
      .map(({ key }) => summarize(transaction, key)!)
      .toSorted((a, b) => b.used - a.used || (a.id < b.id ? -1 : 1)),
  );
}

/** Undefined where the session has left no trace. */
export async function describeSession(
  state: State,
  id: string,
): Promise<SessionDetails | undefined> {
  return state.read((transaction) => {
    const summary = summarize(transaction, id);
    if (!summary) return undefined;
    const files = listRecords(transaction, "paths", `${id}/`).map(({ key, value }) => ({
      path: value.path,
      tag: value.tag,
      bytesHash: value.bytesHash,
      at: value.at,
      versions: transaction.range("versions", { prefix: `${key}/` }).length,
    }));
    return { ...summary, files: files.toSorted((a, b) => (a.path < b.path ? -1 : 1)) };
  });
}

/** An id that no other session has. Nothing is stored before it is used. */
export function newSessionId(random: Random): string {
  return `s-${random.hex(8)}`;
}

export interface Cleared {
  readonly tags: number;
  readonly changes: number;
  /** Compressed size of the contents that nothing refers to any more. */
  readonly bytes: number;
}

/**
 * Makes a session forget what it has seen: snapshots, observations and no-op counters, and the contents that only it
 * referred to. The change log stays, and with it what undo needs, unless `changes` is set; the backups of writes that were
 * cut short stay always.
 */
export async function clearSession(
  state: State,
  id: string,
  { changes }: { readonly changes: boolean },
): Promise<Cleared> {
  return state.write((transaction) => {
    const contents = contentsOf(transaction, id);
    const tags = deleteRecords(transaction, "versions", `${id}/`);
    deleteRecords(transaction, "paths", `${id}/`);
    deleteRecords(transaction, "noops", `${id}/`);
    transaction.delete("conflicts", id);
    const dropped = changes ? clearChanges(transaction, id) : 0;
    if (listRecords(transaction, "changes", `${id}/`, { limit: 1 }).length === 0) {
      transaction.delete("sessions", id);
    }
    const needed = contentsOf(transaction, undefined);
    const before = getNumber(transaction, "bytes");
    for (const hash of contents) if (!needed.has(hash)) dropContent(transaction, hash);
    return { tags, changes: dropped, bytes: before - getNumber(transaction, "bytes") };
  });
}

export async function inspectState(state: State): Promise<StateSummary> {
  return state.read((transaction) => {
    const paths = listRecords(transaction, "pending", "").flatMap(({ key, value }) => {
      const change = getRecord(transaction, "changes", `${value.session}/${key}`);
      return change ? [change.path] : [];
    });
    return {
      folder: state.folder,
      format: getNumber(transaction, "schema"),
      sessions: transaction.range("sessions").length,
      contents: transaction.range("contents").length,
      bytes: getNumber(transaction, "bytes"),
      unsettled: [...new Set(paths)].toSorted(),
    };
  });
}

function summarize(transaction: ReadTransaction, id: string): SessionSummary | undefined {
  const session = getRecord(transaction, "sessions", id);
  if (!session) return undefined;
  let bytes = 0;
  for (const hash of contentsOf(transaction, id)) {
    bytes += getRecord(transaction, "contents", hash)?.stored ?? 0;
  }
  return {
    id,
    ...session,
    paths: transaction.range("paths", { prefix: `${id}/` }).length,
    tags: transaction.range("versions", { prefix: `${id}/` }).length,
    changes: transaction.range("changes", { prefix: `${id}/` }).length,
    bytes,
  };
}

function clearChanges(transaction: WriteTransaction, id: string): number {
  let dropped = 0;
  const kept = new Set<string>();
  for (const { key } of transaction.range("changes", { prefix: `${id}/` })) {
    const pendingKey = key.slice(id.length + 1);
    if (getRecord(transaction, "pending", pendingKey)?.inPlace) {
      kept.add(pendingKey.slice(pendingKey.indexOf("/") + 1));
      continue;
    }
    transaction.delete("pending", pendingKey);
    transaction.delete("changes", key);
    dropped++;
  }
  for (const { key } of transaction.range("groups", { prefix: `${id}/` })) {
    if (!kept.has(key.slice(id.length + 1))) transaction.delete("groups", key);
  }
  return dropped;
}

/** Every content that a session, or any at all, refers to. */
function contentsOf(transaction: ReadTransaction, id: string | undefined): ReadonlySet<string> {
  const prefix = id === undefined ? "" : `${id}/`;
  const hashes = new Set<string>();
  for (const { key } of transaction.range("versions", { prefix })) {
    hashes.add(key.slice(key.lastIndexOf("/") + 1));
  }
  for (const { value } of listRecords(transaction, "changes", prefix)) {
    for (const hash of [value.before?.hash, value.after?.hash, value.seen?.hash]) {
      if (hash !== undefined) hashes.add(hash);
    }
  }
  return hashes;
}
