import { displayPath, showName } from "../core/paths.ts";
import type { LedgerEntry } from "../core/session/ledger.ts";
import type { LoggedChange } from "../core/session/session.ts";
import { formatCount } from "../core/text/size.ts";
import { command } from "./command.ts";
import { choose, type Chosen, pathOrId, withLedger } from "./ledger.ts";
import { printAnswer } from "./output.ts";

const USUAL_LIMIT = 50;

export const log = command({
  name: "log",
  summary: "List what this session has changed, newest first",
  description:
    "One row for each file of a change: its number, when it was made (UTC), by which tool, lines added and removed, the file. diff shows a change, undo takes it back.",
  operands: [{ ...pathOrId, name: "PATH" }],
  flags: [
    {
      name: "limit",
      type: "number",
      placeholder: "N",
      default: USUAL_LIMIT,
      description: "Changes to list",
    },
  ],
  examples: [
    { title: "All of this session", line: "atomic log" },
    { title: "Of one file", line: "atomic log src/main.ts" },
  ],
  topics: [],
  run: (invocation) =>
    withLedger(invocation, async (ledger) => {
      const { program, settings, flags, operands } = invocation;
      const chosen = await choose(operands[0], ledger);
      const limit = Number(flags["limit"] ?? USUAL_LIMIT);
      const shown = chosen.entries.slice(0, limit);
      const { cwd } = ledger.host.env;
      const rows = shown.flatMap((entry) => rowsOf(entry, chosen, cwd));
      const left = chosen.entries.length - shown.length;
      if (rows.length === 0) rows.push(["This session has changed nothing yet."]);
      const text = aligned(rows);
      const all =
        left > 0
          ? `${text}\n[${formatCount(left, "older change", "older changes")} not shown; --limit ${chosen.entries.length} shows all]`
          : text;
      const details = {
        session: ledger.session.id,
        total: chosen.entries.length,
        changes: shown.map((entry) => detailsOf(entry, chosen)),
      };
      return printAnswer(all, details, { stdio: program.stdio, settings });
    }),
});

function rowsOf(entry: LedgerEntry, { covers }: Chosen, cwd: string): string[][] {
  return entry.changes
    .filter(({ path }) => covers(path))
    .map((change) => [
      entry.id,
      timeOf(entry),
      entry.tool,
      countsOf(change),
      `${showName(displayPath(change.path, cwd))}${remarksOf(entry, change)}`,
    ]);
}

function timeOf({ at }: LedgerEntry): string {
  return new Date(at).toISOString().replace(/\.\d+Z$/, "Z");
}

function countsOf({ map }: LoggedChange): string {
  if (!map) return "binary";
  const added = map.reduce((sum, hunk) => sum + hunk.added, 0);
  const removed = map.reduce((sum, hunk) => sum + hunk.removed, 0);
  return `+${added} -${removed}`;
}

function remarksOf(entry: LedgerEntry, { before, after, forced, landed }: LoggedChange): string {
  const remarks: string[] = [];
  if (!before) remarks.push("created");
  if (!after) remarks.push("removed");
  if (before && after && before.mode !== after.mode) {
    remarks.push(`mode ${octal(before.mode)} to ${octal(after.mode)}`);
  }
  if (forced) remarks.push("forced");
  if (landed === false) remarks.push("not written");
  if (landed === undefined) remarks.push("its end is not known");
  if (entry.undoes !== undefined) remarks.push(`took back ${entry.undoes}`);
  if (entry.undoneBy !== undefined) remarks.push(`taken back by ${entry.undoneBy}`);
  return remarks.length > 0 ? ` (${remarks.join(", ")})` : "";
}

function octal(mode: number): string {
  return mode.toString(8).padStart(3, "0");
}

function detailsOf(entry: LedgerEntry, { covers }: Chosen): Readonly<Record<string, unknown>> {
  return {
    id: entry.id,
    at: new Date(entry.at).toISOString(),
    tool: entry.tool,
    ...(entry.undoes !== undefined && { undoes: entry.undoes }),
    ...(entry.undoneBy !== undefined && { undoneBy: entry.undoneBy }),
    files: entry.changes
      .filter(({ path }) => covers(path))
      .map(({ path, before, after, map, forced, landed }) => ({
        path,
        created: !before,
        removed: !after,
        ...(map && {
          added: map.reduce((sum, hunk) => sum + hunk.added, 0),
          deleted: map.reduce((sum, hunk) => sum + hunk.removed, 0),
        }),
        ...(before && { modeBefore: octal(before.mode) }),
        ...(after && { modeAfter: octal(after.mode) }),
        forced,
        landed: landed ?? null,
      })),
  };
}

/** Columns as wide as they need to be; the last one is free. */
function aligned(rows: readonly (readonly string[])[]): string {
  const widths = rows.reduce<number[]>(
    (all, row) => row.map((cell, i) => Math.max(all[i] ?? 0, cell.length)),
    [],
  );
  return rows
    .map((row) =>
      row.map((cell, i) => (i === row.length - 1 ? cell : cell.padEnd(widths[i]!))).join("  "),
    )
    .join("\n");
}
