// The tools of the registry as an MCP server: one for each connection, with a session of its own.

import {
  type CallToolResult,
  CLIENT_CAPABILITIES_META_KEY,
  type InputRequiredResult,
  ProtocolError,
  ProtocolErrorCode,
  SdkError,
  SdkErrorCode,
  Server,
  type ServerContext,
  type Tool,
} from "@modelcontextprotocol/server";

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { CataloguedTool } from "../mcp-client/catalogue.ts";
import { isExternalName } from "../mcp-client/external-tool.ts";
import type { Ask } from "../questions/question.ts";
import { registry, type RegistryRow } from "../registry.ts";
import { didYouMean } from "../text/nearest.ts";
import type { AnyTool, Effect } from "../tool.ts";
import { describeTool } from "../tool-schema.ts";
import type { CallProcess } from "./call-process.ts";
import {
  type CalledRow,
  calledThrough,
  isAlwaysOn,
  listedExternal,
  THROUGH,
  throughTool,
  withFindable,
} from "./deferred.ts";
import { askedOf, canElicit, formOf } from "./elicit.ts";
import type { PausedCalls, TalkHooks } from "./paused-calls.ts";
import { errorResult } from "./results.ts";
import type { Roots } from "./roots.ts";

export interface McpOptions {
  readonly version: string;
  readonly calls: Pick<CallProcess, "run">;
  /** Undefined: the folder was named, and the client's are not asked for. */
  readonly roots: Roots | undefined;
  /** Names of the tools that are served; undefined: all of them. */
  readonly tools: readonly string[] | undefined;
  /** Only the tools that most work needs are listed; the others are found and called through two of them. */
  readonly isDeferred: boolean;
  /** Tools of configured servers that the user trusts, as those servers were when they were last asked. */
  external(): Promise<readonly CataloguedTool[]>;
  /** Of `tools`, the ones that this machine has what they need for. */
  present(rows: readonly RegistryRow[]): Promise<readonly RegistryRow[]>;
  /** "initialized": the client said first what it can; "requests": each of its requests says so (protocol 2026-07-28). */
  readonly client: "initialized" | "requests";
  /** Whoever uses the client may be asked. */
  readonly asks: boolean;
  /** What waits for a person's answer, for clients whose requests stand alone. */
  readonly paused: PausedCalls;
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
  server.setRequestHandler("tools/list", async () => {
    const there = await options.present(rows);
    const shown = options.isDeferred ? there.filter(isAlwaysOn) : there;
    const own = await Promise.all(shown.map(async (row) => listed(await row.load())));
    const external = options.tools === undefined ? await options.external() : [];
    const loaded = external.filter(({ alwaysLoad }) => alwaysLoad).map(listedExternal);
    if (!options.isDeferred) return { tools: [...own, ...loaded] };
    const hidden = there.filter((row) => !isAlwaysOn(row));
    const tools = [...own, ...loaded].map((tool) => withFindable(tool, hidden, external));
    return { tools: [...tools, throughTool] };
  });
  server.setRequestHandler("tools/call", async ({ params }, context) => {
    const input = params.arguments ?? {};
    if (options.isDeferred && params.name === THROUGH) {
      try {
        const called = calledThrough(input, rows, options.tools === undefined);
        return await call(called.row, called.input, server, options, context);
      } catch (thrown) {
        if (thrown instanceof AtomicError) return errorResult(thrown);
        throw thrown;
      }
    }
    const row =
      rows.find(({ name }) => name === params.name) ??
      (options.tools === undefined && isExternalName(params.name)
        ? { name: params.name, effect: "network" as const }
        : undefined);
    if (!row) throw unknownTool(params.name, rows);
    return call(row, input, server, options, context);
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
  row: CalledRow,
  input: unknown,
  server: Server,
  options: McpOptions,
  { mcpReq }: ServerContext,
): Promise<CallToolResult | InputRequiredResult> {
  const { roots, client, isShared, paused } = options;
  if (client === "initialized") {
    const able = server.getClientCapabilities();
    const root = await roots?.of(able?.roots !== undefined, mcpReq);
    const ask = options.asks && canElicit(able) ? askThrough(mcpReq) : undefined;
    return run(row, input, options, { root, signal: mcpReq.signal, ask, current: () => mcpReq });
  }
  const resumed = paused.resume(row.name, mcpReq);
  if (resumed) return resumed;
  const found = (await roots?.ofRequest(mcpReq, !isShared)) ?? { root: undefined };
  if ("ask" in found) return found.ask;
  const { root } = found;
  const envelope = mcpReq.envelope as Readonly<Record<string, unknown>> | undefined;
  if (options.asks && canElicit(envelope?.[CLIENT_CAPABILITIES_META_KEY])) {
    return paused.begin(row.name, mcpReq, (hooks) => run(row, input, options, { root, ...hooks }));
  }
  const { signal } = mcpReq;
  return run(row, input, options, { root, signal, ask: undefined, current: () => mcpReq });
}

async function run(
  row: CalledRow,
  input: unknown,
  { calls, notice, tools }: McpOptions,
  {
    root,
    signal,
    ask,
    current,
  }: Omit<TalkHooks, "ask"> & { readonly root: string | undefined; readonly ask: Ask | undefined },
): Promise<CallToolResult> {
  const told: Promise<void>[] = [];
  const result = await calls.run(row, input, {
    signal,
    root,
    notice(text) {
      notice(text);
      // A client of a newer protocol takes no log messages; standard error has it all the same.
      told.push(
        current()
          .log("info", text, "atomic")
          .catch(() => {}),
      );
    },
    progress: progressTo(current),
    tools,
    ...(ask && { ask }),
  });
  await Promise.all(told);
  return result;
}

/** As a request on the stream of the call. */
function askThrough({ send }: ServerContext["mcpReq"]): Ask {
  return async (questions, signal) => {
    try {
      const params = formOf(questions);
      const timeout = limits.questionTime;
      return askedOf(
        await send({ method: "elicitation/create", params }, { timeout, signal }),
        questions,
      );
    } catch (thrown) {
      signal.throwIfAborted();
      const isLate = thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
      return { ended: isLate ? "timed out" : "undelivered" };
    }
  };
}

/** To the request that waits now, where it wants to hear of progress. */
function progressTo(current: () => ServerContext["mcpReq"]): (text: string) => void {
  let count = 0;
  return (message) => {
    const { _meta, notify } = current();
    const progressToken = _meta?.progressToken;
    if (progressToken === undefined) return;
    const params = { progressToken, progress: ++count, message };
    void notify({ method: "notifications/progress", params }).catch(() => {});
  };
}
