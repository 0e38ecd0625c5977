// The change log: what this state folder's sessions are about to write, have written, and cannot say.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import type { ReadTransaction, WriteTransaction } from "../ports/store.ts";
import type { LineMap } from "../text/line-map.ts";
import {
  type Content,
  contentOf,
  evictContents,
  hasContent,
  keepContent,
  type StoredContent,
  storedContent,
  unpack,
} from "./contents.ts";
import {
  type ChangeRecord,
  deleteRecords,
  getRecord,
  type ImageRecord,
  keyOf,
  listRecords,
  nextSequence,
  padded,
  putRecord,
} from "./records.ts";
import type { Change, ChangeGroup, FileDigest, FileImage, UnsettledWrite } from "./session.ts";
import { putSight, touchSession } from "./snapshots.ts";
import type { State } from "./state.ts";
import { sweep } from "./sweep.ts";

type Ports = Pick<Host, "bytes" | "clock" | "env">;

/** One change with everything that is costly to make, made before the store is held. */
interface Prepared {
  readonly change: Change;
  readonly pathKey: string;
  readonly before: Content | FileDigest | undefined;
  readonly after: Content | FileDigest | undefined;
  readonly text: Content | undefined;
}

export async function beginChanges(
  state: State,
  session: string,
  tool: string,
  changes: readonly Change[],
  ports: Ports,
): Promise<ChangeGroup> {
  const { bytes, clock, env } = ports;
  const prepared = changes.map((change) => prepare(change, bytes));
  const contents = prepared.flatMap(contentsOf);
  const missing = await state.read((transaction) =>
    contents.filter(({ hash }) => !hasContent(transaction, hash)),
  );
  for (const content of missing) content.frame();
  const now = clock.now();
  const id = await state.write(
    (transaction) => {
      const seq = nextSequence(transaction);
      for (const content of contents) keepContent(transaction, content, now);
      for (const each of prepared) {
        if (each.before) resolvePending(transaction, session, each.pathKey, each.before.hash);
        const { pathKey, change } = each;
        const key = `${pathKey}/${padded(seq)}`;
        putRecord(transaction, "changes", `${session}/${key}`, recordOf(each, tool, now));
        putRecord(transaction, "pending", key, { session, inPlace: change.inPlace, at: now });
      }
      putRecord(transaction, "groups", `${session}/${padded(seq)}`, {
        tool,
        at: now,
        pid: env.pid,
        host: env.host,
        paths: changes.map(({ path }) => path),
      });
      touchSession(transaction, session, now);
      evictContents(transaction, now);
      sweep(transaction, now);
      return seq;
    },
    { durable: true },
  );
  return {
    id: String(id),
    writeInPlace: (path) => markInPlace(state, session, id, keyOf(path, bytes)),
    settle: (landed) => settle(state, session, id, prepared, new Set(landed), ports),
  };
}

/**
 * Marks as landed this session's changes of a path whose end nobody told, and whose after-image the file was found to
 * hold, byte for byte.
 */
export function resolvePending(
  transaction: WriteTransaction,
  session: string,
  pathKey: string,
  bytesHash: string,
): void {
  for (const { key, record } of resolvable(transaction, session, pathKey, bytesHash)) {
    putRecord(transaction, "changes", `${session}/${key}`, { ...record, landed: true });
    transaction.delete("pending", key);
  }
}

/** What `resolvePending` would mark. */
export function resolvable(
  transaction: ReadTransaction,
  session: string,
  pathKey: string,
  bytesHash: string,
): readonly { readonly key: string; readonly record: ChangeRecord }[] {
  return listRecords(transaction, "pending", `${pathKey}/`).flatMap(({ key }) => {
    // Undefined for another session's.
    const record = getRecord(transaction, "changes", `${session}/${key}`);
    return record?.after?.hash === bytesHash ? [{ key, record }] : [];
  });
}

/**
 * The fewest of this session's changes that lead from one content to another. Contents are compared by hash, so any way
 * between them gives true positions, also one that once led elsewhere in between.
 */
export function ownEdits(
  transaction: ReadTransaction,
  session: string,
  pathKey: string,
  from: string,
  to: string,
): readonly LineMap[] | undefined {
  if (from === to) return [];
  const changes = listRecords(transaction, "changes", `${session}/${pathKey}/`, {
    reverse: true,
    limit: limits.ownEdits,
  });
  const leadingTo = new Map<string, { readonly from: string; readonly map: LineMap }[]>();
  for (const { value: change } of changes) {
    if (!change.from || !change.seen || !change.map) continue;
    // A change whose end nobody told has landed if the file holds what it was to write.
    if (!(change.landed ?? change.seen.hash === to)) continue;
    const edge = { from: change.from, map: change.map };
    const edges = leadingTo.get(change.seen.hash);
    if (edges) edges.push(edge);
    else leadingTo.set(change.seen.hash, [edge]);
  }
  const next = new Map<string, { readonly hash: string; readonly map: LineMap } | undefined>();
  next.set(to, undefined);
  // A Map is walked in order of insertion, also over what is added meanwhile: breadth first.
  for (const hash of next.keys()) {
    if (hash === from) return follow(next, from);
    for (const edge of leadingTo.get(hash) ?? []) {
      if (!next.has(edge.from)) next.set(edge.from, { hash, map: edge.map });
    }
  }
  return undefined;
}

