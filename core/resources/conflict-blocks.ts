// The conflicts of a file, and what their numbers stand for: a number means the very lines it was given to.

import { type Conflict, findConflicts, type NumberedConflict } from "../documents/conflicts.ts";
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

/**
 * The block that a number stands for, wherever it has moved. Blocks of equal lines are told apart by their order, and not
 * at all once there are more or fewer of them than had numbers.
 * @param blocks those of the file now
 * @param numbered all conflicts that have a number, `wanted` among them
 */
export function findBlock(
  blocks: readonly Block[],
  wanted: NumberedConflict,
  numbered: readonly NumberedConflict[],
): Block | undefined {
  const same = blocks.filter(({ hash }) => hash === wanted.hash);
  const twins = numbered.filter(
    ({ path, hash, resolved }) => !resolved && path === wanted.path && hash === wanted.hash,
  );
  return same.length === twins.length ? same[twins.indexOf(wanted)] : undefined;
}
