import { gitPatch } from "../core/changes/git-patch.ts";
import { undoGroup, type UndoneFile } from "../core/changes/undo.ts";
import { AtomicError } from "../core/errors.ts";
import { headerLine, showName } from "../core/paths.ts";
import { guardWrites } from "../core/policy.ts";
import { isStanding, type LedgerEntry } from "../core/session/ledger.ts";
import { type Command, command, type Invocation } from "./command.ts";
import { choose, type Ledger, pathOrId, withLedger } from "./ledger.ts";
import { printAnswer } from "./output.ts";
import { policyOf } from "./policy.ts";

const dryRunFlag = {
  name: "dry-run",
  type: "boolean",
  description: "Show the patch; write nothing",
} as const;

export const undo: Command = command({
  name: "undo",
  summary: "Take back the newest change of this session, or a named one",
  description:
    "Takes back what a write or an edit of this session did, all its files or none: contents, modes, files that it made. Where a file has changed since, its lines are taken back only if their places are certain; else nothing is written. An undo is logged as a change: redo takes it back. Without an operand the changes go one after the other, the newest first.",
  operands: [pathOrId],
  flags: [dryRunFlag],
  examples: [
    { title: "The newest change", line: "atomic undo" },
    { title: "The newest change of a file", line: "atomic undo src/main.ts" },
    { title: "What undo would do", line: "atomic undo 12 --dry-run" },
  ],
  topics: ["exit-codes"],
  run: (invocation) => run("undo", invocation),
});

export const redo: Command = command({
  name: "redo",
  summary: "Take back the newest undo of this session, or a named one",
  description: "Does again what an undo has taken back, by the same rules as undo.",
  operands: [pathOrId],
  flags: [dryRunFlag],
  examples: [{ title: "The newest undo", line: "atomic redo" }],
  topics: ["exit-codes"],
  run: (invocation) => run("redo", invocation),
});

function run(tool: "undo" | "redo", invocation: Invocation): Promise<number> {
  const { program, settings, flags, operands, stop } = invocation;
  const dryRun = flags["dry-run"] === true;
  return guarded(tool, invocation, dryRun, (allowWrite) =>
    withLedger(invocation, async (ledger) => {
      const { host, session, notice } = ledger;
      const entry = await pick(tool, operands[0], ledger);
      for (const { path, landed } of entry.changes) {
        if (landed !== false) await allowWrite(path);
      }
      stop.arm();
      const files = await undoGroup(entry, {
        ports: host,
        session,
        cwd: host.env.cwd,
        dryRun,
        signal: stop.signal,
        tool,
        notice,
      });
      const patch = gitPatch(
        files.map(({ display, before, after }) => ({ path: display, before, after })),
        host.bytes,
      );
      const text = dryRun
        ? `${tool} would take back change ${entry.id} (${entry.tool}); nothing was written\n${new TextDecoder().decode(patch).trimEnd()}`
        : [`Took back change ${entry.id} (${entry.tool}):`, ...files.map(blockOf)].join("\n\n");
      const details = {
        id: entry.id,
        tool: entry.tool,
        dryRun,
        patch: new TextDecoder().decode(patch),
        files: files.map(({ path, outcome, tag }) => ({ path, outcome, ...(tag && { tag }) })),
      };
      return printAnswer(text, details, { stdio: program.stdio, settings });
    }),
  );
}

/** Read-only mode refuses before the session is touched. */
async function guarded<T>(
  tool: string,
  { program, settings }: Invocation,
  dryRun: boolean,
  work: (allowWrite: (path: string) => Promise<void>) => Promise<T>,
): Promise<T> {
  const host = await program.host();
  const { fs, env } = host;
  const policy = policyOf(settings, env);
  return work(guardWrites({ name: tool, effect: "write" }, policy, { fs, cwd: env.cwd, dryRun }));
}

/** @throws AtomicError `undo.nothing` */
async function pick(
  tool: "undo" | "redo",
  word: string | undefined,
  ledger: Ledger,
): Promise<LedgerEntry> {
  const { entries, id } = await choose(word, ledger);
  if (id !== undefined) {
    const entry = entries[0]!;
    if (entry.undoneBy !== undefined) {
      throw nothing(`Change ${id} was taken back already, by ${entry.undoneBy}.`);
    }
    if (!isStanding(entry)) throw nothing(`Change ${id} was never written.`);
    if (tool === "redo" && entry.depth % 2 === 0) {
      throw nothing(`Change ${id} is no undo, so there is nothing of it to do again.`);
    }
    return entry;
  }
  // Undo goes back over what was changed, redo over what was undone; each leaves the other's groups alone.
  const depth = tool === "undo" ? 0 : 1;
  const found = entries.find((entry) => entry.depth === depth && isStanding(entry));
  if (found) return found;
  const of = word === undefined ? "" : ` of ${showName(word)}`;
  throw nothing(
    tool === "undo"
      ? `There is no change${of} left to take back in session ${ledger.session.id}.`
      : `There is no undo${of} left to take back in session ${ledger.session.id}.`,
  );
}

function nothing(message: string): AtomicError {
  return new AtomicError("undo.nothing", message, {
    hint: "`atomic log` lists the changes of a session.",
  });
}

function blockOf({ display, outcome, tag, preview }: UndoneFile): string {
  const name = showName(display);
  const head = tag === undefined ? [] : [headerLine(display, tag)];
  const told: Readonly<Record<UndoneFile["outcome"], readonly string[]>> = {
    restored: [],
    merged: ["Merged with what was changed since."],
    created: [`${name} is there again.`],
    removed: [`${name} is removed.`],
    mode: [`${name} has its mode back.`],
  };
  return (
    [...head, ...told[outcome], ...(preview === "" ? [] : [preview])].join("\n") ||
    `${name} is restored.`
  );
}
