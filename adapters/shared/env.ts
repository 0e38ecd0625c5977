import type { Env } from "../../core/ports/env.ts";

const platforms: Readonly<Record<string, Env["platform"]>> = {
  linux: "linux",
  darwin: "macos",
  win32: "windows",
};

/** Each answer is read when it is first asked for, and stays. */
export function processEnv(): Env {
  let cwd: string | undefined;
  let home: { readonly path: string | undefined } | undefined;
  let host: string | undefined;
  return {
    get: variable,
    get cwd() {
      return (cwd ??= workingFolder());
    },
    get home() {
      return (home ??= { path: homeFolder() }).path;
    },
    platform: platforms[process.platform] ?? "other",
    pid: process.pid,
    // Files that we make belong to the effective user.
    uid: process.geteuid?.() ?? -1,
    get host() {
      return (host ??= process.getBuiltinModule("node:os").hostname());
    },
  };
}

function variable(name: string): string | undefined {
  const value: unknown = process.env[name];
  // What every object inherits, such as "toString", is no variable.
  return typeof value === "string" ? value : undefined;
}

/** Of a folder that has been removed under us only the name is left, and absolute paths still work from there. */
function workingFolder(): string {
  try {
    return process.cwd();
  } catch {
    const named = variable("PWD");
    return named !== undefined && isAbsolute(named) ? named : "/";
  }
}

function homeFolder(): string | undefined {
  try {
    const found = process.getBuiltinModule("node:os").homedir();
    return isAbsolute(found) ? found : undefined;
  } catch {
    return undefined;
  }
}

function isAbsolute(path: string): boolean {
  return (
    path.startsWith("/") || (process.platform === "win32" && /^(?:[a-z]:[\\/]|\\\\)/i.test(path))
  );
}
