// What the paths of a find or a search mean: files, folders and globs; one argument may hold several (seed 000, "Finding
// paths"; tools.md §7.1).

import { AtomicError } from "../errors.ts";
import { resolvePath, showName, spellings } from "../paths.ts";
import { type FileStat, type Fs, FsError } from "../ports/fs.ts";
import { compileGlob, type Glob, globProblem, isGlob, splitGlob } from "../scan/glob.ts";
import {
  hasDelimiter,
  hasHardDelimiter,
  splitCommas,
  splitEntry,
  splitSemicolons,
} from "../scan/split-entry.ts";
import { parseSelector } from "../selectors/parse.ts";
import { confine, workspaceRoot } from "./confine.ts";
import { findInternal, locate } from "./open.ts";
import type { Located, Part, TargetCall, TargetPorts } from "./resource.ts";

export type ScanTarget = FolderTarget | FileTarget | PartTarget | MissingTarget;

export interface FolderTarget {
  readonly kind: "folder";
  /** Absolute. */
  readonly path: string;
  /** Undefined: everything in it. */
  readonly glob: Glob | undefined;
  /** As the caller named it. */
  readonly typed: string;
}

export interface FileTarget {
  readonly kind: "file";
  readonly path: string;
  readonly stat: FileStat;
  readonly typed: string;
  /** Only where selectors count: what was asked for of it. */
  readonly located?: Located;
}

/** Something in a file that has a name of its own. */
export interface PartTarget {
  readonly kind: "part";
  readonly part: Part;
  readonly typed: string;
}

export interface MissingTarget {
  readonly kind: "missing";
  /** Absolute. */
  readonly path: string;
  readonly typed: string;
}

/**
 * @param entries each a path, a glob, an internal URL, or several of these with delimiters between them
 * @param selectors whether lines and members may follow a colon
 * @returns in the order of the entries
 * @throws AtomicError `selector.line`, `selector.escape`, `read.no_handler`, `find.glob`, and what a container throws
 */
export async function scanTargets(
  entries: readonly string[],
  { selectors }: { readonly selectors: boolean },
  ports: TargetPorts,
  call: TargetCall,
): Promise<readonly ScanTarget[]> {
  const resolver = new Resolver(selectors, ports, call);
  const targets: ScanTarget[] = [];
  for (const entry of entries) targets.push(...(await resolver.entry(entry)));
  return targets;
}

class Resolver {
  readonly #selectors: boolean;
  readonly #ports: TargetPorts;
  readonly #call: TargetCall;

  constructor(selectors: boolean, ports: TargetPorts, call: TargetCall) {
    this.#selectors = selectors;
    this.#ports = ports;
    this.#call = selectors ? { ...call, purpose: "search" } : call;
  }

