// The file system through node:fs. Calls that do not wait for a disk are made at once; flushing and big reads are not.

import type * as nodeModule from "node:fs";

import {
  type Content,
  type DirectoryEntry,
  type FileKind,
  type FileStat,
  type Fs,
  FsError,
  readProblem,
} from "../../core/ports/fs.ts";

import {
  errnoOf,
  findingOrNot,
  isAbsence,
  isIrregular,
  isRefusal,
  nativePath,
  translating,
} from "./errno.ts";

import { wholeName } from "./whole-name.ts";

type NodeFs = typeof nodeModule;
type Kinds = Pick<
  nodeModule.BigIntStats,
  | "isFile"
  | "isDirectory"
  | "isSymbolicLink"
  | "isFIFO"
  | "isSocket"
  | "isCharacterDevice"
  | "isBlockDevice"
>;

/** More than this is read off the main thread. */
const AT_ONCE = 1024 * 1024;
/** The first buffer for a file that says it is empty: those of /proc do, whatever they hold. */
const SMALLEST = 4096;

export function nodeFs(): Fs {
  const fs = process.getBuiltinModule("node:fs");
  const { O_CREAT, O_EXCL, O_RDONLY, O_WRONLY } = fs.constants;
  // Windows lacks these.
  const O_NOFOLLOW = fs.constants.O_NOFOLLOW ?? 0;
  const unblocked = (fs.constants.O_NONBLOCK ?? 0) | (fs.constants.O_NOCTTY ?? 0);
  /** The kernel finds a file sooner the fewer folders lead to it. */
  const here = process.platform === "win32" ? "\0" : `${process.cwd()}/`;
  const statOf = (path: string) =>
    fs.statSync(nativePath(path), { bigint: true, throwIfNoEntry: false });

  /** Some file systems do not say it in the folder, and Deno does not pass on what is no file, folder or link. */
  function kindAt(folder: string, name: string): FileKind {
    const stat = fs.lstatSync(nativePath(`${folder}/${name}`), {
      bigint: true,
      throwIfNoEntry: false,
    });
    return stat ? kindOf(stat) : "unknown";
  }

  /** Looks before it opens, since opening alone may act on a device, and again at what it has opened. */
  function openRegular(
    path: string,
    flags: number,
  ): { readonly fd: number; readonly stat: FileStat } {
    const native = nativePath(path);
    refuseIrregular(fs.statSync(native, { bigint: true }), path);
    const fd = fs.openSync(native, flags | unblocked);
    try {
      const opened = fs.fstatSync(fd, { bigint: true });
      refuseIrregular(opened, path);
      return { fd, stat: describe(opened) };
    } catch (thrown) {
      fs.closeSync(fd);
      throw thrown;
    }
  }

  async function withFile<T>(
    path: string,
    flags: number,
    work: (fd: number, stat: FileStat) => Promise<T>,
  ): Promise<T> {
    const { fd, stat } = openRegular(path, flags);
    try {
      return await work(fd, stat);
    } finally {
      fs.closeSync(fd);
    }
  }

  return {
    stat: (path) => findingOrNot(path, () => describeSome(statOf(path))),

    lstat: (path) =>
      findingOrNot(path, () =>
        describeSome(fs.lstatSync(nativePath(path), { bigint: true, throwIfNoEntry: false })),
      ),

    realPath: (path) =>
      findingOrNot(path, () =>
        lossless((how) => fs.realpathSync.native(nativePath(path) as string, how as "buffer")),
      ),

    readLink: (path) =>
      findingOrNot(path, () =>
        lossless((how) => fs.readlinkSync(nativePath(path), how as "buffer")),
      ),

    list: (path) =>
      findingOrNot(path, () => {
        const native = nativePath(path);
        let isLossy = false;
        const entries: DirectoryEntry[] = [];
        const found = fs.readdirSync(native as string, { withFileTypes: true });
        for (let i = 0; i < found.length; i++) {
          const entry = found[i]!;
          const { name } = entry;
          isLossy ||= name.includes("\ufffd");
          const kind = entry.isFile() ? "file" : kindOf(entry);
          entries.push({ name, kind: kind === "unknown" ? kindAt(path, name) : kind });
        }
        if (!isLossy) return entries;
        // With types as well, Bun gives no names in bytes.
        return fs.readdirSync(native, "buffer").map((bytes) => {
          const name = wholeName(bytes);
          return { name, kind: kindAt(path, name) };
        });
      }),

    read: (path, limit = Infinity) =>
      findingOrNot(path, () =>
        withFile(path, O_RDONLY, async (fd, stat) => ({
          bytes: await readAll(fs, fd, stat.size, limit, path),
          stat,
        })),
      ),

    readInto(path, buffer, offset, room) {
      let fd = -1;
      try {
        fd = fs.openSync(
          nativePath(path.startsWith(here) ? path.slice(here.length) : path),
          O_RDONLY | unblocked,
        );
        let length = 0;
        while (length < room) {
          const wanted = Math.min(room - length, AT_ONCE);
          const got = fs.readSync(fd, buffer, offset + length, wanted, null);
          length += got;
          // A regular file gives what is asked for, up to its end.
          if (got < wanted) break;
        }
        return length;
      } catch (thrown) {
        if (isAbsence(thrown)) return readProblem.absent;
        return isIrregular(thrown) ? readProblem.special : readProblem.refused;
      } finally {
        if (fd !== -1) fs.closeSync(fd);
      }
    },

    open: (path) =>
      findingOrNot(path, () => {
        const { fd, stat } = openRegular(path, O_RDONLY);
        return {
          stat,
          size: stat.size,
          read: (offset, length) =>
            translating(path, () => readAt(fs, fd, offset, Math.min(length, stat.size - offset))),
          readInto: (offset, buffer) =>
            translating(path, async () => (await fillAt(fs, fd, offset, buffer)).length),
          close: () => translating(path, () => fs.closeSync(fd)),
        };
      }),

    mayAccess: (path, how) =>
      findingOrNot(path, () => {
        try {
          fs.accessSync(nativePath(path), how === "read" ? fs.constants.R_OK : fs.constants.W_OK);
          return true;
        } catch (thrown) {
          if (isRefusal(thrown)) return false;
          throw thrown;
        }
      }),

    create: (path, content, { mode, owner } = {}) =>
      translating(path, async () => {
        // Narrow until it has its owner and all its bytes.
        const first = mode === undefined ? 0o666 : 0o600;
        const fd = fs.openSync(nativePath(path), O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, first);
        try {
          for await (const bytes of piecesOf(content)) writeAll(fs, fd, bytes);
          // In this order: a change of owner takes the set-id bits away.
          if (owner) fs.fchownSync(fd, owner.uid, owner.gid);
          if (mode !== undefined) fs.fchmodSync(fd, mode);
          await flush(fs, fd);
        } catch (thrown) {
          fs.unlinkSync(nativePath(path));
          throw thrown;
        } finally {
          fs.closeSync(fd);
        }
      }),

    grow: (path, { mode }) =>
      translating(path, () => {
        const fd = fs.openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, 0o600);
        fs.fchmodSync(fd, mode);
        let isOpen = true;
        return {
          write: (bytes) => translating(path, () => writeAll(fs, fd, bytes)),
          async close() {
            if (isOpen) fs.closeSync(fd);
            isOpen = false;
          },
        };
      }),

    overwrite: (path, bytes) =>
      translating(path, () =>
        withFile(path, O_WRONLY, async (fd) => {
          writeAll(fs, fd, bytes);
          fs.ftruncateSync(fd, bytes.length);
          await flush(fs, fd);
        }),
      ),

    rename: (from, to) =>
      translating(from, () => {
        fs.renameSync(nativePath(from), nativePath(to));
      }),

    link: (existing, path) =>
      translating(path, () => {
        fs.linkSync(nativePath(existing), nativePath(path));
      }),

    async remove(path) {
      const removed = await findingOrNot(path, () => {
        // unlink(2) of a folder has a different error on each system, and Deno's removes an empty one.
        if (fs.lstatSync(nativePath(path)).isDirectory()) throw new FsError("EISDIR", path);
        fs.unlinkSync(nativePath(path));
        return true;
      });
      return removed ?? false;
    },

    makeDirectory: (path, mode) => translating(path, () => makeFolders(fs, path, mode)),

    async removeDirectory(path) {
      const removed = await findingOrNot(path, () => {
        if (!fs.lstatSync(nativePath(path)).isDirectory()) return false;
        try {
          fs.rmdirSync(nativePath(path));
        } catch (thrown) {
          // POSIX allows either.
          if (errnoOf(thrown) === "EEXIST") throw new FsError("ENOTEMPTY", path);
          throw thrown;
        }
        return true;
      });
      return removed ?? false;
    },

    setMode: (path, mode) => translating(path, () => fs.chmodSync(nativePath(path), mode)),

    setOwner: (path, { uid, gid }) =>
      translating(path, () => fs.chownSync(nativePath(path), uid, gid)),

    syncDirectory: (path) =>
      translating(path, async () => {
        // Windows opens no folders.
        if (process.platform === "win32") return;
        const fd = fs.openSync(nativePath(path), O_RDONLY | unblocked);
        try {
          await flush(fs, fd);
        } catch (thrown) {
          // Some network and user-space file systems have nothing to flush.
          if (!["EINVAL", "ENOTSUP", "ENOSYS"].includes(errnoOf(thrown) ?? "")) throw thrown;
        } finally {
          fs.closeSync(fd);
        }
      }),
  };
}

