// Files that SQLite is to open, made private before it does: it would make them readable for others.

import { errnoOf, isAbsence } from "./errno.ts";

/**
 * Makes the file empty and 0600 where it is missing, and takes loose permissions away from one that is there.
 *
 * A file that may be open in this process is never opened and closed here: closing any descriptor of a file drops all
 * POSIX locks that the process holds on it, those of SQLite's connections with them.
 * @returns the name of the file itself, as in FileStat, and its size; undefined where it is no regular file
 */
export function makePrivate(
  file: string,
): { readonly identity: string; readonly size: number } | undefined {
  const fs = process.getBuiltinModule("node:fs");
  const { O_CREAT, O_EXCL, O_WRONLY } = fs.constants;
  if (identityOf(file) === undefined) {
    try {
      fs.closeSync(fs.openSync(file, O_CREAT | O_EXCL | O_WRONLY, 0o600));
    } catch (thrown) {
      // Another process was faster.
      if (errnoOf(thrown) !== "EEXIST") throw thrown;
    }
  }
  const stat = fs.statSync(file, { bigint: true });
  if (!stat.isFile()) return undefined;
  if ((stat.mode & 0o077n) !== 0n) fs.chmodSync(file, 0o600);
  return { identity: `${stat.dev}:${stat.ino}`, size: Number(stat.size) };
}

/** Which file has the name now; undefined where none has. */
export function identityOf(file: string): string | undefined {
  try {
    const { dev, ino } = process.getBuiltinModule("node:fs").statSync(file, { bigint: true });
    return `${dev}:${ino}`;
  } catch (thrown) {
    if (isAbsence(thrown)) return undefined;
    throw thrown;
  }
}
