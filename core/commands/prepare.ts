// From a tool's input to a command that can be started: checked, and with nothing started yet.

import { type Config, settingOf, userSettingOf } from "../config/config.ts";
import { AtomicError } from "../errors.ts";
import { found } from "../input-words.ts";
import { limits } from "../limits.ts";
import { resolvePath, showName, spellings } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { chooseShell, choosePowerShell, type Shell } from "../shell/choose.ts";
import { isPlainCommand } from "../shell/plain.ts";
import { commandEnvironment, VARIABLE_NAME } from "../shell/environment.ts";
import type { CommandRun } from "../shell/run.ts";
import type { Call } from "../tool.ts";
import type { CheckedCommand } from "./check.ts";
import type { HandlerResult, Offer } from "./handlers.ts";

export interface CommandInput {
  readonly command: string;
  readonly cwd?: string | undefined;
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Seconds, as asked for. */
  readonly timeout?: number | undefined;
  readonly pty?: boolean | undefined;
}

export type CommandPorts = Pick<
  Host,
  "fs" | "env" | "processes" | "clock" | "random" | "bytes" | "databases"
>;

export type CommandCall = Pick<
  Call,
  | "cwd"
  | "sessionId"
  | "sessionFolder"
  | "session"
  | "workspace"
  | "options"
  | "config"
  | "signal"
  | "notice"
  | "hasTool"
  | "ask"
>;

/** Plain data but for the shell's name: a supervisor is given it through a file. */
export interface CommandPlan {
  readonly run: CommandRun;
  /** What was asked for, as lists show it. */
  readonly command: string;
  readonly shell: string;
  /** Seconds: in force, and as asked for where that differs. */
  readonly timeoutSeconds: number;
  readonly requestedTimeoutSeconds: number | undefined;
  /** A handler has taken the command over: there is nothing to run. */
  readonly taken?: HandlerResult;
  /** Why pipes stand in for the terminal that was asked for. */
  readonly noTerminal: string | undefined;
}

/**
 * @throws AtomicError `usage.input`, `bash.cwd`, `bash.spawn`, `bash.url`, `bash.intercepted`, `policy.command`, `policy.ask`,
 * `bash.handler`
 */
export async function prepareCommand(
  tool: "bash" | "powershell",
  input: CommandInput,
  ports: CommandPorts,
  call: CommandCall,
): Promise<CommandPlan> {
  const { command, env: given = {}, timeout = limits.bashTimeout } = input;
  checkText(command, "command");
  for (const [name, value] of Object.entries(given)) {
    if (!VARIABLE_NAME.test(name)) {
      throw wrongInput(
        "env",
        `"${showName(name)}" is no name for a variable: it must be letters, digits and _, not beginning with a digit`,
      );
    }
    checkText(value, `env.${name}`);
  }
  const timeoutSeconds = Math.max(1, Math.floor(timeout));
  const folder = input.cwd === undefined ? undefined : await expandedValue(input.cwd, ports, call);
  const cwd = await workingFolder(folder, ports, call.cwd);
  const config = await call.config();
  const shell = await shellFor(tool, config, ports);
  const expanded = await expandedCommand(command, shell, ports, call);
  const env = await expandedValues(given, ports, call);
  const prefix = tool === "bash" ? userSettingOf(config, "shellCommandPrefix") : undefined;
  const whole = prefix === undefined ? expanded : `${prefix}\n${expanded}`;
  await check({ tool, forms: { given: command, expanded, whole }, cwd, env }, config, ports, call);
  const inFolder = input.cwd === undefined ? leadingFolder(expanded, cwd) : undefined;
  const taken = await handled(
    { input: { ...input }, tool, cwd, whole, inFolder },
    config,
    ports,
    call,
  );
  const noTerminal = input.pty === true ? terminalFault(ports) : undefined;
  const hasTerminal = input.pty === true && noTerminal === undefined;
  const { program, args, env: own = {} } = shell.start(whole);
  const variables = commandEnvironment(env, {
    inherited: ports.env.get,
    session: call.sessionId,
    hasTerminal,
  });
  return {
    run: {
      program,
      args,
      cwd,
      env: { ...own, ...variables },
      stdin: call.options.stdin === true ? "ours" : "closed",
      ...(hasTerminal && {
        terminal: { columns: limits.ptyColumns, rows: limits.ptyRows },
      }),
      timeout: timeoutSeconds * 1000,
      mark: `task_${ports.random.hex(16)}`,
    },
    command,
    shell: shell.name,
    timeoutSeconds,
    requestedTimeoutSeconds: timeout === timeoutSeconds ? undefined : timeout,
    noTerminal,
    ...(taken && { taken }),
  };
}

// What most commands have no need of is loaded where one has.

