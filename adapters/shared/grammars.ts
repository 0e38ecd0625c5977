// Grammars straight from the packages: for programs that run from source.

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";

import type { Grammars } from "../../core/ports/grammars.ts";

import { grammarFiles, runtimeFile } from "./grammar-files.ts";

export function packageGrammars(): Grammars {
  const { resolve } = createRequire(import.meta.url);

  async function read(file: string): Promise<Uint8Array> {
    return readFile(resolve(file));
  }

  return {
    runtime: () => read(runtimeFile),
    async load(name) {
      const file = grammarFiles.get(name);
      return file === undefined ? undefined : read(file);
    },
  };
}
