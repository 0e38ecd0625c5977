// Grammars from inside the executable (scripts/grammars.ts puts them there), or from the packages when run from source.

import { packageGrammars } from "../shared/grammars.ts";
import type { Grammars } from "../../core/ports/grammars.ts";

export function bunGrammars(): Grammars {
  return Bun.isStandaloneExecutable
    ? embeddedGrammars(`${import.meta.dir}/grammars`)
    : packageGrammars();
}

function embeddedGrammars(folder: string): Grammars {
  async function read(name: string): Promise<Uint8Array | undefined> {
    const file = Bun.file(`${folder}/${name}.zst`);
    return (await file.exists()) ? Bun.zstdDecompress(await file.bytes()) : undefined;
  }

  return {
    async runtime() {
      const bytes = await read("runtime");
      if (bytes === undefined) throw new Error("This executable was built without its parser");
      return bytes;
    },
    load: read,
  };
}
