// A member of an archive, or the list of a folder in it, as something to read (tools.md §§2.4, 3.5).

import type { Archive, ArchiveContext, Member } from "../archives/archive.ts";
import type { Format } from "../archives/format.ts";
import { formats } from "../archives/formats.ts";
import { leadsOut } from "../archives/names.ts";
import { archiveSuffix } from "../archives/suffixes.ts";
import { type Child, MemberTree } from "../archives/tree.ts";
import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { OpenedFile } from "../ports/fs.ts";
import { formatCount, formatSize, thousands } from "../text/size.ts";
import { confineOpened, type Root } from "./confine.ts";
import type { Container, ContainerFile } from "./container.ts";
import { readFailure, vanished } from "./file-errors.ts";
import type { Contents, TargetCall, TargetPorts } from "./resource.ts";

/** The format that a file's name stands for. */
export function formatOf(file: string): Format {
  const suffix = archiveSuffix(file);
  return formats.find(({ suffixes }) => suffix !== undefined && suffixes.includes(suffix))!;
}

/** Whether the file looks like what its name says. */
export async function isArchive(
  { path, typed, stat }: ContainerFile,
  ports: TargetPorts,
  { signal }: Pick<TargetCall, "signal">,
): Promise<boolean> {
  if (stat.kind !== "file") return false;
  const file = await openFile(path, typed, ports);
  try {
    const head = await file.read(0, 512);
    const context = { bytes: ports.bytes, name: typed, signal };
    return await formatOf(path).claims(head, file, context);
  } finally {
    await file.close();
  }
}

export async function openArchive(
  { path, typed }: ContainerFile,
  root: Root,
  ports: TargetPorts,
  call: TargetCall,
): Promise<Container> {
  const file = await openFile(path, typed, ports);
  try {
    await confineOpened(root, path, typed, file.stat, ports.fs);
    const format = formatOf(path);
    const context = { bytes: ports.bytes, name: typed, signal: call.signal };
    const archive = await format.open(file, context);
    const real = (await ports.fs.realPath(path)) ?? path;
    return new OpenArchive({ path, real, typed, format }, archive, context, file, call);
  } catch (thrown) {
    await file.close();
    throw thrown;
  }
}

async function openFile(path: string, typed: string, ports: TargetPorts): Promise<OpenedFile> {
  const file = await openRegular(path, typed, ports);
  if (!file) throw vanished(typed);
  return file;
}

/**
 * @param typed what messages call it
 * @throws AtomicError `file.unreadable`, `file.not_regular`
 */
export async function openRegular(
  path: string,
  typed: string,
  { fs }: Pick<TargetPorts, "fs">,
): Promise<OpenedFile | undefined> {
  try {
    return await fs.open(path);
  } catch (thrown) {
    throw readFailure(typed, thrown);
  }
}

interface Place {
  readonly path: string;
  readonly real: string;
  readonly typed: string;
  readonly format: Format;
}

class OpenArchive implements Container {
  readonly #place: Place;
  readonly #archive: Archive;
  readonly #context: ArchiveContext;
  readonly #file: OpenedFile;
  readonly #tree: MemberTree;
  readonly #call: TargetCall;

  constructor(
    place: Place,
    archive: Archive,
    context: ArchiveContext,
    file: OpenedFile,
    call: TargetCall,
  ) {
    this.#call = call;
    this.#place = place;
    this.#archive = archive;
    this.#context = context;
    this.#file = file;
    this.#tree = new MemberTree(archive);
  }