  async entry(entry: string): Promise<readonly ScanTarget[]> {
    const whole = await this.#resolve(entry);
    if (whole) return [whole];
    let parts = await this.#pieces(splitEntry(entry), splitCommas);
    let resolved = parts.filter(({ kind }) => kind !== "missing").length;
    if (resolved < parts.length && hasHardDelimiter(entry)) {
      // A name with blanks may stand between the commas.
      const others = await this.#pieces(splitCommas(entry).flatMap(splitSemicolons), splitEntry);
      const found = others.filter(({ kind }) => kind !== "missing").length;
      if (others.length - found < parts.length - resolved) {
        parts = others;
        resolved = found;
      }
    }
    const isList =
      parts.length > 1 && (hasHardDelimiter(entry) ? resolved > 0 : resolved === parts.length);
    if (isList) return parts;
    const glob = await this.#glob(bare(entry));
    return [glob ?? this.#missing(entry)];
  }

  /** Each chunk as it is, or else taken apart. */
  async #pieces(
    chunks: readonly string[],
    split: (chunk: string) => readonly string[],
  ): Promise<ScanTarget[]> {
    const parts: ScanTarget[] = [];
    for (const chunk of chunks) {
      const found = await this.#resolve(chunk);
      const pieces = found ? [] : split(chunk);
      if (found || (pieces.length === 1 && pieces[0] === chunk)) {
        parts.push(found ?? this.#missing(chunk));
        continue;
      }
      for (const piece of pieces) parts.push((await this.#resolve(piece)) ?? this.#missing(piece));
    }
    return parts;
  }

  #missing(entry: string): MissingTarget {
    const typed = bare(entry);
    return { kind: "missing", path: resolvePath(typed, this.#call.cwd), typed };
  }

  /** One path as a whole; undefined where there is no such thing. */
  async #resolve(entry: string): Promise<ScanTarget | undefined> {
    if (entry.trim() === "") return undefined;
    const selector = parseSelector(entry.trim());
    if (selector.kind === "scheme") return this.#internal(entry.trim(), selector.scheme);
    const literal = await this.#literal(entry);
    if (literal) return literal;
    const text = bare(entry);
    if (!isGlob(text)) return undefined;
    const { base, pattern } = splitGlob(text);
    if (hasDelimiter(pattern!.replace(/\{[^{}]*\}/g, "")) && !hasDelimiter(base)) return undefined;
    return this.#glob(text);
  }

  /** What exists under that very name, or once decorations are off. */
  async #literal(entry: string): Promise<ScanTarget | undefined> {
    // What looks like decoration to a path is the heart of a glob.
    const isStar = /^\W*\*/.test(entry);
    if (this.#selectors && !isStar) {
      try {
        const found = await locate(entry, this.#ports, this.#call);
        if (found.kind === "part") return { kind: "part", part: found, typed: entry };
        return target(found.path, found.stat, found.typed, found);
      } catch (thrown) {
        if (isNotFound(thrown)) return undefined;
        throw thrown;
      }
    }
    for (const spelling of isStar ? [entry] : spellings(entry, this.#where())) {
      const path = resolvePath(spelling, this.#call.cwd);
      const stat = await look(path, this.#ports.fs);
      if (stat) return target(path, stat, spelling, undefined);
    }
    return undefined;
  }

  async #glob(text: string): Promise<FolderTarget | undefined> {
    if (!isGlob(text)) return undefined;
    const { base, pattern } = splitGlob(undecorated(text, this.#where()));
    const path = resolvePath(base === "" ? "." : base, this.#call.cwd);
    if ((await look(path, this.#ports.fs))?.kind !== "directory") return undefined;
    return this.#folder(path, pattern!, base !== "", text);
  }

  #folder(path: string, pattern: string, anchored: boolean, typed: string): FolderTarget {
    const problem = globProblem(pattern);
    if (problem !== undefined) {
      throw new AtomicError("find.glob", `Cannot use the glob ${showName(typed)}: ${problem}.`, {
        data: { glob: typed },
      });
    }
    return { kind: "folder", path, glob: compileGlob(pattern, anchored), typed };
  }

  /** `local://` may hold a glob; everything else names one thing. */
  async #internal(entry: string, scheme: string): Promise<ScanTarget | undefined> {
    const rest = entry.slice(entry.indexOf("://") + 3);
    if (scheme === "local" && isGlob(rest)) {
      const root = await workspaceRoot("local://", this.#call);
      const { base, pattern } = splitGlob(rest);
      const path = resolvePath(base === "" ? "." : base, root.path);
      await confine(root, path, entry, this.#ports.fs);
      if ((await look(path, this.#ports.fs))?.kind !== "directory") return undefined;
      return this.#folder(path, pattern!, base !== "", entry);
    }
    if (this.#selectors) {
      const found = await locate(entry, this.#ports, this.#call);
      if (found.kind === "part") return { kind: "part", part: found, typed: entry };
      return target(found.path, found.stat, entry, found);
    }
    const hit = await findInternal(entry, this.#ports, this.#call);
    // It has no files; `locate` says so in its own words, or finds what has no place on the disk.
    if (!hit) {
      await locate(entry, this.#ports, this.#call);
      throw new AtomicError("find.no_path", `${showName(entry)} names no file or folder.`, {
        data: { path: entry },
      });
    }
    return target(hit.path, hit.stat, entry, undefined);
  }

  #where() {
    return { cwd: this.#call.cwd, home: this.#ports.env.home };
  }
}

function target(
  path: string,
  stat: FileStat,
  typed: string,
  located: Located | undefined,
): FolderTarget | FileTarget {
  if (stat.kind === "directory" && !located?.ranges) {
    return { kind: "folder", path, glob: undefined, typed };
  }
  return { kind: "file", path, stat, typed, ...(located && { located }) };
}

/** Without what people and models put around a path. */
function bare(entry: string): string {
  return /^\s*(["'`])(.+)\1\s*$/s.exec(entry)?.[2] ?? entry.trim();
}

function undecorated(glob: string, { home }: { readonly home: string | undefined }): string {
  const plain = glob.replace(/^@(?!\()/, "").replace(/^file:\/\/(?:localhost)?(?=\/)/i, "");
  return home === undefined ? plain : plain.replace(/^~(?=\/)/, () => home);
}

async function look(path: string, fs: Fs): Promise<FileStat | undefined> {
  if (path.includes("\0")) return undefined;
  try {
    return await fs.stat(path);
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    // A name too long to exist, a loop of links, a folder that may not be entered: nothing to walk.
    return undefined;
  }
}

function isNotFound(thrown: unknown): boolean {
  return thrown instanceof AtomicError && thrown.code === "file.not_found";
}
