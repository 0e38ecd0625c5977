import type { IncomingMessage, ServerResponse } from "node:http";

import type { HttpServers } from "../../core/ports/http-server.ts";

import { listenError } from "../shared/listen-error.ts";

export const nodeHttpServers: HttpServers = {
  async listen({ host, port, handle }) {
    const { createServer } = process.getBuiltinModule("node:http");
    const server = createServer((incoming, outgoing) => void answer(incoming, outgoing, handle));
    try {
      await new Promise<void>((settle, reject) => {
        server.once("error", reject);
        server.listen({ host, port }, () => settle());
      });
    } catch (thrown) {
      throw listenError(thrown, host, port);
    }
    const address = server.address();
    let closed: Promise<void> | undefined;
    return {
      port: typeof address === "object" && address ? address.port : port,
      close() {
        closed ??= new Promise((settle) => {
          server.close(() => settle());
          server.closeAllConnections();
        });
        return closed;
      },
    };
  },
};

async function answer(
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  handle: (request: Request) => Promise<Response>,
): Promise<void> {
  const gone = new AbortController();
  outgoing.on("close", () => {
    if (!outgoing.writableFinished) gone.abort();
  });
  outgoing.on("error", () => {});
  try {
    const response = await handle(requestOf(incoming, gone.signal));
    outgoing.writeHead(response.status, [...response.headers].flat());
    if (response.body === null) {
      outgoing.end();
      return;
    }
    outgoing.flushHeaders();
    await pour(response.body, outgoing, gone.signal);
  } catch {
    if (!outgoing.headersSent) outgoing.writeHead(500);
    outgoing.end();
  }
}

/** Throws where the line or the headers cannot be a request's. */
function requestOf(incoming: IncomingMessage, signal: AbortSignal): Request {
  const { method = "GET", url = "/", headersDistinct } = incoming;
  const headers = new Headers();
  for (const [name, values] of Object.entries(headersDistinct)) {
    for (const value of values ?? []) headers.append(name, value);
  }
  const base = `http://${headers.get("host") ?? "invalid"}`;
  const hasBody = method !== "GET" && method !== "HEAD";
  return new Request(new URL(url, base).href, {
    method,
    headers,
    signal,
    ...(hasBody && { body: bodyOf(incoming), duplex: "half" }),
  } as RequestInit);
}

function bodyOf(incoming: IncomingMessage): ReadableStream<Uint8Array> {
  const { Readable } = process.getBuiltinModule("node:stream");
  return Readable.toWeb(incoming) as unknown as ReadableStream<Uint8Array>;
}

/** At the reader's pace. */
async function pour(
  body: ReadableStream<Uint8Array>,
  outgoing: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const reader = body.getReader();
  const stop = () => void reader.cancel().catch(() => {});
  gone.addEventListener("abort", stop, { once: true });
  if (gone.aborted) stop();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (outgoing.write(value) || gone.aborted) continue;
    await new Promise<void>((settle) => {
      const next = () => {
        outgoing.off("drain", next);
        outgoing.off("close", next);
        settle();
      };
      outgoing.on("drain", next);
      outgoing.on("close", next);
    });
  }
  outgoing.end();
}
