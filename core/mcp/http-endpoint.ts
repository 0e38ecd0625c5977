// MCP over HTTP (the protocol's Streamable HTTP): a session for each client that initializes one, and one that is shared by
// the requests of protocol 2026-07-28, which stand alone.

import {
  createMcpHandler,
  isInitializeRequest,
  isJsonContentType,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";

import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Random } from "../ports/random.ts";
import { type GuardOptions, refusalOf } from "./http-guard.ts";
import { DEEPEST, INVALID_REQUEST, isDeeper, PARSE_ERROR } from "./message.ts";

/** One client's connection, or what clients without one share. */
export interface Client {
  server(): Server;
  /** Ends what its calls do. */
  close(): Promise<void>;
}

export interface EndpointOptions {
  readonly guard: GuardOptions;
  /** @param isShared by all clients of protocol 2026-07-28 */
  connect(isShared: boolean): Client;
  readonly clock: Pick<Clock, "now">;
  readonly random: Random;
  notice(text: string): void;
}

export const ENDPOINT_PATH = "/mcp";

const REFUSED = -32_000;
const NO_SESSION = -32_001;

interface HttpSession {
  readonly client: Client;
  readonly transport: WebStandardStreamableHTTPServerTransport;
  /** By the clock. */
  used: number;
  /** Requests that are not answered to their end, streams among them. */
  open: number;
}

export class HttpEndpoint {
  readonly #options: EndpointOptions;
  readonly #sessions = new Map<string, HttpSession>();
  readonly #closing = new Set<Promise<void>>();
  readonly #shared: Client;
  readonly #standalone: ReturnType<typeof createMcpHandler>;
  #isClosed = false;

