// The folder that the work is about: what configuration, language servers and rules about "inside" are measured from.

import { AtomicError } from "../errors.ts";
import { isAbsolutePath, resolvePath, showName } from "../paths.ts";
import type { Env } from "../ports/env.ts";
import { type Fs, FsError } from "../ports/fs.ts";

/**
 * The folder named by `--workspace`, else by `$ATOMIC_WORKSPACE`, else the nearest one from the working folder up that
 * holds a `.git`, else the working folder itself.
 * @param named the flag's value; a relative one starts at `cwd`
 * @returns absolute, links not resolved
 * @throws AtomicError `usage.command` where the flag or the variable names no folder
 */
export async function findWorkspace(
  { cwd, named }: { readonly cwd: string; readonly named?: string | undefined },
  {
    fs,
    env,
  }: { readonly fs: Pick<Fs, "stat" | "lstat">; readonly env: Pick<Env, "get" | "platform"> },
): Promise<string> {
  if (named !== undefined) return checked(resolvePath(named, cwd), "--workspace", fs);
  const variable = env.get("ATOMIC_WORKSPACE") || undefined;
  if (variable !== undefined) {
    if (isAbsolutePath(variable, env.platform)) {
      return checked(resolvePath(variable, cwd), "ATOMIC_WORKSPACE", fs);
    }
    throw noFolder("ATOMIC_WORKSPACE", variable, "is not absolute");
  }
  for (
    let at = resolvePath(".", cwd), last = "";
    at !== last;
    last = at, at = resolvePath("..", at)
  ) {
    if (await isThere(resolvePath(".git", at), fs)) return at;
  }
  return resolvePath(".", cwd);
}

async function checked(path: string, source: string, fs: Pick<Fs, "stat">): Promise<string> {
  try {
    if ((await fs.stat(path))?.kind === "directory") return path;
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    throw noFolder(source, path, `cannot be looked at (${thrown.code})`);
  }
  throw noFolder(source, path, "is no folder");
}

function noFolder(source: string, path: string, found: string): AtomicError {
  return new AtomicError(
    "usage.command",
    `${source} must name a folder, but ${showName(path)} ${found}.`,
  );
}

async function isThere(path: string, fs: Pick<Fs, "lstat">): Promise<boolean> {
  try {
    return (await fs.lstat(path)) !== undefined;
  } catch {
    return false;
  }
}
