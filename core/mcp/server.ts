// The tools of the registry as an MCP server: one for each connection, with a session of its own.

import {
  type InputRequiredResult,
  type CallToolResult,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";

import { AtomicError } from "../errors.ts";
import { registry, type RegistryRow } from "../registry.ts";
import { didYouMean } from "../text/nearest.ts";
import type { AnyTool, Effect } from "../tool.ts";
import { describeTool } from "../tool-schema.ts";
import type { CallProcess } from "./call-process.ts";
import type { Roots } from "./roots.ts";

export interface McpOptions {
  readonly version: string;
  readonly calls: Pick<CallProcess, "run">;
  /** Undefined: the folder was named, and the client's are not asked for. */
  readonly roots: Roots | undefined;
  /** Names of the tools that are served; undefined: all of them. */
  readonly tools: readonly string[] | undefined;
  /** "initialized": the client said first what it can; "requests": each of its requests says so (protocol 2026-07-28). */
  readonly client: "initialized" | "requests";
  /** Several clients, of which nothing can be remembered. */
  readonly isShared: boolean;
  /** Diagnostics, for whoever watches the server. */
  notice(text: string): void;
}

/** What a model should know before its first call; under 300 tokens. */
export const instructions = `atomic: file tools that never write to the wrong line.
read shows numbered lines under a header [path#TAG]. edit takes that header and line numbers, as of that read; a stale or invented tag is refused, never guessed. Every write or edit answers with a fresh header: use it for the next edit instead of reading again.
Use edit for changes to existing files, write for new ones. Ask for lines (a.ts:40-80) rather than whole files. search and find results can be read and edited by the paths and headers that they show.
A refusal begins with what was refused and says what to do next; nothing was written then.`;

/**
 * @param options.tools must be names of the registry
 * @throws AtomicError `usage.command` for a name that is none
 */
export function createMcpServer(options: McpOptions): Server {
  const rows = servedRows(options.tools);
  const server = new Server(
    { name: "atomic", title: "atomic", version: options.version },
    { capabilities: { tools: {}, logging: {} }, instructions },
  );
  server.setRequestHandler("tools/list", async () => ({
    tools: await Promise.all(rows.map(async (row) => listed(await row.load()))),
  }));
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const row = rows.find(({ name }) => name === params.name);
    if (!row) throw unknownTool(params.name, rows);
    return call(row, params.arguments ?? {}, server, options, context);
  });
  server.setNotificationHandler("notifications/roots/list_changed", () => options.roots?.forget());
  return server;
}

export function servedRows(names: readonly string[] | undefined): readonly RegistryRow[] {
  if (names === undefined) return registry;
  const known = registry.map(({ name }) => name);
  for (const name of names) {
    if (known.includes(name)) continue;
    const guess = didYouMean(name, known);
    throw new AtomicError(
      "usage.command",
      `Unknown tool "${name}"${guess || `. The tools are: ${known.join(", ")}.`}`,
    );
  }
  return registry.filter(({ name }) => names.includes(name));
}

function listed(tool: AnyTool): Tool {
  const { name, summary, description, inputSchema } = describeTool(tool);
  return {
    name,
    title: summary,
    description,
    inputSchema: inputSchema as Tool["inputSchema"],
    annotations: { title: summary, ...hintsOf[tool.effect] },
  };
}

const hintsOf: Readonly<Record<Effect, Tool["annotations"]>> = {
  read: { readOnlyHint: true, openWorldHint: false },
  write: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: false,
  },
  execute: {
    readOnlyHint: false,
    destructiveHint: true,
    idempotentHint: false,
    openWorldHint: true,
  },
  network: { readOnlyHint: true, openWorldHint: true },
};

function unknownTool(name: string, rows: readonly RegistryRow[]): ProtocolError {
  const known = rows.map((row) => row.name);
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `Unknown tool "${name}"${didYouMean(name, known) || `. The tools are: ${known.join(", ")}.`}`,
  );
}

async function call(
  row: RegistryRow,
  input: unknown,
  server: Server,
  { calls, roots, client, isShared, notice }: McpOptions,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  let root: string | undefined;
  if (client === "initialized") {
    root = await roots?.of(server.getClientCapabilities()?.roots !== undefined, mcpReq);
  } else {
    const found = (await roots?.ofRequest(mcpReq, !isShared)) ?? { root: undefined };
    if ("ask" in found) return found.ask;
    root = found.root;
  }
  const told: Promise<void>[] = [];
  const result = await calls.run(row, input, {
    signal: mcpReq.signal,
    root,
    notice(text) {
      notice(text);
      // A client of a newer protocol takes no log messages; standard error has it all the same.
      told.push(mcpReq.log("info", text, "atomic").catch(() => {}));
    },
    ...progressOf(mcpReq),
  });
  await Promise.all(told);
  return result;
}

function progressOf({ _meta, notify }: ServerContext["mcpReq"]): {
  readonly progress?: (text: string) => void;
} {
  const token = _meta?.progressToken;
  if (token === undefined) return {};
  let count = 0;
  return {
    progress(message) {
      const params = { progressToken: token, progress: ++count, message };
      void notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}
