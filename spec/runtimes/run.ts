// Runs every suite that needs no runner, under whatever runtime runs this file. Names of suites as arguments run only
// those that begin so. One line per failure, the sum last.

import { suites } from "./suites.ts";

const wanted = process.argv.slice(2);
let passed = 0;
let failed = 0;
for (const { name, cases } of suites) {
  if (wanted.length > 0 && !wanted.some((start) => name.startsWith(start))) continue;
  for (const one of cases) {
    try {
      await one.run();
      passed++;
    } catch (thrown) {
      failed++;
      console.log(`FAILED ${name}: ${one.name}: ${oneLine(thrown)}`);
      if (process.env["ATOMIC_DEBUG"] === "1") console.log(thrown);
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed === 0 && passed > 0 ? 0 : 1);

function oneLine(thrown: unknown): string {
  const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : String(thrown);
  return text.replaceAll(/\s*\n\s*/g, " ");
}
