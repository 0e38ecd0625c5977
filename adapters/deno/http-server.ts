import type { HttpServers } from "../../core/ports/http-server.ts";

import { listenError } from "../shared/listen-error.ts";

/** As much of Deno as is used here; its own types are not there when Bun checks ours. */
interface DenoServe {
  serve(
    options: {
      readonly hostname: string;
      readonly port: number;
      readonly onListen: () => void;
      readonly onError: () => Response;
    },
    handle: (request: Request) => Promise<Response>,
  ): {
    readonly addr: { readonly port: number };
    shutdown(): Promise<void>;
    readonly finished: Promise<void>;
  };
}

export const denoHttpServers: HttpServers = {
  async listen({ host, port, handle }) {
    const { Deno: deno } = globalThis as unknown as { readonly Deno: DenoServe };
    const open = new Set<AbortController>();
    try {
      const server = deno.serve(
        {
          hostname: host,
          port,
          onListen() {},
          onError: () => new Response(null, { status: 500 }),
        },
        (request) => cutOff(request, handle, open),
      );
      return {
        port: server.addr.port,
        async close() {
          const done = server.shutdown();
          for (const controller of open) controller.abort();
          await done;
        },
      };
    } catch (thrown) {
      throw listenError(thrown, host, port);
    }
  },
};

/** Deno lets what is open go on when a server is shut down, so each answer's body is cut off by hand. */
async function cutOff(
  request: Request,
  handle: (request: Request) => Promise<Response>,
  open: Set<AbortController>,
): Promise<Response> {
  const controller = new AbortController();
  open.add(controller);
  const closed = new Promise<Response>((settle) => {
    controller.signal.addEventListener("abort", () => settle(new Response(null, { status: 503 })));
  });
  const response = await Promise.race([handle(request), closed]);
  if (response.body === null) {
    open.delete(controller);
    return response;
  }
  const reader = response.body.getReader();
  const body = new ReadableStream<Uint8Array>({
    start(stream) {
      controller.signal.addEventListener("abort", () => {
        void reader.cancel().catch(() => {});
        try {
          stream.close();
        } catch {
          // It has ended by itself.
        }
      });
    },
    async pull(stream) {
      const { done, value } = await reader.read();
      if (!done) return stream.enqueue(value);
      open.delete(controller);
      if (!controller.signal.aborted) stream.close();
    },
    async cancel(reason) {
      open.delete(controller);
      await reader.cancel(reason);
    },
  });
  return new Response(body, response);
}
