// Pings of an MCP server that is hard at work, against those of one that has nothing to do.

import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import type { BenchCase, Side } from "../bench-case.ts";

/** Milliseconds within which a ping must be answered, whatever else goes on (issue 8). */
const most = 100;

export const ping: BenchCase = {
  name: "ping",
  title: "100 MCP pings, 10 ms apart, each within 100 ms",
  runs: 5,
  target: 1.5,
  open({ folder, atomic }) {
    for (let i = 0; i < 500; i++) {
      mkdirSync(join(folder, `d${i}`));
      for (let k = 0; k < 100; k++) {
        writeFileSync(join(folder, `d${i}/f${k}.txt`), `needle in ${i} and ${k}\n`.repeat(20));
      }
    }
    writeFileSync(join(folder, "big.txt"), `${"abcdefghij".repeat(7)}\n`.repeat(700_000));
    const source = (i: number) => `export function f${i}(a: number) {\n  return a + ${i};\n}\n`;
    writeFileSync(
      join(folder, "big.ts"),
      Array.from({ length: 20_000 }, (_, i) => source(i)).join(""),
    );
    const side = (name: string, mode: "busy" | "idle"): Side => ({
      name,
      command: [process.execPath, resolve(import.meta.dirname, "../pings.ts"), atomic, mode],
      verify(stdout) {
        const { slowest } = JSON.parse(stdout) as { readonly slowest: number };
        if (slowest > most) throw new Error(`A ping of the ${name} took ${slowest} ms`);
      },
    });
    return {
      ours: side("server that searches 50,000 files, reads 50 MB and parses", "busy"),
      peer: side("idle server", "idle"),
    };
  },
};