  constructor(options: EndpointOptions) {
    this.#options = options;
    this.#shared = options.connect(true);
    this.#standalone = createMcpHandler(() => this.#shared.server(), {
      legacy: "reject",
      onerror: (error) => options.notice(`MCP: ${error.message}`),
    });
  }

  /** Never rejects. */
  async fetch(request: Request): Promise<Response> {
    try {
      return opened(await this.#answer(request));
    } catch (thrown) {
      this.#options.notice(`MCP: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
      return refused(500, -32_603, "Internal error");
    }
  }

  /** Ends every session, its streams and its calls. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#standalone.close();
    for (const id of this.#sessions.keys()) this.#drop(id);
    await Promise.all([this.#shared.close(), ...this.#closing]);
  }

  async #answer(request: Request): Promise<Response> {
    const refusal = refusalOf(request.headers, this.#options.guard);
    if (refusal) return refused(refusal.status, REFUSED, refusal.message, refusal.headers);
    if (this.#isClosed) return refused(503, REFUSED, "The server is ending.");
    if (new URL(request.url).pathname !== ENDPOINT_PATH) {
      return refused(404, REFUSED, `There is nothing here; MCP is at ${ENDPOINT_PATH}.`);
    }
    switch (request.method) {
      case "POST":
        return this.#post(request);
      case "GET":
      case "DELETE":
        return this.#ofSession(request, undefined);
      default:
        return refused(405, REFUSED, "Method not allowed.", { Allow: "GET, POST, DELETE" });
    }
  }

  async #post(request: Request): Promise<Response> {
    if (!isJsonContentType(request.headers.get("content-type"))) {
      return refused(415, REFUSED, "Content-Type must be application/json.");
    }
    const bytes = await bodyOf(request);
    if (bytes === undefined) {
      return refused(413, REFUSED, `A message must not exceed ${limits.mcpMessage} bytes.`);
    }
    let parsedBody: unknown;
    try {
      parsedBody = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
    } catch (thrown) {
      return refused(
        400,
        PARSE_ERROR,
        `Parse error: ${thrown instanceof Error ? thrown.message : ""}`,
      );
    }
    // A batch is one level more.
    if (isDeeper(parsedBody, DEEPEST + 1)) {
      return refused(
        400,
        INVALID_REQUEST,
        `Invalid Request: a message has at most ${DEEPEST} levels`,
      );
    }
    if (Array.isArray(parsedBody) && parsedBody.length === 0) {
      return refused(400, INVALID_REQUEST, "Invalid Request: an empty batch");
    }
    if (await isLegacyRequest(request, parsedBody)) return this.#ofSession(request, parsedBody);
    return this.#standalone.fetch(request, { parsedBody });
  }

  async #ofSession(request: Request, parsedBody: unknown): Promise<Response> {
    const id = request.headers.get("mcp-session-id");
    if (id === null && isInitializeRequest(parsedBody))
      return this.#initialize(request, parsedBody);
    if (id === null) {
      return refused(400, REFUSED, "Mcp-Session-Id is needed; initialize gives one.");
    }
    const session = this.#sessions.get(id);
    if (!session) return refused(404, NO_SESSION, "Session not found; initialize another one.");
    return this.#through(session, request, parsedBody);
  }

  async #initialize(request: Request, parsedBody: unknown): Promise<Response> {
    if (!this.#makeRoom()) {
      return refused(
        503,
        REFUSED,
        `There are ${limits.mcpSessions} sessions already; end one with DELETE.`,
        { "Retry-After": "60" },
      );
    }
    const { random, clock, connect, notice } = this.#options;
    const client = connect(false);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => random.hex(16),
      onsessioninitialized: (id) => void this.#sessions.set(id, session),
      onsessionclosed: (id) => this.#drop(id),
    });
    const session: HttpSession = { client, transport, used: clock.now(), open: 0 };
    const server = client.server();
    await server.connect(transport);
    // oxlint-disable-next-line unicorn/prefer-add-event-listener -- it has no other way
    server.onerror = (error) => notice(`MCP: ${error.message}`);
    const response = await this.#through(session, request, parsedBody);
    // Refused before it came to a session.
    if (transport.sessionId === undefined) await client.close();
    return response;
  }

  async #through(session: HttpSession, request: Request, parsedBody: unknown): Promise<Response> {
    session.used = this.#options.clock.now();
    session.open++;
    let isOver = false;
    const over = () => {
      if (isOver) return;
      isOver = true;
      session.open--;
      session.used = this.#options.clock.now();
    };
    request.signal.addEventListener("abort", over, { once: true });
    const response = await session.transport
      .handleRequest(request, parsedBody === undefined ? {} : { parsedBody })
      .catch((thrown: unknown) => {
        over();
        throw thrown;
      });
    if (response.body === null) {
      over();
      return response;
    }
    return new Response(passedOn(response.body, { over }), response);
  }

  /** The one that was not used for longest makes room, where it was not used for a while. */
  #makeRoom(): boolean {
    if (this.#sessions.size < limits.mcpSessions) return true;
    const before = this.#options.clock.now() - limits.mcpSessionIdle;
    const [oldest] = [...this.#sessions]
      .filter(([, { open, used }]) => open === 0 && used < before)
      .toSorted(([, a], [, b]) => a.used - b.used);
    if (!oldest) return false;
    this.#drop(oldest[0]);
    return true;
  }

  #drop(id: string): void {
    const session = this.#sessions.get(id);
    if (!session) return;
    this.#sessions.delete(id);
    const closing = (async () => {
      await session.transport.close();
      await session.client.close();
    })().finally(() => this.#closing.delete(closing));
    this.#closing.add(closing);
  }
}

/** @returns undefined where there is more than a message may have */
async function bodyOf({ body, headers }: Request): Promise<Uint8Array | undefined> {
  if (Number(headers.get("content-length")) > limits.mcpMessage) return undefined;
  const parts: Uint8Array[] = [];
  let length = 0;
  if (body !== null) {
    for await (const part of body as unknown as AsyncIterable<Uint8Array>) {
      length += part.length;
      if (length > limits.mcpMessage) return undefined;
      parts.push(part);
    }
  }
  const all = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

/**
 * A server may hold back the head of an answer until there is something of its body, and a stream may be silent for long: a
 * comment, which readers of events pass over, begins it.
 */
function opened(response: Response): Response {
  const isStream = response.headers.get("content-type")?.startsWith("text/event-stream") === true;
  if (!isStream || response.body === null) return response;
  return new Response(passedOn(response.body, { first: OPENING }), response);
}

const OPENING = new TextEncoder().encode(": open\n\n");

/** The same bytes after `first`, and `over` once they have all been taken or nobody takes them any more. */
function passedOn(
  body: ReadableStream<Uint8Array>,
  { first, over }: { readonly first?: Uint8Array; over?(): void },
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  return new ReadableStream<Uint8Array>({
    start(controller) {
      if (first) controller.enqueue(first);
    },
    async pull(controller) {
      const { done, value } = await reader.read();
      if (!done) return controller.enqueue(value);
      over?.();
      controller.close();
    },
    async cancel(reason) {
      over?.();
      await reader.cancel(reason);
    },
  });
}

function refused(
  status: number,
  code: number,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(JSON.stringify({ jsonrpc: "2.0", id: null, error: { code, message } }), {
    status,
    headers: { "Content-Type": "application/json", ...headers },
  });
}
