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

const DOT = 0x2e;

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
    if (name !== "" && hasRules(layers)) layers = enterAll(layers, byteString(name));
    let changed = layers !== this.#layers;
    // Found in one pass, since most folders have none of them.
    let hasGit = false;
    let hasIgnore = false;
    let hasGitignore = false;
    for (let i = 0; i < entries.length; i++) {
      const entry = entries[i]!;
      if (entry.name.charCodeAt(0) !== DOT) continue;
      const isFile = entry.kind === "file";
      if (entry.name === ".git") hasGit = isFile || entry.kind === "directory";
      else if (entry.name === ".ignore") hasIgnore = isFile;
      else if (entry.name === ".gitignore") hasGitignore = isFile;
    }
    if (hasGit) {
      // A repository in a repository has only rules of its own.
      layers = {
        ignore: layers.ignore,
        git: [],
        exclude: compiled(await infoExclude(folder, this.#ports.fs)),
        user: compiled(await globalExcludes(folder, this.#ports)),
      };
      changed = true;
    }
    if (hasIgnore) {
      const rules = await this.#rulesOf(".ignore", folder);
      if (rules) layers = { ...layers, ignore: [...layers.ignore, rules] };
      changed ||= rules !== undefined;
    }
    if (hasGitignore) {
      const rules = await this.#rulesOf(".gitignore", folder);
      if (rules) layers = { ...layers, git: [...layers.git, rules] };
      changed ||= rules !== undefined;
    }
    return changed ? new Stack(layers, this.#ports) : this;
  }

  async #rulesOf(name: string, folder: string): Promise<RulesHere | undefined> {
    return compiled(await readByteString(resolvePath(name, folder), this.#ports.fs));
  }

  withUser(text: string | undefined): Stack {
    const user = compiled(text);
    return user ? new Stack({ ...this.#layers, user }, this.#ports) : this;
  }
}

/** The same layers where nothing in them depends on the folder. */
function enterAll(layers: Layers, name: string): Layers {
  const { exclude, user } = layers;
  const ignore = enterEach(layers.ignore, name);
  const git = enterEach(layers.git, name);
  const below = { ignore, git, exclude: exclude?.enter(name), user: user?.enter(name) };
  const isSame =
    ignore === layers.ignore &&
    git === layers.git &&
    below.exclude === exclude &&
    below.user === user;
  return isSame ? layers : below;
}

function enterEach(all: readonly RulesHere[], name: string): readonly RulesHere[] {
  const below: RulesHere[] = [];
  let isSame = true;
  for (let i = 0; i < all.length; i++) {
    const rules = all[i]!.enter(name);
    isSame &&= rules === all[i];
    below.push(rules);
  }
  return isSame ? all : below;
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
