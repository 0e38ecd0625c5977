// What a server says of itself and its tools, cleaned and cut to what is worth keeping.

import type { Tool } from "@modelcontextprotocol/client";

import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import { cleanLine, cleanUntrusted } from "../text/untrusted.ts";
import type { KnownServer, KnownTool } from "./book.ts";
import type { Connection } from "./connect.ts";
import type { Definition } from "./definition.ts";
import { mapTexts } from "./redact.ts";

/** Asks for all of its tools; those that the definition leaves out are none. */
export async function learnServer(
  { client, redact, request, server }: Connection,
  { clock }: Pick<Host, "clock">,
): Promise<KnownServer> {
  const hasTools = client.getServerCapabilities()?.tools !== undefined;
  const { tools } = hasTools
    ? await request("list its tools", (options) => client.listTools(undefined, options))
    : { tools: [] };
  const named = client.getServerVersion();
  const instructions = client.getInstructions();
  const protocol = client.getNegotiatedProtocolVersion();
  const seen = new Set<string>();
  return {
    asked: clock.now(),
    title:
      named === undefined
        ? ""
        : cleanLine(redact(`${named.title ?? named.name} ${named.version}`), 100),
    ...(instructions !== undefined && {
      instructions: cut(redact(cleanUntrusted(instructions).text), limits.mcpDescription),
    }),
    ...(protocol !== undefined && { protocol: cleanLine(protocol, 40) }),
    tools: tools
      .slice(0, limits.mcpListed)
      .filter(({ name }) => isOffered(name, server.definition))
      // The first of a name is the one that a call reaches.
      .filter(({ name }) => !seen.has(name) && seen.add(name))
      .map((tool) => known(tool, redact)),
  };
}

/** Whether the definition lets the tool be used. */
export function isOffered(
  name: string,
  { includeTools, excludeTools }: Pick<Definition, "includeTools" | "excludeTools">,
): boolean {
  return (includeTools?.includes(name) ?? true) && !excludeTools.includes(name);
}

function known(tool: Tool, redact: (text: string) => string): KnownTool {
  const title = tool.title ?? tool.annotations?.title;
  const clean = (text: string) => redact(cleanUntrusted(text).text);
  const schema = mapTexts(tool.inputSchema, clean) as KnownTool["inputSchema"];
  const isTooLong = JSON.stringify(schema).length > limits.mcpSchema;
  return {
    name: tool.name,
    ...(title !== undefined && { title: cleanLine(redact(title), 100) }),
    description: cut(clean(tool.description ?? ""), limits.mcpDescription),
    inputSchema: isTooLong ? { type: "object", description: "(too long to keep)" } : schema,
    isReadOnly: tool.annotations?.readOnlyHint === true,
  };
}

function cut(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most - 1).toWellFormed()}…`;
}

/** A tool's name as it is shown: no characters that play tricks. */
export function shownName(name: string): string {
  return cleanLine(name, limits.mcpName);
}

/** "mcp__server__tool": the one name of a tool among those of all servers (seed 004, "MCP tools"). */
export function toolId(server: string, tool: string): string {
  return `mcp__${identifier(server)}__${identifier(tool)}`;
}

/** What is left of a name in "mcp__server__tool". */
export function identifier(name: string): string {
  return cleanUntrusted(name)
    .text.replace(/[^A-Za-z0-9_-]+/g, "_")
    .slice(0, limits.mcpName);
}
