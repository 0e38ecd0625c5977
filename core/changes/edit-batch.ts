// Edit calls carried out together on the files they name: each prepared by itself, then written as one (hashline.md
// §4 and decisions 10, 19, 23). A call that fails leaves no trace; the others go on.

import { AtomicError } from "../errors.ts";
import { applySteps, type Applied } from "../hashline/apply.ts";
import type { BlockResolver } from "../hashline/blocks.ts";
import { toolMessage, warning } from "../hashline/messages.ts";
import { parseBodies } from "../hashline/parse.ts";
import { placeSection, type Placed } from "../hashline/place.ts";
import type { Step } from "../hashline/plan.ts";
import { firstChangedLine, previewRows, sameText, unifiedPatch } from "../hashline/preview.ts";
import { limits } from "../limits.ts";
import { displayPath } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import { diffLines } from "../text/diff.ts";
import type { Lines } from "../text/lines.ts";
import { commitWrites, type PlannedWrite } from "./commit.ts";
import { equalBytes } from "./durable-write.ts";
import {
  type EditableFile,
  identify,
  notFound,
  openEditable,
  type TextIdentity,
} from "./editable.ts";
import type { FinishedFile } from "./finished-file.ts";
import type { FileSection } from "./edit-script.ts";
import { mendedText, settlePending } from "./settle-pending.ts";

export interface EditCall {
  /** The script as given: what an identical no-op is told by. */
  readonly payload: string;
  readonly sections: readonly FileSection[];
  readonly signal: AbortSignal;
}

export interface EditedFile {
  readonly path: string;
  /** As messages name it. */
  readonly name: string;
  readonly real: string;
  readonly locks: readonly string[];
  /** What it held, and what it holds. */
  readonly before: Lines;
  readonly bytes: Uint8Array;
  readonly display: string;
  readonly tag: string;
  readonly notes: readonly string[];
  readonly echoes: readonly string[];
  readonly preview: string;
  readonly patch: string;
  readonly firstChangedLine: number;
  /** What is wrong with it, as language servers say. */
  readonly findings: readonly string[];
}

export type EditOutcome =
  | { readonly kind: "edited"; readonly files: readonly EditedFile[] }
  | { readonly kind: "unchanged"; readonly text: string };

export interface EditContext {
  readonly ports: Pick<Host, "fs" | "bytes" | "random" | "env" | "clock">;
  readonly session: Session;
  /** Undefined: block operations are refused, or lowered to their line. */
  readonly resolver: BlockResolver | undefined;
  readonly cwd: string;
  readonly dryRun: boolean;
  /** The script is still being written: a preview leaves out what is not whole. */
  readonly partial: boolean;
  notice(text: string): void;
}

interface PreparedSection {
  readonly section: FileSection;
  readonly file: EditableFile;
  readonly placed: Placed;
  readonly warnings: readonly string[];
}

interface Target {
  readonly section: FileSection;
  readonly file: EditableFile;
  readonly steps: Step[];
}

interface Result extends Target, TextIdentity {
  readonly applied: Applied;
  readonly after: Uint8Array;
}

/** One outcome or error for each call, in order. The locks of all files are held. */
export async function runEditBatch(
  calls: readonly EditCall[],
  context: EditContext,
): Promise<readonly (EditOutcome | Error)[]> {
  const outcomes: (EditOutcome | Error | undefined)[] = calls.map(() => undefined);
  const files = new Map<string, EditableFile>();
  const targets = new Map<string, Target>();
  const accepted: { index: number; prepared: readonly PreparedSection[] }[] = [];
  for (const [index, call] of calls.entries()) {
    try {
      const prepared = await prepareCall(call, files, context);
      refuseOverlap(prepared, targets);
      if (isUnchanged(prepared)) {
        outcomes[index] = { kind: "unchanged", text: await unchangedText(call, prepared, context) };
        continue;
      }
      for (const { section, file, placed } of prepared) {
        const target = targets.get(section.real);
        if (target) target.steps.push(...placed.steps);
        else targets.set(section.real, { section, file, steps: [...placed.steps] });
      }
      accepted.push({ index, prepared });
    } catch (thrown) {
      outcomes[index] = asError(thrown);
    }
  }
  if (accepted.length > 0) {
    try {
      const results = new Map(
        [...targets].map(([real, target]) => [real, resultOf(target, context)]),
      );
      if (!context.dryRun)
        await writeAll([...results.values()], calls[accepted[0]!.index]!.signal, context);
      for (const { index, prepared } of accepted) {
        outcomes[index] = {
          kind: "edited",
          files: describe(prepared, results, accepted.length, context),
        };
      }
    } catch (thrown) {
      for (const { index } of accepted) outcomes[index] = asError(thrown);
    }
  }
  return outcomes.map((outcome) => outcome!);
}

