// The file system as the core needs it. Absence is a value (undefined), every other failure an FsError.

/** What a directory entry is, without following it. */
export type FileKind =
  | "file"
  | "directory"
  | "symlink"
  | "fifo"
  | "socket"
  | "character device"
  | "block device"
  | "unknown";

export interface FileStat {
  readonly kind: FileKind;
  /** Bytes as the file system reports them; /proc files say 0. Never size a read by it. */
  readonly size: number;
  /** Permission bits, 0o0000 to 0o7777. */
  readonly mode: number;
  readonly uid: number;
  readonly gid: number;
  /** Number of hard links. */
  readonly links: number;
  /** Milliseconds since the epoch. */
  readonly modified: number;
  /** Device and inode as one opaque name: equal for two paths of one file, different otherwise. */
  readonly identity: string;
}

export interface DirectoryEntry {
  readonly name: string;
  readonly kind: FileKind;
}

/** A failure of the operating system, translated once, in the adapter. Callers branch on `code`. */
export class FsError extends Error {
  override readonly name = "FsError";
  /** The errno name, such as "EACCES"; "ENOTREG" is ours: not a regular file. */
  readonly code: string;
  readonly path: string;
  constructor(code: string, path: string, options?: ErrorOptions) {
    super(`${code}: ${path}`, options);
    this.code = code;
    this.path = path;
  }
}

export interface ReadFile {
  readonly bytes: Uint8Array;
  /** Of the opened descriptor, so that it describes exactly the bytes returned. */
  readonly stat: FileStat;
}

/** Random access to bytes that are not all in memory. */
export interface ByteSource {
  readonly size: number;
  /** The bytes asked for; fewer only where the source ends before. */
  read(offset: number, length: number): Promise<Uint8Array>;
}

/** A file that is open for reading. Whoever opened it closes it. */
export interface OpenedFile extends ByteSource {
  /** Of the opened descriptor. */
  readonly stat: FileStat;
  /** As `read`, into a buffer of the caller's, as much as it holds. @returns how many bytes were read */
  readInto(offset: number, buffer: Uint8Array): Promise<number>;
  close(): Promise<void>;
}

/** What `readInto` says in place of a number of bytes. */
export const readProblem = { absent: -1, special: -2, refused: -3 } as const;

export interface CreateFile {
  /** Permission bits, applied whatever the umask. Default: 0o666 less the umask. */
  readonly mode?: number;
  readonly owner?: { readonly uid: number; readonly gid: number };
}

/** A file of ours that others may read while it grows. Whoever made it closes it. */
export interface GrowingFile {
  /** Appends all of them. */
  write(bytes: Uint8Array): Promise<void>;
  close(): Promise<void>;
}

/** What a file is to hold: at once, or in pieces that are not kept. */
export type Content = Uint8Array | AsyncIterable<Uint8Array>;

/**
 * Paths are absolute; a byte of a name that is no UTF-8 is U+DC00 and that byte, in paths and in names given back (not
 * under Deno, which cannot tell such names apart). `undefined` and `false` mean absence (ENOENT, ENOTDIR) only.
 * No method follows a policy of its own: what to do about links, modes and owners is the core's decision.
 */
export interface Fs {
  /** Follows symbolic links. */
  stat(path: string): Promise<FileStat | undefined>;
  /** Describes a link itself. */
  lstat(path: string): Promise<FileStat | undefined>;
  /** The path with every link resolved; undefined where it, or what it points to, is missing. Throws ELOOP. */
  realPath(path: string): Promise<string | undefined>;
  /** The text of a symbolic link. Throws EINVAL for what is none. */
  readLink(path: string): Promise<string | undefined>;
  /** Entries in no promised order, without "." and "..". */
  list(path: string): Promise<readonly DirectoryEntry[] | undefined>;
  /**
   * The whole file. Opened without blocking; what is not a regular file is refused with ENOTREG (a directory
   * with EISDIR) before a byte is read. More than `limit` bytes: EFBIG.
   */
  read(path: string, limit?: number): Promise<ReadFile | undefined>;
  /**
   * Reads a file into a part of a buffer, at once: for many small files that were just listed as regular ones. Without
   * blocking; what turns out to be no regular file gives `readProblem.special`.
   * @param room bytes of the buffer from `offset` on that may be written; more of the file is not read
   * @returns how many were read, or a `readProblem`. Never throws.
   */
  readInto(path: string, buffer: Uint8Array, offset: number, room: number): number;
  /** Opens a file for reading parts of it, by the rules of `read`: without blocking, regular files only. */
  open(path: string): Promise<OpenedFile | undefined>;
  /** Whether the calling user may read or write, as the kernel answers access(2). Absent: undefined. */
  mayAccess(path: string, how: "read" | "write"): Promise<boolean | undefined>;
  /**
   * Creates, never opens: EEXIST where the name is taken, also by a dangling link. The bytes are flushed to disk. Where it
   * fails, nothing is left under the name: also where `content` comes in pieces and throws, which passes on.
   */
  create(path: string, content: Content, options?: CreateFile): Promise<void>;
  /** Creates an empty file, as `create` does, that grows by what is written to it. Nothing is flushed. */
  grow(path: string, options: { readonly mode: number }): Promise<GrowingFile>;
  /** Rewrites an existing regular file in place (same inode) and flushes it. */
  overwrite(path: string, bytes: Uint8Array): Promise<void>;
  /** Atomic replacement within one file system. */
  rename(from: string, to: string): Promise<void>;
  /**
   * Gives a file a second name, whole and at once: EEXIST where the name is taken, also by a dangling link. EPERM, ENOTSUP
   * or the like where the file system has no hard links.
   */
  link(existing: string, path: string): Promise<void>;
  /** False where there was nothing to remove. Never follows a link, never removes a directory. */
  remove(path: string): Promise<boolean>;
  /** Creates a folder and its missing parents with `mode` (default 0o777 less the umask); present: no error. */
  makeDirectory(path: string, mode?: number): Promise<void>;
  /** Removes an empty folder; ENOTEMPTY where it is not. False where there was no folder, be it nothing, a file or a link. */
  removeDirectory(path: string): Promise<boolean>;
  setMode(path: string, mode: number): Promise<void>;
  setOwner(path: string, owner: { readonly uid: number; readonly gid: number }): Promise<void>;
  /** Flushes a folder's entries; on systems that cannot, does nothing. */
  syncDirectory(path: string): Promise<void>;
}
