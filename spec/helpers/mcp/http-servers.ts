// Servers that are reached by URL, on loopback.

import {
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

export interface HttpFixture {
  readonly url: string;
  /** Each request's method and headers. */
  readonly seen: { readonly method: string; readonly headers: Headers }[];
  stop(): Promise<void>;
}

function serve(handle: (request: Request) => Response | Promise<Response>): HttpFixture {
  const seen: { method: string; headers: Headers }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 60,
    fetch(request) {
      seen.push({ method: request.method, headers: request.headers });
      return handle(request);
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    seen,
    async stop() {
      await server.stop(true);
    },
  };
}

/** The official server over Streamable HTTP, one session for each client. */
export function streamableServer(make: () => McpServer): HttpFixture {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  return serve(async (request) => {
    const id = request.headers.get("mcp-session-id");
    const known = id === null ? undefined : sessions.get(id);
    if (known) return known.handleRequest(request);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (session) => void sessions.set(session, transport),
    });
    await make().connect(transport);
    return transport.handleRequest(request);
  });
}

/** What servers did before 2025: events from one address, messages to another. */
export function sseServer(answer: (method: string, params: unknown) => unknown): HttpFixture {
  let events: ReadableStreamDefaultController<string> | undefined;
  return serve(async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/mcp" && request.method === "GET") {
      const stream = new ReadableStream<string>({
        start(controller) {
          events = controller;
          controller.enqueue("event: endpoint\ndata: /messages?session=1\n\n");
        },
      });
      return new Response(stream, { headers: { "content-type": "text/event-stream" } });
    }
    if (pathname === "/messages" && request.method === "POST") {
      const { id, method, params } = (await request.json()) as {
        readonly id?: number;
        readonly method: string;
        readonly params?: unknown;
      };
      if (id !== undefined) {
        const message = { jsonrpc: "2.0", id, result: answer(method, params) };
        events?.enqueue(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
      }
      return new Response("Accepted", { status: 202 });
    }
    return new Response("no", { status: 405 });
  });
}

/** Answers as it likes. */
export function anyServer(handle: (request: Request) => Response | Promise<Response>): HttpFixture {
  return serve(handle);
}
