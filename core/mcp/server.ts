// The tools of the registry as an MCP server: one for each connection, with a session of its own.

import {
  type CallToolResult,
  type ContentBlock,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";

import { callTool, type Outcome } from "../call.ts";
import { AtomicError } from "../errors.ts";
import type { Policy } from "../policy.ts";
import type { Host } from "../ports/host.ts";
import { registry, type RegistryRow } from "../registry.ts";
import { didYouMean } from "../text/nearest.ts";
import type { AnyTool, CallRequest, Effect } from "../tool.ts";
import { describeTool } from "../tool-schema.ts";

export interface McpOptions {
  readonly version: string;
  /** What the calls of this connection share. */
  readonly call: Omit<CallRequest, "signal" | "options" | "notice" | "progress">;
  readonly host: Host;
  readonly policy: Policy;
  /** Names of the tools that are served; undefined: all of them. */
  readonly tools: readonly string[] | undefined;
  /** Diagnostics, for whoever watches the server. */
  notice(text: string): void;
}

/** What a model should know before its first call; under 300 tokens. */
const instructions = `atomic: file tools that never write to the wrong line.
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
    const tool = await row.load();
    return resultOf(await run(tool, params.arguments ?? {}, options, context));
  });
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

async function run(
  tool: AnyTool,
  input: unknown,
  { call, host, policy, notice }: McpOptions,
  { mcpReq }: ServerContext,
): Promise<Outcome> {
  const told: Promise<void>[] = [];
  const request: CallRequest = {
    ...call,
    signal: mcpReq.signal,
    options: { dryRun: false, partial: false, force: false, unlimited: false },
    notice(text) {
      notice(text);
      // A client of a newer protocol takes no log messages; standard error has it all the same.
      told.push(mcpReq.log("info", text, "atomic").catch(() => {}));
    },
    ...progressOf(mcpReq, host),
  };
  const outcome = await callTool(tool, input, host, request, policy);
  await Promise.all(told);
  return outcome;
}

/** How often a client hears of progress, in milliseconds. */
const PROGRESS_PAUSE = 500;

function progressOf(
  { _meta, notify }: ServerContext["mcpReq"],
  { clock }: Pick<Host, "clock">,
): Pick<CallRequest, "progress"> {
  const token = _meta?.progressToken;
  if (token === undefined) return {};
  let last = clock.now();
  let count = 0;
  return {
    progress(text) {
      const now = clock.now();
      if (now - last < PROGRESS_PAUSE) return;
      last = now;
      const params = { progressToken: token, progress: ++count, message: text() };
      void notify({ method: "notifications/progress", params }).catch(() => {});
    },
  };
}

function resultOf(outcome: Outcome): CallToolResult {
  if (!outcome.ok) {
    const { code, status, message, hint, data } = outcome.error;
    return {
      content: [{ type: "text", text: hint === undefined ? message : `${message}\n${hint}` }],
      structuredContent: { ...data, code, status, ...(hint !== undefined && { hint }) },
      isError: true,
    };
  }
  return {
    content: [contentOf(outcome)],
    structuredContent: { ...outcome.details },
    isError: false,
  };
}

function contentOf({ rendered, details }: Outcome & { readonly ok: true }): ContentBlock {
  if ("text" in rendered) return { type: "text", text: rendered.text };
  try {
    return {
      type: "text",
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(rendered.bytes),
    };
  } catch {
    const { meta } = details as { readonly meta?: { readonly sourcePath?: string } };
    const path = meta?.sourcePath ?? "";
    return {
      type: "resource",
      resource: {
        uri: `file://${path.split("/").map(encodeURIComponent).join("/")}`,
        mimeType: "application/octet-stream",
        blob: base64(rendered.bytes),
      },
    };
  }
}

function base64(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) {
    text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  }
  return btoa(text);
}
