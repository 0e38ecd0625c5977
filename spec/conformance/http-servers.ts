import assert from "node:assert/strict";

import { openHttpServers } from "../../adapters/http-servers.ts";
import { nodeHttpServers } from "../../adapters/node/http-server.ts";
import { type HttpServer, type HttpServers, ListenError } from "../../core/ports/http-server.ts";
import type { Case } from "../helpers/cases.ts";

/** The runtime's own server, and Node's, which every runtime has. */
export function httpServerCases(): readonly Case[] {
  return [...casesOf("own", openHttpServers), ...casesOf("node", async () => nodeHttpServers)];
}

function casesOf(which: string, open: () => Promise<HttpServers>): readonly Case[] {
  const named = (name: string, run: () => Promise<void>): Case => ({
    name: `${which}: ${name}`,
    run,
  });
  const using = async (
    handle: (request: Request) => Promise<Response>,
    work: (url: string, server: HttpServer) => Promise<void>,
  ): Promise<void> => {
    const server = await (await open()).listen({ host: "127.0.0.1", port: 0, handle });
    try {
      await work(`http://127.0.0.1:${server.port}`, server);
    } finally {
      await server.close();
    }
  };
  return [
    named("a request arrives whole, and so does its answer", () =>
      using(
        async (request) =>
          new Response(
            JSON.stringify({
              method: request.method,
              path: new URL(request.url).pathname,
              header: request.headers.get("x-given"),
              body: await request.text(),
            }),
            { status: 207, headers: { "X-Back": "yes" } },
          ),
        async (url) => {
          const body = "é".repeat(100_000);
          const response = await fetch(`${url}/a/b`, {
            method: "POST",
            headers: { "X-Given": "a" },
            body,
          });
          assert.deepEqual([response.status, response.headers.get("x-back")], [207, "yes"]);
          assert.deepEqual(await response.json(), {
            method: "POST",
            path: "/a/b",
            header: "a",
            body,
          });
        },
      ),
    ),

    named("a stream arrives piece by piece, before it ends", async () => {
      const go = Promise.withResolvers<void>();
      const encoder = new TextEncoder();
      const body = () =>
        new ReadableStream<Uint8Array>({
          async start(controller) {
            controller.enqueue(encoder.encode("first"));
            await go.promise;
            controller.enqueue(encoder.encode("second"));
            controller.close();
          },
        });
      await using(
        async () => new Response(body(), { headers: { "Content-Type": "text/event-stream" } }),
        async (url) => {
          const reader = (await fetch(url)).body!.getReader();
          assert.equal(new TextDecoder().decode((await reader.read()).value), "first");
          go.resolve();
          assert.equal(new TextDecoder().decode((await reader.read()).value), "second");
          assert.equal((await reader.read()).done, true);
        },
      );
    }),

    named("a client that goes aborts its request and cancels the stream", async () => {
      const aborted = Promise.withResolvers<void>();
      const cancelled = Promise.withResolvers<void>();
      await using(
        async ({ signal }) => {
          signal.addEventListener("abort", () => aborted.resolve());
          return new Response(
            new ReadableStream<Uint8Array>({
              start: (controller) => controller.enqueue(new Uint8Array([1])),
              cancel: () => cancelled.resolve(),
            }),
          );
        },
        async (url) => {
          const leave = new AbortController();
          const response = await fetch(url, { signal: leave.signal });
          await response.body!.getReader().read();
          leave.abort();
          await Promise.all([aborted.promise, cancelled.promise]);
        },
      );
    }),

    named("what throws is a 500 without a word", () =>
      using(
        async () => {
          throw new Error("a secret");
        },
        async (url) => {
          const response = await fetch(url);
          assert.deepEqual([response.status, await response.text()], [500, ""]);
        },
      ),
    ),

    named("closing ends the streams that are open, and nobody answers any more", async () => {
      await using(
        async () =>
          new Response(
            new ReadableStream<Uint8Array>({
              start: (controller) => controller.enqueue(new Uint8Array([1])),
            }),
          ),
        async (url, server) => {
          const reader = (await fetch(url)).body!.getReader();
          await reader.read();
          await server.close();
          await server.close();
          const end = await reader.read().then(
            ({ done }) => done,
            () => true,
          );
          assert.equal(end, true);
          await assert.rejects(fetch(url));
        },
      );
    }),

    named("a port that is taken is a ListenError", () =>
      using(
        async () => new Response(),
        async (_, { port }) => {
          const servers = await open();
          await assert.rejects(
            servers.listen({ host: "127.0.0.1", port, handle: async () => new Response() }),
            (thrown) => thrown instanceof ListenError && thrown.code === "EADDRINUSE",
          );
        },
      ),
    ),
  ];
}
