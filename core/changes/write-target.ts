// Which file a write is for: the literal name first, links followed, and no file made under the name of a resource.

import { AtomicError } from "../errors.ts";
import { displayPath, resolvePath, showName, spellings, type Where } from "../paths.ts";
import { type Fs, FsError } from "../ports/fs.ts";
import { landingOf } from "../resources/landing.ts";
import { parseSelector } from "../selectors/parse.ts";

export interface TargetFile {
  /** As the caller named it. */
  readonly given: string;
  /** Absolute, links not resolved. */
  readonly absolute: string;
  /** What is written: links resolved, as far as the path exists. */
  readonly real: string;
  /** Locks that keep every other writer out: hard links are one file under several paths. */
  readonly locks: readonly string[];
  /** What a person should know about the choice. */
  readonly note: string | undefined;
  /** It may not leave its folder, so its way is looked at once more when the new content is staged. */
  readonly confined?: true;
}

/**
 * Asks the disk and changes nothing.
 * @throws AtomicError `usage.input`, `file.not_regular`, `file.write`
 */
export async function findTarget(given: string, fs: Fs, where: Where): Promise<TargetFile> {
  refuseNames(given, where);
  try {
    return await examine(given, await chooseSpelling(given, fs, where), fs, where);
  } catch (thrown) {
    throw unreachable(given, thrown);
  }
}

/**
 * The target at a path that has been decided on.
 * @param absolute links not resolved
 */
export async function examine(
  given: string,
  absolute: string,
  fs: Fs,
  where: Where,
): Promise<TargetFile> {
  refuseNames(given, where);
  try {
    const isThere = (await fs.lstat(absolute)) !== undefined;
    const { path: real, dangling } = await landingOf(absolute, fs);
    if (!isThere || dangling !== undefined) await refusePlaces(given, real, dangling, fs, where);
    const note = isThere ? undefined : await peeledNote(given, fs, where);
    return { given, absolute, real, locks: await lockKeys(real, fs), note };
  } catch (thrown) {
    throw unreachable(given, thrown);
  }
}

function refuseNames(given: string, where: Where): void {
  const data = { path: given };
  const shown = quote(given);
  if (given === "-") {
    throw new AtomicError("usage.input", "Cannot write to -: the target must be a file.", {
      data,
      hint: "A file of that name is ./-",
    });
  }
  if (given.includes("\0") || !given.replace(escapedBytes, "").isWellFormed()) {
    throw new AtomicError(
      "usage.input",
      `Cannot write ${shown}: no file can have such a name, which holds a NUL or half a surrogate pair.`,
      { data },
    );
  }
  const end = given.slice(Math.max(given.lastIndexOf("/"), separatorOf(given, where)) + 1);
  if (end === "" || end === "." || end === ".." || given === "~") {
    throw new AtomicError(
      "file.not_regular",
      `Cannot write ${shown}: it names a folder. Name a file in it.`,
      { data },
    );
  }
}

/** Bytes of a name that are no UTF-8, as the file system's port writes them. */
const escapedBytes = /(?<![\ud800-\udbff])[\udc80-\udcff]/g;

function separatorOf(given: string, { cwd }: Where): number {
  return /^[A-Za-z]:|^\\\\/.test(cwd) ? given.lastIndexOf("\\") : -1;
}

/**
 * The literal name where it exists; else "~" and "file://" undone, and other decorations only where that names a file that
 * exists (tools.md §1.2): a new file gets the very name that was given.
 */
async function chooseSpelling(given: string, fs: Fs, where: Where): Promise<string> {
  const literal = resolvePath(given, where.cwd);
  if (await fs.lstat(literal)) return literal;
  const addressed = /^(?:~\/|file:\/\/)/i.test(given);
  const bare = given.replace(/^@/, "").replace(unicodeSpaces, " ");
  for (const spelling of addressed ? [spellings(given, where).at(-1)!] : [bare]) {
    const path = resolvePath(spelling, where.cwd);
    if (addressed || (await fs.lstat(path))) return path;
  }
  return literal;
}

const unicodeSpaces = /[\u00a0\u2000-\u200a\u202f\u205f\u3000]/g;

/** What is to be created must have a folder to be in, and a name that means the same to everyone. */
async function refusePlaces(
  given: string,
  real: string,
  dangling: string | undefined,
  fs: Fs,
  where: Where,
): Promise<void> {
  const shown = quote(given);
  const data = { path: given };
  const parent = real.slice(0, real.lastIndexOf("/")) || "/";
  const name = (path: string) => quote(displayPath(path, where.cwd));
  if (dangling !== undefined && (await fs.stat(parent))?.kind !== "directory") {
    throw new AtomicError(
      "file.write",
      `Cannot write ${shown}: ${name(dangling)} is a symbolic link to ${name(real)}, which is in a folder that does not exist.`,
      { data, hint: "Make the folder first, or write to a path without the link." },
    );
  }
  for (let at = parent; at !== "/" && at !== ""; at = at.slice(0, at.lastIndexOf("/"))) {
    const stat = await fs.stat(at);
    if (!stat) continue;
    if (stat.kind === "directory") break;
    throw new AtomicError(
      "file.not_regular",
      `Cannot write ${shown}: ${name(at)} is a file, so nothing can be in it.`,
      { data },
    );
  }
  if (given.includes("\ufffd")) {
    throw new AtomicError(
      "usage.input",
      `Cannot create ${shown}: its name holds U+FFFD, which stands for bytes that are not UTF-8, so the name on disk would be another one.`,
      { data },
    );
  }
}

/** Nobody who writes "a.ts:5-9" next to a file a.ts wants a second file. */
async function peeledNote(given: string, fs: Fs, where: Where): Promise<string | undefined> {
  const selector = parseSelector(given);
  if (selector.kind === "scheme") return undefined;
  for (const { path } of selector.readings.slice(1)) {
    if (!(await fs.lstat(resolvePath(path, where.cwd)))) continue;
    return `Note: this is a new file of that very name; write takes no line selectors. ${showName(path)} was not touched. To change lines of it, use edit.`;
  }
  return undefined;
}

/** What to lock: the real path, and the file itself where it has several names. */
export async function lockKeys(real: string, fs: Fs): Promise<readonly string[]> {
  const stat = await fs.stat(real);
  return stat && stat.links > 1 ? [real, `inode ${stat.identity}`] : [real];
}

function unreachable(given: string, thrown: unknown): unknown {
  if (!(thrown instanceof FsError)) return thrown;
  const reason = reasons[thrown.code] ?? "the operating system refused to look at it";
  return new AtomicError(
    "file.write",
    `Cannot write ${quote(given)}: ${reason} (${thrown.code}).`,
    {
      cause: thrown,
      data: { path: given, errno: thrown.code },
    },
  );
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: "a folder on the way may not be entered",
  EPERM: "a folder on the way may not be entered",
  ELOOP: "its symbolic links form a loop",
  ENAMETOOLONG: "the name is too long",
  EILSEQ: "its name is not UTF-8, which this runtime or system has no words for",
};

function quote(path: string): string {
  const shown = showName(path);
  return shown === path ? `"${path}"` : shown;
}
