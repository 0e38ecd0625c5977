// A session over the state folder: the contract of session.ts made of its parts.

import type { Host } from "../ports/host.ts";
import {
  beginChanges,
  ownEdits,
  resolvable,
  resolvePending,
  unsettledWrites,
} from "./change-log.ts";
import { contentOf, evictContents, hasContent, keepContent } from "./contents.ts";
import { history, loggedImage } from "./history.ts";
import { countNoop } from "./noops.ts";
import { getRecord, keyOf, putRecord } from "./records.ts";
import type { Seen, Session } from "./session.ts";
import { createSiblings } from "./siblings.ts";
import { isFresh, lookupTag, observed, putSight } from "./snapshots.ts";
import { openState, type State } from "./state.ts";
import { sweep } from "./sweep.ts";

export interface OpenSession extends Session {
  close(): void;
}

/**
 * Opens the state folder, makes what is missing, and gives the session its view of it.
 * @param folder absolute, as from `locateState`
 * @param id valid, as from `locateSession`
 * @param notice told what a person should know although the work goes on, such as a damaged store set aside
 * @throws AtomicError `session.unsafe`, `session.unavailable`
 */
export async function openSession(
  host: Pick<Host, "fs" | "stores" | "locks" | "clock" | "random" | "bytes" | "env">,
  {
    folder,
    id,
    notice,
  }: { readonly folder: string; readonly id: string; notice(text: string): void },
): Promise<OpenSession> {
  const state = await openState(host, { folder, notice });
  return sessionOf(host, state, id);
}

/** A session in a state that is open already. Closing it closes the state. */
export function sessionOf(
  host: Pick<Host, "clock" | "bytes" | "env">,
  state: State,
  id: string,
): OpenSession {
  const { bytes, clock } = host;
  return {
    id,
    locksFolder: state.locksFolder,
    siblings: createSiblings(),
    record: (seen) => recordAll(state, id, [seen], host),
    recordAll: (seen) => recordAll(state, id, seen, host),
    lookup: (path, tag) => lookupTag(state, id, path, tag, bytes, clock.now()),
    observed: (path) => observed(state, id, path, bytes),
    wrote: (path, bytesHash) =>
      state.read(
        (transaction) => resolvable(transaction, id, keyOf(path, bytes), bytesHash).length > 0,
      ),
    ownEdits: (path, from, to) =>
      state.read((transaction) => ownEdits(transaction, id, keyOf(path, bytes), from, to)),
    beginChanges: (tool, changes) => beginChanges(state, id, tool, changes, host),
    history: () => history(state, id),
    loggedImage: (group, path, side) => loggedImage(state, id, { group, path, side }, bytes),
    countNoop: (target, payload) =>
      state.write((transaction) =>
        countNoop(transaction, id, keyOf(target, bytes), keyOf(payload, bytes), clock.now()),
      ),
    async numberConflicts(blocks) {
      const at = clock.now();
      await state.write((transaction) => putRecord(transaction, "conflicts", id, { at, blocks }));
    },
    numberedConflicts: () =>
      state.read((transaction) => getRecord(transaction, "conflicts", id)?.blocks),
    unsettled: (path) => unsettledWrites(state, path, host),
    close: () => state.close(),
  };
}

async function recordAll(
  state: State,
  session: string,
  all: readonly Seen[],
  { bytes, clock }: Pick<Host, "bytes" | "clock">,
): Promise<void> {
  const now = clock.now();
  const known = all.map(({ path, tag, content: text, bytesHash }) => {
    const content = contentOf(text, bytes);
    const sight = { path, tag, hash: content.hash, bytesHash };
    return { content, pathKey: keyOf(path, bytes), sight };
  });
  const news = await state.read((transaction) =>
    known.flatMap(({ content, pathKey, sight }) => {
      const nothingToDo =
        isFresh(transaction, session, pathKey, sight, now) &&
        resolvable(transaction, session, pathKey, sight.bytesHash).length === 0;
      const isStored = hasContent(transaction, content.hash);
      return nothingToDo ? [] : [{ content, pathKey, sight, isStored }];
    }),
  );
  if (news.length === 0) return;
  for (const { content, isStored } of news) if (!isStored) content.frame();
  await state.write((transaction) => {
    let spared: string | undefined;
    for (const { content, pathKey, sight } of news) {
      if (keepContent(transaction, content, now)) spared = content.hash;
      putSight(transaction, session, pathKey, sight, now);
      resolvePending(transaction, session, pathKey, sight.bytesHash);
    }
    if (spared === undefined) return;
    evictContents(transaction, now, spared);
    sweep(transaction, now);
  });
}
