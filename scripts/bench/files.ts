// Texts and peers that several cases use.

import { closeSync, openSync, writeSync } from "node:fs";

/** About 50 bytes, different on every line, like code more than like noise. */
export function sampleLine(number: number): string {
  return `const value${number} = compute(${(number * 7919) % 104729}, "item");`;
}

/** Written in pieces, so that the memory of this process stays small whatever the file's size. */
export function writeSample(path: string, lines: number, first = ""): void {
  const file = openSync(path, "w");
  try {
    let piece = first;
    for (let number = 1; number <= lines; number += 1) {
      piece += `${sampleLine(number)}\n`;
      if (piece.length > 1 << 20 || number === lines) {
        writeSync(file, piece);
        piece = "";
      }
    }
  } finally {
    closeSync(file);
  }
}

/** A hash of the whole file by a program made for it: with the tag's own algorithm where it is installed. */
export function sumCommand(path: string): readonly string[] {
  return Bun.which("xxhsum") === null ? ["sha256sum", path] : ["xxhsum", "-H0", path];
}

/** @param parts What must be in the output. */
export function expectOutput(stdout: string, ...parts: readonly string[]): void {
  for (const part of parts) {
    if (!stdout.includes(part)) {
      throw new Error(`Expected "${part}" in the output, but got "${stdout.slice(0, 200)}"`);
    }
  }
}
