import { type Config, settingOf } from "../core/config/config.ts";
import type { Host } from "../core/ports/host.ts";
import {
  locateSession,
  locateSessionFolder,
  locateState,
  type SessionChoice,
} from "../core/session/locate.ts";
import type { OpenSession } from "../core/session/open.ts";
import type { State } from "../core/session/state.ts";
import type { Settings } from "./settings.ts";

export interface SessionAccess {
  readonly chosen: SessionChoice;
  /** Where the session keeps what it saves as files; absolute, not made yet. Throws AtomicError session.unavailable. */
  folder(): Promise<string>;
  /** Opened on the first call, and one for all. */
  open(): Promise<OpenSession>;
  close(): Promise<void>;
}

/**
 * The session that the command line and the environment name. Its store is loaded and opened when a call needs it.
 * @throws AtomicError usage.command for an id that is none
 */
export function accessSession(
  host: Host,
  settings: Pick<Settings, "session" | "sessionDir">,
  notice: (text: string) => void,
  config: () => Promise<Config> = async () => ({ workspace: host.env.cwd, layers: [] }),
): SessionAccess {
  const chosen = locateSession(settings.session, host);
  let opened: Promise<OpenSession> | undefined;
  async function open(): Promise<OpenSession> {
    const { openSession } = await import("../core/session/open.ts");
    return openSession(host, { folder: locateState(host.env).folder, id: chosen.id, notice });
  }
  return {
    chosen,
    folder: () =>
      locateSessionFolder(settings.sessionDir, chosen.id, host.env, async () =>
        settingOf(await config(), "sessionDir"),
      ),
    open: () => (opened ??= open()),
    async close() {
      // One that never opened has said so to whoever asked for it.
      (await opened?.catch(() => undefined))?.close();
    },
  };
}

/** The state of all sessions, for the time of the work. */
export async function withState<T>(
  host: Host,
  notice: (text: string) => void,
  work: (state: State) => Promise<T>,
): Promise<T> {
  const { openState } = await import("../core/session/state.ts");
  const state = await openState(host, { folder: locateState(host.env).folder, notice });
  try {
    return await work(state);
  } finally {
    state.close();
  }
}
