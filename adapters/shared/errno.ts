// Errors of the operating system in the port's words, translated once.

import { FsError } from "../../core/ports/fs.ts";

/** The errno name of a thrown value; undefined where it is no failure of the system's. */
export function errnoOf(thrown: unknown): string | undefined {
  const code = (thrown as { readonly code?: unknown } | undefined)?.code;
  if (typeof code !== "string") return undefined;
  // A NUL in a path: the call never reaches the system, which could not take it either.
  if (code === "ERR_INVALID_ARG_VALUE") return "EINVAL";
  return /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}

/** ENOENT and ENOTDIR: there is no such file, which is an answer and no failure. */
export function isAbsence(thrown: unknown): boolean {
  const code = errnoOf(thrown);
  return code === "ENOENT" || code === "ENOTDIR";
}

/** What reading says of a folder, a pipe without a writer, a socket or a device. */
export function isIrregular(thrown: unknown): boolean {
  return ["EISDIR", "EAGAIN", "ENXIO", "ENODEV", "EOPNOTSUPP"].includes(errnoOf(thrown) ?? "");
}

/** Whether the system said that this user may not. */
export function isRefusal(thrown: unknown): boolean {
  return ["EACCES", "EPERM", "EROFS", "ETXTBSY"].includes(errnoOf(thrown) ?? "");
}

/** It takes such a path for one with U+FFFD in it. */
const isDeno = "Deno" in globalThis;

/**
 * A path for node:fs. Bytes that are no UTF-8 stand in it as U+DC80 to U+DCFF, one for each; any other lone surrogate would
 * silently become U+FFFD and so name another file.
 * @throws FsError EILSEQ
 */
export function nativePath(path: string): string | Buffer {
  if (path.isWellFormed()) return path;
  if (isDeno) throw new FsError("EILSEQ", path);
  const parts = path.split(/((?<![\ud800-\udbff])[\udc80-\udcff])/);
  return Buffer.concat(
    parts.map((part, i) => {
      if (i % 2 === 1) return Buffer.of(part.charCodeAt(0) - 0xdc00);
      if (!part.isWellFormed()) throw new FsError("EILSEQ", path);
      return Buffer.from(part);
    }),
  );
}

/** Runs the work; what the system refused comes out as an FsError that names the path. */
export async function translating<T>(path: string, work: () => T | Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (thrown) {
    if (thrown instanceof FsError) throw thrown;
    const code = errnoOf(thrown);
    throw code === undefined ? thrown : new FsError(code, path, { cause: thrown });
  }
}

/** The same, with absence as undefined. */
export async function findingOrNot<T>(
  path: string,
  work: () => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  return translating(path, async () => {
    try {
      return await work();
    } catch (thrown) {
      if (isAbsence(thrown)) return undefined;
      throw thrown;
    }
  });
}
