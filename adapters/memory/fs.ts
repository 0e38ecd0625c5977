// A file system in memory: modes, owners, links and all, and failures on demand.

import { type FileKind, type Fs, FsError, readProblem } from "../../core/ports/fs.ts";

import {
  allows,
  type Inode,
  type Place,
  READ,
  SEARCH,
  statOf,
  type User,
  walk,
  WRITE,
} from "./tree.ts";

/** What stands at a path: a file by its text or bytes, or by more about it. */
export type MemoryEntry =
  | string
  | Uint8Array
  | ({ readonly content: string | Uint8Array } & EntryAttributes)
  | ({ readonly link: string } & Pick<EntryAttributes, "uid" | "gid">)
  | ({ readonly kind: Exclude<FileKind, "file" | "symlink"> } & EntryAttributes);

export interface EntryAttributes {
  readonly mode?: number;
  readonly uid?: number;
  readonly gid?: number;
  readonly modified?: number;
}

/** The state of the disk for tests: nothing here asks for permission or meets a fault. */
export interface MemoryFs extends Fs {
  /** Puts an entry at a path, with the folders that lead there, in place of what was there. */
  put(path: string, entry: MemoryEntry): void;
  /** A second name for a file. */
  hardLink(existing: string, path: string): void;
  /** The text of a file, undefined where there is none. Throws where it is no UTF-8. */
  text(path: string): string | undefined;
  bytesOf(path: string): Uint8Array | undefined;
  /** Paths of all that is no folder, sorted. */
  paths(): readonly string[];
  /** Takes away whatever is there. */
  drop(path: string): void;
  /** Makes a method fail with an errno on a path, so many times; by default until `mend`. */
  fail(method: FsMethod, path: string, code: string, times?: number): void;
  mend(): void;
  /** Runs the callback once, just before the method's next call on the path. */
  before(method: FsMethod, path: string, callback: () => void): void;
  /** What was called, in order, as "method path". */
  readonly calls: string[];
}

export type FsMethod = keyof Fs;

export interface MemoryFsOptions {
  readonly user: User;
  readonly umask: number;
  now(): number;
}

interface Fault {
  readonly method: FsMethod;
  readonly path: string;
  readonly code: string;
  times: number;
}

interface Interruption {
  readonly method: FsMethod;
  readonly path: string;
  readonly callback: () => void;
}

const root: User = { uid: 0, gid: 0 };