/** Asked for bytes only where the text does not say all. */
function lossless(ask: (how: "buffer" | "utf8") => string | Buffer): string {
  const text = String(ask("utf8"));
  return text.includes("\ufffd") ? wholeName(Buffer.from(ask("buffer"))) : text;
}

function kindOf(entry: Kinds): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isDirectory()) return "directory";
  if (entry.isSymbolicLink()) return "symlink";
  if (entry.isFIFO()) return "fifo";
  if (entry.isSocket()) return "socket";
  if (entry.isCharacterDevice()) return "character device";
  return entry.isBlockDevice() ? "block device" : "unknown";
}

function describe(stat: nodeModule.BigIntStats): FileStat {
  return {
    kind: kindOf(stat),
    size: Number(stat.size),
    mode: Number(stat.mode) & 0o7777,
    uid: Number(stat.uid),
    gid: Number(stat.gid),
    links: Number(stat.nlink),
    modified: Number(stat.mtimeMs),
    identity: `${stat.dev}:${stat.ino}`,
  };
}

function describeSome(stat: nodeModule.BigIntStats | undefined): FileStat | undefined {
  return stat && describe(stat);
}

function refuseIrregular(stat: nodeModule.BigIntStats, path: string): void {
  if (stat.isDirectory()) throw new FsError("EISDIR", path);
  if (!stat.isFile()) throw new FsError("ENOTREG", path);
}

