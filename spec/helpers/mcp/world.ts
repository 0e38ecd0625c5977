// A home and a workspace on disk, with a host that knows no other, for a client of servers.

import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

import { bunHost } from "../../../adapters/bun/host.ts";
import { callTool, type Outcome } from "../../../core/call.ts";
import { loadConfig } from "../../../core/config/load.ts";
import type { AtomicError } from "../../../core/errors.ts";
import { externalTool, type ExternalOptions } from "../../../core/mcp-client/external-tool.ts";
import type { Policy } from "../../../core/policy.ts";
import type { Host } from "../../../core/ports/host.ts";
import type { CallRequest } from "../../../core/tool.ts";
import { callFor } from "../call.ts";

export interface McpWorld {
  readonly host: Host;
  /** The workspace, where servers leave their signs too. */
  readonly folder: string;
  readonly home: string;
  call(server: string, tool: string, input?: object, options?: CallChoices): Promise<Answered>;
  /** The processes that the server said it was, and their children's, that are alive. */
  left(): readonly number[];
}

export interface CallChoices extends Partial<ExternalOptions> {
  readonly request?: Partial<CallRequest>;
  readonly policy?: Policy;
}

export interface Answered {
  readonly text: string;
  readonly details: Readonly<Record<string, unknown>>;
  readonly error: AtomicError | undefined;
}

const here = resolve(import.meta.dir);

/** The command of a server of ours. */
export function fixture(name: string, ...args: readonly string[]) {
  return { command: process.execPath, args: [join(here, name), ...args] };
}

/** @param servers of the user's own configuration; a function gets the workspace's folder */
export async function inMcpWorld(
  servers: (folder: string) => Readonly<Record<string, object>>,
  work: (world: McpWorld) => Promise<void>,
  variables: Readonly<Record<string, string>> = {},
): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-mcp-")));
  const home = join(root, "home");
  const folder = join(root, "work");
  mkdirSync(folder);
  const file = join(home, ".config/mcp/mcp.json");
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, JSON.stringify({ mcpServers: servers(folder) }));
  const real = bunHost();
  const set: Readonly<Record<string, string>> = { ATOMIC_HOME: join(root, "state"), ...variables };
  const host: Host = {
    ...real,
    env: { ...real.env, home, cwd: folder, get: (name) => set[name] },
  };
  const pidsFile = join(folder, "pids");
  const left = () =>
    existsSync(pidsFile)
      ? readFileSync(pidsFile, "utf8").split(" ").map(Number).filter(isAlive)
      : [];
  try {
    await work({
      host,
      folder,
      home,
      left,
      async call(server, tool, input = {}, { request, policy, ...options } = {}) {
        const called = externalTool({ server, tool }, { version: "0", offline: false, ...options });
        const call = callFor({
          cwd: folder,
          config: () => loadConfig({ cwd: folder }, host, () => {}),
          sessionFolder: async () => join(root, "session"),
          ...request,
        });
        return answered(await callTool(called, input, host, call, policy ?? { readOnly: false }));
      },
    });
  } finally {
    for (const pid of left()) process.kill(pid, "SIGKILL");
    rmSync(root, { recursive: true });
  }
}

function answered(outcome: Outcome): Answered {
  if (!outcome.ok) return { text: "", details: outcome.error.data, error: outcome.error };
  const { rendered, details } = outcome;
  return { text: "text" in rendered ? rendered.text : "", details, error: undefined };
}

/** Whether it runs. */
export function isAlive(pid: number): boolean {
  try {
    // A zombie that nobody waits for is none.
    return !/^State:\s+Z/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
}
