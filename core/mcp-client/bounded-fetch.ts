// Requests to a server that is reached by URL: no more bytes than are taken from one, redirects only as the transport allows.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";

export interface BoundedFetch {
  /** Called once, as soon as too much has come. */
  onFailure?: () => void;
  readonly fetch: (url: string | URL, init?: RequestInit) => Promise<Response>;
  failure(): AtomicError | undefined;
}

export function boundedFetch({ http }: Pick<Host, "http">, server: string): BoundedFetch {
  let total = 0;
  let failure: AtomicError | undefined;

  function count(bytes: number, answer: number): void {
    total += bytes;
    const most =
      answer > limits.mcpServerMessage
        ? `an answer of more than ${limits.mcpServerMessage} bytes`
        : total > limits.mcpServerBytes
          ? `more than ${limits.mcpServerBytes} bytes`
          : undefined;
    if (most === undefined) return;
    failure ??= new AtomicError(
      "mcp.too_large",
      `The MCP server ${showName(server)} sent ${most}.`,
      {
        data: { server },
      },
    );
    bounded.onFailure?.();
    throw failure;
  }

  const bounded: BoundedFetch = {
    failure: () => failure,
    async fetch(url, init) {
      if (failure) throw failure;
      const response = await http.fetch(url, init);
      if (!response.body) return response;
      // Events are many answers in one stream, each ended by an empty line.
      const isStream = /^text\/event-stream\b/i.test(response.headers.get("content-type") ?? "");
      let answer = 0;
      const body = response.body.pipeThrough(
        new TransformStream<Uint8Array, Uint8Array>({
          transform(chunk, controller) {
            const end = isStream ? lastEventEnd(chunk) : -1;
            answer = end === -1 ? answer + chunk.length : chunk.length - end;
            count(chunk.length, answer);
            controller.enqueue(chunk);
          },
        }),
      );
      const answered = new Response(body, {
        status: response.status,
        statusText: response.statusText,
        headers: response.headers,
      });
      // Who follows redirects needs to know where the answer came from.
      Object.defineProperty(answered, "url", { value: response.url });
      Object.defineProperty(answered, "type", { value: response.type });
      return answered;
    },
  };
  return bounded;
}

/** Behind the last empty line that lies in the chunk whole; -1 where there is none. */
function lastEventEnd(chunk: Uint8Array): number {
  for (let at = chunk.lastIndexOf(LF); at > 0; at = chunk.lastIndexOf(LF, at - 1)) {
    if (chunk[at - 1] === LF || (chunk[at - 1] === CR && chunk[at - 2] === LF)) return at + 1;
  }
  return -1;
}

const LF = 0x0a;
const CR = 0x0d;
