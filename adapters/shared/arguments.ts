// The words of the command line. The runtimes put U+FFFD for what is no UTF-8, and so name another file.

import { wholeName } from "./whole-name.ts";

/** What follows the program's own name; a byte that is no UTF-8 as U+DC00 and that byte, where the system tells it. */
export function processArguments(): readonly string[] {
  const words = process.argv.slice(2);
  if (process.platform !== "linux" || !words.some((word) => word.includes("\ufffd"))) return words;
  const given = commandLine();
  return words.map((word, i) => {
    const bytes = given[given.length - words.length + i];
    return bytes?.toString() === word ? wholeName(bytes) : word;
  });
}

function commandLine(): readonly Buffer[] {
  try {
    const line = process.getBuiltinModule("node:fs").readFileSync("/proc/self/cmdline");
    const words: Buffer[] = [];
    for (let start = 0; start < line.length;) {
      const end = line.indexOf(0, start);
      words.push(line.subarray(start, end < 0 ? line.length : end));
      start = end < 0 ? line.length : end + 1;
    }
    return words;
  } catch {
    return [];
  }
}
