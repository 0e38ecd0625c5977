// One member of an archive replaced or added; everything else of the archive stays as it is (tools.md §§5, 9.4).

import { type Archive, gather, type Member, sourceOf } from "../archives/archive.ts";
import { normalName } from "../archives/names.ts";
import { MemberTree } from "../archives/tree.ts";
import { aborted, AtomicError } from "../errors.ts";
import { STRIPPED_NOTE } from "../hashline/messages.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { ByteSource, FileStat, OpenedFile, ReadFile } from "../ports/fs.ts";
import { formatOf, memberKey, openRegular } from "../resources/archive.ts";
import { sightOf } from "../resources/sight.ts";
import type { Session } from "../session/session.ts";
import { fromStored } from "../text/encoding.ts";
import { formatSize } from "../text/size.ts";
import type { Call } from "../tool.ts";
import { type ArchiveTarget, findArchiveTarget } from "./archive-target.ts";
import { commitWrites } from "./commit.ts";
import { conflict, describeNow, firstDifference } from "./conflict.ts";
import { equalBytes } from "./durable-write.ts";
import { lockTargets } from "./lock-targets.ts";
import { replaceLarge } from "./replace-large.ts";
import { mendedText, settlePending } from "./settle-pending.ts";
import { withoutCopies } from "./strip-copies.ts";
import type { WriteAnswer, WriteInput, WritePorts } from "./write-kinds.ts";

interface Context {
  readonly ports: WritePorts;
  readonly call: Call;
  readonly session: Session;
}

/** The archive as it is now. */
interface Current {
  readonly archive: Archive;
  readonly tree: MemberTree;
  /** Undefined: it is created. */
  readonly before: ReadFile | undefined;
  /** In place of `before` where it is too large to be held in memory. */
  readonly large: OpenedFile | undefined;
}

/**
 * @throws AtomicError `archive.*`, `file.conflict`, `file.write`, `lock.timeout`, `selector.escape`, `aborted`, and what the
 * policy throws
 */
export async function writeArchive(
  input: WriteInput,
  target: ArchiveTarget,
  ports: WritePorts,
  call: Call,
): Promise<WriteAnswer> {
  await call.allowWrite(target.file.real, target.file.given);
  const session = await call.session();
  const release = await lockTargets([target.file], session, ports.locks, call.signal);
  try {
    // A link may have been turned meanwhile.
    const now = await findArchiveTarget(input, ports, call);
    if (now?.file.real !== target.file.real)
      throw changedMeanwhile(target, { ports, call, session });
    return await writeLocked(input.content, target, { ports, call, session });
  } finally {
    release();
  }
}

async function writeLocked(
  given: Uint8Array,
  target: ArchiveTarget,
  context: Context,
): Promise<WriteAnswer> {
  const { ports, call, session } = context;
  const { file } = target;
  const { dryRun } = call.options;
  if (!dryRun) {
    const mended = await settlePending(file.real, session, ports);
    if (mended) call.notice(mendedText(target.archive, mended));
  }
  const current = await openCurrent(target, context);
  try {
    const { archive, tree } = current;
    if (!archive.write) throw readOnly(target);
    const old = findOld(tree, target);
    const guarded = old && (await guard(archive, tree, old, target, context));
    const stripped = await withoutCopies(given, file, { ports, session, ...whereOf(context) });
    const content = stripped ?? given;
    checkSize(content, target);
    const name = old?.name ?? normalName(target.member);
    const isSame = guarded?.content !== undefined && equalBytes(guarded.content, content);
    if (call.signal.aborted) throw aborted(call.signal.reason);
    const outcome = isSame ? "unchanged" : old ? "replaced" : "created";
    const notes: string[] = [];
    if (old?.kind === "hard link" && !isSame) {
      notes.push(
        `Note: ${showName(old.name)} was a hard link to ${showName(old.target ?? "")} and is a file of its own now.`,
      );
    }
    if (!dryRun && !isSame) {
      const change = { member: old, name, content, now: ports.clock.now() };
      const forced = (guarded?.overruled.length ?? 0) > 0;
      await land(await archive.write(change), current, target, { forced, notes }, context);
    }
    if (!dryRun) await remember(memberKey(file.real, name), content, context);
    const overruled = guarded?.overruled ?? [];
    return answer(
      target,
      { outcome, content, stripped: stripped !== undefined, overruled, notes, name },
      call,
    );
  } finally {
    await current.large?.close();
  }
}

