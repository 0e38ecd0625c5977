// What a disk in memory consists of, and how a path finds its way through it.

import { type FileKind, type FileStat, FsError } from "../../core/ports/fs.ts";

export interface Inode {
  kind: FileKind;
  mode: number;
  uid: number;
  gid: number;
  links: number;
  modified: number;
  readonly identity: string;
  /** Of a file. */
  bytes: Uint8Array;
  /** Of a symbolic link. */
  target: string;
  /** Of a folder. */
  readonly entries: Map<string, Inode>;
}

export interface User {
  readonly uid: number;
  readonly gid: number;
}

export const READ = 4;
export const WRITE = 2;
export const SEARCH = 1;

/** As many as Linux follows. */
const MOST_LINKS = 40;

/** Where a path ends: the folder, the last name in it, and what is there. For "/" the folder is the root itself. */
export interface Place {
  readonly folder: Inode;
  readonly name: string;
  readonly path: string;
  readonly inode: Inode | undefined;
}

/**
 * Walks a path as the kernel does.
 * @param follow whether a link at the end is followed as well
 * @throws FsError ENOENT or ENOTDIR where the way there is missing, ELOOP, EACCES
 */
export function walk(root: Inode, path: string, follow: boolean, user: User): Place {
  if (path.includes("\0")) throw new FsError("EINVAL", path);
  if (!path.replace(/(?<![\ud800-\udbff])[\udc80-\udcff]/g, "").isWellFormed())
    throw new FsError("EILSEQ", path);
  const names = split(path);
  const trail: { readonly name: string; readonly folder: Inode }[] = [];
  let folder = root;
  let followed = 0;
  while (names.length > 0) {
    const name = names.shift()!;
    if (!allows(folder, SEARCH, user)) throw new FsError("EACCES", path);
    if (name === ".") continue;
    if (name === "..") {
      folder = trail.pop()?.folder ?? root;
      continue;
    }
    const inode = folder.entries.get(name);
    const isLast = names.length === 0;
    if (inode?.kind === "symlink" && (!isLast || follow)) {
      if (++followed > MOST_LINKS) throw new FsError("ELOOP", path);
      if (inode.target.startsWith("/")) {
        folder = root;
        trail.length = 0;
      }
      names.unshift(...split(inode.target));
      continue;
    }
    if (isLast) return { folder, name, path: pathOf([...trail, { name }]), inode };
    if (!inode) throw new FsError("ENOENT", path);
    if (inode.kind !== "directory") throw new FsError("ENOTDIR", path);
    trail.push({ name, folder });
    folder = inode;
  }
  // The path ended in "/", "." or "..": it names the folder itself.
  const last = trail.pop();
  return last
    ? { folder: last.folder, name: last.name, path: pathOf([...trail, last]), inode: folder }
    : { folder: root, name: "", path: "/", inode: root };
}

export function allows(inode: Inode, right: number, user: User): boolean {
  if (user.uid === 0) return true;
  const shift = inode.uid === user.uid ? 6 : inode.gid === user.gid ? 3 : 0;
  return ((inode.mode >> shift) & right) === right;
}

export function statOf(inode: Inode): FileStat {
  const { kind, mode, uid, gid, links, modified, identity, bytes } = inode;
  return { kind, size: bytes.length, mode, uid, gid, links, modified, identity };
}

function split(path: string): string[] {
  const names = path.split("/").filter((name) => name !== "");
  if (path.endsWith("/")) names.push(".");
  return names;
}

function pathOf(trail: readonly { readonly name: string }[]): string {
  return `/${trail.map(({ name }) => name).join("/")}`;
}
