// What a session has logged, read back: for the log, for diffs and for undo.

import type { Bytes } from "../ports/bytes.ts";
import type { ReadTransaction } from "../ports/store.ts";
import { hasContent, storedContent, unpack } from "./contents.ts";
import {
  type ChangeRecord,
  getRecord,
  type ImageRecord,
  keyOf,
  listRecords,
  padded,
} from "./records.ts";
import type { FileImage, LoggedChange, LoggedGroup, LoggedImage } from "./session.ts";
import type { State } from "./state.ts";

/** Whole groups, the newest first. */
export async function history(state: State, session: string): Promise<readonly LoggedGroup[]> {
  return state.read((transaction) => {
    const groups = new Map<number, ChangeRecord[]>();
    for (const { key, value } of listRecords(transaction, "changes", `${session}/`)) {
      const seq = Number(key.slice(key.lastIndexOf("/") + 1));
      const group = groups.get(seq);
      if (group) group.push(value);
      else groups.set(seq, [value]);
    }
    return [...groups]
      .toSorted(([a], [b]) => b - a)
      .map(([seq, records]) => {
        const { tool, at } = records[0]!;
        // Its record may be gone before its changes are.
        const order = getRecord(transaction, "groups", `${session}/${padded(seq)}`)?.paths ?? [];
        const place = ({ path }: ChangeRecord) => order.indexOf(path);
        const changes = records
          .toSorted((a, b) => place(a) - place(b) || (a.path < b.path ? -1 : 1))
          .map((record) => loggedChange(transaction, record));
        return { id: String(seq), tool, at, changes };
      });
  });
}

/** Undefined where there is none, or no longer one. */
export async function loggedImage(
  state: State,
  session: string,
  change: {
    readonly group: string;
    readonly path: string;
    readonly side: "before" | "after";
  },
  bytes: Bytes,
): Promise<FileImage | undefined> {
  const key = `${session}/${keyOf(change.path, bytes)}/${padded(Number(change.group))}`;
  const found = await state.read((transaction) => {
    const image = getRecord(transaction, "changes", key)?.[change.side];
    const stored = image && storedContent(transaction, image.hash);
    return stored && { stored, mode: image.mode };
  });
  const content = found && unpack(found.stored, bytes);
  return content && { bytes: content, mode: found.mode };
}

function loggedChange(transaction: ReadTransaction, record: ChangeRecord): LoggedChange {
  const image = (one: ImageRecord | undefined): LoggedImage | undefined =>
    one && { ...one, kept: hasContent(transaction, one.hash) };
  return {
    path: record.path,
    before: image(record.before),
    after: image(record.after),
    map: record.map,
    folders: record.folders ?? [],
    forced: record.forced ?? false,
    undoes: record.undoes === undefined ? undefined : String(record.undoes),
    landed: record.landed,
  };
}
