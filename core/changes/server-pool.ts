// The language servers of one call: each is started once, for all of its files and for whatever it is asked.

import type { ServerRule } from "../config/config.ts";
import type { HelperCommand } from "../diagnostics/helper.ts";
import { type LanguageServer, openLanguageServer } from "../diagnostics/language-server.ts";
import type { Host } from "../ports/host.ts";

export interface ServerPool {
  /** One that could not be opened stays so: the same failure again. */
  open(rule: ServerRule, signal: AbortSignal): Promise<LanguageServer>;
  /** Ends all that were opened. */
  close(): Promise<void>;
}

/** @param folder absolute, with no link on the way: the root that servers are given */
export function createServerPool(
  folder: string,
  ports: Pick<Host, "processes" | "clock" | "env">,
): ServerPool {
  const servers = new Map<string, Promise<LanguageServer>>();
  return {
    open({ server: words }, signal) {
      const key = JSON.stringify(words);
      let server = servers.get(key);
      if (!server) {
        const command: HelperCommand = { words, folder };
        server = openLanguageServer(command, ports, signal);
        servers.set(key, server);
      }
      return server;
    },
    async close() {
      const opened = await Promise.allSettled(servers.values());
      await Promise.all(
        opened.map((each) => (each.status === "fulfilled" ? each.value.close() : undefined)),
      );
    },
  };
}
