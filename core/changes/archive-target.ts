// Which member of which archive a write is for (tools.md §§2.4, 5, 9.4). A file of the whole name comes first.

import type { ArchiveContext } from "../archives/archive.ts";
import { leadsOut, normalName } from "../archives/names.ts";
import { archiveSplits, archiveSuffix } from "../archives/suffixes.ts";
import { AtomicError } from "../errors.ts";
import { candidatePaths, resolvePath, showName } from "../paths.ts";
import { formatOf, isArchive, memberPath } from "../resources/archive.ts";
import { workspaceRoot } from "../resources/confine.ts";
import type { Call } from "../tool.ts";
import { confineLanding } from "./internal-target.ts";
import type { WriteInput, WritePorts } from "./write-kinds.ts";
import { examine, findTarget, type TargetFile } from "./write-target.ts";

export interface ArchiveTarget {
  /** The archive; its `given` is the whole of what the caller gave. */
  readonly file: TargetFile;
  /** As the caller named the archive. */
  readonly archive: string;
  /** As the caller named the member. */
  readonly member: string;
}

/**
 * Asks the disk and changes nothing.
 * @returns undefined where the target is no archive's member
 * @throws AtomicError `archive.member_path`, `archive.bounds` where the file is no archive, `selector.escape`, and what
 * `findTarget` throws
 */
export async function findArchiveTarget(
  { target, content }: WriteInput,
  ports: WritePorts,
  call: Call,
): Promise<ArchiveTarget | undefined> {
  const { fs, env } = ports;
  const where = { cwd: call.cwd, home: env.home };
  const isThere = async (path: string) => {
    for (const candidate of candidatePaths(path, where)) if (await fs.stat(candidate)) return true;
    return false;
  };
  const splits = archiveSplits(target);
  if (splits.length === 0) {
    if (archiveSuffix(target) !== undefined) await refuseWhole({ target, content }, ports, call);
    return undefined;
  }
  if (await fs.lstat(resolvePath(target, call.cwd))) return undefined;
  let at = splits[0]!;
  for (const split of splits) {
    if (!(await isThere(target.slice(0, split)))) continue;
    at = split;
    break;
  }
  const archive = target.slice(0, at);
  const member = target.slice(at + 1);
  checkMember(archive, member);
  const found = await findTarget(archive, fs, where);
  const root = await workspaceRoot("archive", call);
  await confineLanding(root, found.absolute, archive, ports);
  const file = await examine(archive, found.absolute, fs, where);
  const stat = await fs.stat(file.real);
  if (stat && !(await isArchive({ path: file.real, typed: archive, stat }, ports, call))) {
    throw new AtomicError(
      stat.kind === "file" ? "archive.bounds" : "file.not_regular",
      `Cannot write ${showName(target)}: ${showName(archive)} ${stat.kind === "file" ? `is no ${formatOf(archive).name} archive` : "is no file"}. Nothing was written.`,
      { data: { path: target, archive } },
    );
  }
  return { file: { ...file, given: target, note: undefined, confined: true }, archive, member };
}

/** A name that stands for a place inside the archive (seed 003, "Errors"). */
function checkMember(archive: string, member: string): void {
  const refuse = (message: string) =>
    new AtomicError("archive.member_path", message, { data: { archive, member } });
  if (leadsOut(member)) throw memberPath(archive, member);
  const normal = normalName(member);
  if (normal === "" || normal === "/") {
    throw refuse("Archive write path must target a file inside the archive");
  }
  if (normal.endsWith("/")) {
    throw refuse("Archive write path must target a file, not a directory");
  }
  if (member.includes("\0") || !member.isWellFormed()) {
    throw refuse("Archive path cannot contain a NUL or half a surrogate pair");
  }
  if (new TextEncoder().encode(normal).length > 4096) {
    throw refuse("Archive path cannot be longer than 4096 bytes");
  }
}

/** Text over a whole archive is not what anyone means; another archive may be. */
async function refuseWhole(
  { target, content }: WriteInput,
  ports: WritePorts,
  call: Call,
): Promise<void> {
  const where = { cwd: call.cwd, home: ports.env.home };
  const { real } = await findTarget(target, ports.fs, where);
  const stat = await ports.fs.stat(real);
  if (!stat || !(await isArchive({ path: real, typed: target, stat }, ports, call))) return;
  const context: ArchiveContext = { bytes: ports.bytes, name: target, signal: call.signal };
  const source = {
    size: content.length,
    read: async (offset: number, length: number) => content.subarray(offset, offset + length),
  };
  if (await formatOf(target).claims(content.subarray(0, 512), source, context)) return;
  throw new AtomicError(
    "archive.member_path",
    "Archive write path must target a file inside the archive",
    {
      data: { archive: target, member: "" },
      hint: `Name the member: ${showName(`${target}:path/in/the/archive`)}`,
    },
  );
}
