// One call of a server's tool, from its name to what an agent may read of it.

import type { CallToolResult } from "@modelcontextprotocol/client";

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { confirm } from "../questions/question.ts";
import { didYouMean } from "../text/nearest.ts";
import { cleanLine } from "../text/untrusted.ts";
import type { Call } from "../tool.ts";
import type { Book, KnownServer, KnownTool } from "./book.ts";
import { type ClientPorts, type Connection, withConnection } from "./connect.ts";
import { identifier, learnServer, shownName } from "./learn.ts";
import { type ShownResult, showResult } from "./result.ts";
import { checkTrust, folded, type Server } from "./servers.ts";
import { shellWord } from "./words.ts";

export interface ToolCall {
  readonly tool: string;
  readonly input: Readonly<Record<string, unknown>>;
  /** The user has approved this call already. */
  readonly isApproved: boolean;
  readonly offline: boolean;
  /** Milliseconds. */
  readonly time?: number | undefined;
  readonly version: string;
}

export interface ToolAnswer extends ShownResult {
  readonly server: string;
  readonly tool: string;
}

/**
 * @throws AtomicError `mcp.*`; `policy.read_only` where programs may not be started; `mcp.tool` where the tool says that it
 *   failed
 */
export async function callServerTool(
  server: Server,
  asked: ToolCall,
  book: Book,
  ports: ClientPorts & Pick<Host, "bytes">,
  call: Call,
): Promise<ToolAnswer> {
  checkTrust(server, call.cwd);
  checkPolicy(server, call);
  const { version, offline, time } = asked;
  const workspace = await call.workspace();
  const options = { version, offline, time, signal: call.signal, workspace };
  return withConnection(server, options, ports, async (connection) => {
    // What it declares now counts, not what it declared when it was last asked.
    const known = await learnServer(connection, ports);
    await book.learn(server.hash, known);
    const tool = toolNamed(asked.tool, known, server);
    await approve(tool, asked, server, call);
    const { client, request } = connection;
    const result = await request(
      `answer the call of ${shownName(tool.name)}`,
      (requestOptions) =>
        client.callTool({ name: tool.name, arguments: { ...asked.input } }, requestOptions),
      (text) => call.progress?.(() => text),
    );
    return shown(result, tool, connection, ports, call);
  });
}

async function shown(
  result: CallToolResult,
  tool: KnownTool,
  { server, redact }: Connection,
  ports: ClientPorts,
  call: Call,
): Promise<ToolAnswer> {
  const name = shownName(tool.name);
  const source = `mcp:${cleanLine(server.name, 60)}/${name}`;
  const keeping = { folder: call.sessionFolder, redact, source };
  const answer = await showResult(
    { content: result.content ?? [], structuredContent: result.structuredContent },
    keeping,
    ports,
  );
  if (result.isError === true) {
    throw new AtomicError(
      "mcp.tool",
      `${name} of the MCP server ${showName(server.name)} failed:\n${answer.text}`,
      {
        data: { server: server.name, tool: name, content: answer.content },
        hint: `Its parameters are: ${parametersText(tool)}.`,
      },
    );
  }
  return { ...answer, server: server.name, tool: name };
}

/** "path, limit?" */
export function parametersText({ inputSchema }: Pick<KnownTool, "inputSchema">): string {
  const { properties, required } = inputSchema as {
    readonly properties?: unknown;
    readonly required?: unknown;
  };
  if (typeof properties !== "object" || properties === null) return "none";
  const needed = Array.isArray(required) ? required : [];
  const names = Object.keys(properties).map((name) =>
    cleanLine(needed.includes(name) ? name : `${name}?`, 60),
  );
  if (names.length === 0) return "none";
  return names.slice(0, 40).join(", ") + (names.length > 40 ? ", …" : "");
}

/** The exact name first; then "-" and "_" are one, and what is shown of a name counts. */
export function toolNamed(name: string, { tools }: KnownServer, server: Server): KnownTool {
  const exact = tools.find((each) => each.name === name);
  if (exact) return exact;
  const near = tools.filter((each) =>
    [shownName(each.name), identifier(each.name)].some((own) => folded(own) === folded(name)),
  );
  if (near.length === 1) return near[0]!;
  const shown = showName(server.name);
  if (near.length > 1) {
    throw new AtomicError(
      "mcp.unknown",
      `The MCP server ${shown} has ${near.length} tools that look like ${JSON.stringify(name)}: their names differ in what cannot be seen, or in "-" and "_".`,
      { data: { server: server.name, tool: name } },
    );
  }
  const names = tools.map((each) => shownName(each.name));
  const listed =
    names.length === 0
      ? " It has none."
      : ` Its tools are: ${names.slice(0, 20).join(", ")}${names.length > 20 ? ", …" : ""}.`;
  throw new AtomicError(
    "mcp.unknown",
    `The MCP server ${shown} has no tool ${JSON.stringify(name)}${didYouMean(name, names) || `.${listed}`}`,
    {
      data: { server: server.name, tool: name },
      hint: `See \`atomic mcp tools ${shellWord(server.name)} --refresh\`.`,
    },
  );
}

/** Where nothing may be written, no program is started that might. */
export function checkPolicy(
  { name, definition }: Server,
  { mayExecute }: Pick<Call, "mayExecute">,
): void {
  if (mayExecute || definition.transport.kind !== "stdio") return;
  throw new AtomicError(
    "policy.read_only",
    `Read-only or plan mode: the MCP server ${showName(name)} was not started, since a program may write anywhere. Nothing was written.`,
    { data: { server: name } },
  );
}

async function approve(
  tool: KnownTool,
  { input, isApproved }: ToolCall,
  { name, definition }: Server,
  call: Call,
): Promise<void> {
  if (tool.isReadOnly) return;
  const shown = shownName(tool.name);
  if (!call.mayExecute) {
    throw new AtomicError(
      "policy.read_only",
      `Read-only or plan mode: ${shown} of the MCP server ${showName(name)} was refused, since it does not declare itself read-only. Nothing was written.`,
      { data: { server: name, tool: shown } },
    );
  }
  if (!definition.isUntrusted || isApproved) return;
  const json = JSON.stringify(input);
  const verdict = await confirm(call, {
    header: "MCP call",
    question: `Call ${shown} of the untrusted MCP server ${showName(name)} with ${cleanLine(json, 300)}?`,
    proceed: "The server gets this input, and does what it likes with it.",
    decline: "Nothing is sent.",
  });
  if (verdict === "yes") return;
  const words = ["atomic", "mcp", "call", name, tool.name].map(shellWord).join(" ");
  const line = `${words} ${shellWord(json)} --yes`;
  throw new AtomicError(
    "mcp.ask",
    `${shown} of the untrusted MCP server ${showName(name)} does not declare itself read-only, and ${verdict === "no" ? "the user did not approve the call" : "nobody can be asked"}: nothing was sent.`,
    {
      data: { server: name, tool: shown, allow: line.slice(0, limits.mcpShownSchema) },
      hint:
        verdict === "no"
          ? "This is not approval."
          : `This is not approval. A person can allow it: ${line.length > 2_000 ? `${words} - --yes < INPUT` : line}`,
    },
  );
}
