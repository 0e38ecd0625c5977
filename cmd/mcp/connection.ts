// One connection, whatever its transport: a session, the process that does its calls, and servers that speak for both.

import type { Server } from "@modelcontextprotocol/server";

import { asAtomicError } from "../../core/errors.ts";
import { PausedCalls } from "../../core/mcp/paused-calls.ts";
import { Roots } from "../../core/mcp/roots.ts";
import { createMcpServer, type McpOptions } from "../../core/mcp/server.ts";
import type { Host } from "../../core/ports/host.ts";
import { presentRows } from "../../core/registry.ts";
import type { CataloguedTool } from "../../core/mcp-client/catalogue.ts";
import { newSessionId } from "../../core/session/manage.ts";
import { configOf } from "../tool-command.ts";
import { version } from "../version.ts";
import { type SharedByCalls, startCalls } from "./calls.ts";

/** What is served to every connection. */
export interface Served extends SharedByCalls, Pick<McpOptions, "tools" | "isDeferred"> {
  readonly host: Host;
  /** Diagnostics. */
  notice(text: string): void;
}

export interface Connection {
  /** Starts the process before it is needed. */
  prepare(): void;
  server(client: McpOptions["client"]): Server;
  /** Ends what its calls do. */
  close(): Promise<void>;
}

/** @param isShared by several clients, of which nothing can be remembered */
export function openConnection(served: Served, isShared: boolean): Connection {
  const { host, settings, root, notice, tools, isDeferred } = served;
  const session = settings.session ?? newSessionId(host.random);
  const calls = startCalls({ ...served, settings: { ...settings, session } });
  const roots = root === undefined ? new Roots({ fs: host.fs, notice }) : undefined;
  const paused = new PausedCalls(host);
  return {
    prepare: () => calls.prepare(),
    server: (client) =>
      createMcpServer({
        version,
        calls,
        roots,
        tools,
        present: (rows) => presentRows(host, rows),
        external: () => externalTools(served),
        isDeferred,
        asks: settings.asks,
        client,
        paused,
        isShared,
        notice,
      }),
    close: () => calls.close(),
  };
}

/** Of the folder that was named, else of where the server runs. What is wrong with the files is no reason to serve nothing. */
async function externalTools({
  host,
  settings,
  root,
  notice,
}: Served): Promise<readonly CataloguedTool[]> {
  try {
    const { loadCatalogue } = await import("../../core/mcp-client/catalogue.ts");
    const cwd = root ?? host.env.cwd;
    const place = { ...settings, workspace: root ?? settings.workspace };
    const config = await configOf(host, place, () => {}, cwd)();
    return (await loadCatalogue({ cwd, config }, [], host)).tools;
  } catch (thrown) {
    notice(`MCP: the tools of configured servers are not known: ${asAtomicError(thrown).message}`);
    return [];
  }
}
