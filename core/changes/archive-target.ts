// Which member of which archive a write is for (tools.md §§2.4, 5, 9.4). A file of the whole name comes first.

import type { ArchiveContext } from "../archives/archive.ts";
import { leadsOut, normalName } from "../archives/names.ts";
import { archiveSplits, archiveSuffix } from "../archives/suffixes.ts";
import { AtomicError } from "../errors.ts";
import { candidatePaths, resolvePath, showName, type Where } from "../paths.ts";
import { formatOf, isArchive, memberPath } from "../resources/archive.ts";
import { workspaceRoot } from "../resources/confine.ts";
import { parseSelector } from "../selectors/parse.ts";
import type { Call } from "../tool.ts";
import { confineLanded, confineLanding } from "./internal-target.ts";
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
  const selector = parseSelector(target);
  if (selector.kind === "scheme" && selector.scheme !== "local") return undefined;
  // local://a.zip:b.txt is a member of the workspace's a.zip.
  const named = selector.kind === "scheme" ? selector.rest : target;
  const prefix = target.slice(0, target.length - named.length);
  const where = { cwd: prefix === "" ? call.cwd : await call.workspace(), home: env.home };
  const isThere = async (path: string) => {
    for (const candidate of candidatePaths(path, where)) if (await fs.stat(candidate)) return true;
    return false;
  };
  const splits = archiveSplits(named);
  if (splits.length === 0) {
    if (archiveSuffix(named) !== undefined) {
      await refuseWhole({ target: named, content }, ports, call, where);
    }
    return undefined;
  }
  if (!named.includes("\0") && (await fs.lstat(resolvePath(named, where.cwd)))) return undefined;
  let at = splits[0]!;
  for (const split of splits) {
    if (!(await isThere(named.slice(0, split)))) continue;
    at = split;
    break;
  }
  const archive = named.slice(0, at);
  const member = named.slice(at + 1);
  checkMember(archive, member);
  const found = await findTarget(archive, fs, where);
  const root = await workspaceRoot("archive", call);
  await confineLanding(root, found.absolute, archive, ports);
  const file = await examine(archive, found.absolute, fs, where);
  await confineLanded(root, file.real, archive, fs);
  const stat = await fs.stat(file.real);
  if (stat && !(await isArchive({ path: file.real, typed: archive, stat }, ports, call))) {
    throw new AtomicError(
      stat.kind === "file" ? "archive.bounds" : "file.not_regular",
      `Cannot write ${showName(target)}: ${showName(archive)} ${stat.kind === "file" ? `is no ${formatOf(archive).name} archive` : "is no file"}. Nothing was written.`,
      { data: { path: target, archive } },
    );
  }
  return {
    file: { ...file, given: target, note: undefined, confined: true },
    archive: prefix + archive,
    member,
  };
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
  where: Where,
): Promise<void> {
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