/** @param expected what the file system says it holds; it may hold more or less */
async function readAll(
  fs: NodeFs,
  fd: number,
  expected: number,
  limit: number,
  path: string,
): Promise<Uint8Array> {
  // Only a byte that is really there past the limit makes a file too large, and finding it needs no reading up to it.
  if (expected > limit && fs.readSync(fd, new Uint8Array(1), 0, 1, limit) === 1) {
    throw new FsError("EFBIG", path);
  }
  // One byte more than expected, so that the end shows without growing.
  let buffer = new Uint8Array(Math.max(SMALLEST, Math.min(expected, limit) + 1));
  let length = 0;
  for (;;) {
    const room = buffer.length - length;
    const got =
      room > AT_ONCE
        ? await readSome(fs, fd, buffer, length, room)
        : fs.readSync(fd, buffer, length, room, null);
    if (got === 0) return buffer.subarray(0, length);
    length += got;
    if (length > limit) throw new FsError("EFBIG", path);
    if (length < buffer.length) continue;
    const larger = new Uint8Array(2 * buffer.length);
    larger.set(buffer);
    buffer = larger;
  }
}

function readSome(
  fs: NodeFs,
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number | null = null,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  fs.read(fd, buffer, offset, length, position, (error, got) =>
    error ? reject(error) : resolve(got),
  );
  return promise;
}

/** Fewer than asked for only at the end of the file. */
async function readAt(fs: NodeFs, fd: number, offset: number, length: number): Promise<Uint8Array> {
  return fillAt(fs, fd, offset, new Uint8Array(Math.max(0, length)));
}

async function fillAt(
  fs: NodeFs,
  fd: number,
  offset: number,
  buffer: Uint8Array,
): Promise<Uint8Array> {
  for (let got = 0; got < buffer.length;) {
    const room = buffer.length - got;
    const more =
      room > AT_ONCE
        ? await readSome(fs, fd, buffer, got, room, offset + got)
        : fs.readSync(fd, buffer, got, room, offset + got);
    if (more === 0) return buffer.subarray(0, got);
    got += more;
  }
  return buffer;
}

function piecesOf(content: Content): Iterable<Uint8Array> | AsyncIterable<Uint8Array> {
  return content instanceof Uint8Array ? [content] : content;
}

function writeAll(fs: NodeFs, fd: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length;) at += fs.writeSync(fd, bytes, at, bytes.length - at);
}

function flush(fs: NodeFs, fd: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  fs.fsync(fd, (error) => (error ? reject(error) : resolve()));
  return promise;
}

function makeFolders(fs: NodeFs, path: string, mode: number | undefined, parentMade = false): void {
  try {
    fs.mkdirSync(nativePath(path), mode);
  } catch (thrown) {
    const code = errnoOf(thrown);
    const parent = path.replace(/\/+[^/]*\/*$/, "") || "/";
    // Some file systems say ENOENT for whatever cannot be made there, also where the parent exists.
    if (code === "ENOENT" && parent !== path && !parentMade) {
      makeFolders(fs, parent, mode);
      makeFolders(fs, path, mode, true);
      return;
    }
    // Another process may just have made it; EEXIST also stands for a file or a link to nowhere.
    if (
      code === "EEXIST" &&
      fs.statSync(nativePath(path), { throwIfNoEntry: false })?.isDirectory()
    )
      return;
    throw thrown;
  }
  // Past the umask.
  if (mode !== undefined) fs.chmodSync(nativePath(path), mode);
}