async function prepareCall(
  { sections, signal }: EditCall,
  files: Map<string, EditableFile>,
  context: EditContext,
): Promise<PreparedSection[]> {
  const { session, ports, resolver } = context;
  const prepared: PreparedSection[] = [];
  for (const section of sections) {
    signal.throwIfAborted();
    const { hunks, warnings } = parseBodies(section.bodies, context);
    // A dry run writes nothing, not even that; it then meets the file as it is.
    const settles = !context.dryRun && !files.has(section.real);
    const mended = settles ? await settlePending(section.real, session, ports) : undefined;
    if (mended) context.notice(mendedText(section.path, mended));
    const file = files.get(section.real) ?? (await openEditable(section, ports));
    files.set(section.real, file);
    const { snapshots, expired } = await session.lookup(section.real, section.tag);
    const placed = await placeSection({
      path: section.path,
      tag: section.tag,
      hunks,
      live: file,
      tagged: snapshots,
      expired,
      resolver,
      partial: context.partial,
      ownEdits: (from) => session.ownEdits(section.real, from, file.hash),
    });
    refuseForeignRows(section, file, placed.steps);
    prepared.push({ section, file, placed, warnings: [...warnings, ...placed.warnings] });
  }
  const seen = new Map<string, FileSection>();
  for (const { section, file } of prepared) {
    // By identity, so that hard links count as one file too.
    const earlier = seen.get(file.stat.identity);
    if (earlier)
      throw new AtomicError("edit.script", toolMessage.sameFile(earlier.path, section.path));
    seen.set(file.stat.identity, section);
  }
  return prepared;
}

/** Rows that the file's encoding would not surely carry (decision 1). */
function refuseForeignRows(
  { path }: FileSection,
  { encoding }: EditableFile,
  steps: readonly Step[],
): void {
  for (const step of steps) {
    const wrong = step.rows.findIndex((row) =>
      // eslint-disable-next-line no-control-regex -- ASCII is a range of code units
      encoding === "8-bit" ? /[^\x00-\x7f]/.test(row) : !row.isWellFormed(),
    );
    if (wrong < 0) continue;
    const line =
      wrong + (step.kind === "replace" ? step.start : step.kind === "insert" ? step.after + 1 : 1);
    const name = encoding === "8-bit" ? "not UTF-8" : encoding;
    throw new AtomicError("edit.encoding", toolMessage.unencodable(path, line, name), {
      data: { path, line },
    });
  }
}

/** A call that touches a line which an earlier call of the batch replaces or deletes fails alone. */
function refuseOverlap(
  prepared: readonly PreparedSection[],
  targets: ReadonlyMap<string, Target>,
): void {
  for (const { section, placed } of prepared) {
    for (const taken of targets.get(section.real)?.steps ?? []) {
      if (taken.kind !== "replace") continue;
      for (const step of placed.steps) {
        if (step.kind !== "replace") continue;
        const line = Math.max(step.start, taken.start);
        if (line > Math.min(step.end, taken.end)) continue;
        throw new AtomicError("edit.stale", toolMessage.parallelConflict(section.path, line));
      }
    }
  }
}

function isUnchanged(prepared: readonly PreparedSection[]): boolean {
  const same = prepared.filter(({ file, placed }) =>
    sameText(applySteps(placed.steps, file.lines).lines, file.lines),
  );
  if (same.length === 0) return false;
  if (same.length === prepared.length) return true;
  throw new AtomicError("edit.no_change", toolMessage.noChangeInMixedCall(same[0]!.section.path));
}

async function unchangedText(
  { payload, sections }: EditCall,
  prepared: readonly PreparedSection[],
  { session, dryRun }: EditContext,
): Promise<string> {
  // What was repaired or reinterpreted on the way is part of why nothing changed.
  const warnings = prepared.flatMap((section) => section.warnings);
  const text = [toolMessage.noChange(sections[0]!.path), ...warnings].join("\n");
  if (dryRun) return text;
  let count = 0;
  for (const { real } of sections) count = Math.max(count, await session.countNoop(real, payload));
  const counted = count > 1 ? `${text}\n${toolMessage.noopCount(count)}` : text;
  if (count >= limits.noopAttempts) throw new AtomicError("edit.no_change", `STOP. ${counted}`);
  return counted;
}

