// Configuration from its files. Cheap where there are none: what reads them is loaded with the first that is found.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { resolvePath, showName } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { type Config, type ConfigLayer, userConfigFile, workspaceConfigFiles } from "./config.ts";
import { findWorkspace } from "./workspace.ts";

type Ports = Pick<Host, "fs" | "env">;

/**
 * The user's file and those of the workspace. A workspace's own file may only set what is harmless, unless the user's
 * trusts that workspace: what it may not set counts as unset, and is told.
 * @param where `workspace`: the value of `--workspace`
 * @throws AtomicError `config.invalid`; `usage.command` where the workspace is none
 */
export async function loadConfig(
  { cwd, workspace: named }: { readonly cwd: string; readonly workspace?: string | undefined },
  ports: Ports,
  notice: (text: string) => void,
): Promise<Config> {
  const workspace = await findWorkspace({ cwd, named }, ports);
  const layers: ConfigLayer[] = [];
  const own = userConfigFile(ports.env);
  const ownText = own === undefined ? undefined : await readText(own, ports);
  let trusted: readonly string[] = [];
  if (ownText !== undefined) {
    const { parseConfig } = await import("./parse.ts");
    const values = parseConfig(ownText, own!);
    layers.push({ file: own!, folder: workspace, values });
    trusted = values.trustedWorkspaces ?? [];
  }
  // Farthest first, so that each goes before the ones already there.
  for (const file of workspaceConfigFiles(cwd, workspace).toReversed()) {
    const text = file === own ? undefined : await readText(file, ports);
    if (text === undefined) continue;
    const { parseConfig, withoutGuarded } = await import("./parse.ts");
    const folder = resolvePath("../..", file);
    const parsed = parseConfig(text, file);
    const { values, guarded } = (await isTrusted(folder, trusted, ports))
      ? { values: parsed, guarded: [] }
      : withoutGuarded(parsed);
    if (guarded.length > 0) notice(guardedText(file, guarded, own));
    layers.unshift({ file, folder, values });
  }
  return { workspace, layers, userFile: own };
}

/** Undefined where there is no such file. */
async function readText(file: string, { fs }: Ports): Promise<string | undefined> {
  try {
    // A look costs less than a read that fails, and most often there is nothing.
    if ((await fs.stat(file)) === undefined) return undefined;
    const found = await fs.read(file, limits.configFile);
    return found && new TextDecoder("utf-8", { fatal: true }).decode(found.bytes);
  } catch (thrown) {
    const code = thrown instanceof FsError ? `error code ${thrown.code}` : "it is not UTF-8";
    throw new AtomicError(
      "config.invalid",
      `Could not read the configuration ${showName(file)}: ${code}.`,
      { cause: thrown, data: { file } },
    );
  }
}

/** By real paths, so that a link leads to no other answer. */
async function isTrusted(
  folder: string,
  trusted: readonly string[],
  { fs, env }: Ports,
): Promise<boolean> {
  if (trusted.length === 0) return false;
  const real = await realPath(folder, fs);
  for (const entry of trusted) {
    const path = entry.startsWith("~/") && env.home ? resolvePath(entry.slice(2), env.home) : entry;
    const root = await realPath(resolvePath(path, folder), fs);
    if (real === root || real.startsWith(root.endsWith("/") ? root : `${root}/`)) return true;
  }
  return false;
}

async function realPath(path: string, fs: Host["fs"]): Promise<string> {
  try {
    return (await fs.realPath(path)) ?? path;
  } catch (thrown) {
    if (thrown instanceof FsError) return path;
    throw thrown;
  }
}

function guardedText(file: string, guarded: readonly string[], own: string | undefined): string {
  const keys = guarded.map((key) => `"${key}"`).join(", ");
  const trust =
    own === undefined
      ? ""
      : ` A person can list the folder under "trustedWorkspaces" in ${showName(own)}.`;
  return `${showName(file)} sets ${keys}, which a workspace may set only where the user trusts it: ignored.${trust}`;
}
