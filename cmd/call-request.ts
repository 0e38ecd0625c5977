// What the calls of one connection share: one session, one configuration for each folder.

import { limits } from "../core/limits.ts";
import type { Host } from "../core/ports/host.ts";
import type { SharedCall } from "../core/mcp/do-calls.ts";
import { configOf, workspaceOf } from "./tool-command.ts";
import { accessSession } from "./session-access.ts";
import type { Settings } from "./settings.ts";

export interface Connection {
  readonly sessionId: string;
  /** @param root absolute: where relative paths start, and the workspace; undefined: the connection's own place */
  callIn(root: string | undefined): Promise<SharedCall>;
  close(): Promise<void>;
}

/**
 * @param named absolute: as `root`, for every call that has none; undefined: the working folder
 * @param yieldAfter seconds that a call waits for a command
 */
export function connectionCall(
  host: Host,
  settings: Settings,
  named: string | undefined,
  notice: (text: string) => void,
  yieldAfter: number = limits.mcpYield,
): Connection {
  const session = accessSession(host, settings, notice);
  return {
    sessionId: session.chosen.id,
    async callIn(root = named) {
      const cwd = root ?? host.env.cwd;
      const place = root === undefined ? settings : { ...settings, workspace: root };
      const config = configOf(host, place, notice, cwd);
      return {
        cwd,
        session: session.open,
        sessionId: session.chosen.id,
        sessionFolder: accessSession(host, settings, notice, config).folder,
        workspace: workspaceOf(host, place, cwd),
        config,
        yieldAfter,
      };
    },
    close: session.close,
  };
}
