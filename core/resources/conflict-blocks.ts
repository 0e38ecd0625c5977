// The conflicts of a file, and what their numbers stand for: a number means the very lines it was given to.

import { type Conflict, findConflicts } from "../documents/conflicts.ts";
import { fromStored, toStored } from "../text/encoding.ts";
import type { Bytes } from "../ports/bytes.ts";
import type { ScannedText } from "../hashline/tag.ts";

export interface Block extends Conflict {
  /** SHA-256 of its lines, without their terminators. */
  readonly hash: string;
}

/** @param texts the file's lines */
export function blocksOf(texts: readonly string[], bytes: Pick<Bytes, "sha256">): readonly Block[] {
  return findConflicts(texts).map((conflict) => {
    const lines = texts.slice(conflict.first - 1, conflict.last);
    return { ...conflict, hash: bytes.sha256(toStored(lines.join("\n"))) };
  });
}

export function blocksOfText(
  { content }: Pick<ScannedText, "content">,
  bytes: Pick<Bytes, "sha256" | "indexOf">,
): readonly Block[] {
  // Most files have none, and lines of their own are dear.
  if (bytes.indexOf(content, opening) === -1) return [];
  return blocksOf(fromStored(content).split("\n"), bytes);
}

const opening = new TextEncoder().encode("<<<<<<<");

/** The block where it was, else the only one that has its lines now; undefined: it is gone, or it cannot be told which. */
export function findBlock(
  blocks: readonly Block[],
  { first, hash }: { readonly first: number; readonly hash: string },
): Block | undefined {
  const same = blocks.filter((block) => block.hash === hash);
  return same.find((block) => block.first === first) ?? (same.length === 1 ? same[0] : undefined);
}
