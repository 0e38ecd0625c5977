// Globs that read the folders of a walk as it goes.

import { DEAD } from "./automaton.ts";
import type { Glob } from "./glob.ts";

export interface GlobFinding {
  readonly matches: boolean;
  /** Of a folder: something in it may match. */
  readonly mayContain: boolean;
}

/** Several globs from one root; one that is undefined takes everything. */
export class FolderGlobs {
  readonly #globs: readonly (Glob | undefined)[];
  readonly #walks: readonly GlobWalk[];
  readonly #isWhole: boolean;

  constructor(globs: readonly (Glob | undefined)[]) {
    this.#globs = globs;
    this.#isWhole = globs.includes(undefined);
    this.#walks = this.#isWhole ? [] : globs.map((glob) => new GlobWalk(glob!));
  }

  /** @param folder relative to the root: "" or ending in "/" */
  at(folder: string, name: string, isFolder: boolean): GlobFinding {
    if (this.#isWhole) return everything;
    let matches = false;
    let mayContain = false;
    for (const walk of this.#walks) {
      const found = walk.at(folder, name, isFolder);
      matches ||= found.matches;
      mayContain ||= found.mayContain;
    }
    return { matches, mayContain };
  }

  /** Whether the caller asked for folders of this name, in a glob or by the root itself. */
  names(name: string, root: string): boolean {
    return (
      root.split("/").includes(name) || this.#globs.some((glob) => glob?.spelled.has(name) ?? false)
    );
  }
}

const everything: GlobFinding = { matches: true, mayContain: true };

class GlobWalk {
  readonly #glob: Glob;
  #folder = "";
  #state: number;
  #generation: number;

  constructor(glob: Glob) {
    this.#glob = glob;
    this.#state = glob.automaton.start;
    this.#generation = glob.automaton.generation;
  }

  at(folder: string, name: string, isFolder: boolean): GlobFinding {
    const { automaton, foldersOnly } = this.#glob;
    if (folder !== this.#folder || this.#generation !== automaton.generation) {
      this.#state = automaton.run(folder);
      this.#folder = folder;
      this.#generation = automaton.generation;
    }
    const state = automaton.run(name, this.#state);
    const matches = (isFolder || !foldersOnly) && automaton.accepts(state);
    return { matches, mayContain: isFolder && automaton.run("/", state) !== DEAD };
  }
}
