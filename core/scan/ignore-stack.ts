// All rules that count in one folder, in the order in which git and ripgrep ask them: `.ignore` before `.gitignore`, the
// nearest folder first, then `info/exclude`, then the user's own file.

import { resolvePath } from "../paths.ts";
import type { Env } from "../ports/env.ts";
import { type DirectoryEntry, type Fs, FsError } from "../ports/fs.ts";
import { globalExcludes, infoExclude, readByteString } from "./git-config.ts";
import { byteString, compileRules, type RulesHere } from "./ignore-rules.ts";

export interface IgnoreStack {
  ignores(name: string, isFolder: boolean): boolean;
  /**
   * As seen from a folder in this one.
   * @param folder its absolute path
   * @param entries what it holds
   */
  enter(name: string, folder: string, entries: readonly DirectoryEntry[]): Promise<IgnoreStack>;
}

export interface IgnorePorts {
  readonly fs: Pick<Fs, "read" | "lstat">;
  readonly env: Pick<Env, "get" | "home">;
}

/** Leaves nothing out. */
export const noIgnores: IgnoreStack = {
  ignores: () => false,
  enter: async () => noIgnores,
};

/** Each list from the outermost folder to the nearest. */
interface Layers {
  readonly ignore: readonly RulesHere[];
  readonly git: readonly RulesHere[];
  readonly exclude: RulesHere | undefined;
  readonly user: RulesHere | undefined;
}

/**
 * The rules above a folder where a walk begins: those of its parents, up to the top of its repository, or outside one up to
 * the root.
 * @param root absolute
 * @returns as seen from the folder above `root`; `enter` the root itself next
 */
export async function ignoresAbove(root: string, ports: IgnorePorts): Promise<IgnoreStack> {
  const segments = root.split("/").filter((segment) => segment !== "");
  const start: Layers = { ignore: [], git: [], exclude: undefined, user: undefined };
  let stack = new Stack(start, ports);
  let isInside = false;
  for (let i = 0; i < segments.length; i++) {
    const folder = `/${segments.slice(0, i).join("/")}`;
    const name = segments[i - 1];
    const entries = await namedEntries(folder, ports.fs);
    stack = await stack.enter(name ?? "", folder, entries);
    isInside ||= entries.some((entry) => entry.name === ".git");
  }
  return isInside ? stack : stack.withUser(await globalExcludes(undefined, ports));
}

/** Only those that decide: listing a parent may take long, and be forbidden. */
async function namedEntries(folder: string, fs: IgnorePorts["fs"]): Promise<DirectoryEntry[]> {
  const found: DirectoryEntry[] = [];
  for (const name of [".git", ".gitignore", ".ignore"]) {
    try {
      const stat = await fs.lstat(folder === "/" ? `/${name}` : `${folder}/${name}`);
      if (stat) found.push({ name, kind: stat.kind });
    } catch (thrown) {
      if (!(thrown instanceof FsError)) throw thrown;
    }
  }
  return found;
}

class Stack implements IgnoreStack {
  readonly #layers: Layers;
  readonly #ports: IgnorePorts;

  constructor(layers: Layers, ports: IgnorePorts) {
    this.#layers = layers;
    this.#ports = ports;
  }

  ignores(name: string, isFolder: boolean): boolean {
    const { ignore, git, exclude, user } = this.#layers;
    if (ignore.length + git.length === 0 && !exclude && !user) return false;
    const bytes = byteString(name);
    const verdict =
      nearest(ignore, bytes, isFolder) ??
      nearest(git, bytes, isFolder) ??
      exclude?.verdict(bytes, isFolder) ??
      user?.verdict(bytes, isFolder);
    return verdict === "ignored";
  }

  async enter(name: string, folder: string, entries: readonly DirectoryEntry[]): Promise<Stack> {
    let layers = this.#layers;
    const bytes = byteString(name);
    if (name !== "" && hasRules(layers)) {
      layers = {
        ignore: layers.ignore.map((rules) => rules.enter(bytes)),
        git: layers.git.map((rules) => rules.enter(bytes)),
        exclude: layers.exclude?.enter(bytes),
        user: layers.user?.enter(bytes),
      };
    }
    let changed = layers !== this.#layers;
    for (const entry of entries) {
      if (entry.name === ".git" && (entry.kind === "directory" || entry.kind === "file")) {
        // A repository in a repository has only rules of its own.
        layers = {
          ignore: layers.ignore,
          git: [],
          exclude: compiled(await infoExclude(folder, this.#ports.fs)),
          user: compiled(await globalExcludes(folder, this.#ports)),
        };
        changed = true;
      }
    }
    for (const entry of entries) {
      if (entry.kind !== "file") continue;
      if (entry.name !== ".gitignore" && entry.name !== ".ignore") continue;
      const rules = compiled(await readByteString(resolvePath(entry.name, folder), this.#ports.fs));
      if (!rules) continue;
      if (entry.name === ".ignore") layers = { ...layers, ignore: [...layers.ignore, rules] };
      else layers = { ...layers, git: [...layers.git, rules] };
      changed = true;
    }
    return changed ? new Stack(layers, this.#ports) : this;
  }

  withUser(text: string | undefined): Stack {
    const user = compiled(text);
    return user ? new Stack({ ...this.#layers, user }, this.#ports) : this;
  }
}

function hasRules({ ignore, git, exclude, user }: Layers): boolean {
  return ignore.length + git.length > 0 || exclude !== undefined || user !== undefined;
}

function compiled(text: string | undefined): RulesHere | undefined {
  return text === undefined ? undefined : compileRules(text);
}

function nearest(layers: readonly RulesHere[], name: string, isFolder: boolean) {
  for (let i = layers.length - 1; i >= 0; i--) {
    const verdict = layers[i]!.verdict(name, isFolder);
    if (verdict !== undefined) return verdict;
  }
  return undefined;
}