  async part(inner: string): Promise<Contents | AtomicError | (() => AtomicError)> {
    const name = inner.slice(1);
    // A file of one stream is that stream.
    if (inner === "" && this.#place.format.name === "gzip") {
      return this.#member(inner, this.#archive.members[0]!, 1);
    }
    for (const spelling of spellingsOf(name)) {
      const found = this.#tree.find(spelling);
      if (found) return this.#member(inner, found.member, found.copies);
      if (!leadsOut(spelling) && this.#tree.isFolder(spelling)) {
        if (this.#call.purpose === "search") return this.#everything(inner, spelling);
        return this.#folder(inner, spelling);
      }
    }
    return leadsOut(name) ? memberPath(this.#place.typed, name) : () => this.#missing(name);
  }

  async close(): Promise<void> {
    await this.#file.close();
  }

  /** All files below a folder, for a search. */
  async #everything(inner: string, folder: string): Promise<Contents> {
    const listed = await this.#folder(inner, folder);
    const members: Contents[] = [];
    let left: number = limits.searchMemberBytes;
    let skipped = 0;
    for (const name of this.#tree.filesBelow(folder)) {
      const { member, copies } = this.#tree.find(name)!;
      const isTooMuch =
        member.size > limits.searchedFile || left < 0 || members.length >= limits.searchMembers;
      this.#context.signal.throwIfAborted();
      const found = isTooMuch ? undefined : await this.#quietly(`:${name}`, member, copies);
      if (found) {
        members.push(found);
        left -= found.bytes.length;
      } else skipped++;
    }
    const notes = [...listed.notes];
    if (skipped > 0) {
      notes.push(
        `[not searched: ${formatCount(skipped, "member", "members")} of ${showName(this.#place.typed)}, since too large, damaged or of no content; name one to search it]`,
      );
    }
    return { ...listed, members, notes };
  }

  async #quietly(inner: string, member: Member, copies: number): Promise<Contents | undefined> {
    try {
      const found = await this.#member(inner, member, copies);
      return found instanceof AtomicError || !found.numbered ? undefined : found;
    } catch (thrown) {
      if (thrown instanceof AtomicError && thrown.code !== "aborted") return undefined;
      throw thrown;
    }
  }

