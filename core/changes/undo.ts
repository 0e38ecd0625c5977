// One logged change taken back: exactly where the files are as it left them, merged where that is provably safe, else not
// at all (issue: "the same stale-safety as an edit").

import { AtomicError } from "../errors.ts";
import { carryAlong, carryByDiff } from "../hashline/recover.ts";
import type { Step } from "../hashline/plan.ts";
import { previewRows } from "../hashline/preview.ts";
import { limits } from "../limits.ts";
import { displayPath, showName } from "../paths.ts";
import { FsError, type ReadFile } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { FileImage, LoggedChange, LoggedGroup, Session } from "../session/session.ts";
import { diffLines } from "../text/diff.ts";
import { decode, encode } from "../text/encoding.ts";
import { type Lines, splitLines, type Terminator } from "../text/lines.ts";
import { commitWrites, type PlannedWrite } from "./commit.ts";
import { conflict } from "./conflict.ts";
import { equalBytes, type NewContent } from "./durable-write.ts";
import { isNotebook } from "../documents/notebook.ts";
import { describeFile, lineMapOf } from "./editable.ts";
import { lockTargets } from "./lock-targets.ts";
import { mendedText, settlePending } from "./settle-pending.ts";

export interface UndoContext {
  readonly ports: Pick<Host, "fs" | "bytes" | "random" | "clock" | "env" | "locks">;
  readonly session: Session;
  readonly cwd: string;
  readonly dryRun: boolean;
  readonly signal: AbortSignal;
  /** The name of the deed, for the log and for messages. */
  readonly tool: "undo" | "redo";
  notice(text: string): void;
}

export interface UndoneFile {
  readonly path: string;
  readonly display: string;
  readonly outcome: "restored" | "merged" | "created" | "removed" | "mode";
  /** Undefined where it is no text, is gone, or in a dry run. */
  readonly tag: string | undefined;
  /** Rows as those of an edit; empty where there is no text on one side. */
  readonly preview: string;
  readonly before: FileImage | undefined;
  readonly after: FileImage | undefined;
}

/**
 * All files of the group or none.
 * @throws AtomicError `file.conflict`, `undo.lost`, `file.write`, `lock.timeout`, `session.unavailable`
 */
export async function undoGroup(
  group: LoggedGroup,
  context: UndoContext,
): Promise<readonly UndoneFile[]> {
  const { session, ports, cwd, signal } = context;
  const changes = group.changes.filter(({ landed }) => landed !== false);
  const targets = changes.map(({ path }) => ({ given: displayPath(path, cwd), locks: [path] }));
  const release = await lockTargets(targets, session, ports.locks, signal);
  try {
    const prepared: Prepared[] = [];
    // Backwards, as they were made forwards.
    for (const change of changes.toReversed()) {
      prepared.unshift(await prepare(group.id, change, context));
    }
    signal.throwIfAborted();
    if (!context.dryRun) {
      const writes = prepared.map((each) => planned(each, group.id, context));
      await commitWrites(context.tool, writes, session, ports, (text) => context.notice(text));
    }
    return prepared.map((each) => describe(each, context));
  } finally {
    release();
  }
}

interface Prepared {
  readonly change: LoggedChange;
  readonly name: string;
  readonly now: ReadFile | undefined;
  readonly wanted: NewContent | undefined;
  readonly outcome: UndoneFile["outcome"];
}

