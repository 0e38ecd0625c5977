// What the actions that are about other servers share: the servers there are, and how to reach one.

import { AtomicError } from "../../core/errors.ts";
import type { Config } from "../../core/config/config.ts";
import { checkPolicy } from "../../core/mcp-client/call-tool.ts";
import type { ConnectOptions, Connection } from "../../core/mcp-client/connect.ts";
import {
  checkTrust,
  loadServers,
  type Server,
  type Servers,
} from "../../core/mcp-client/servers.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Invocation } from "../command.ts";
import { noticesTo } from "../output.ts";
import { policyOf } from "../policy.ts";
import { configOf } from "../tool-command.ts";
import { version } from "../version.ts";

export interface ClientWorld {
  readonly host: Host;
  readonly config: Config;
  readonly servers: Servers;
  readonly cwd: string;
  /** @throws AtomicError where the server may not be reached */
  connect<T>(server: Server, work: (connection: Connection) => Promise<T>): Promise<T>;
}

/** For the time of the work. */
export async function withServers(
  invocation: Invocation,
  work: (world: ClientWorld) => Promise<number>,
): Promise<number> {
  const { program, settings, flags, stop } = invocation;
  const host = await program.host();
  const { cwd } = host.env;
  const config = await configOf(host, settings, noticesTo(program.stdio))();
  const { readOnly, plan } = policyOf(settings, host.env);
  const mayExecute = !readOnly && plan === undefined;
  const servers = await loadServers({ cwd, config }, host);
  const options: ConnectOptions = {
    version,
    signal: stop.signal,
    offline: flags["offline"] === true,
    time: timeOf(invocation),
    workspace: config.workspace,
  };
  try {
    return await work({
      host,
      config,
      servers,
      cwd,
      async connect(server, task) {
        checkTrust(server, cwd);
        checkPolicy(server, { mayExecute });
        stop.arm();
        const { withConnection } = await import("../../core/mcp-client/connect.ts");
        return withConnection(server, options, host, task);
      },
    });
  } finally {
    servers.book.close();
  }
}

/** Milliseconds; undefined where the flag was not given. @throws AtomicError usage.command */
export function timeOf({ flags }: Pick<Invocation, "flags">): number | undefined {
  const seconds = flags["timeout"] as number | undefined;
  if (seconds === undefined) return undefined;
  if (seconds >= 0.1 && seconds <= MOST_SECONDS) return Math.round(seconds * 1000);
  throw new AtomicError(
    "usage.command",
    `Flag --timeout must be a number of seconds from 0.1 to ${MOST_SECONDS}, but is ${seconds}.`,
    { hint: "See `atomic mcp --help`." },
  );
}

const MOST_SECONDS = 3_600;
