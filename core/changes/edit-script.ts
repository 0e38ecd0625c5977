// An edit script bound to the disk: which real file each section means, sections of one path merged (hashline.md §5).

import { AtomicError } from "../errors.ts";
import { headerMessage } from "../hashline/messages.ts";
import { headerPaths, type BodyLine, type RawSection, splitScript } from "../hashline/script.ts";
import { candidatePaths, displayPath, resolvePath, type Where } from "../paths.ts";
import { FsError, type Fs } from "../ports/fs.ts";

export interface FileSection {
  /** As messages and merging name it. */
  readonly path: string;
  /** Absolute, links not resolved. */
  readonly absolute: string;
  /** The key of locks and snapshots: links resolved; the absolute path where nothing exists. */
  readonly real: string;
  /** What to lock: the real path, and the file itself where it has several names. */
  readonly locks: readonly string[];
  readonly tag: string;
  readonly bodies: readonly (readonly BodyLine[])[];
}

/** Where a script's paths start. */
export interface ScriptPlace extends Where {
  /**
   * The file that an internal URL names, absolute; undefined for a text that is none.
   * @throws AtomicError where it names no file, or one that it may not
   */
  internal(target: string): Promise<string | undefined>;
}

/** @throws AtomicError `edit.script`, and what `internal` throws */
export async function bindScript(
  input: string,
  fs: Fs,
  place: ScriptPlace,
): Promise<readonly FileSection[]> {
  return resolveSections(mergeSections(await namePaths(splitScript(input), fs, place)), fs);
}

interface NamedSection extends RawSection {
  readonly path: string;
  readonly absolute: string;
}

interface MergedSection {
  readonly path: string;
  readonly absolute: string;
  readonly tag: string | undefined;
  readonly bodies: readonly (readonly BodyLine[])[];
  readonly blank: boolean;
}

async function namePaths(
  sections: readonly RawSection[],
  fs: Fs,
  place: ScriptPlace,
): Promise<NamedSection[]> {
  const named: NamedSection[] = [];
  for (const section of sections)
    named.push({ ...section, ...(await choosePath(section.authored, fs, place)) });
  return named;
}

/** The path as it stands when that file exists; only else with its decorations off (decision 25). */
async function choosePath(
  authored: string,
  fs: Fs,
  where: ScriptPlace,
): Promise<{ path: string; absolute: string }> {
  const written = headerPaths(authored);
  for (const path of written) {
    const absolute = resolvePath(path, where.cwd);
    if (await exists(absolute, fs)) return { path: sectionName(path, where), absolute };
  }
  const path = written[written.length - 1]!;
  const internal = await where.internal(path);
  if (internal !== undefined) return { path: sectionName(internal, where), absolute: internal };
  const name = sectionName(path, where);
  for (const absolute of candidatePaths(path, where))
    if (await exists(absolute, fs)) return { path: name, absolute };
  return { path: name, absolute: resolvePath(path, where.cwd) };
}

/** What cannot be looked at is there, so that opening it says why it cannot be edited. */
async function exists(absolute: string, fs: Fs): Promise<boolean> {
  try {
    return (await fs.lstat(absolute)) !== undefined;
  } catch (thrown) {
    return thrown instanceof FsError && thrown.code !== "ENAMETOOLONG" && thrown.code !== "EINVAL";
  }
}

function sectionName(path: string, { cwd }: Where): string {
  return path.startsWith("/") ? displayPath(path, cwd) : path;
}

function mergeSections(sections: readonly NamedSection[]): MergedSection[] {
  const merged = new Map<string, MergedSection>();
  for (const { path, absolute, tag, body, blank } of sections) {
    const earlier = merged.get(path);
    if (earlier?.tag !== undefined && tag !== undefined && earlier.tag !== tag) {
      throw new AtomicError("edit.script", headerMessage.conflictingTags(path, earlier.tag, tag));
    }
    merged.set(path, {
      path,
      absolute,
      tag: earlier?.tag ?? tag,
      bodies: [...(earlier?.bodies ?? []), body],
      blank: (earlier?.blank ?? true) && blank,
    });
  }
  return [...merged.values()];
}

async function resolveSections(sections: readonly MergedSection[], fs: Fs): Promise<FileSection[]> {
  const untagged = sections.find(({ tag }) => tag === undefined);
  if (untagged) throw new AtomicError("edit.script", headerMessage.missingTag(untagged.path));
  const bound: FileSection[] = [];
  for (const { path, absolute, tag, bodies, blank } of sections) {
    if (blank) continue;
    const real = await realPathOf(absolute, fs);
    const locks = [real, ...(await otherNames(real, fs))];
    bound.push({ path, absolute, tag: tag!, bodies, real, locks });
  }
  if (bound.length === 0) throw new AtomicError("edit.script", headerMessage.noSections());
  return bound;
}

/** Hard links are one file under several paths. */
async function otherNames(real: string, fs: Fs): Promise<readonly string[]> {
  try {
    const stat = await fs.stat(real);
    return stat && stat.links > 1 ? [`inode ${stat.identity}`] : [];
  } catch (thrown) {
    if (thrown instanceof FsError) return [];
    throw thrown;
  }
}

async function realPathOf(absolute: string, fs: Fs): Promise<string> {
  try {
    const real = await fs.realPath(absolute);
    // What a pipe under /proc resolves to is no path.
    return real !== undefined && (await fs.lstat(real)) ? real : absolute;
  } catch (thrown) {
    if (thrown instanceof FsError) return absolute;
    throw thrown;
  }
}
