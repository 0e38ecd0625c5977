// The choices that every command has: one table of flags, and what they and the environment come to.

import type { Env } from "../core/ports/env.ts";
import type { Output, Stdio } from "../core/ports/stdio.ts";
import type { Flag, FlagValue } from "./args.ts";

export const globalFlags: readonly Flag[] = [
  { name: "json", type: "boolean", description: "Print one JSON object: text, details, isError" },
  {
    name: "session",
    type: "string",
    placeholder: "ID",
    complete: "session list --ids",
    description: "Work in this session (else $ATOMIC_SESSION, else the agent's own)",
  },
  {
    name: "session-dir",
    type: "string",
    placeholder: "DIR",
    file: true,
    description: "Keep what the session saves as files here",
  },
  {
    name: "workspace",
    type: "string",
    placeholder: "DIR",
    file: true,
    description: "Folder that confined targets may not leave (else the project's)",
  },
  {
    name: "read-only",
    type: "boolean",
    description: "Refuse every tool that would change anything",
  },
  {
    name: "plan",
    type: "list",
    placeholder: "PATH",
    file: true,
    description: "Refuse every write outside this file or folder, and every command",
  },
  { name: "offline", type: "boolean", description: "Use no network" },
  {
    name: "input",
    type: "boolean",
    default: true,
    describesOff: true,
    description: "Never ask a question",
  },
  {
    name: "color",
    type: "choice",
    choices: ["auto", "always", "never"],
    default: "auto",
    description: "Colour of help and hints",
  },
  { name: "help", type: "boolean", short: "h", description: "Show this help" },
];

/** Only before or in place of a command. */
export const rootFlags: readonly Flag[] = [
  ...globalFlags,
  { name: "version", type: "boolean", short: "V", description: "Show the version" },
];

export interface Settings {
  readonly json: boolean;
  /** As given by the flag; the environment is asked where a session is opened. */
  readonly session: string | undefined;
  /** As given by the flags, relative ones too. */
  readonly sessionDir: string | undefined;
  readonly workspace: string | undefined;
  /** As given by the flag; cmd/policy.ts asks the environment. */
  readonly readOnly: boolean | undefined;
  /** As given by the flag. */
  readonly plan: readonly string[] | undefined;
  readonly color: { readonly out: boolean; readonly err: boolean };
  /** Whoever runs the program may be asked. */
  readonly asks: boolean;
  /** The terminal can do nothing but print. */
  readonly isDumbTerminal: boolean;
  /** Show where an error came from. */
  readonly debug: boolean;
}

export function settingsOf(
  flags: Readonly<Record<string, FlagValue>>,
  env: Pick<Env, "get">,
  stdio: Stdio,
): Settings {
  const flag = String(flags["color"] ?? "auto");
  const color = (output: Output) => wantsColor(flag, env, output);
  return {
    json: flags["json"] === true,
    session: flags["session"] as string | undefined,
    sessionDir: flags["session-dir"] as string | undefined,
    workspace: flags["workspace"] as string | undefined,
    readOnly: flags["read-only"] as boolean | undefined,
    plan: flags["plan"] as readonly string[] | undefined,
    // Asked for late: looking for a terminal costs more than most commands.
    color: {
      get out() {
        return color(stdio.stdout);
      },
      get err() {
        return color(stdio.stderr);
      },
    },
    asks: flags["input"] !== false && !isOn(env, "ATOMIC_NO_INPUT"),
    isDumbTerminal: env.get("TERM") === "dumb",
    debug: isOn(env, "ATOMIC_DEBUG"),
  };
}

/** Set, and not to one of the words for no. */
function isOn(env: Pick<Env, "get">, name: string): boolean {
  return !["", "0", "false", "no", "off"].includes((env.get(name) ?? "").toLowerCase());
}

/** The flag, then FORCE_COLOR, then NO_COLOR (no-color.org: any value but the empty one), then the terminal. */
function wantsColor(flag: string, env: Pick<Env, "get">, output: Output): boolean {
  if (flag !== "auto") return flag === "always";
  const force = env.get("FORCE_COLOR");
  if (force !== undefined && force !== "") return isOn(env, "FORCE_COLOR");
  if ((env.get("NO_COLOR") ?? "") !== "" || env.get("TERM") === "dumb") return false;
  return output.isTerminal;
}
