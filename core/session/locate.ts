// Where the state lies and which session a call belongs to: decided from the flag and the environment alone.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { isAbsolutePath, resolvePath } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import type { Env } from "../ports/env.ts";

/** Variables by which agent hosts name their session to the commands they start, in order of precedence. */
export const agentSessions: readonly { readonly host: string; readonly variable: string }[] = [
  { host: "Atomic", variable: "ATOMIC_SESSION_ID" },
  { host: "Pi", variable: "PI_SESSION_ID" },
  { host: "Claude Code", variable: "CLAUDE_CODE_SESSION_ID" },
  { host: "Codex", variable: "CODEX_THREAD_ID" },
  { host: "Copilot CLI", variable: "COPILOT_AGENT_SESSION_ID" },
  { host: "Gemini CLI", variable: "GEMINI_SESSION_ID" },
  { host: "Goose", variable: "AGENT_SESSION_ID" },
];

export interface SessionChoice {
  readonly id: string;
  /** What named it: "--session", a variable's name with "$", or "default". */
  readonly from: string;
}

export interface StateChoice {
  /** Absolute. */
  readonly folder: string;
  /** A variable's name with "$", or "default". */
  readonly from: string;
}

/**
 * The state folder: `$ATOMIC_HOME`, else `$XDG_STATE_HOME/atomic`, else the platform's place. An empty variable counts as
 * unset. A relative `ATOMIC_HOME` is refused, since the state would move with the working folder; a relative
 * `XDG_STATE_HOME` is ignored, as the XDG base directory specification asks.
 * @throws AtomicError `session.unavailable`
 */
export function locateState(env: Pick<Env, "get" | "home" | "platform">): StateChoice {
  const own = env.get("ATOMIC_HOME") || undefined;
  if (own !== undefined) {
    if (isAbsolutePath(own, env.platform))
      return { folder: resolvePath(own, own), from: "$ATOMIC_HOME" };
    throw new AtomicError(
      "session.unavailable",
      `ATOMIC_HOME must be an absolute path, but is ${JSON.stringify(own)}.`,
      { hint: "Set ATOMIC_HOME to an absolute path, or unset it." },
    );
  }
  const xdg = env.get("XDG_STATE_HOME") || undefined;
  if (xdg !== undefined && isAbsolutePath(xdg, env.platform)) {
    return { folder: resolvePath("atomic", xdg), from: "$XDG_STATE_HOME" };
  }
  const base = platformBase(env);
  if (base !== undefined) return { folder: resolvePath("atomic", base), from: "default" };
  throw new AtomicError(
    "session.unavailable",
    "There is no place for the session's state: this user has no home folder and ATOMIC_HOME is not set.",
    { hint: "Set ATOMIC_HOME to an absolute path." },
  );
}

/**
 * The session: the flag, else `$ATOMIC_SESSION`, else the first set variable of `agentSessions`, else "default". An empty
 * variable counts as unset. Ids that a person chose are checked; those of agent hosts are mapped to valid ones, different
 * ones to different ones.
 * @param flag the value of `--session`
 * @throws AtomicError `usage.command`
 */
export function locateSession(
  flag: string | undefined,
  { env, bytes }: { readonly env: Pick<Env, "get">; readonly bytes: Pick<Host["bytes"], "sha256"> },
): SessionChoice {
  if (flag !== undefined) return { id: checkSessionId(flag, "--session"), from: "--session" };
  const own = env.get("ATOMIC_SESSION") || undefined;
  if (own !== undefined) {
    return { id: checkSessionId(own, "ATOMIC_SESSION"), from: "$ATOMIC_SESSION" };
  }
  for (const { variable } of agentSessions) {
    const id = env.get(variable);
    if (id) return { id: isSessionId(id) ? id : mapped(id, bytes), from: `$${variable}` };
  }
  return { id: "default", from: "default" };
}

/**
 * Where the session keeps what it saves as files: `--session-dir`, else `$ATOMIC_CODING_AGENT_SESSION_DIR`, else the
 * configured folder, else a folder of its own in the state folder (cli.md).
 * @param flag a relative one starts at the working folder
 * @param configured asked only where nothing else names one; absolute, or beginning with "~/"
 * @returns absolute; nothing is made
 * @throws AtomicError `session.unavailable`
 */
export async function locateSessionFolder(
  flag: string | undefined,
  id: string,
  env: Pick<Env, "get" | "home" | "platform" | "cwd">,
  configured: () => Promise<string | undefined> = async () => undefined,
): Promise<string> {
  const named = flag ?? (env.get("ATOMIC_CODING_AGENT_SESSION_DIR") || undefined);
  if (named !== undefined) return resolvePath(named, env.cwd);
  const own = await configured();
  if (own !== undefined) {
    const isHome = own.startsWith("~/") && env.home !== undefined;
    return isHome ? resolvePath(own.slice(2), env.home!) : resolvePath(own, env.cwd);
  }
  return resolvePath(`sessions/${id}`, locateState(env).folder);
}

/** 1 to 128 of the characters `A-Z a-z 0-9 . _ -`, a letter or digit first: safe as a key, a word and a file name. */
export function isSessionId(id: string): boolean {
  return id.length <= limits.sessionId && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(id);
}

/** @param source where the id came from, for the message */
export function checkSessionId(id: string, source: string): string {
  if (isSessionId(id)) return id;
  const shown = JSON.stringify(id.length <= 60 ? id : `${id.slice(0, 59)}…`);
  throw new AtomicError(
    "usage.command",
    `${source} must be 1 to ${limits.sessionId} of the characters A-Z a-z 0-9 . _ -, a letter or digit first, but is ${shown}.`,
  );
}

function mapped(id: string, bytes: Pick<Host["bytes"], "sha256">): string {
  const words = id.replace(/[^A-Za-z0-9]+/g, "-").replace(/^-|-$/g, "");
  // JSON, because a lone surrogate has no UTF-8 of its own.
  const digest = bytes.sha256(new TextEncoder().encode(JSON.stringify(id)));
  return `${words.slice(0, 64) || "session"}-${digest.slice(0, 32)}`;
}

function platformBase(env: Pick<Env, "get" | "home" | "platform">): string | undefined {
  if (env.platform === "windows") {
    const local = env.get("LOCALAPPDATA");
    if (local && isAbsolutePath(local, env.platform)) return local;
    return env.home === undefined ? undefined : resolvePath("AppData/Local", env.home);
  }
  if (env.home === undefined) return undefined;
  return resolvePath(
    env.platform === "macos" ? "Library/Application Support" : ".local/state",
    env.home,
  );
}
