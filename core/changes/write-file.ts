// One write of a whole file: every check, then the durable write (seed 000, "write"; tools.md §9.2). The file's locks are
// held.

import { aborted, AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName, type Where } from "../paths.ts";
import { FsError, type ReadFile } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import type { Session } from "../session/session.ts";
import { decode, type Encoding, fromStored } from "../text/encoding.ts";
import { formatSize } from "../text/size.ts";
import { commitWrites } from "./commit.ts";
import { conflict, describeNow, firstDifference } from "./conflict.ts";
import { equalBytes } from "./durable-write.ts";
import { describeFile, lineMapOf } from "./editable.ts";
import { findGeneratedMarker } from "./generated.ts";
import { mendedText, settlePending } from "./settle-pending.ts";
import { withoutCopies } from "./strip-copies.ts";
import type { TargetFile } from "./write-target.ts";

export interface WriteRequest {
  readonly target: TargetFile;
  readonly content: Uint8Array;
  /** Overrules the guards against generated files and unseen changes. */
  readonly force: boolean;
  /** Makes every check and writes nothing. */
  readonly dryRun: boolean;
}

export interface WriteContext extends Where {
  readonly ports: Pick<Host, "fs" | "bytes" | "random" | "clock" | "env">;
  readonly session: Session;
  readonly signal: AbortSignal;
  notice(text: string): void;
}

export interface WrittenFile {
  readonly outcome: "created" | "replaced" | "unchanged";
  /** What the file holds, after stripping. */
  readonly content: Uint8Array;
  /** Undefined where it is no text to edit by line, or a dry run. */
  readonly tag: string | undefined;
  readonly stripped: boolean;
  readonly madeExecutable: boolean;
  /** The guards that `force` overruled. */
  readonly overruled: readonly string[];
  /** What became different that nobody asked for, a sentence each. */
  readonly notes: readonly string[];
}

/**
 * Cancelled only before the first byte is staged.
 * @throws AtomicError `file.conflict`, `write.generated`, `file.write`, `session.unavailable`, `aborted`
 */
export async function writeFile(
  request: WriteRequest,
  context: WriteContext,
): Promise<WrittenFile> {
  const { target, dryRun } = request;
  const { ports, session, signal } = context;
  if (!dryRun) {
    const mended = await settlePending(target.real, session, ports);
    if (mended) context.notice(mendedText(target.given, mended));
  }
  const before = await readTarget(target, context);
  const overruled = before ? await guard(before, request, context) : [];
  const stripped = await withoutCopies(request.content, target, context);
  const content = stripped ?? request.content;
  const after = describeFile(target.real, content, ports.bytes);
  const isScript = content[0] === 0x23 && content[1] === 0x21;
  const ownsMode = !before || ports.env.uid <= 0 || before.stat.uid === ports.env.uid;
  const isExecutable = before !== undefined && (before.stat.mode & 0o111) === 0o111;
  const madeExecutable = isScript && ownsMode && !isExecutable;
  const isSame = before !== undefined && equalBytes(before.bytes, content);
  const result: WrittenFile = {
    outcome: isSame ? "unchanged" : before ? "replaced" : "created",
    content,
    tag: dryRun ? undefined : after?.tag,
    stripped: stripped !== undefined,
    madeExecutable,
    overruled,
    notes: [
      ...(before && !isSame ? changedStyle(before.bytes, content) : []),
      ...(isScript && !ownsMode && !isExecutable
        ? ["Note: the content begins with #!, but only the file's owner can make it executable."]
        : []),
    ],
  };
  if (signal.aborted) throw aborted(signal.reason);
  if (dryRun) return result;
  const seen = after && {
    path: target.real,
    tag: after.tag,
    content: after.content,
    bytesHash: ports.bytes.sha256(content),
  };
  if (isSame && !madeExecutable) {
    if (seen) await session.record(seen);
    return result;
  }
  const old = before && describeFile(target.real, before.bytes, ports.bytes);
  await commitWrites(
    "write",
    [
      {
        name: target.given,
        path: target.real,
        before,
        confined: target.confined,
        after: { bytes: content, executable: madeExecutable },
        change: {
          seen,
          fromHash: old && after && old.hash,
          map: lineMapOf(before ? old : "absent", after),
          ...(overruled.length > 0 && { forced: true }),
        },
        moved: (now) => moved(now, before !== undefined, target, context),
      },
    ],
    session,
    ports,
    (notice) => context.notice(notice),
  );
  return result;
}

async function readTarget(
  target: TargetFile,
  { ports, session }: WriteContext,
): Promise<ReadFile | undefined> {
  const { given, real } = target;
  let before: ReadFile | undefined;
  let mayWrite: boolean | undefined;
  try {
    before = await ports.fs.read(real, limits.readableFile);
    if (before) mayWrite = await ports.fs.mayAccess(real, "write");
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    const { code } = thrown;
    if (code === "EFBIG") {
      throw new AtomicError(
        "file.too_large",
        `Cannot write ${showName(given)}: the file that is there is larger than ${formatSize(limits.readableFile)}, so it cannot be kept for undo. Remove it first.`,
        { cause: thrown, data: { path: given } },
      );
    }
    throw conflict(
      {
        reason: "target_unreadable",
        path: given,
        because: `${unreadable[code] ?? "what is there cannot be read"} (error code ${code}).`,
        instead: instead[code] ?? "Restore access to it, read it, then retry.",
        data: { errno: code },
        cause: thrown,
      },
      { session: session.id, env: ports.env },
    );
  }
  if (before && mayWrite === false) {
    throw new AtomicError(
      "file.write",
      `Cannot write ${showName(given)}: the file is read-only for this user (mode ${before.stat.mode.toString(8).padStart(3, "0")}, error code EACCES). Nothing was written.`,
      { data: { path: given, errno: "EACCES" }, hint: "Make it writable first (chmod u+w)." },
    );
  }
  return before;
}