  async #member(inner: string, member: Member, copies: number): Promise<Contents | AtomicError> {
    const notes = this.#archive.remarks.map((remark) => `[${remark}]`);
    if (copies > 1) {
      notes.push(
        `[${copies} members of the archive are called ${showName(member.name)}; this is the last one]`,
      );
    }
    const end = await this.#end(member);
    if (end instanceof AtomicError) return end;
    if (end.via.length > 0) notes.push(`[${end.via.map(showName).join(" -> ")}]`);
    if (end.member === "folder") return this.#folder(inner, end.path, notes);
    const bytes = await this.#archive.read(end.member);
    const display = this.#place.typed + inner;
    if (!this.#isText(bytes)) {
      notes.push(
        `[${showName(display)}: ${formatSize(bytes.length)} that are not UTF-8; :raw gives them as they are]`,
      );
    }
    return {
      source: "archive",
      sourcePath: this.#place.path + inner,
      display,
      bytes,
      numbered: true,
      notes,
      details: { resolvedPath: this.#place.real, member: member.name, bytes: bytes.length },
      recordAs: memberKey(this.#place.real, member.name),
    };
  }

  #isText(bytes: Uint8Array): boolean {
    const [first, second] = bytes;
    const isWide = (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
    const port = this.#context.bytes;
    // What has a NUL is called binary anyway.
    return isWide || port.isUtf8(bytes) || port.indexOf(bytes, 0) !== -1;
  }

  /** Where links end, inside the archive. */
  async #end(
    member: Member,
  ): Promise<
    | { readonly member: Member; readonly via: readonly string[] }
    | { readonly member: "folder"; readonly path: string; readonly via: readonly string[] }
    | AtomicError
  > {
    const via: string[] = [];
    let at = member;
    for (let links = 0; at.kind === "symlink" || at.kind === "hard link"; links++) {
      const target = await linkTarget(this.#archive, at);
      if (via.length === 0) via.push(at.name);
      via.push(target);
      const next = links < limits.archiveLinks ? this.#tree.follow(at, target) : undefined;
      if (next === undefined) return this.#broken(member, via, links === limits.archiveLinks);
      if (next === "folder") {
        return { member: "folder", path: this.#tree.pathOf(at, target)!, via };
      }
      at = next;
    }
    if (at.kind === "file") return { member: at, via: member.kind === "hard link" ? [] : via };
    return new AtomicError(
      "archive.method",
      `Cannot read ${showName(`${this.#place.typed}:${member.name}`)}: it is ${kindNames.get(at.kind) ?? "of a kind"} that has no content.`,
      { data: { archive: this.#place.typed, member: member.name, kind: at.kind } },
    );
  }

  #broken(member: Member, via: readonly string[], loops: boolean): AtomicError {
    const why = loops
      ? "its links form a loop"
      : `it is a link, ${via.map(showName).join(" -> ")}, and that leads to no member of the archive`;
    return new AtomicError(
      "archive.member_not_found",
      `Cannot read ${showName(`${this.#place.typed}:${member.name}`)}: ${why}. Links are followed only inside the archive.`,
      { data: { archive: this.#place.typed, member: member.name } },
    );
  }

  async #folder(inner: string, folder: string, before: readonly string[] = []): Promise<Contents> {
    const children = this.#tree.children(folder);
    const shown = children.slice(0, limits.archiveListing);
    const rows: string[] = [];
    for (const child of shown) rows.push(await this.#row(child));
    if (children.length > shown.length) {
      rows.push(`… ${thousands(children.length - shown.length)} more`);
    }
    if (children.length === 0)
      rows.push(folder === "" ? "(archive is empty)" : "(folder is empty)");
    const isRoot = folder === "" && before.length === 0;
    const { outside } = this.#tree;
    const notes = [...before, ...this.#archive.remarks.map((remark) => `[${remark}]`)];
    if (isRoot && outside.length > 0) {
      const some = outside.slice(0, limits.archiveSimilar).map(showName).join(", ");
      notes.push(
        `[not shown: ${formatCount(outside.length, "member", "members")} whose names are absolute or hold "..": ${some}${outside.length > limits.archiveSimilar ? " …" : ""}]`,
      );
    }
    return {
      source: "archive",
      sourcePath: this.#place.path + inner,
      display: this.#place.typed + inner,
      bytes: new TextEncoder().encode(rows.map((row) => `${row}\n`).join("")),
      numbered: false,
      notes: [...new Set(notes)],
      details: {
        isDirectory: true,
        resolvedPath: this.#place.real,
        entries: children.length,
        ...(isRoot && { members: this.#archive.members.length }),
      },
    };
  }

  async #row({ name, member }: Child): Promise<string> {
    const shown = showName(name);
    if (!member) return `${shown}/`;
    if (member.kind === "file") return `${shown} (${formatSize(member.size)})`;
    if (member.kind === "symlink" || member.kind === "hard link") {
      const target = showName(await linkTarget(this.#archive, member));
      return `${shown} -> ${target}${member.kind === "hard link" ? " (hard link)" : ""}`;
    }
    return `${shown} (${kindNames.get(member.kind) ?? member.kind})`;
  }

  #missing(name: string): AtomicError {
    const { typed } = this.#place;
    const similar = this.#tree.similar(name);
    const offer =
      similar.length === 0
        ? ""
        : ` Similar names: ${similar.map((one) => showName(one)).join(", ")}.`;
    return new AtomicError(
      "archive.member_not_found",
      `Cannot read ${showName(`${typed}:${name}`)}: ${showName(typed)} has no member ${quote(name)}.${offer}`,
      {
        data: { archive: typed, member: name, similar },
        hint: `${showName(typed)}: lists what it holds.`,
      },
    );
  }
}

/** A name as it stands; then, where a listing had to quote it, what the quotes hold. */
function spellingsOf(name: string): readonly string[] {
  if (!name.startsWith('"')) return [name];
  try {
    return [name, String(JSON.parse(name))];
  } catch {
    return [name];
  }
}

async function linkTarget(archive: Archive, member: Member): Promise<string> {
  if (member.target !== undefined) return member.target;
  // A zip keeps it as the content.
  if (member.size > limits.archiveLinkTarget) return "…";
  return new TextDecoder().decode(await archive.read(member));
}

/** What the session knows a member by. */
export function memberKey(real: string, member: string): string {
  return `${real}:${member}`;
}

/** The seed's words where it has any (003, "Errors"). */
export function memberPath(archive: string, name: string): AtomicError {
  const message = /(?:^|[\\/])\.\.(?:[\\/]|$)/.test(name)
    ? "Archive path cannot contain '..'"
    : "Archive path cannot be absolute";
  return new AtomicError("archive.member_path", message, { data: { archive, member: name } });
}

const kindNames: ReadonlyMap<string, string> = new Map([
  ["character device", "a character device"],
  ["block device", "a block device"],
  ["fifo", "a FIFO (named pipe)"],
  ["directory", "a folder"],
  ["unknown", "something of an unknown kind"],
]);

function quote(name: string): string {
  const shown = showName(name);
  return shown === name ? `"${name}"` : shown;
}
