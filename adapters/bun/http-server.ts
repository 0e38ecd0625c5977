import type { HttpServers } from "../../core/ports/http-server.ts";

import { listenError } from "../shared/listen-error.ts";

/** Seconds without a byte in either direction: longer than an answer may take to begin, and than streams are silent. */
const IDLE = 120;

export const bunHttpServers: HttpServers = {
  async listen({ host, port, handle }) {
    try {
      const server = Bun.serve({
        hostname: host,
        port,
        // Else a second server of this process may have the port as well.
        reusePort: false,
        idleTimeout: IDLE,
        // Whoever handles a request limits what it reads of it.
        maxRequestBodySize: Number.MAX_SAFE_INTEGER,
        development: false,
        fetch: handle,
        error: () => new Response(null, { status: 500 }),
      });
      return { port: server.port!, close: () => server.stop(true) };
    } catch (thrown) {
      throw listenError(thrown, host, port);
    }
  },
};