function whereOf({ ports, call }: Context) {
  return { cwd: call.cwd, home: ports.env.home };
}

async function openCurrent(target: ArchiveTarget, context: Context): Promise<Current> {
  const { ports, call } = context;
  const { file, archive: name } = target;
  const format = formatOf(name);
  const about = { bytes: ports.bytes, name, signal: call.signal };
  const opened = await openRegular(file.real, name, ports);
  if (!opened) {
    if (!format.create) throw readOnly(target);
    const archive = await format.create(about);
    return { archive, tree: new MemberTree(archive), before: undefined, large: undefined };
  }
  try {
    if ((await ports.fs.mayAccess(file.real, "write")) === false)
      throw notWritable(target, opened.stat);
    const isLarge = opened.size > limits.editableFile;
    const bytes = isLarge ? undefined : await opened.read(0, opened.size);
    const source: ByteSource = bytes ? sourceOf([bytes]) : opened;
    const archive = await format.open(source, about);
    if (!isLarge) await opened.close();
    return {
      archive,
      tree: new MemberTree(archive),
      before: bytes && { bytes, stat: opened.stat },
      large: isLarge ? opened : undefined,
    };
  } catch (thrown) {
    await opened.close();
    throw thrown;
  }
}

/** @throws AtomicError `archive.member_path` where the name stands for no file, or goes through one */
function findOld(tree: MemberTree, { archive, member }: ArchiveTarget): Member | undefined {
  const found = tree.find(member)?.member;
  const refuse = (why: string, hint: string) =>
    new AtomicError(
      "archive.member_path",
      `Cannot write ${showName(`${archive}:${member}`)}: ${why}. Nothing was written.`,
      { data: { archive, member }, hint },
    );
  if (found?.kind === "symlink") {
    throw refuse("it is a symbolic link", "Write to the member that it leads to.");
  }
  if (found && found.kind !== "file" && found.kind !== "hard link") {
    throw refuse(`it is a ${found.kind}, which has no content`, "Name a file.");
  }
  if (found) return found;
  if (tree.isFolder(member)) {
    throw new AtomicError(
      "archive.member_path",
      "Archive write path must target a file, not a directory",
      { data: { archive, member } },
    );
  }
  const segments = normalName(member).split("/");
  for (let depth = 1; depth < segments.length; depth++) {
    const above = segments.slice(0, depth).join("/");
    if (tree.find(above))
      throw refuse(`${showName(above)} is no folder there`, "Choose another name.");
  }
  return undefined;
}

interface Guarded {
  /** Undefined where it cannot be read. */
  readonly content: Uint8Array | undefined;
  readonly overruled: readonly string[];
}

/** The session must have seen the member as it is now. */
async function guard(
  archive: Archive,
  tree: MemberTree,
  old: Member,
  target: ArchiveTarget,
  { ports, call, session }: Context,
): Promise<Guarded> {
  const { force } = call.options;
  const { file } = target;
  let content: Uint8Array;
  try {
    const end = old.kind === "hard link" ? tree.follow(old, old.target ?? "") : old;
    if (end === undefined || end === "folder") return { content: undefined, overruled: [] };
    content = await archive.read(end);
  } catch (thrown) {
    // What cannot be read cannot have been seen.
    if (thrown instanceof AtomicError && thrown.code.startsWith("archive.") && force) {
      return { content: undefined, overruled: ["no_prior_observation"] };
    }
    throw thrown;
  }
  const { bytesHash, content: text, tag } = sightOf("", content, ports.bytes);
  const seen = await session.observed(memberKey(file.real, old.name));
  if (seen?.bytesHash === bytesHash) return { content, overruled: [] };
  const reason = seen ? "changed_since_observation" : "no_prior_observation";
  if (force) return { content, overruled: [reason] };
  const name = showName(file.given);
  const now = ports.bytes.isUtf8(text) ? fromStored(text) : undefined;
  throw conflict(
    {
      reason,
      path: file.given,
      because: seen
        ? "the member is not what this session last saw."
        : "the member exists and this session has not read or written it.",
      instead: `read ${name}${seen ? " again" : ""}, then retry.`,
      facts: [
        ...(seen?.text !== undefined && now !== undefined ? [firstDifference(seen.text, now)] : []),
        describeNow(content.length, now === undefined ? undefined : { text: now, tag }),
      ],
    },
    { session: session.id, env: ports.env },
  );
}

