// One connection, whatever its transport: a session, the process that does its calls, and servers that speak for both.

import type { Server } from "@modelcontextprotocol/server";

import { PausedCalls } from "../../core/mcp/paused-calls.ts";
import { Roots } from "../../core/mcp/roots.ts";
import { createMcpServer, type McpOptions } from "../../core/mcp/server.ts";
import type { Host } from "../../core/ports/host.ts";
import { presentRows } from "../../core/registry.ts";
import { newSessionId } from "../../core/session/manage.ts";
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
