import { describe, test } from "bun:test";

import { portSuites } from "./suites.ts";

for (const { name, cases } of portSuites) {
  describe(name, () => {
    for (const { name, run } of cases) test(name, run, 60_000);
  });
}
