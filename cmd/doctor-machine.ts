// What doctor finds on the machine: the shell that commands run in, terminals, a browser.

import { shellFor, terminalFault } from "../core/commands/prepare.ts";
import { type Config, settingOf } from "../core/config/config.ts";
import { asAtomicError } from "../core/errors.ts";
import { showName } from "../core/paths.ts";
import type { Host } from "../core/ports/host.ts";
import { findProgram } from "../core/shell/choose.ts";
import type { Runtime } from "./command.ts";

export interface Finding {
  readonly check: string;
  /** "note": worth knowing, nothing is wrong. */
  readonly result: "ok" | "note" | "wrong";
  readonly found: string;
  readonly hint?: string;
}

/** What `bash` starts. */
export async function checkShell(config: Config, host: Host): Promise<Finding> {
  const check = "shell";
  try {
    const { name, dialect } = await shellFor("bash", config, host);
    const from = settingOf(config, "shellPath") === undefined ? "" : " (shellPath)";
    const quoting = dialect === "posix" ? "" : ", PowerShell's quoting";
    return { check, result: "ok", found: `${showName(name)}${from}${quoting}` };
  } catch (thrown) {
    const { message, hint } = asAtomicError(thrown);
    return { check, result: "wrong", found: message, ...(hint !== undefined && { hint }) };
  }
}

/** Whether `bash --pty` gives a terminal. */
export function checkTerminal({ name }: Runtime, { env }: Pick<Host, "env">): Finding {
  const check = "terminal";
  const fault = terminalFault({ env });
  if (fault !== undefined) {
    return {
      check,
      result: "note",
      found: `--pty is off: ${fault}.`,
      hint: "Unset it to have it.",
    };
  }
  if (name !== "bun" || env.platform === "windows") {
    const what = env.platform === "windows" ? "Windows" : name;
    const found = `--pty falls back to pipes: no terminal can be made under ${what}.`;
    return { check, result: "note", found, hint: "Use the built executable on Linux or macOS." };
  }
  return { check, result: "ok", found: "--pty gives commands a terminal" };
}

const browsers = [
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
  "microsoft-edge",
];

/** Nothing needs one; some configured MCP servers and commands drive it. */
export async function checkBrowser(host: Host): Promise<Finding> {
  const check = "browser";
  for (const name of browsers) {
    const path = await findProgram(name, host);
    if (path !== undefined) return { check, result: "ok", found: showName(path) };
  }
  return {
    check,
    result: "note",
    found: "no Chromium is on the PATH; nothing of atomic itself needs one.",
    hint: "Install Chromium if commands or MCP servers are to drive a browser.",
  };
}
