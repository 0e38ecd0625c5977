import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");

test("the top level holds what a newcomer expects, and nothing else", () => {
  const made = ["dist", "node_modules"];
  const names = readdirSync(root).filter((name) => !name.startsWith(".") && !made.includes(name));
  expect(names.toSorted()).toEqual([
    "CHANGELOG.md",
    "LICENSE",
    "README.md",
    "SECURITY.md",
    "adapters",
    "bun.lock",
    "bunfig.toml",
    "cmd",
    "core",
    "package.json",
    "scripts",
    "spec",
    "tsconfig.json",
  ]);
});