async function expandedCommand(
  command: string,
  { dialect }: Shell,
  ports: CommandPorts,
  call: CommandCall,
): Promise<string> {
  if (!command.includes("://")) return command;
  const { expandCommand } = await import("./urls.ts");
  return expandCommand(command, dialect, ports, call);
}

async function expandedValue(
  value: string,
  ports: CommandPorts,
  call: CommandCall,
): Promise<string> {
  if (!value.includes("://")) return value;
  const { expandValue } = await import("./urls.ts");
  return expandValue(value, ports, call);
}

async function expandedValues(
  given: Readonly<Record<string, string>>,
  ports: CommandPorts,
  call: CommandCall,
): Promise<Readonly<Record<string, string>>> {
  const values = Object.entries(given).map(
    async ([name, value]) => [name, await expandedValue(value, ports, call)] as const,
  );
  return Object.fromEntries(await Promise.all(values));
}

/** @throws as `checkCommand` */
async function check(
  checked: CheckedCommand,
  config: Config,
  ports: CommandPorts,
  call: CommandCall,
): Promise<void> {
  const { tool, forms, env } = checked;
  const isConfigured = config.layers.some(
    ({ values }) => values.bashInterceptor ?? values.commandPolicy,
  );
  const isAtAGlance = tool === "bash" && !isConfigured && Object.keys(env).length === 0;
  if (isAtAGlance && isPlainCommand(forms.whole)) return;
  const { checkCommand } = await import("./check.ts");
  await checkCommand(checked, config, ports, call);
}

async function handled(
  offer: Offer,
  config: Config,
  ports: CommandPorts,
  { signal }: CommandCall,
): Promise<HandlerResult | undefined> {
  if (!settingOf(config, "bashHandlers")) return undefined;
  const { offerCommand } = await import("./handlers.ts");
  return offerCommand(offer, config, ports, signal);
}

/** The command without a leading `cd`, for whoever decides by the folder. It runs unchanged. */
function leadingFolder(
  command: string,
  cwd: string,
): { readonly command: string; readonly cwd: string } | undefined {
  const found =
    /^\s*cd\s+(?:"([^"$`(\\]+)"|'([^']+)'|([^\s'"$`(&;|<>\\~-][^\s'"$`(&;|<>\\]*))[ \t]*(?:&&|;)\s*(\S[\s\S]*)$/.exec(
      command,
    );
  if (!found) return undefined;
  const path = found[1] ?? found[2] ?? found[3]!;
  return { command: found[4]!, cwd: resolvePath(path, cwd) };
}

/** @throws AtomicError `bash.spawn` */
export async function shellFor(
  tool: "bash" | "powershell",
  config: Config,
  ports: Pick<CommandPorts, "fs" | "env" | "processes">,
): Promise<Shell> {
  if (tool === "powershell") return choosePowerShell(ports);
  const path = settingOf(config, "shellPath");
  const { home } = ports.env;
  const isHome = path?.startsWith("~/") === true && home !== undefined;
  return chooseShell(isHome ? resolvePath(path.slice(2), home) : path, ports);
}

/** Why no terminal may be made. */
export function terminalFault({ env }: Pick<CommandPorts, "env">): string | undefined {
  const variable = ["ATOMIC_NO_PTY", "PI_NO_PTY"].find((name) => env.get(name) === "1");
  return variable && `${variable} is set`;
}

async function workingFolder(
  given: string | undefined,
  { fs, env }: CommandPorts,
  cwd: string,
): Promise<string> {
  if (given === undefined) return checkFolder(cwd, cwd, fs);
  checkText(given, "cwd");
  const paths = spellings(given, { cwd, home: env.home }).map((path) => resolvePath(path, cwd));
  for (const path of paths)
    if (await fs.stat(path).catch(() => undefined)) return checkFolder(path, given, fs);
  return checkFolder(paths[0]!, given, fs);
}

async function checkFolder(path: string, shown: string, fs: Host["fs"]): Promise<string> {
  let fault: string;
  try {
    const stat = await fs.stat(path);
    if (stat?.kind === "directory") return path;
    fault = stat ? `is a ${stat.kind}, not a folder` : "does not exist";
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    fault = `cannot be looked at (${thrown.code})`;
  }
  throw new AtomicError(
    "bash.cwd",
    `The working folder ${showName(shown)} ${fault}. Nothing was run.`,
    {
      data: { cwd: path },
    },
  );
}

/** What no program's arguments can carry. */
function checkText(text: string, field: string): void {
  if (text.includes("\0")) throw wrongInput(field, "holds a NUL, which no command can carry");
  if (!text.isWellFormed()) throw wrongInput(field, `holds half a surrogate pair: ${found(text)}`);
}

function wrongInput(field: string, problem: string): AtomicError {
  return new AtomicError("usage.input", `Field "${field}": ${problem}.`, { data: { field } });
}
