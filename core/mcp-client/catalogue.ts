// Every tool that can be called by a name: ours, and those that configured servers said they have when they were last asked.
// Nothing is started for it.

import type { Config } from "../config/config.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { rank } from "../text/bm25.ts";
import { formatAge, formatCount } from "../text/size.ts";
import { cleanLine, fenced } from "../text/untrusted.ts";
import type { OwnTool } from "../tool.ts";
import type { KnownTool } from "./book.ts";
import { shownName, toolId } from "./learn.ts";
import { folded, loadServers, type Server } from "./servers.ts";

export interface CataloguedTool {
  /** What it is called by: a tool's own name, or "mcp__server__tool". */
  readonly id: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** Undefined for our own. */
  readonly server?: string;
  /** As the server calls it. */
  readonly tool?: string;
  readonly isReadOnly?: boolean;
  /** Its server says that it belongs among the tools that are always there (seed 004, "MCP tools"). */
  readonly alwaysLoad?: boolean;
}

export interface Catalogue {
  readonly tools: readonly CataloguedTool[];
  /** Servers whose tools are in it, and when they were asked: milliseconds since the epoch. */
  readonly asked: readonly { readonly server: string; readonly asked: number }[];
  /** Servers that were never asked as they are defined now. */
  readonly unasked: readonly string[];
  /** Servers that the user has not trusted: nothing of them is in it. */
  readonly untrusted: readonly string[];
}

type Ports = Pick<Host, "fs" | "env" | "stores" | "clock" | "bytes">;

export async function loadCatalogue(
  where: { readonly cwd: string; readonly config: Config },
  own: readonly OwnTool[],
  ports: Ports,
): Promise<Catalogue> {
  const { servers, book } = await loadServers(where, ports);
  try {
    const tools: CataloguedTool[] = own.map(({ name, description, inputSchema }) => ({
      id: name,
      description,
      inputSchema,
    }));
    const asked: { server: string; asked: number }[] = [];
    const unasked: string[] = [];
    const untrusted: string[] = [];
    for (const server of servers.filter(({ definition }) => !definition.isDisabled)) {
      if (!server.isTrusted) {
        untrusted.push(server.name);
        continue;
      }
      const known = await book.known(server.hash);
      if (known === undefined) {
        unasked.push(server.name);
        continue;
      }
      asked.push({ server: server.name, asked: known.asked });
      tools.push(...known.tools.map((tool) => cataloguedTool(server, tool)));
    }
    return { tools, asked, unasked, untrusted };
  } finally {
    book.close();
  }
}

function cataloguedTool({ name: server, definition }: Server, tool: KnownTool): CataloguedTool {
  return {
    id: toolId(server, shownName(tool.name)),
    description: tool.description || (tool.title ?? ""),
    inputSchema: tool.inputSchema,
    server,
    tool: tool.name,
    isReadOnly: tool.isReadOnly,
    ...(definition.alwaysLoad && { alwaysLoad: true }),
  };
}

/** Exact names first, then by BM25 over name, source, description and parameters (seed 004, "tool_search"). */
export function searchCatalogue(
  { tools }: Pick<Catalogue, "tools">,
  query: string,
  limit: number,
): { readonly found: readonly CataloguedTool[]; readonly total: number } {
  const wanted = folded(query.trim());
  const exact = tools.filter(
    ({ id, tool }) => folded(id) === wanted || (tool !== undefined && folded(tool) === wanted),
  );
  const ranked = rank(tools, query, (tool) => [
    { text: tool.tool ?? tool.id, weight: 4 },
    { text: tool.server ?? "atomic", weight: 2 },
    { text: tool.description.slice(0, limits.mcpDescription), weight: 1 },
    ...parametersOf(tool.inputSchema),
  ]).map(({ item }) => item);
  const all = [...new Set([...exact, ...ranked])];
  return { found: all.slice(0, limit), total: all.length };
}

function parametersOf(schema: Readonly<Record<string, unknown>>) {
  const { properties } = schema as { readonly properties?: unknown };
  if (typeof properties !== "object" || properties === null) return [];
  return Object.entries(properties)
    .slice(0, MOST_PARAMETERS)
    .flatMap(([name, value]) => {
      const { description } = (value ?? {}) as { readonly description?: unknown };
      const fields = [{ text: name, weight: 1.5 }];
      if (typeof description === "string")
        fields.push({ text: description.slice(0, 2_000), weight: 0.5 });
      return fields;
    });
}

const MOST_PARAMETERS = 200;

/** A tool as a search shows it; of a server's, all but the name is data. */
export function toolText({
  id,
  description,
  inputSchema,
  server,
  isReadOnly,
}: CataloguedTool): string {
  const schema = JSON.stringify(inputSchema);
  const shownSchema =
    schema.length <= limits.mcpShownSchema
      ? schema
      : `${schema.slice(0, limits.mcpShownSchema).toWellFormed()}… (cut)`;
  const text = `${cut(description)}\nInput: ${shownSchema}`;
  if (server === undefined) return `${id} (atomic)\n${text}`;
  const kind = isReadOnly === true ? ", says it only reads" : "";
  return `${id} (MCP server ${showName(server)}${kind})\n${fenced(`mcp:${cleanLine(server, 60)}`, text)}`;
}

function cut(text: string): string {
  return text.length <= limits.mcpShownDescription
    ? text
    : `${text.slice(0, limits.mcpShownDescription - 1).toWellFormed()}…`;
}

/** What a reader of the catalogue should know of what is not, or not freshly, in it: a sentence each. */
export function gapsText(
  { asked, unasked, untrusted }: Omit<Catalogue, "tools">,
  now: number,
): readonly string[] {
  const notes: string[] = [];
  const old = asked.filter((each) => now - each.asked > limits.mcpStale);
  if (old.length > 0) {
    const names = old.map(
      (each) => `${showName(each.server)} (${formatAge(now - each.asked)} ago)`,
    );
    notes.push(
      `Old, and perhaps no longer so: ${few(names)}. Refresh with \`atomic mcp tools --refresh\`.`,
    );
  }
  if (unasked.length > 0) {
    const count = formatCount(unasked.length, "server was", "servers were");
    notes.push(
      `${count} never asked for tools: ${few(unasked.map(showName))}. Ask with \`atomic mcp tools --refresh\`.`,
    );
  }
  if (untrusted.length > 0) {
    const count = formatCount(untrusted.length, "server is", "servers are");
    notes.push(
      `${count} not trusted, and left out: ${few(untrusted.map(showName))}. See \`atomic mcp trust\`.`,
    );
  }
  return notes;
}

function few(names: readonly string[]): string {
  const shown = names.slice(0, 10).join(", ");
  return names.length > 10 ? `${shown} and ${names.length - 10} more` : shown;
}

/**
 * The tools by their source, for a description that makes others findable: at most 4,000 tokens of four characters
 * (seed 004, "tool_search").
 */
export function listing(tools: readonly CataloguedTool[], most = 16_000): string {
  const sources = new Map<string, string[]>();
  for (const { id, tool, server } of tools) {
    const source = server === undefined ? "atomic" : `MCP server ${showName(server)}`;
    const names = sources.get(source) ?? [];
    names.push(tool === undefined ? id : shownName(tool));
    sources.set(source, names);
  }
  let text = "";
  for (const [source, names] of sources) {
    const line = `${source}: ${names.join(", ")}\n`;
    if (text.length + line.length > most) {
      const room = most - text.length - 40;
      return room > 80
        ? `${text}${line.slice(0, room).toWellFormed()}… and more`
        : `${text}… and more`;
    }
    text += line;
  }
  return text.trimEnd();
}
