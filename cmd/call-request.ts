// What the calls of one connection share: one session, one configuration for each folder.

import type { Host } from "../core/ports/host.ts";
import type { SharedCall } from "../core/mcp/do-calls.ts";
import { configOf, workspaceOf } from "./tool-command.ts";
import { accessSession } from "./session-access.ts";
import type { Settings } from "./settings.ts";

export interface Connection {
  /** @param root absolute: where relative paths start, and the workspace; undefined: the connection's own place */
  callIn(root: string | undefined): Promise<SharedCall>;
  close(): Promise<void>;
}

/** @param named absolute: as `root`, for every call that has none; undefined: the working folder */
export function connectionCall(
  host: Host,
  settings: Settings,
  named: string | undefined,
  notice: (text: string) => void,
): Connection {
  const session = accessSession(host, settings, notice);
  return {
    async callIn(root = named) {
      const cwd = root ?? host.env.cwd;
      const place = root === undefined ? settings : { ...settings, workspace: root };
      return {
        cwd,
        session: session.open,
        sessionId: session.chosen.id,
        sessionFolder: session.folder,
        workspace: workspaceOf(host, place, cwd),
        config: configOf(host, place, notice, cwd),
      };
    },
    close: session.close,
  };
}