function resultOf(target: Target, { ports }: EditContext): Result {
  const { file, section } = target;
  const wanted = applySteps(target.steps, file.lines);
  const written = file.write(wanted.lines, ports.random);
  if (!written)
    throw new AtomicError("edit.encoding", toolMessage.unencodable(section.path, 1, file.encoding));
  const { lines, bytes: after } = written;
  const applied =
    lines === wanted.lines ? wanted : { lines, map: diffLines(file.lines.texts, lines.texts) };
  return { ...target, applied, after, ...identify(lines, ports.bytes) };
}

async function writeAll(
  results: readonly Result[],
  signal: AbortSignal,
  context: EditContext,
): Promise<void> {
  const { ports, session } = context;
  for (const { section, file } of results) {
    signal.throwIfAborted();
    await verifyUnchanged(section, file, context);
  }
  signal.throwIfAborted();
  const writes = results.map(
    ({ section, file, applied, after, content, hash, tag }): PlannedWrite => ({
      name: section.path,
      path: section.real,
      before: file,
      after: { bytes: after },
      moved: () => changedBeforeWrite(section.path),
      change: {
        seen: { path: section.real, tag, content, bytesHash: ports.bytes.sha256(after) },
        fromHash: file.hash,
        map: hash === file.hash ? [] : refined(applied, file),
      },
    }),
  );
  await commitWrites("edit", writes, session, ports, (text) => context.notice(text));
}

/** Where a replacement restates a line, that line did not change. */
function refined({ map, lines }: Applied, file: EditableFile) {
  let shift = 0;
  return map.flatMap(({ at, removed, added }) => {
    const inner = diffLines(
      file.lines.texts.slice(at, at + removed),
      lines.texts.slice(at + shift, at + shift + added),
    );
    shift += added - removed;
    return inner.map((hunk) => ({ ...hunk, at: at + hunk.at }));
  });
}

async function verifyUnchanged(
  section: FileSection,
  file: EditableFile,
  { ports, session }: EditContext,
): Promise<void> {
  let now: Awaited<ReturnType<typeof ports.fs.read>>;
  try {
    now = await ports.fs.read(section.real, limits.editableFile);
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    const { pid, uid, host } = ports.env;
    const message = [
      `FILE_MUTATION_CONFLICT:target_unreadable ${section.path}`,
      `Reason: the file went out of reach while the edit was prepared (error code ${thrown.code}).`,
      "Do: Restore access, then read the file again before retrying.",
      `Requester: session=${session.id} pid=${pid} user=${uid}@${host}`,
    ].join("\n");
    const data = { path: section.path, reason: "target_unreadable", errno: thrown.code };
    throw new AtomicError("file.conflict", message, { cause: thrown, data });
  }
  if (!now) throw notFound(section.path);
  if (!equalBytes(now.bytes, file.bytes)) {
    throw changedBeforeWrite(section.path);
  }
}

function changedBeforeWrite(path: string): AtomicError {
  return new AtomicError("edit.changed_during", toolMessage.changedBeforeWrite(path));
}

function describe(
  prepared: readonly PreparedSection[],
  results: ReadonlyMap<string, Result>,
  calls: number,
  { cwd }: EditContext,
): EditedFile[] {
  return prepared.map(({ section, file, placed, warnings }) => {
    const { applied, tag, after } = results.get(section.real)!;
    const map = refined(applied, file);
    return {
      path: section.absolute,
      name: section.path,
      real: section.real,
      locks: section.locks,
      before: file.lines,
      bytes: after,
      display: displayPath(section.absolute, cwd),
      tag,
      notes: calls > 1 ? [warning.batch(calls), ...warnings] : warnings,
      echoes: placed.echoes,
      preview: previewRows(file.lines, applied.lines, map),
      patch: unifiedPatch(section.path, file.lines, applied.lines, map),
      // The line above the first change may have got the terminator that it lacked.
      firstChangedLine: firstChangedLine(
        file.lines,
        applied.lines,
        Math.max(0, (map[0]?.at ?? 0) - 1),
      ),
      findings: [],
    };
  });
}

/** The same once the file has been formatted and looked at. */
export function withFinish(
  file: EditedFile,
  { formatted, notes, findings }: FinishedFile,
): EditedFile {
  const told = { ...file, notes: [...file.notes, ...notes], findings };
  if (!formatted) return told;
  const { before } = file;
  const { lines, tag, bytes } = formatted;
  const map = diffLines(before.texts, lines.texts);
  return {
    ...told,
    tag,
    bytes,
    preview: previewRows(before, lines, map),
    patch: unifiedPatch(file.name, before, lines, map),
    firstChangedLine: firstChangedLine(before, lines),
  };
}

function asError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