/** @throws AtomicError `session.unavailable` where a backup is damaged; the write is forgotten then. */
export async function unsettledWrites(
  state: State,
  path: string,
  { bytes }: Pick<Ports, "bytes">,
): Promise<readonly UnsettledWrite[]> {
  const pathKey = keyOf(path, bytes);
  const found = await state.read((transaction) =>
    listRecords(transaction, "pending", `${pathKey}/`).flatMap(({ key, value }) => {
      if (!value.inPlace) return [];
      const change = getRecord(transaction, "changes", `${value.session}/${key}`);
      if (!change?.after) return [];
      const { before, after } = change;
      const stored = (image: ImageRecord) => storedContent(transaction, image.hash);
      return [
        {
          key,
          before: before && { ...before, stored: stored(before) },
          after: { ...after, stored: stored(after) },
        },
      ];
    }),
  );
  const writes: UnsettledWrite[] = [];
  for (const { key, before, after } of found) {
    const old = before && imageOf(before, bytes);
    const whole = imageOf(after, bytes);
    const settleWrite = () => state.write((transaction) => transaction.delete("pending", key));
    if (!whole || (before && !old)) {
      await settleWrite();
      throw new AtomicError(
        "session.unavailable",
        `A write of ${JSON.stringify(path)} was cut short, and its backup in the session state is damaged.`,
        { data: { path }, hint: "Look at the file and mend it; the next call takes it as it is." },
      );
    }
    writes.push({ before: old, after: whole, settle: settleWrite });
  }
  return writes;
}

/** Undefined where the content is gone or damaged. */
function imageOf(
  { mode, stored }: { readonly mode: number; readonly stored: StoredContent | undefined },
  bytes: Ports["bytes"],
): FileImage | undefined {
  const content = stored && unpack(stored, bytes);
  return content && { bytes: content, mode };
}

/** Where the store has replaced a damaged one since, the record is missing: then there is no backup to point to. */
async function markInPlace(
  state: State,
  session: string,
  seq: number,
  pathKey: string,
): Promise<void> {
  const key = `${pathKey}/${padded(seq)}`;
  await state.write(
    (transaction) => {
      const record = getRecord(transaction, "changes", `${session}/${key}`);
      if (!record) return;
      putRecord(transaction, "changes", `${session}/${key}`, { ...record, inPlace: true });
      putRecord(transaction, "pending", key, { session, inPlace: true, at: record.at });
    },
    { durable: true },
  );
}

async function settle(
  state: State,
  session: string,
  seq: number,
  prepared: readonly Prepared[],
  landed: ReadonlySet<string>,
  { clock }: Ports,
): Promise<void> {
  const now = clock.now();
  await state.write((transaction) => {
    for (const { change, pathKey, after, text } of prepared) {
      const key = `${pathKey}/${padded(seq)}`;
      const record = getRecord(transaction, "changes", `${session}/${key}`);
      const hasLanded = landed.has(change.path);
      transaction.delete("pending", key);
      // Missing in a store that replaced a damaged one.
      if (record) {
        putRecord(transaction, "changes", `${session}/${key}`, { ...record, landed: hasLanded });
      }
      if (!hasLanded) continue;
      deleteRecords(transaction, "noops", `${session}/${pathKey}/`);
      if (!change.seen || !text || !after) continue;
      keepContent(transaction, text, now);
      const { path, tag } = change.seen;
      const sight = { path, tag, hash: text.hash, bytesHash: after.hash };
      putSight(transaction, session, pathKey, sight, now);
    }
  });
}

function prepare(change: Change, bytes: Ports["bytes"]): Prepared {
  const before = change.before && imageContent(change.before, bytes);
  const after = change.after && imageContent(change.after, bytes);
  const text = change.seen && contentOf(change.seen.content, bytes);
  return {
    change,
    pathKey: keyOf(change.path, bytes),
    before,
    after,
    // Mostly the file's bytes are the normalised text; then they are compressed once.
    text: text && after && "frame" in after && text.hash === after.hash ? after : text,
  };
}

/** Of a file too large to be kept, its hash alone. */
function imageContent(image: FileImage | FileDigest, bytes: Ports["bytes"]): Content | FileDigest {
  return "bytes" in image ? contentOf(image.bytes, bytes) : image;
}

function contentsOf({ before, after, text }: Prepared): readonly Content[] {
  return [before, after, text].filter((content) => content !== undefined && "frame" in content);
}

function recordOf(
  { change, before, after, text }: Prepared,
  tool: string,
  at: number,
): ChangeRecord {
  return {
    path: change.path,
    tool,
    at,
    ...(before && { before: { hash: before.hash, mode: change.before!.mode } }),
    ...(after && { after: { hash: after.hash, mode: change.after!.mode } }),
    ...(change.fromHash && { from: change.fromHash }),
    ...(text && { seen: { tag: change.seen!.tag, hash: text.hash } }),
    ...(change.map && { map: change.map }),
    inPlace: change.inPlace,
    ...(change.folders && change.folders.length > 0 && { folders: change.folders }),
    ...(change.forced && { forced: true }),
    ...(change.undoes !== undefined && { undoes: Number(change.undoes) }),
  };
}

function follow(
  next: ReadonlyMap<string, { readonly hash: string; readonly map: LineMap } | undefined>,
  from: string,
): readonly LineMap[] {
  const maps: LineMap[] = [];
  for (let step = next.get(from); step; step = next.get(step.hash)) maps.push(step.map);
  return maps;
}
