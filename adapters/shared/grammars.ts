// Grammars straight from the packages: for programs that run from source.

import type { Grammars } from "../../core/ports/grammars.ts";

import { grammarFiles, runtimeFile } from "./grammar-files.ts";

export function packageGrammars(): Grammars {
  const { resolve } = process.getBuiltinModule("node:module").createRequire(import.meta.url);

  async function read(file: string): Promise<Uint8Array> {
    return process.getBuiltinModule("node:fs").promises.readFile(resolve(file));
  }

  return {
    runtime: () => read(runtimeFile),
    async load(name) {
      const file = grammarFiles.get(name);
      return file === undefined ? undefined : read(file);
    },
  };
}
