// Which conflict a number of conflict:// means: the one that the session's newest look at conflicts gave it to.

import type { NumberedConflict, Side } from "../documents/conflicts.ts";
import { AtomicError } from "../errors.ts";
import { showName } from "../paths.ts";
import { formatCount } from "../text/size.ts";
import type { Call } from "../tool.ts";

export interface ConflictTarget {
  /** From 1, or every one. */
  readonly number: number | "*";
  readonly side: Side | undefined;
}

/**
 * @param rest what follows "conflict://"
 * @throws AtomicError `conflict.target`
 */
export function parseConflictTarget(rest: string, target: string): ConflictTarget {
  const match = /^(\*|[1-9]\d{0,8})(?:\/(ours|theirs|base))?$/i.exec(rest);
  const [, number, side] = match ?? [];
  if (number === undefined || (number === "*" && side !== undefined)) {
    throw new AtomicError(
      "conflict.target",
      `Bad conflict target ${showName(target)}: it must be conflict://N, conflict://N/ours, /theirs or /base, or conflict://*, with N from 1.`,
      { data: { target } },
    );
  }
  return {
    number: number === "*" ? number : Number(number),
    side: side?.toLowerCase() as Side | undefined,
  };
}

/** @throws AtomicError `conflict.none` where no conflict has a number */
export async function numberedBlocks(
  call: Pick<Call, "session">,
): Promise<readonly NumberedConflict[]> {
  const session = await call.session();
  const numbered = await session.numberedConflicts();
  if (numbered && numbered.length > 0) return numbered;
  const why = numbered
    ? "the file that was read last with :conflicts had none"
    : "this session has not looked for any yet";
  throw new AtomicError("conflict.none", `There are no numbered conflicts: ${why}.`, {
    hint: "Read FILE:conflicts to number the conflicts of a file.",
  });
}

export function unknownNumber(number: number, count: number): AtomicError {
  return new AtomicError(
    "conflict.id",
    `There is no conflict ${number}: ${formatCount(count, "conflict is", "conflicts are")} numbered, from 1${count > 1 ? ` to ${count}` : ""}.`,
    { data: { id: number, count } },
  );
}

export function stale(
  number: number,
  name: string,
  { first, last }: Pick<NumberedConflict, "first" | "last">,
): AtomicError {
  return new AtomicError(
    "conflict.stale",
    `Conflict ${number} is no longer in ${showName(name)} as it was on lines ${first}-${last} when it was numbered.`,
    { data: { id: number, path: name } },
  );
}
