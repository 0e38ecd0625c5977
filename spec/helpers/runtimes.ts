import { resolve } from "node:path";

import { findDeno, findNode } from "../../scripts/check/runtimes.ts";

const root = resolve(import.meta.dirname, "../..");
const deno = findDeno(root);
const node = findNode(root);

/** The start of a command line that runs a source file, for each runtime that is here; the first is Bun's. */
export const runtimes: readonly { readonly name: string; readonly command: readonly string[] }[] = [
  { name: "bun", command: [process.execPath] },
  ...(deno === undefined ? [] : [{ name: "deno", command: [deno, "run", "-A", "--no-lock"] }]),
  ...(node === undefined ? [] : [{ name: "node", command: [node] }]),
];
