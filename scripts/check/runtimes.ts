// The other two runtimes, from the lockfile's packages for this system, else from PATH.

import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";

const libc = process.platform === "linux" ? "-glibc" : "";

export function findDeno(root: string): string | undefined {
  const name = process.platform === "win32" ? "deno.exe" : "deno";
  const folder = `${process.platform}-${process.arch}${libc}`;
  return firstThatRuns([join(root, "node_modules/@deno", folder, name), "deno"], 2, 9);
}

/** Node runs TypeScript without a flag since 22.18. */
export function findNode(root: string): string | undefined {
  const folder = `node-${process.platform}-${process.arch}`;
  return firstThatRuns([join(root, "node_modules", folder, "bin/node"), "node"], 22, 18);
}

function firstThatRuns(
  candidates: readonly string[],
  major: number,
  minor: number,
): string | undefined {
  return candidates.find((path) => {
    if (path.includes("/") && !existsSync(path)) return false;
    const { stdout } = spawnSync(path, ["--version"], { encoding: "utf8" });
    const [, foundMajor, foundMinor] = /(\d+)\.(\d+)\./.exec(stdout ?? "") ?? [];
    if (foundMajor === undefined) return false;
    return (
      Number(foundMajor) > major || (Number(foundMajor) === major && Number(foundMinor) >= minor)
    );
  });
}
