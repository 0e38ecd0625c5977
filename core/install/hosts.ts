// The agents that can be told of our server, and how each writes a server down.

import { userFiles, workspaceFiles } from "../mcp-client/host-files.ts";
import type { Env } from "../ports/env.ts";

export type Scope = "user" | "project";

export interface InstallHost {
  readonly name: string;
  readonly title: string;
  /** Above the server's name. */
  readonly path: readonly string[];
  readonly format: "json" | "jsonc" | "toml";
  /** What our entry has: kept up to date. */
  entry(command: string, args: readonly string[]): Readonly<Record<string, unknown>>;
  /** What it has beside that when it is new: then it is the user's. */
  readonly initial?: Readonly<Record<string, unknown>>;
  /** What to do for it to be seen. */
  readonly next: string;
}

const plain = (command: string, args: readonly string[]) => ({ command, args });

export const installHosts: readonly InstallHost[] = [
  {
    name: "claude-code",
    title: "Claude Code",
    path: ["mcpServers"],
    format: "json",
    entry: plain,
    next: "Start Claude Code anew; /mcp shows the server.",
  },
  {
    name: "codex",
    title: "Codex",
    path: ["mcp_servers"],
    format: "toml",
    entry: plain,
    next: "Start Codex anew; `codex mcp list` shows the server.",
  },
  {
    name: "cursor",
    title: "Cursor",
    path: ["mcpServers"],
    format: "jsonc",
    entry: plain,
    next: "Switch the server on in Cursor's settings, under MCP.",
  },
  {
    name: "vscode",
    title: "VS Code",
    path: ["servers"],
    format: "jsonc",
    entry: (command, args) => ({ type: "stdio", command, args }),
    next: "VS Code asks to trust the server when it is first used.",
  },
  {
    name: "gemini",
    title: "Gemini CLI",
    path: ["mcpServers"],
    format: "jsonc",
    entry: plain,
    next: "Start Gemini CLI anew; /mcp shows the server.",
  },
  {
    name: "opencode",
    title: "opencode",
    path: ["mcp"],
    format: "jsonc",
    entry: (command, args) => ({ type: "local", command: [command, ...args] }),
    initial: { enabled: true },
    next: "Start opencode anew.",
  },
  {
    name: "zed",
    title: "Zed",
    path: ["context_servers"],
    format: "jsonc",
    entry: plain,
    initial: { source: "custom" },
    next: "Zed starts the server by itself; its agent settings show it.",
  },
];

/**
 * The files that the server may be written down in; the first one that exists counts, else the first.
 * @param workspace absolute
 * @returns undefined where the user has no home folder
 */
export function filesOf(
  { name }: Pick<InstallHost, "name">,
  scope: Scope,
  env: Pick<Env, "get" | "home" | "platform">,
  workspace: string,
): readonly string[] | undefined {
  if (scope === "user") return userFiles(env, workspace).find(({ host }) => host === name)?.files;
  const host = name === "claude-code" ? "mcp.json" : name;
  return workspaceFiles(workspace).find((row) => row.host === host)?.files;
}