const unreadable: Readonly<Record<string, string>> = {
  EISDIR: "it is a folder, not a file",
  ENOTREG: "it is a pipe, socket or device, not a regular file",
  EACCES: "the file that is there may not be read",
  EPERM: "the file that is there may not be read",
};

const instead: Readonly<Record<string, string>> = {
  EISDIR: "Name a file in it.",
  ENOTREG: "Name a regular file.",
};

/** @returns what `force` overruled */
async function guard(
  before: ReadFile,
  { target, force }: WriteRequest,
  { ports, session }: WriteContext,
): Promise<readonly string[]> {
  const { given, real } = target;
  const requester = { session: session.id, env: ports.env };
  const overruled: string[] = [];
  const generated = findGeneratedMarker(before.bytes, ports.bytes);
  if (generated && !force) {
    throw new AtomicError(
      "write.generated",
      `Cannot write ${showName(given)}: it is a generated file, as line ${generated.line} says ("${generated.marker}"). Change its source and generate it again.`,
      { data: { path: given, ...generated } },
    );
  }
  if (generated) overruled.push("generated");
  const seen = await session.observed(real);
  const hash = ports.bytes.sha256(before.bytes);
  if (seen?.bytesHash === hash || (await session.wrote(real, hash))) return overruled;
  if (force) return [...overruled, seen ? "changed_since_observation" : "no_prior_observation"];
  const now = describeFile(real, before.bytes, ports.bytes);
  const text = now && { text: fromStored(now.content), tag: now.tag };
  if (!seen) {
    throw conflict(
      {
        reason: "no_prior_observation",
        path: given,
        because: "the file exists and this session has not read, written or edited it.",
        instead: `read ${showName(given)}, then retry.`,
        facts: [describeNow(before.bytes.length, text)],
        ...(now && { data: { tag: now.tag } }),
      },
      requester,
    );
  }
  const known = seen.text;
  throw conflict(
    {
      reason: "changed_since_observation",
      path: given,
      because: "the file is not what this session last saw.",
      instead: `read ${showName(given)} again, then retry.`,
      facts: [
        ...(known !== undefined && text ? [firstDifference(known, text.text)] : []),
        describeNow(before.bytes.length, text),
      ],
      ...(now && { data: { tag: now.tag, expectedTag: seen.tag } }),
    },
    requester,
  );
}

/** Somebody was faster, between the checks and the last moment. */
function moved(
  now: ReadFile | undefined,
  existed: boolean,
  { given, real }: TargetFile,
  { ports, session }: WriteContext,
): AtomicError {
  const requester = { session: session.id, env: ports.env };
  if (!existed) {
    return conflict(
      {
        reason: "target_exists",
        path: given,
        because: "the file did not exist when it was looked for, and does now.",
        instead: `read ${showName(given)}, then retry.`,
      },
      requester,
    );
  }
  if (!now) {
    return conflict(
      {
        reason: "target_missing",
        path: given,
        because: "the file was removed while it was being written.",
        instead: "retry if it is to be made anew.",
      },
      requester,
    );
  }
  const found = describeFile(real, now.bytes, ports.bytes);
  return conflict(
    {
      reason: "changed_before_write",
      path: given,
      because: "the file changed while it was being written.",
      instead: `read ${showName(given)} again, then retry.`,
      facts: [
        describeNow(now.bytes.length, found && { text: fromStored(found.content), tag: found.tag }),
      ],
    },
    requester,
  );
}

interface Style {
  readonly encoding: Encoding;
  readonly bom: boolean;
  /** What every line ends with; undefined where it has none or several. */
  readonly ending: string | undefined;
}

/** What the old file had throughout and the new one has not; the content is written as it is. */
function changedStyle(before: Uint8Array, after: Uint8Array): readonly string[] {
  const [old, now] = [styleOf(before), styleOf(after)];
  if (!old || !now) return [];
  const notes: string[] = [];
  if (old.encoding !== now.encoding && before.length > 0) {
    const [was, is] = [old, now].map(({ encoding }) => encodingName(encoding));
    notes.push(`Note: the encoding changed from ${was} to ${is}.`);
  } else if (old.bom !== now.bom) {
    notes.push(`Note: the byte order mark is ${now.bom ? "new" : "gone"}.`);
  }
  if (old.ending !== undefined && now.ending !== undefined && old.ending !== now.ending) {
    notes.push(`Note: the line endings changed from ${old.ending} to ${now.ending}.`);
  }
  return notes;
}

function styleOf(file: Uint8Array): Style | undefined {
  const decoded = file.length > limits.editableFile ? undefined : decode(file);
  if (!decoded) return undefined;
  const { text, encoding, bom } = decoded;
  const kinds = new Set<string>();
  const terminator = /\r\n?|\n/g;
  for (let match = terminator.exec(text); match && kinds.size < 2; match = terminator.exec(text)) {
    kinds.add(match[0]);
  }
  const [only, another] = kinds;
  const ending = another === undefined && only !== undefined ? names.get(only) : "mixed ones";
  return { encoding, bom, ending: only === undefined ? undefined : ending };
}

function encodingName(encoding: Encoding): string {
  return encoding === "8-bit" ? "bytes that are not UTF-8" : encoding.toUpperCase();
}

const names: ReadonlyMap<string, string> = new Map([
  ["\n", "LF"],
  ["\r\n", "CRLF"],
  ["\r", "CR"],
]);