async function prepare(
  group: string,
  change: LoggedChange,
  context: UndoContext,
): Promise<Prepared> {
  const { ports, session, dryRun, cwd } = context;
  const { path } = change;
  const name = displayPath(path, cwd);
  if (!dryRun) {
    const mended = await settlePending(path, session, ports);
    if (mended) context.notice(mendedText(name, mended));
  }
  const now = await readNow(path, name, context);
  const before = await imageOf(group, change, "before", name, context);
  const known = { change, name, now };
  if (!change.after) {
    if (now) throw moved(name, "a file is there again, which the change had removed", context);
    return { ...known, wanted: { bytes: before!.bytes, mode: before!.mode }, outcome: "created" };
  }
  if (!now) throw moved(name, "the file is gone", context);
  const isAsLeft = ports.bytes.sha256(now.bytes) === change.after.hash;
  if (!before) {
    if (isAsLeft) return { ...known, wanted: undefined, outcome: "removed" };
    throw moved(name, "it was made by the change and has been changed since", context);
  }
  // A mode that someone has set since is theirs.
  const mode = now.stat.mode === change.after.mode ? before.mode : now.stat.mode;
  if (isAsLeft) {
    const outcome = equalBytes(now.bytes, before.bytes) ? "mode" : "restored";
    return { ...known, wanted: { bytes: before.bytes, mode }, outcome };
  }
  const after = await imageOf(group, change, "after", name, context);
  const bytes = await merge(
    { before: before.bytes, after: after!.bytes, now: now.bytes },
    path,
    context,
  );
  if (!bytes) {
    throw moved(
      name,
      "the file has changed since in or near the lines that would be taken back",
      context,
    );
  }
  return { ...known, wanted: { bytes, mode }, outcome: "merged" };
}

async function readNow(
  path: string,
  name: string,
  context: UndoContext,
): Promise<ReadFile | undefined> {
  const { fs } = context.ports;
  try {
    const now = await fs.read(path, limits.readableFile);
    if (now && (await fs.mayAccess(path, "write")) === false) throw new FsError("EACCES", path);
    return now;
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    const { code } = thrown;
    throw conflict(
      {
        reason: "target_unreadable",
        path: name,
        because: `${other[code] ?? "it cannot be read and written"} (error code ${code}).`,
        instead: other[code]
          ? "move away what is there, then retry."
          : "Restore access to it, then retry.",
        data: { errno: code },
        cause: thrown,
      },
      { session: context.session.id, env: context.ports.env },
    );
  }
}

async function imageOf(
  group: string,
  change: LoggedChange,
  side: "before" | "after",
  name: string,
  { session, tool }: UndoContext,
): Promise<FileImage | undefined> {
  if (!change[side]) return undefined;
  const image = await session.loggedImage(group, change.path, side);
  if (image) return image;
  throw new AtomicError(
    "undo.lost",
    `Cannot ${tool} change ${group}: the content of ${showName(name)} ${side} it is no longer kept. Nothing was written.`,
    { data: { id: group, path: change.path } },
  );
}

function moved(name: string, because: string, { session, ports, tool }: UndoContext): AtomicError {
  return conflict(
    {
      reason: "changed_since_observation",
      path: name,
      because: `${because}.`,
      instead: `read ${showName(name)}, and edit what is to be taken back; ${tool} overwrites nobody's work.`,
    },
    { session: session.id, env: ports.env },
  );
}

/** The current text with the change's lines taken back; undefined where their places are not certain. */
async function merge(
  { before, after, now }: Readonly<Record<"before" | "after" | "now", Uint8Array>>,
  path: string,
  { session, ports }: UndoContext,
): Promise<Uint8Array | undefined> {
  const [old, made, live] = [decode(before), decode(after), decode(now)];
  if (!old || !made || !live) return undefined;
  // Lines mean nothing in an archive or an image: what is put together of two of them is damaged.
  const isBinary = [before, after, now].some((file) => ports.bytes.indexOf(file, 0) !== -1);
  if (isBinary && !live.encoding.startsWith("utf-16")) return undefined;
  const isAlike = [old, made].every(
    ({ encoding, bom }) => encoding === live.encoding && bom === live.bom,
  );
  if (!isAlike) return undefined;
  const [from, base, current] = [old, made, live].map(({ text }) => rowsOf(splitLines(text))) as [
    string[],
    string[],
    string[],
  ];
  const hunks = diffLines(base, from);
  // Every row stands for its lines of the old text, so that these keep their own terminators.
  const rows: string[][] = [];
  const steps: Step[] = [];
  let shift = 0;
  for (const { at, removed, added } of hunks) {
    rows.push(from.slice(at + shift, at + shift + added));
    shift += added - removed;
    const marker = [String(rows.length - 1)];
    if (removed > 0)
      steps.push({ kind: "replace", start: at + 1, end: at + removed, rows: marker });
    else steps.push({ kind: "insert", after: at, side: "after", rows: marker });
  }
  // A notebook's snapshots are not its text, so the maps between them are of no use here.
  const maps = await session.ownEdits(path, hashOf(after, path, ports), hashOf(now, path, ports));
  const carried =
    (maps && !isNotebook(path) ? carryAlong(steps, maps, base.length) : undefined) ??
    carryByDiff(steps, base, current);
  if (!carried) return undefined;
  return encode(joined(applyRows(carried, current, rows)), live.encoding, live.bom);
}

