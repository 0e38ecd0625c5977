// MCP servers of the configuration's own: the same form as in .mcp.json (seed 004, "MCP tools").

import * as v from "valibot";

/** The programs whose own files of servers are read as well. */
export const mcpHosts = [
  "claude-code",
  "codex",
  "cursor",
  "vscode",
  "gemini",
  "opencode",
  "zed",
  "claude-desktop",
] as const;

export type McpHost = (typeof mcpHosts)[number];

export interface McpKeys {
  /** Name → what .mcp.json says of a server. */
  readonly mcpServers?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | undefined;
  /** Hosts whose files are read too; false: none. All, where it is not set. */
  readonly mcpImports?: readonly McpHost[] | false | undefined;
}

const text = v.pipe(v.string(), v.nonEmpty("must not be empty"));
const texts = v.record(v.string(), v.string());
const milliseconds = v.pipe(
  v.number(),
  v.minValue(100, "must be a number of milliseconds from 100 to 3600000"),
  v.maxValue(3_600_000, "must be a number of milliseconds from 100 to 3600000"),
);

const server = v.strictObject({
  type: v.optional(v.picklist(["stdio", "http", "streamable-http", "sse"])),
  command: v.optional(text),
  args: v.optional(v.array(v.string())),
  env: v.optional(texts),
  cwd: v.optional(text),
  url: v.optional(text),
  headers: v.optional(texts),
  trust: v.optional(v.picklist(["trusted", "untrusted"])),
  alwaysLoad: v.optional(v.boolean()),
  disabled: v.optional(v.boolean()),
  timeout: v.optional(milliseconds),
  connectTimeout: v.optional(milliseconds),
  includeTools: v.optional(v.array(v.string())),
  excludeTools: v.optional(v.array(v.string())),
});

export const serverKeys = Object.keys(server.entries);

/** A workspace sets neither: a server is a program that is started, or a place that is written to. */
const harmless = (): undefined => undefined;

export const mcpKeys = {
  mcpServers: { schema: v.record(v.string(), server), harmless },
  mcpImports: {
    schema: v.union(
      [v.array(v.picklist(mcpHosts)), v.literal(false)],
      `must be false or a list of ${mcpHosts.join(", ")}`,
    ),
    harmless,
  },
} as const;
