import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";

import fc from "fast-check";

import { quoteLiteral } from "../../../core/shell/quote.ts";
import { inspectPowerShell } from "../../../core/shell/powershell.ts";

test("a shell reads the literal as the path", () => {
  expect(quoteLiteral("a'b $x", "posix")).toBe("'a'\\''b $x'");
  const text = fc
    .string({ unit: "binary" })
    .filter((each) => !each.includes("\0") && each.isWellFormed());
  const paths = fc.sample(text, { numRuns: 100, seed: 3 });
  const script = paths.map((path) => `printf '%s\\0' ${quoteLiteral(path, "posix")}`).join("\n");
  const { stdout } = spawnSync("sh", ["-c", script], { encoding: "utf8" });
  expect(stdout.split("\0").slice(0, -1)).toEqual(paths);
});

test("PowerShell's literal doubles every quote that it takes for one", () => {
  expect(quoteLiteral("a'b\u2018c\u2019d\u201ae\u201bf$x`", "powershell")).toBe(
    "'a''b\u2018\u2018c\u2019\u2019d\u201a\u201ae\u201b\u201bf$x`'",
  );
  const world = { cwd: "/w", home: "/h", variable: () => undefined };
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (path) => {
      const [run] = inspectPowerShell(`Get-Item ${quoteLiteral(path, "powershell")}`, world).runs;
      expect(run!.words).toEqual(["Get-Item", path]);
    }),
  );
});
