// `atomic mcp serve --http`.

import { AtomicError } from "../../core/errors.ts";
import { HttpEndpoint, ENDPOINT_PATH } from "../../core/mcp/http-endpoint.ts";
import { bracketed, isLoopback } from "../../core/mcp/http-guard.ts";
import { resolvePath } from "../../core/paths.ts";
import { type HttpServer, ListenError } from "../../core/ports/http-server.ts";
import type { Invocation } from "../command.ts";
import { openConnection, type Served } from "./connection.ts";
import { tokenOf } from "./token.ts";

const LOOPBACK = "127.0.0.1";

/** Until it is told to stop. */
export async function serveHttp(
  served: Served,
  { flags, stop }: Pick<Invocation, "flags" | "stop">,
): Promise<void> {
  const { host, notice } = served;
  const place = placeOf(flags["http"] as string);
  const file = flags["token-file"] as string | undefined;
  const { token, isNew } = await tokenOf(
    file === undefined ? undefined : resolvePath(file, host.env.cwd),
    host,
  );
  const endpoint = new HttpEndpoint({
    guard: { host: place.host, token },
    clock: host.clock,
    random: host.random,
    notice,
    connect(isShared) {
      const connection = openConnection(served, isShared);
      const client = isShared ? "requests" : "initialized";
      return { server: () => connection.server(client), close: () => connection.close() };
    },
  });
  const server = await listen(place, (request) => endpoint.fetch(request));
  notice(`MCP: http://${bracketed(place.host)}:${server.port}${ENDPOINT_PATH}`);
  if (isNew) notice(`MCP: Authorization: Bearer ${token}`);
  if (!isLoopback(bracketed(place.host)) && place.host !== "localhost") {
    notice(
      "MCP: other machines can reach this, and what is said is not encrypted. Put a proxy with TLS before it.",
    );
  }
  await stopped(stop.signal);
  await endpoint.close();
  await server.close();
}

interface ListenPlace {
  readonly host: string;
  readonly port: number;
}

/** @throws AtomicError `usage.command` */
function placeOf(text: string): ListenPlace {
  const match = /^(?:(?<host>[^:[\]\s/]+|\[[0-9a-fA-F:.]+\]):)?(?<port>\d{1,5})$/.exec(text);
  const port = Number(match?.groups?.["port"]);
  if (!match || port > 65_535) {
    throw new AtomicError(
      "usage.command",
      `Flag --http needs a port, or a host and a port, but got "${text}".`,
      {
        data: { flag: "http" },
        hint: "Such as 8931, localhost:8931, [::1]:8931; 0 takes a free port.",
      },
    );
  }
  return { host: match.groups?.["host"]?.replace(/^\[|\]$/g, "") ?? LOOPBACK, port };
}

async function listen(
  { host, port }: ListenPlace,
  handle: (request: Request) => Promise<Response>,
): Promise<HttpServer> {
  const { openHttpServers } = await import("../../adapters/http-servers.ts");
  const servers = await openHttpServers();
  try {
    return await servers.listen({ host, port, handle });
  } catch (thrown) {
    if (!(thrown instanceof ListenError)) throw thrown;
    throw new AtomicError(
      "mcp.listen",
      `Cannot listen on ${bracketed(host)}:${port}: ${thrown.code}.`,
      {
        cause: thrown,
        data: { host, port, reason: thrown.code },
      },
    );
  }
}

function stopped(signal: AbortSignal): Promise<void> {
  return new Promise((settle) => {
    if (signal.aborted) settle();
    else signal.addEventListener("abort", () => settle(), { once: true });
  });
}
