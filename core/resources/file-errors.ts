// What the file system refuses, as a reader is told it.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName, shellPath } from "../paths.ts";
import { type FileKind, FsError } from "../ports/fs.ts";
import { formatSize } from "../text/size.ts";

const specialKinds: Readonly<Partial<Record<FileKind, string>>> = {
  fifo: "a FIFO (named pipe)",
  socket: "a socket",
  "character device": "a character device",
  "block device": "a block device",
};

/** @param target as the caller typed it, or as much of it as names the file */
export function notRegular(target: string, kind: FileKind): AtomicError {
  if (kind === "directory") {
    return new AtomicError(
      "file.not_regular",
      `Cannot read ${quote(target)}: it is a folder, not a file. Name a file in it.`,
      { data: { path: target, kind } },
    );
  }
  const what = specialKinds[kind] ?? "of an unknown kind";
  return new AtomicError(
    "file.not_regular",
    `Cannot read ${quote(target)}: not a regular file, it is ${what}. Nothing was opened.`,
    { data: { path: target, kind } },
  );
}

/** It was there when it was looked for. */
export function vanished(target: string): AtomicError {
  return new AtomicError(
    "file.not_found",
    `File not found: ${showName(target)} was removed while it was being read`,
    {
      data: { path: target },
    },
  );
}

/** Any failure of the `fs` port while a file was looked for or read; what is no FsError comes back as it is. */
export function readFailure(target: string, thrown: unknown): unknown {
  if (!(thrown instanceof FsError)) return thrown;
  const data = { path: target, code: thrown.code };
  if (thrown.code === "EISDIR") return notRegular(target, "directory");
  if (thrown.code === "ENOTREG") return notRegular(target, "unknown");
  if (thrown.code === "EFBIG") {
    const message = `Cannot read ${quote(target)}: it is larger than ${formatSize(limits.readableFile)}, the most that is read at once. Slice it with the shell: head -c ${limits.readBytes} ${shellPath(thrown.path)}`;
    return new AtomicError("file.too_large", message, { cause: thrown, data });
  }
  const reason = reasons[thrown.code] ?? "the operating system refused it";
  return new AtomicError(
    "file.unreadable",
    `Cannot read ${quote(target)}: ${reason} (${thrown.code}).`,
    { cause: thrown, data },
  );
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "permission denied",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "the name is too long",
  EAGAIN: "it has nothing to give without waiting",
};

function quote(target: string): string {
  const shown = showName(target);
  return shown === target ? `"${target}"` : shown;
}
