// Which conflict a number of conflict:// means: the one that the session's newest look at conflicts gave it to.

import type { NumberedConflict, Side } from "../documents/conflicts.ts";
import { AtomicError } from "../errors.ts";
import { showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
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

/**
 * What the numbers of conflict:// stand for. Where nothing has been numbered, all conflicts below the working folder are.
 * @throws AtomicError `conflict.none` where there are none
 */
export async function numberedBlocks(
  ports: Pick<Host, "fs" | "bytes" | "env" | "clock">,
  call: Pick<Call, "session" | "cwd" | "signal" | "notice">,
): Promise<readonly NumberedConflict[]> {
  const session = await call.session();
  const numbered = await session.numberedConflicts();
  if (numbered && numbered.length > 0) return numbered;
  if (numbered) throw none("the file that was read last with :conflicts had none.");
  const { scanConflicts } = await import("./conflict-scan.ts");
  const found = await scanConflicts(ports, call);
  const place = showName(call.cwd);
  if (found.length === 0) throw none(`no file below ${place} has any.`);
  await session.numberConflicts(found);
  call.notice(
    `Numbered ${formatCount(found.length, "conflict", "conflicts")} below ${place}, by path; conflict://* lists them.`,
  );
  return found;
}

function none(why: string): AtomicError {
  return new AtomicError("conflict.none", `There are no numbered conflicts: ${why}`, {
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
