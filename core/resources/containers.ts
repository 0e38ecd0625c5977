// Files that hold things with names of their own, addressed as FILE:NAME. One row per kind; order is precedence.

import { archiveKind } from "./archive-kind.ts";
import type { ContainerKind } from "./container.ts";
import { sqliteKind } from "./sqlite-kind.ts";

export const containerKinds: readonly ContainerKind[] = [archiveKind, sqliteKind];

/** In the order in which the disk is to be asked. */
export function* splitContainers(
  text: string,
): Generator<{ readonly file: string; readonly inner: string }> {
  for (const kind of containerKinds) {
    for (const at of kind.splits(text)) yield { file: text.slice(0, at), inner: text.slice(at) };
  }
}
