// Where programs keep their MCP servers: one row for each file. All are only ever read.

import type { McpHost } from "../config/mcp-keys.ts";
import { resolvePath } from "../paths.ts";
import type { Env } from "../ports/env.ts";
import type { Dialect } from "./definition.ts";

export interface HostFile {
  readonly host: McpHost | "mcp.json";
  /** The files that may be there, absolute; the first one that is counts. */
  readonly files: readonly string[];
  readonly format: "json" | "toml";
  readonly dialect: Dialect;
  /** Below which keys the servers stand; several places in one file are all read. */
  readonly keys: readonly (readonly string[])[];
}

type Surroundings = Pick<Env, "get" | "home" | "platform">;

/** Files that come with a workspace, those of one folder. */
export function workspaceFiles(folder: string): readonly HostFile[] {
  const file = (...paths: readonly string[]) => paths.map((path) => resolvePath(path, folder));
  const json = { format: "json", keys: [["mcpServers"]] } as const;
  return [
    { host: "mcp.json", files: file(".mcp.json"), dialect: "mcp.json", ...json },
    { host: "mcp.json", files: file(".atomic/mcp.json"), dialect: "mcp.json", ...json },
    { host: "codex", files: file(".codex/config.toml"), ...codex },
    { host: "cursor", files: file(".cursor/mcp.json"), dialect: "vscode", ...json },
    { host: "vscode", files: file(".vscode/mcp.json"), ...vscode },
    { host: "gemini", files: file(".gemini/settings.json"), dialect: "gemini", ...json },
    { host: "opencode", files: file("opencode.json", "opencode.jsonc"), ...opencode },
    { host: "zed", files: file(".zed/settings.json"), ...zed },
  ];
}

/** The user's own files. @param workspace Claude Code keeps servers of its own for each one */
export function userFiles(env: Surroundings, workspace: string): readonly HostFile[] {
  const { home, platform, get } = env;
  if (home === undefined) return [];
  const file = (...paths: readonly string[]) => paths.map((path) => resolvePath(path, home));
  const config = get("XDG_CONFIG_HOME") || resolvePath(".config", home);
  const application =
    platform === "windows"
      ? get("APPDATA") || resolvePath("AppData/Roaming", home)
      : platform === "macos"
        ? resolvePath("Library/Application Support", home)
        : config;
  const json = { format: "json", keys: [["mcpServers"]] } as const;
  return [
    {
      host: "mcp.json",
      files: [resolvePath("mcp/mcp.json", config)],
      dialect: "mcp.json",
      ...json,
    },
    {
      host: "claude-code",
      files: file(".claude.json"),
      format: "json",
      dialect: "mcp.json",
      keys: [["projects", workspace, "mcpServers"], ["mcpServers"]],
    },
    {
      host: "codex",
      files: [resolvePath("config.toml", get("CODEX_HOME") || resolvePath(".codex", home))],
      ...codex,
    },
    { host: "cursor", files: file(".cursor/mcp.json"), dialect: "vscode", ...json },
    { host: "vscode", files: [resolvePath("Code/User/mcp.json", application)], ...vscode },
    { host: "gemini", files: file(".gemini/settings.json"), dialect: "gemini", ...json },
    {
      host: "opencode",
      files: [
        resolvePath("opencode/opencode.json", config),
        resolvePath("opencode/opencode.jsonc", config),
      ],
      ...opencode,
    },
    {
      host: "zed",
      files: [
        platform === "windows"
          ? resolvePath("Zed/settings.json", application)
          : resolvePath("zed/settings.json", config),
      ],
      ...zed,
    },
    {
      host: "claude-desktop",
      files: [resolvePath("Claude/claude_desktop_config.json", application)],
      dialect: "plain",
      ...json,
    },
  ];
}

const codex = { format: "toml", dialect: "plain", keys: [["mcp_servers"]] } as const;
const vscode = {
  format: "json",
  dialect: "vscode",
  keys: [["servers"], ["mcp", "servers"]],
} as const;
const opencode = { format: "json", dialect: "opencode", keys: [["mcp"]] } as const;
const zed = { format: "json", dialect: "plain", keys: [["context_servers"]] } as const;
