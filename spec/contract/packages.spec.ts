// What we build on: exact versions, no address of a registry, licences that let everyone use the result.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

const root = resolve(import.meta.dirname, "../..");
const manifest = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
const lock = readFileSync(join(root, "bun.lock"), "utf8");

/** Path in the tree of packages → its row: name and version, registry, facts, hash. */
const locked: Readonly<Record<string, readonly [string, string, Facts?, string?]>> = parseLock();

interface Facts {
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
  readonly os?: string | readonly string[];
  readonly cpu?: string | readonly string[];
}

const permissive = [
  "0BSD",
  "Apache-2.0",
  "BSD-2-Clause",
  "BSD-3-Clause",
  "ISC",
  "MIT",
  "Unlicense",
];

test("every version in package.json is exact", () => {
  const { dependencies, devDependencies, optionalDependencies, peerDependencies } = manifest;
  expect(peerDependencies).toBeUndefined();
  const all = Object.entries({ ...dependencies, ...devDependencies, ...optionalDependencies });
  expect(all.length).toBeGreaterThan(0);
  expect(all.filter(([, version]) => !/^\d+\.\d+\.\d+$/.test(String(version)))).toEqual([]);
});

test("the types of Bun are those of the pinned Bun", () => {
  expect(manifest.devDependencies["@types/bun"]).toBe(manifest.devDependencies.bun);
  expect(Bun.version).toBe(manifest.devDependencies.bun);
});

test("the lockfile names no registry, and a hash for every package", () => {
  expect(lock).not.toMatch(/[a-z]+:\/\//i);
  expect(Object.keys(locked).length).toBeGreaterThan(0);
  for (const [path, row] of Object.entries(locked)) {
    expect([path, row[1]]).toEqual([path, ""]);
    expect([path, row[3]]).toEqual([path, expect.stringMatching(/^sha512-/)]);
  }
});

test("every package has a permissive licence", () => {
  const unclear: string[] = [];
  let read = 0;
  for (const [path, [nameAndVersion, , facts]] of Object.entries(locked)) {
    const file = join(root, "node_modules", folderOf(path), "package.json");
    if (existsSync(file)) {
      read += 1;
      const licence = JSON.parse(readFileSync(file, "utf8")).license;
      if (!isPermissive(licence)) unclear.push(`${nameAndVersion}: ${JSON.stringify(licence)}`);
    } else if (!isForAnotherSystem(path, facts)) {
      unclear.push(`${nameAndVersion}: not installed`);
    }
  }
  expect(unclear).toEqual([]);
  expect(read).toBeGreaterThan(Object.keys(manifest.dependencies).length);
});

test.each([
  ["MIT", true],
  ["(MIT OR GPL-3.0)", true],
  ["MIT AND ISC", true],
  ["MIT AND GPL-3.0", false],
  ["GPL-3.0", false],
  ["SEE LICENSE IN LICENSE.md", false],
  ["UNLICENSED", false],
  [undefined, false],
  [{ type: "MIT" }, false],
])("licence %j: %j", (licence, fine) => {
  expect(isPermissive(licence)).toBe(fine);
});

test("our own licence is MIT, and its text is there", () => {
  expect(manifest.license).toBe("MIT");
  expect(readFileSync(join(root, "LICENSE"), "utf8")).toStartWith(
    "MIT License\n\nCopyright (c) 2026 The atomic authors\n",
  );
});

/** An SPDX expression without nested brackets: one of its choices, and all parts of that. */
function isPermissive(licence: unknown): boolean {
  if (typeof licence !== "string") return false;
  return licence
    .replace(/^\((.*)\)$/, "$1")
    .split(" OR ")
    .some((choice) => choice.split(" AND ").every((part) => permissive.includes(part)));
}

/** A build of a package for another system comes from the package that lists it, whose licence is read. */
function isForAnotherSystem(path: string, facts: Facts | undefined): boolean {
  if (facts?.os === undefined && facts?.cpu === undefined) return false;
  const parents = [
    manifest.optionalDependencies,
    ...Object.values(locked).map((row) => row[2]?.optionalDependencies),
  ];
  return parents.some((names) => names !== undefined && path in names);
}

/** "a/@b/c" → "a/node_modules/@b/c" */
function folderOf(path: string): string {
  return (path.match(/@[^/]+\/[^/]+|[^/]+/g) ?? []).join("/node_modules/");
}

/** bun.lock is JSON with trailing commas. */
function parseLock() {
  return JSON.parse(lock.replace(/,(?=\s*[}\]])/g, "")).packages;
}