export function memoryFs({ user, umask, now }: MemoryFsOptions): MemoryFs {
  let inodes = 0;
  let faults: Fault[] = [];
  const interruptions: Interruption[] = [];
  const calls: string[] = [];
  const top = make("directory", 0o755, root);

  function make(kind: FileKind, mode: number, owner: User = user): Inode {
    return {
      kind,
      mode,
      uid: owner.uid,
      gid: owner.gid,
      links: 1,
      modified: now(),
      identity: `memory:${++inodes}`,
      bytes: new Uint8Array(0),
      target: "",
      entries: new Map(),
    };
  }

  /** Every port method begins here: what was planned for it happens, then the work is done at once. */
  async function call<T>(method: FsMethod, path: string, work: () => T): Promise<T> {
    calls.push(`${method} ${path}`);
    const index = interruptions.findIndex((one) => one.method === method && one.path === path);
    if (index >= 0) interruptions.splice(index, 1)[0]!.callback();
    const fault = faults.find((one) => one.method === method && one.path === path && one.times > 0);
    if (fault) {
      fault.times--;
      throw new FsError(fault.code, path);
    }
    return work();
  }

  async function find<T>(method: FsMethod, path: string, work: () => T): Promise<T | undefined> {
    return call(method, path, () => orAbsent(work));
  }

  function lookUp(path: string, follow: boolean): Place & { readonly inode: Inode } {
    const place = walk(top, path, follow, user);
    if (!place.inode) throw new FsError("ENOENT", path);
    return place as Place & { readonly inode: Inode };
  }

  function regular(path: string, right: number): Inode {
    const { inode } = lookUp(path, true);
    if (inode.kind === "directory") throw new FsError("EISDIR", path);
    if (inode.kind !== "file") throw new FsError("ENOTREG", path);
    if (!allows(inode, right, user)) throw new FsError("EACCES", path);
    return inode;
  }

  function mayChange(folder: Inode, path: string): void {
    if (!allows(folder, WRITE | SEARCH, user)) throw new FsError("EACCES", path);
  }

  function own(path: string): Inode {
    const { inode } = lookUp(path, true);
    if (user.uid !== 0 && user.uid !== inode.uid) throw new FsError("EPERM", path);
    return inode;
  }

  function giveTo(inode: Inode, owner: User, path: string): void {
    const isGroupOnly = owner.uid === inode.uid && owner.gid === user.gid;
    if (user.uid !== 0 && !isGroupOnly) throw new FsError("EPERM", path);
    inode.uid = owner.uid;
    inode.gid = owner.gid;
    if (inode.kind === "file") inode.mode &= 0o1777;
  }

  function unlink({ folder, name, inode }: Place): void {
    folder.entries.delete(name);
    folder.modified = now();
    if (inode) inode.links--;
  }

  function makeFolders(path: string, mode: number | undefined): void {
    const place = placeFor(path, mode);
    if (place.inode) {
      const end = orAbsent(() => lookUp(path, true).inode);
      if (end?.kind === "directory") return;
      throw new FsError("EEXIST", path);
    }
    mayChange(place.folder, path);
    place.folder.entries.set(place.name, make("directory", mode ?? 0o777 & ~umask));
  }

  /** Where a folder is to be, with all above it made. */
  function placeFor(path: string, mode: number | undefined): Place {
    const bare = path.replace(/\/+$/, "") || "/";
    try {
      return walk(top, bare, false, user);
    } catch (thrown) {
      if (!(thrown instanceof FsError) || thrown.code !== "ENOENT") throw thrown;
      makeFolders(bare.slice(0, bare.lastIndexOf("/")) || "/", mode);
      return walk(top, bare, false, user);
    }
  }

  const fs: MemoryFs = {
    calls,
    stat: (path) => find("stat", path, () => statOf(lookUp(path, true).inode)),
    lstat: (path) => find("lstat", path, () => statOf(lookUp(path, false).inode)),
    realPath: (path) => find("realPath", path, () => lookUp(path, true).path),

    readLink: (path) =>
      find("readLink", path, () => {
        const { inode } = lookUp(path, false);
        if (inode.kind !== "symlink") throw new FsError("EINVAL", path);
        return inode.target;
      }),

    list: (path) =>
      find("list", path, () => {
        const { inode } = lookUp(path, true);
        if (inode.kind !== "directory") throw new FsError("ENOTDIR", path);
        if (!allows(inode, READ, user)) throw new FsError("EACCES", path);
        return [...inode.entries].map(([name, { kind }]) => ({ name, kind }));
      }),

    read: (path, limit = Infinity) =>
      find("read", path, () => {
        const inode = regular(path, READ);
        if (inode.bytes.length > limit) throw new FsError("EFBIG", path);
        return { bytes: inode.bytes.slice(), stat: statOf(inode) };
      }),

    mayAccess: (path, how) =>
      find("mayAccess", path, () =>
        allows(lookUp(path, true).inode, how === "read" ? READ : WRITE, user),
      ),

    readInto(path, buffer, offset, room) {
      calls.push(`readInto ${path}`);
      const fault = faults.find(
        (each) => each.method === "readInto" && each.path === path && each.times > 0,
      );
      if (fault) {
        fault.times--;
        return readProblem.refused;
      }
      try {
        const bytes = orAbsent(() => regular(path, READ).bytes.subarray(0, room));
        if (!bytes) return readProblem.absent;
        buffer.set(bytes, offset);
        return bytes.length;
      } catch (thrown) {
        if (!(thrown instanceof FsError)) throw thrown;
        const isSpecial = thrown.code === "ENOTREG" || thrown.code === "EISDIR";
        return isSpecial ? readProblem.special : readProblem.refused;
      }
    },

    open: (path) =>
      find("open", path, () => {
        const inode = regular(path, READ);
        const stat = statOf(inode);
        return {
          stat,
          size: stat.size,
          read: async (offset, length) =>
            inode.bytes.slice(offset, Math.min(offset + Math.max(0, length), stat.size)),
          async readInto(offset, buffer) {
            const bytes = inode.bytes.subarray(offset, Math.min(offset + buffer.length, stat.size));
            buffer.set(bytes);
            return bytes.length;
          },
          close: () => Promise.resolve(),
        };
      }),

    async create(path, content, { mode, owner } = {}) {
      const free = () => {
        const place = walk(top, path, false, user);
        if (place.inode) throw new FsError("EEXIST", path);
        mayChange(place.folder, path);
        return place;
      };
      await call("create", path, free);
      const bytes = content instanceof Uint8Array ? content : await gathered(content);
      const { folder, name } = free();
      const made = make("file", mode ?? 0o666 & ~umask);
      if (owner) giveTo(made, owner, path);
      if (mode !== undefined) made.mode = mode;
      made.bytes = bytes.slice();
      folder.entries.set(name, made);
      folder.modified = now();
    },

    async grow(path, { mode }) {
      await fs.create(path, new Uint8Array(0), { mode });
      const file = walk(top, path, false, user).inode!;
      return {
        write: (bytes) =>
          call("grow", path, () => {
            const all = new Uint8Array(file.bytes.length + bytes.length);
            all.set(file.bytes);
            all.set(bytes, file.bytes.length);
            file.bytes = all;
            file.modified = now();
          }),
        close: () => Promise.resolve(),
      };
    },

    overwrite: (path, bytes) =>
      call("overwrite", path, () => {
        const inode = regular(path, WRITE);
        inode.bytes = bytes.slice();
        inode.modified = now();
      }),

    rename: (from, to) =>
      call("rename", from, () => {
        const source = lookUp(from, false);
        const target = walk(top, to, false, user);
        mayChange(source.folder, from);
        mayChange(target.folder, to);
        if (target.inode === source.inode) return;
        if (target.inode?.kind === "directory" && source.inode.kind !== "directory") {
          throw new FsError("EISDIR", from);
        }
        if (source.inode.kind === "directory" && target.inode) {
          if (target.inode.kind !== "directory") throw new FsError("ENOTDIR", from);
          if (target.inode.entries.size > 0) throw new FsError("ENOTEMPTY", from);
        }
        if (target.inode) unlink(target);
        source.folder.entries.delete(source.name);
        target.folder.entries.set(target.name, source.inode);
        source.folder.modified = target.folder.modified = now();
      }),

    async remove(path) {
      const removed = await find("remove", path, () => {
        const place = lookUp(path, false);
        if (place.inode.kind === "directory") throw new FsError("EISDIR", path);
        mayChange(place.folder, path);
        unlink(place);
        return true;
      });
      return removed ?? false;
    },

    link: (existing, path) =>
      call("link", path, () => {
        const { inode } = walk(top, existing, false, user);
        const target = walk(top, path, false, user);
        if (!inode) throw new FsError("ENOENT", path);
        if (target.inode) throw new FsError("EEXIST", path);
        if (inode.kind === "directory") throw new FsError("EPERM", path);
        mayChange(target.folder, path);
        target.folder.entries.set(target.name, inode);
        target.folder.modified = now();
        inode.links++;
      }),

    async removeDirectory(path) {
      const removed = await find("removeDirectory", path, () => {
        const place = lookUp(path, false);
        if (place.inode.kind !== "directory") return false;
        mayChange(place.folder, path);
        if (place.inode.entries.size > 0) throw new FsError("ENOTEMPTY", path);
        unlink(place);
        return true;
      });
      return removed ?? false;
    },

    makeDirectory: (path, mode) => call("makeDirectory", path, () => makeFolders(path, mode)),
    setMode: (path, mode) => call("setMode", path, () => void (own(path).mode = mode)),
    setOwner: (path, owner) =>
      call("setOwner", path, () => giveTo(lookUp(path, true).inode, owner, path)),
    syncDirectory: (path) =>
      call("syncDirectory", path, () => {
        const { inode } = lookUp(path, true);
        if (!allows(inode, READ, user)) throw new FsError("EACCES", path);
      }),

    put(path, entry) {
      let folder = top;
      let above = "";
      const names = path.split("/").filter((name) => name !== "");
      const last = names.pop()!;
      for (const name of names) {
        above += `/${name}`;
        let next = walk(top, above, true, root).inode;
        if (!next) folder.entries.set(name, (next = make("directory", 0o755)));
        if (next.kind !== "directory") throw new FsError("ENOTDIR", path);
        folder = next;
      }
      folder.entries.set(last, inodeOf(entry, make, user));
    },

    hardLink(existing, path) {
      const { inode } = walk(top, existing, false, root);
      const { folder, name } = walk(top, path, false, root);
      if (!inode) throw new FsError("ENOENT", existing);
      folder.entries.set(name, inode);
      inode.links++;
    },

    bytesOf: (path) => orAbsent(() => walk(top, path, true, root).inode?.bytes.slice()),

    text(path) {
      const bytes = fs.bytesOf(path);
      return bytes && new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
    },

    paths() {
      const found: string[] = [];
      (function collect(folder: Inode, above: string) {
        for (const [name, inode] of folder.entries) {
          if (inode.kind === "directory") collect(inode, `${above}/${name}`);
          else found.push(`${above}/${name}`);
        }
      })(top, "");
      return found.sort();
    },

    drop(path) {
      const place = orAbsent(() => walk(top, path, false, root));
      if (place?.inode) unlink(place);
    },

    fail: (method, path, code, times = Infinity) => void faults.push({ method, path, code, times }),
    mend: () => void (faults = []),
    before: (method, path, callback) => void interruptions.push({ method, path, callback }),
  };
  return fs;
}