function hashOf(file: Uint8Array, path: string, { bytes }: Pick<Host, "bytes">): string {
  return describeFile(path, file, bytes)?.hash ?? "";
}

/** As a diff has it: one with a NUL, but for UTF-16. */
function isBinaryFile(file: Uint8Array, bytes: Host["bytes"]): boolean {
  return bytes.indexOf(file, 0) !== -1 && !decode(file)?.encoding.startsWith("utf-16");
}

/** Lines with their terminators: what differs in either differs. */
function rowsOf({ texts, ends }: Lines): string[] {
  return texts.map((text, i) => text + ends[i]!);
}

function applyRows(
  steps: readonly Step[],
  current: readonly string[],
  rows: readonly (readonly string[])[],
): string[] {
  const out = [...current];
  const at = (step: Step) =>
    step.kind === "replace" ? step.start - 1 : step.kind === "insert" ? step.after : 0;
  for (const step of steps.toSorted((a, b) => at(b) - at(a))) {
    const lines = "rows" in step ? step.rows.flatMap((row) => rows[Number(row)]!) : [];
    const removed = step.kind === "replace" ? step.end - step.start + 1 : 0;
    out.splice(at(step), removed, ...lines);
  }
  return out;
}

/** Only the last line of a text may be without a terminator. */
function joined(rows: readonly string[]): string {
  const usual = rows.map(terminatorOf).find((end) => end !== "") ?? "\n";
  return rows
    .map((row, i) => (i < rows.length - 1 && terminatorOf(row) === "" ? row + usual : row))
    .join("");
}

function terminatorOf(row: string): Terminator {
  return (/\r\n$|\n$|\r$/.exec(row)?.[0] ?? "") as Terminator;
}

function planned(
  { change, name, now, wanted }: Prepared,
  group: string,
  context: UndoContext,
): PlannedWrite {
  const { ports } = context;
  const { path } = change;
  const old = now && describeFile(path, now.bytes, ports.bytes);
  const made = wanted && describeFile(path, wanted.bytes, ports.bytes);
  return {
    name,
    path,
    before: now,
    after: wanted,
    ...(!wanted && { emptied: change.folders }),
    change: {
      seen: made && {
        path,
        tag: made.tag,
        content: made.content,
        bytesHash: ports.bytes.sha256(wanted.bytes),
      },
      fromHash: old && made && old.hash,
      map: lineMapOf(now ? old : "absent", wanted ? made : "absent"),
      undoes: group,
    },
    moved: () => moved(name, "the file changed while it was being written", context),
  };
}

function describe(
  { change, name, now, wanted, outcome }: Prepared,
  { ports, dryRun }: UndoContext,
): UndoneFile {
  const { path } = change;
  const old = now && describeFile(path, now.bytes, ports.bytes);
  const made = wanted && describeFile(path, wanted.bytes, ports.bytes);
  const isBinary =
    (now !== undefined && isBinaryFile(now.bytes, ports.bytes)) ||
    (wanted !== undefined && isBinaryFile(wanted.bytes, ports.bytes));
  return {
    path,
    display: name,
    outcome,
    tag: dryRun || isBinary ? undefined : made?.tag,
    preview:
      old && made && !isBinary
        ? previewRows(old.lines, made.lines, diffLines(old.lines.texts, made.lines.texts))
        : "",
    before: now && { bytes: now.bytes, mode: now.stat.mode },
    after: wanted && { bytes: wanted.bytes, mode: wanted.mode ?? now?.stat.mode ?? 0o644 },
  };
}

/** What stands where the file was. */
const other: Readonly<Record<string, string>> = {
  EISDIR: "a folder is there now",
  ENOTREG: "a pipe, socket or device is there now",
};
