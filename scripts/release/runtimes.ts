// Bun's runtime for another system, from npm, held to the checksum in the lockfile.

import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";

import { executableName, type Target } from "./targets.ts";

/** @returns the checksum that the lockfile has for a package, such as "sha512-…" */
export function lockedIntegrity(lockfile: string, name: string, version: string): string {
  const start = lockfile.indexOf(`"${name}": ["${name}@${version}"`);
  const line = start < 0 ? "" : lockfile.slice(start, lockfile.indexOf("\n", start));
  const found = /"(sha512-[A-Za-z0-9+/=]+)"\]/.exec(line)?.[1];
  if (found === undefined) throw new Error(`bun.lock has no checksum for ${name} ${version}.`);
  return found;
}

/** Fetches it once into the cache. @returns the path of the runtime's executable */
export function fetchRuntime(target: Target, root: string, version: string): string {
  const lockfile = readFileSync(join(root, "bun.lock"), "utf8");
  const integrity = lockedIntegrity(lockfile, target.runtime, version);
  const home = join(root, ".cache", "runtimes", `${target.bun}-${version}`);
  const program = join(home, "package", "bin", executableName(target).replace("atomic", "bun"));
  if (existsSync(program)) return program;
  mkdirSync(join(root, ".cache", "runtimes"), { recursive: true });
  const staging = mkdtempSync(join(root, ".cache", "runtimes", ".fetch-"));
  try {
    const packed = must(staging, "npm", [
      "pack",
      "--json",
      "--loglevel=error",
      `${target.runtime}@${version}`,
    ]);
    const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
    const archive = join(staging, filename);
    const actual = `sha512-${createHash("sha512").update(readFileSync(archive)).digest("base64")}`;
    if (actual !== integrity) {
      throw new Error(`${target.runtime} ${version} is not what bun.lock names: ${actual}.`);
    }
    must(staging, "tar", ["-xzf", archive]);
    rmSync(archive);
    rmSync(home, { recursive: true, force: true });
    renameSync(staging, home);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
  return program;
}

function must(cwd: string, command: string, args: readonly string[]): string {
  const { status, stdout, stderr, error } = spawnSync(command, [...args], {
    cwd,
    encoding: "utf8",
  });
  if (status === 0) return stdout;
  throw new Error(`${command} ${args[0]} failed: ${error?.message ?? stderr}`);
}
