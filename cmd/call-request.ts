// What the calls of one connection share: one session, one folder, one configuration.

import type { Host } from "../core/ports/host.ts";
import type { CallRequest } from "../core/tool.ts";
import { configOf, workspaceOf } from "./tool-command.ts";
import { accessSession } from "./session-access.ts";
import type { Settings } from "./settings.ts";

export interface Connection {
  readonly call: Omit<CallRequest, "signal" | "options" | "notice" | "progress">;
  /** Takes the first folder that the client says it works in, where it says so. */
  followRoots(client: RootsClient): Promise<void>;
  close(): Promise<void>;
}

interface RootsClient {
  getClientCapabilities(): { readonly roots?: unknown } | undefined;
  listRoots(): Promise<{ readonly roots: readonly { readonly uri: string }[] }>;
}

/** @param root absolute: where relative paths start, and the workspace; undefined: the working folder */
export function connectionCall(
  host: Host,
  settings: Settings,
  root: string | undefined,
  notice: (text: string) => void,
): Connection {
  const session = accessSession(host, settings, notice);
  const state = { cwd: root ?? host.env.cwd, workspace: root ?? settings.workspace };
  const place = () => ({ ...settings, workspace: state.workspace });
  const call: Connection["call"] = {
    get cwd() {
      return state.cwd;
    },
    session: session.open,
    sessionId: session.chosen.id,
    sessionFolder: session.folder,
    workspace: () => workspaceOf(host, place(), state.cwd)(),
    config: () => configOf(host, place(), notice, state.cwd)(),
  };
  return {
    call,
    async followRoots(client) {
      if (client.getClientCapabilities()?.roots === undefined) return;
      try {
        const { roots } = await client.listRoots();
        const path = roots.map(({ uri }) => pathOf(uri)).find((each) => each !== undefined);
        if (path === undefined || (await host.fs.stat(path))?.kind !== "directory") return;
        state.cwd = path;
        state.workspace = path;
      } catch (thrown) {
        notice(`MCP: the client's roots are not known: ${String(thrown)}`);
      }
    },
    close: session.close,
  };
}

function pathOf(uri: string): string | undefined {
  try {
    const { protocol, pathname } = new URL(uri);
    if (protocol !== "file:") return undefined;
    return decodeURIComponent(pathname).replace(/^\/(?=[A-Za-z]:)/, "");
  } catch {
    return undefined;
  }
}
