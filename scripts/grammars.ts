// Compresses every grammar for the executable. Prints the folder to embed; work is done once per set of packages.

import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { zstdCompressSync, constants } from "node:zlib";

import { grammarFiles, runtimeFile } from "../adapters/shared/grammar-files.ts";

const compressionLevel = 19;

/** @returns a folder named `grammars` that holds one `.zst` file per grammar, and the parser's own. */
export function compressedGrammars(cache = resolve(import.meta.dirname, "../.cache")): string {
  const require = createRequire(import.meta.url);
  const files = new Map([["runtime", runtimeFile], ...grammarFiles]);
  const sources = [...files].map(
    ([name, file]) => [name, readFileSync(require.resolve(file))] as const,
  );
  const folder = join(cache, `grammars-${fingerprint(sources)}`, "grammars");
  if (existsSync(folder)) return folder;
  const staging = `${folder}.${process.pid}.tmp`;
  mkdirSync(staging, { recursive: true });
  for (const [name, bytes] of sources) {
    const params = { [constants.ZSTD_c_compressionLevel]: compressionLevel };
    writeFileSync(join(staging, `${name}.zst`), zstdCompressSync(bytes, { params }));
  }
  try {
    renameSync(staging, folder);
  } catch (error) {
    // Another build was faster.
    rmSync(staging, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

function fingerprint(sources: readonly (readonly [string, Uint8Array])[]): string {
  const hash = new Bun.CryptoHasher("sha256").update(String(compressionLevel));
  for (const [name, bytes] of sources) hash.update(name).update(bytes);
  return hash.digest("hex").slice(0, 16);
}

if (import.meta.main) console.log(compressedGrammars());
