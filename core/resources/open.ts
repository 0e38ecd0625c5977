// The only place that asks the disk which reading of a target is meant.

import { AtomicError } from "../errors.ts";
import {
  candidatePaths,
  macNames,
  resolvePath,
  showName,
  spellings,
  type Where,
} from "../paths.ts";
import { type FileStat, type Fs, FsError } from "../ports/fs.ts";
import {
  type Modifiers,
  type PathReading,
  parseSelector,
  pathReadings,
  readModifiers,
} from "../selectors/parse.ts";
import { readFailure } from "./file-errors.ts";

/** Something that exists, and what of it was asked for. */
export interface Located extends Modifiers {
  /** Absolute, links not resolved. */
  readonly path: string;
  /** The part of the target that names it, as the caller typed it but for decorations that had to go. */
  readonly typed: string;
  readonly stat: FileStat;
  /** Set where the target's name exists literally and also reads as a selector of another existing file. */
  readonly note: string | undefined;
}

interface Hit {
  readonly path: string;
  readonly stat: FileStat;
}

interface Candidate {
  readonly path: string;
  readonly reading: PathReading;
  /** The readings that take more off the end of the same spelling. */
  readonly deeper: readonly PathReading[];
}

/**
 * Finds what a read target means: the literal name first, then with trailing modifiers (`raw`, line ranges) taken off
 * right to left, each tested against the disk; only then the same with decorations (quotes, "@", "~" …) undone.
 * @throws AtomicError `file.not_found`, `file.unreadable`, `selector.line`, `read.no_handler`
 */
export async function locate(target: string, fs: Fs, where: Where): Promise<Located> {
  const selector = parseSelector(target);
  if (selector.kind === "scheme") throw noHandler(target, selector.scheme);
  const probe = new Probe(fs);
  for (const candidate of candidates(target, selector.readings, where)) {
    const hit = await probe.at(candidate.path);
    if (!hit) continue;
    const { path, modifiers } = candidate.reading;
    return {
      ...hit,
      ...readModifiers(modifiers),
      typed: path,
      note: await ambiguity(candidate, probe, where),
    };
  }
  if (probe.failure) throw readFailure(target, probe.failure);
  throw await notFound(target, selector.readings, fs, where);
}

/**
 * Finds the file that a path argument without selectors names, literal first.
 * @throws AtomicError `file.unreadable` where a spelling could not be looked at and no other exists
 */
export async function findPath(authored: string, fs: Fs, where: Where): Promise<Hit | undefined> {
  const probe = new Probe(fs);
  for (const path of candidatePaths(authored, where)) {
    const hit = await probe.at(path);
    if (hit) return hit;
  }
  if (probe.failure) throw readFailure(authored, probe.failure);
  return undefined;
}

/** Asks each path once. A path that cannot be looked at counts as absent, but the first such failure is kept. */
class Probe {
  readonly #fs: Fs;
  readonly #asked = new Map<string, FileStat | undefined>();
  failure: FsError | undefined;

  constructor(fs: Fs) {
    this.#fs = fs;
  }

  async at(path: string): Promise<Hit | undefined> {
    if (!this.#asked.has(path)) this.#asked.set(path, await this.#stat(path));
    const stat = this.#asked.get(path);
    return stat && { path, stat };
  }

  async #stat(path: string): Promise<FileStat | undefined> {
    if (path.includes("\0")) return undefined;
    try {
      return await this.#fs.stat(path);
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
      this.failure ??= thrown;
      return undefined;
    }
  }
}

/** In the order in which they are to be tried. */
function* candidates(
  target: string,
  literal: readonly PathReading[],
  where: Where,
): Generator<Candidate> {
  const all = spellings(target, where);
  for (const spelling of all) {
    const readings = pathReadings(spelling);
    for (const [i, reading] of readings.entries()) {
      const path = resolvePath(reading.path, where.cwd);
      yield { path, reading, deeper: readings.slice(i + 1) };
    }
  }
  // Decorations inside a selector, as in "a.txt":5-9.
  for (const reading of literal) {
    for (const path of spellings(reading.path, where).slice(1)) {
      yield {
        path: resolvePath(path, where.cwd),
        reading: { ...reading, path },
        deeper: [],
      };
    }
  }
  for (const reading of pathReadings(all.at(-1)!)) {
    for (const path of macNames(reading.path)) {
      yield {
        path: resolvePath(path, where.cwd),
        reading: { ...reading, path },
        deeper: [],
      };
    }
  }
}

async function ambiguity(
  { reading, deeper }: Candidate,
  probe: Probe,
  where: Where,
): Promise<string | undefined> {
  const taken = showName(reading.path);
  for (const other of deeper) {
    if (!isValid(other) || !(await probe.at(resolvePath(other.path, where.cwd)))) continue;
    const way = await wayTo(other, probe, where);
    return `${taken} exists under that very name and was read as such. ${way}`;
  }
  return undefined;
}

/** A spelling of the same selector that is not the name of a file. */
async function wayTo(other: PathReading, probe: Probe, where: Where): Promise<string> {
  const name = showName(other.path);
  const at = other.modifiers.findIndex((modifier) => /\d/.test(modifier));
  if (at === -1) return `For the raw bytes of ${name}, read ${name} with --raw (raw: true).`;
  const bare = other.modifiers[at]!.replace(/^[lL]/, "");
  for (const range of [bare, `L${bare}`, `l${bare}`]) {
    const target = [other.path, ...other.modifiers.with(at, range)].join(":");
    if (await probe.at(resolvePath(target, where.cwd))) continue;
    return `For the lines of ${name}, read "${showName(target)}".`;
  }
  return `For the lines of ${name}, read ${name} as a whole.`;
}

function isValid({ modifiers }: PathReading): boolean {
  try {
    readModifiers(modifiers);
    return true;
  } catch {
    return false;
  }
}

function noHandler(target: string, scheme: string): AtomicError {
  const what = /^https?$/.test(scheme) ? "URLs" : `${scheme}:// resources`;
  return new AtomicError(
    "read.no_handler",
    `Cannot read ${showName(target)}: this build has no handler for ${what}. It reads local files.`,
    { data: { target, scheme } },
  );
}

async function notFound(
  target: string,
  readings: readonly PathReading[],
  fs: Fs,
  where: Where,
): Promise<AtomicError> {
  const peeled = readings.slice(1).map(({ path }) => `"${showName(path)}"`);
  const also =
    peeled.length === 0
      ? ""
      : ` (there is no file of that name, nor ${peeled.join(" or ")} for the selector to apply to)`;
  const link = await danglingLink(readings, fs, where);
  return new AtomicError("file.not_found", `File not found: ${showName(target)}${also}${link}`, {
    data: { path: target },
    hint: `Relative paths start at ${showName(where.cwd)}.`,
  });
}

async function danglingLink(
  readings: readonly PathReading[],
  fs: Fs,
  where: Where,
): Promise<string> {
  for (const { path } of readings) {
    if (path.includes("\0")) continue;
    try {
      const absolute = resolvePath(path, where.cwd);
      if ((await fs.lstat(absolute))?.kind !== "symlink") continue;
      const to = await fs.readLink(absolute);
      if (to !== undefined) {
        return `. ${showName(path)} is a symbolic link to ${showName(to)}, which does not exist`;
      }
    } catch (thrown) {
      // Only an addition to the message; the failure to look is not what the caller asked about.
      if (!(thrown instanceof FsError)) throw thrown;
    }
  }
  return "";
}
