import { expect, test } from "bun:test";

import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

import { grammarFiles } from "../../../adapters/shared/grammar-files.ts";

import { compressedGrammars } from "../../../scripts/grammars.ts";
import { grammars } from "./fixtures.ts";

const wasm = [0x00, 0x61, 0x73, 0x6d];

test("the parser and every grammar are WebAssembly that the packages hold", async () => {
  expect([...(await grammars.runtime()).subarray(0, 4)]).toEqual(wasm);
  for (const name of grammarFiles.keys()) {
    const bytes = await grammars.load(name);
    expect([name, ...bytes!.subarray(0, 4)]).toEqual([name, ...wasm]);
  }
});

test("all of them together make the executable no more than 12 MB larger", () => {
  const folder = compressedGrammars();
  const sizes = readdirSync(folder).map((name) => statSync(join(folder, name)).size);
  expect(sizes).toHaveLength(grammarFiles.size + 1);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(12_000_000);
});

test("a grammar that does not exist is a value, not an error", async () => {
  expect(await grammars.load("klingon")).toBeUndefined();
  expect(await grammars.load("../package")).toBeUndefined();
  expect(await grammars.load("")).toBeUndefined();
});
