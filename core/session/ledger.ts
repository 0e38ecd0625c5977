// Which of a session's changes hold, and which an undo has taken back. An undo is a change as well, and can be taken back.

import type { LoggedGroup } from "./session.ts";

export interface LedgerEntry extends LoggedGroup {
  /** The group that this one took back. */
  readonly undoes: string | undefined;
  /** The group that took this one back and has not been taken back itself. */
  readonly undoneBy: string | undefined;
  /** How many times over it is an undo: 0 for a change, 1 for an undo, 2 for the undo of an undo. */
  readonly depth: number;
}

/** @param groups the newest first; so are the entries */
export function ledgerOf(groups: readonly LoggedGroup[]): readonly LedgerEntry[] {
  const entries = new Map<string, LedgerEntry>();
  const takenBack = new Map<string, string>();
  // An undo is younger than what it takes back, so whether it holds is known before it counts.
  for (const group of groups) {
    const undoneBy = takenBack.get(group.id);
    const undoes = group.changes.find((change) => change.undoes !== undefined)?.undoes;
    const hasLanded = group.changes.some(({ landed }) => landed !== false);
    if (undoes !== undefined && undoneBy === undefined && hasLanded && !takenBack.has(undoes)) {
      takenBack.set(undoes, group.id);
    }
    entries.set(group.id, { ...group, undoes, undoneBy, depth: 0 });
  }
  return [...entries.values()].map((entry) => ({ ...entry, depth: depthOf(entry, entries) }));
}

function depthOf(entry: LedgerEntry, entries: ReadonlyMap<string, LedgerEntry>): number {
  let depth = 0;
  let at: LedgerEntry | undefined = entry;
  while (at?.undoes !== undefined) {
    depth++;
    at = entries.get(at.undoes);
  }
  return depth;
}

/** What can still be taken back: it holds, and it was carried out, or nobody lived to say that it was not. */
export function isStanding({ undoneBy, changes }: LedgerEntry): boolean {
  return undoneBy === undefined && changes.some(({ landed }) => landed !== false);
}
