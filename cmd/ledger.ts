// What log, diff, undo and redo have in common: this session's changes, and which of them a person means.

import { AtomicError } from "../core/errors.ts";
import { resolvePath, showName } from "../core/paths.ts";
import type { Host } from "../core/ports/host.ts";
import { landingOf } from "../core/resources/landing.ts";
import { type LedgerEntry, ledgerOf } from "../core/session/ledger.ts";
import type { OpenSession } from "../core/session/open.ts";
import type { Invocation, Operand } from "./command.ts";
import { noticesTo } from "./output.ts";
import { accessSession } from "./session-access.ts";

export interface Ledger {
  readonly host: Host;
  readonly session: OpenSession;
  /** The newest first. */
  readonly entries: readonly LedgerEntry[];
  notice(text: string): void;
}

export async function withLedger<T>(
  { program, settings }: Invocation,
  work: (ledger: Ledger) => Promise<T>,
): Promise<T> {
  const host = await program.host();
  const notice = noticesTo(program.stdio);
  const access = accessSession(host, settings, notice);
  try {
    const session = await access.open();
    return await work({ host, session, entries: ledgerOf(await session.history()), notice });
  } finally {
    await access.close();
  }
}

export const pathOrId: Operand = {
  name: "PATH|ID",
  description: "A file, a folder with all that is in it, or a change by its number in the log",
  required: false,
  repeat: false,
  file: true,
};

export interface Chosen {
  readonly entries: readonly LedgerEntry[];
  /** Whether a path of a change is meant. */
  covers(path: string): boolean;
  /** The operand was the number of a change. */
  readonly id: string | undefined;
}

/**
 * The changes that the operand means; all of them where there is none. A number is a change, unless a file has that name and
 * no change has that number.
 * @throws AtomicError `undo.nothing` where there is no such change
 */
export async function choose(
  word: string | undefined,
  { entries, host, session }: Ledger,
): Promise<Chosen> {
  if (word === undefined) return { entries, covers: () => true, id: undefined };
  // A variable without a value would mean everything below the working folder.
  if (word === "") {
    throw new AtomicError("usage.command", "The argument PATH|ID is empty.", {
      hint: "Leave it out, or name a file, a folder or a number of the log.",
    });
  }
  if (/^\d+$/.test(word)) {
    const found = entries.filter(({ id }) => id === word);
    if (found.length > 0) return { entries: found, covers: () => true, id: word };
  }
  const path = (await landingOf(resolvePath(word, host.env.cwd), host.fs)).path;
  const folder = path.endsWith("/") ? path : `${path}/`;
  const covers = (other: string) => other === path || other.startsWith(folder);
  const found = entries.filter(({ changes }) => changes.some((change) => covers(change.path)));
  if (found.length > 0) return { entries: found, covers, id: undefined };
  throw new AtomicError(
    "undo.nothing",
    `Session ${session.id} has not changed ${showName(word)}${/^\d+$/.test(word) ? ", and has no change of that number" : ""}.`,
    { data: { session: session.id }, hint: "`atomic log` lists the changes of a session." },
  );
}