function checkSize(content: Uint8Array, { archive, member }: ArchiveTarget): void {
  if (content.length <= limits.archiveMember) return;
  throw new AtomicError(
    "archive.too_large",
    `Cannot write ${showName(`${archive}:${member}`)}: the content is of ${formatSize(content.length)}, and at most ${formatSize(limits.archiveMember)} could be read back. Nothing was written.`,
    { data: { archive, member, bytes: content.length } },
  );
}

async function land(
  pieces: AsyncIterable<Uint8Array>,
  { before, large }: Current,
  target: ArchiveTarget,
  { forced, notes }: { readonly forced: boolean; readonly notes: string[] },
  context: Context,
): Promise<void> {
  const { ports, call, session } = context;
  const { file } = target;
  if (large) {
    notes.push(
      `Note: the archive is larger than ${formatSize(limits.editableFile)}, so its old state was not kept and undo cannot take this back.`,
    );
    const moved = () => changedMeanwhile(target, context);
    await replaceLarge({ file, opened: large, pieces, forced, moved }, { ports, session, call });
    return;
  }
  await commitWrites(
    "write",
    [
      {
        name: file.given,
        path: file.real,
        before,
        confined: true,
        after: { bytes: await gather(pieces) },
        change: {
          seen: undefined,
          fromHash: undefined,
          map: undefined,
          ...(forced && { forced: true }),
        },
        moved: () => changedMeanwhile(target, context),
      },
    ],
    session,
    ports,
    (notice) => call.notice(notice),
  );
}

/** What was written has been seen. */
async function remember(key: string, content: Uint8Array, { ports, session, call }: Context) {
  try {
    await session.record(sightOf(key, content, ports.bytes));
  } catch (thrown) {
    if (!(thrown instanceof AtomicError)) throw thrown;
    call.notice(`The member was written, but the session could not record it: ${thrown.message}`);
  }
}

function answer(
  { file, member }: ArchiveTarget,
  {
    outcome,
    content,
    stripped,
    overruled,
    notes,
    name,
  }: {
    readonly outcome: "created" | "replaced" | "unchanged";
    readonly content: Uint8Array;
    readonly stripped: boolean;
    readonly overruled: readonly string[];
    readonly notes: readonly string[];
    readonly name: string;
  },
  { options: { dryRun } }: Call,
): WriteAnswer {
  const shown = showName(file.given);
  const lines = dryRun
    ? [
        `${shown} would be ${outcome === "unchanged" ? "left as it is" : outcome}; nothing was written`,
      ]
    : [`Successfully wrote to ${shown}`];
  if (outcome === "unchanged" && !dryRun) {
    lines.push("Note: the member held exactly this content already.");
  }
  if (overruled.length > 0) {
    lines.push(`Note: --force overruled 1 guard: ${overruled.join(", ")}.`);
  }
  lines.push(...notes);
  if (stripped) lines.push("", STRIPPED_NOTE);
  return {
    text: lines.join("\n"),
    details: {
      resolvedPath: file.real,
      member: name,
      bytes: content.length,
      outcome,
      ...(stripped && { stripped }),
      ...(overruled.length > 0 && { overruled }),
      ...(notes.length > 0 && { notes }),
      ...(dryRun && { dryRun }),
      meta: { source: "archive", sourcePath: `${file.absolute}:${member}` },
    },
  };
}

function changedMeanwhile({ file }: ArchiveTarget, { ports, session }: Context): AtomicError {
  return conflict(
    {
      reason: "changed_before_write",
      path: file.given,
      because: "the archive changed while it was being written.",
      instead: `read ${showName(file.given)} again, then retry.`,
    },
    { session: session.id, env: ports.env },
  );
}

function notWritable({ file, archive }: ArchiveTarget, { mode }: FileStat): AtomicError {
  return new AtomicError(
    "file.write",
    `Cannot write ${showName(file.given)}: ${showName(archive)} is read-only for this user (mode ${mode.toString(8).padStart(3, "0")}, error code EACCES). Nothing was written.`,
    {
      data: { path: file.given, errno: "EACCES" },
      hint: "Make it writable first (chmod u+w).",
    },
  );
}

function readOnly({ file, archive }: ArchiveTarget): AtomicError {
  return new AtomicError(
    "archive.read_only",
    `Cannot write ${showName(file.given)}: ${formatOf(archive).name} archives are only read.`,
    {
      data: { path: file.given },
      hint: "Archives that can be written: .zip, .jar, .tar, .tar.gz, .tgz and .gz.",
    },
  );
}