async function gathered(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece.slice());
  return new Uint8Array(Buffer.concat(all));
}

function inodeOf(
  entry: MemoryEntry,
  make: (kind: FileKind, mode: number, owner?: User) => Inode,
  user: User,
): Inode {
  const given =
    typeof entry === "string" || entry instanceof Uint8Array ? { content: entry } : entry;
  const attributes: EntryAttributes = given;
  const owner = { uid: attributes.uid ?? user.uid, gid: attributes.gid ?? user.gid };
  const kind = "content" in given ? "file" : "link" in given ? "symlink" : given.kind;
  const usual = { directory: 0o755, symlink: 0o777 }[kind as string] ?? 0o644;
  const inode = make(kind, attributes.mode ?? usual, owner);
  if (attributes.modified !== undefined) inode.modified = attributes.modified;
  if ("link" in given) {
    inode.target = given.link;
    inode.bytes = new TextEncoder().encode(given.link);
  }
  if ("content" in given) {
    const { content } = given;
    inode.bytes = typeof content === "string" ? new TextEncoder().encode(content) : content.slice();
  }
  return inode;
}

function orAbsent<T>(work: () => T): T | undefined {
  try {
    return work();
  } catch (thrown) {
    if (thrown instanceof FsError && (thrown.code === "ENOENT" || thrown.code === "ENOTDIR")) {
      return undefined;
    }
    throw thrown;
  }
}
