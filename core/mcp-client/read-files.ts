// The servers of all files that there are: the nearest first. A file that cannot be read takes nothing else along.

import { settingOf, type Config, userConfigFile } from "../config/config.ts";
import { limits } from "../limits.ts";
import { resolvePath } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { Json5Error, type Json5Value, parseJson5 } from "../text/json5.ts";
import {
  type Definition,
  isRecord,
  readDefinition,
  type Source,
  type Unusable,
} from "./definition.ts";
import { type HostFile, userFiles, workspaceFiles } from "./host-files.ts";

/** A file that could not be read, and why. */
export interface FileProblem {
  readonly file: string;
  readonly reason: string;
}

export interface FoundServers {
  readonly entries: readonly (Definition | Unusable)[];
  readonly problems: readonly FileProblem[];
}

type Ports = Pick<Host, "fs" | "env">;

/**
 * Those of the workspace (from the working folder up), of the user's configuration, of `~/.config/mcp/mcp.json`, and of the
 * hosts' files.
 */
export async function findServers(
  { cwd, config }: { readonly cwd: string; readonly config: Config },
  ports: Ports,
): Promise<FoundServers> {
  const { workspace } = config;
  const imports = settingOf(config, "mcpImports");
  const isRead = ({ host }: HostFile) =>
    host === "mcp.json" || (imports !== false && (imports?.includes(host) ?? true));
  const entries: (Definition | Unusable)[] = [];
  const problems: FileProblem[] = [];
  const take = async (row: HostFile, isWorkspace: boolean, folder: string) => {
    for (const file of row.files) {
      const found = await readFile(file, row, ports);
      if (found === undefined) continue;
      if ("reason" in found) problems.push({ file, reason: found.reason });
      else {
        const { host, dialect } = row;
        addAll(found.servers, { host, file, isWorkspace, folder, dialect }, entries);
      }
      return;
    }
  };
  for (const folder of foldersUp(cwd, workspace)) {
    // The home folder's files are the user's own, also where it is a workspace.
    if (folder === ports.env.home) continue;
    for (const row of workspaceFiles(folder)) if (isRead(row)) await take(row, true, folder);
  }
  const own = userConfigFile(ports.env);
  for (const { file, folder, values } of config.layers) {
    const source: Source = {
      host: "atomic",
      file,
      // One of a workspace has servers only where the user has named that workspace as trusted.
      isWorkspace: false,
      folder: file === own ? workspace : folder,
      dialect: "mcp.json",
    };
    addAll(values.mcpServers ?? {}, source, entries);
  }
  for (const row of userFiles(ports.env, workspace)) {
    if (isRead(row)) await take(row, false, workspace);
  }
  return { entries: entries.filter((entry) => !isOurselves(entry)), problems };
}

function addAll(
  servers: Readonly<Record<string, unknown>>,
  source: Source,
  entries: (Definition | Unusable)[],
): void {
  for (const [name, entry] of Object.entries(servers)) {
    entries.push(readDefinition(name, entry, source));
  }
}

/** Hosts that have us as a server would have us call ourselves. In .mcp.json and the own configuration it is meant. */
function isOurselves(entry: Definition | Unusable): boolean {
  if (!("transport" in entry) || entry.transport.kind !== "stdio") return false;
  if (entry.source.host === "mcp.json" || entry.source.host === "atomic") return false;
  const { command, args } = entry.transport;
  return /(?:^|[\\/])atomic(?:\.exe)?$/.test(command) && args[0] === "mcp" && args[1] === "serve";
}

function foldersUp(cwd: string, workspace: string): readonly string[] {
  const top = resolvePath(".", workspace);
  const folders: string[] = [];
  for (
    let at = resolvePath(".", cwd), last = "";
    at !== last;
    last = at, at = resolvePath("..", at)
  ) {
    folders.push(at);
    if (at === top) return folders;
  }
  return [top];
}

async function readFile(
  file: string,
  { format, keys }: HostFile,
  { fs }: Ports,
): Promise<
  { readonly servers: Readonly<Record<string, unknown>> } | { readonly reason: string } | undefined
> {
  try {
    if ((await fs.stat(file)) === undefined) return undefined;
    const read = await fs.read(file, FILE_LIMIT);
    if (!read) return undefined;
    const text = new TextDecoder("utf-8", { fatal: true }).decode(read.bytes);
    const value = format === "json" ? plain(parseJson5(text)) : await parseToml(text);
    if (!isRecord(value)) return { reason: "it holds no object" };
    const servers: Record<string, unknown> = {};
    for (const path of keys) {
      const found = path.reduce<unknown>(
        (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
        value,
      );
      if (found === undefined) continue;
      if (!isRecord(found)) return { reason: `its ${path.join(".")} is no object` };
      for (const [name, entry] of Object.entries(found)) {
        if (!Object.hasOwn(servers, name)) define(servers, name, entry);
      }
    }
    const count = Object.keys(servers).length;
    if (count <= limits.mcpServers) return { servers };
    return { reason: `it has ${count} servers, more than ${limits.mcpServers}` };
  } catch (thrown) {
    return { reason: reasonOf(thrown) };
  }
}

/** Claude Code's own file holds much beside its servers. */
const FILE_LIMIT = 16 * limits.configFile;

function reasonOf(thrown: unknown): string {
  if (thrown instanceof FsError) return `it cannot be read (${thrown.code})`;
  if (thrown instanceof Json5Error) return `it is not JSON: ${thrown.message}`;
  if (thrown instanceof TypeError) return "it is not UTF-8";
  const message = thrown instanceof Error ? thrown.message : String(thrown);
  // What follows quotes the file, which may hold secrets.
  return `it is not TOML: ${message.split("\n", 1)[0]!.slice(0, 120)}`;
}

async function parseToml(text: string): Promise<unknown> {
  const { parse } = await import("smol-toml");
  return parse(text);
}

/** Members that repeat: the last one counts, as in every JSON reader. */
function plain(value: Json5Value): unknown {
  if (typeof value === "bigint") return Number(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(plain);
  const object: Record<string, unknown> = {};
  for (const { name, value: each } of (
    value as { members: readonly { name: string; value: Json5Value }[] }
  ).members) {
    define(object, name, plain(each));
  }
  return object;
}

/** Also for names such as "__proto__". */
function define(object: Record<string, unknown>, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  });
}
