// `atomic mcp install` and `atomic mcp uninstall`.

import { findWorkspace } from "../../core/config/workspace.ts";
import { AtomicError } from "../../core/errors.ts";
import { filesOf, type InstallHost, installHosts, type Scope } from "../../core/install/hosts.ts";
import { type Plan, planInstall, planUninstall, snippet } from "../../core/install/plan.ts";
import { shownChange } from "../../core/install/shown-change.ts";
import { displayPath, resolvePath, showName } from "../../core/paths.ts";
import { guardWrites } from "../../core/policy.ts";
import type { Host } from "../../core/ports/host.ts";
import { parseArguments } from "../args.ts";
import type { Invocation, Program } from "../command.ts";
import { unknownWord } from "../operands.ts";
import { printAnswer } from "../output.ts";
import { policyOf } from "../policy.ts";
import { globalFlags } from "../settings.ts";
import {
  backUp,
  earlierTexts,
  openUserFile,
  type UserFile,
  whileLocked,
  writeUserFile,
} from "../user-file.ts";
import { mcpActions } from "./actions.ts";

export async function install(invocation: Invocation): Promise<number> {
  const { flags, operands, program, settings } = invocation;
  const [named, ...serveArgs] = operands;
  const host = await program.host();
  checkServeArguments(serveArgs);
  const scope = scopeOf(flags["scope"]);
  const args = ["mcp", "serve", ...serveArgs];
  const command = (flags["command"] as string | undefined) ?? (await commandOf(scope, program));
  const name = nameOf(flags["name"]);
  if (flags["print"] === true) {
    const target = named === undefined ? installHosts[0]! : hostOf(named);
    const text = await snippet({ host: target, name, command, args });
    return printAnswer(
      text,
      { host: target.name, snippet: text },
      { stdio: program.stdio, settings },
    );
  }
  if (named === undefined) {
    throw new AtomicError(
      "usage.command",
      `\`atomic mcp install\` needs HOST: one of ${hostNames.join(", ")}.`,
      { hint: "With --print and no HOST, it prints the entry for any other agent." },
    );
  }
  const target = hostOf(named);
  const wanted = { host: target, name, command, args, force: flags["force"] === true };
  return carryOut(invocation, host, target, scope, {
    verb: "install",
    plan: (file, shown) => planInstall(file.text, wanted, shown),
    entry: [...target.path, name].reduceRight<Readonly<Record<string, unknown>>>(
      (inner, key) => ({ [key]: inner }),
      { ...target.entry(command, args), ...target.initial },
    ),
  });
}

export async function uninstall(invocation: Invocation): Promise<number> {
  const { flags, operands, program } = invocation;
  const host = await program.host();
  const target = hostOf(operands[0]!);
  const wanted = { host: target, name: nameOf(flags["name"]), force: flags["force"] === true };
  return carryOut(invocation, host, target, scopeOf(flags["scope"]), {
    verb: "uninstall",
    plan: async (file, shown) =>
      planUninstall(file.text, wanted, shown, await earlierTexts(file, host)),
    entry: undefined,
  });
}

interface Job {
  readonly verb: "install" | "uninstall";
  plan(file: UserFile, shown: string): Promise<Plan>;
  readonly entry: Readonly<Record<string, unknown>> | undefined;
}

async function carryOut(
  { flags, program, settings, stop }: Invocation,
  host: Host,
  target: InstallHost,
  scope: Scope,
  { verb, plan, entry }: Job,
): Promise<number> {
  const dryRun = flags["dry-run"] === true;
  const { fs, env } = host;
  const { cwd } = env;
  const allow = guardWrites({ name: `mcp ${verb}`, effect: "write" }, policyOf(settings, env), {
    fs,
    cwd,
    dryRun,
  });
  const path = await pathOf(target, scope, settings.workspace, host);
  const shown = showName(displayPath(path, cwd));
  await allow(path);
  stop.arm();
  const carry = async () => {
    const file = await openUserFile(path, host);
    const { outcome, text } = await plan(file, shown);
    const writes = outcome !== "unchanged" && !dryRun;
    const backup = writes && file.before !== undefined ? await backUp(file, host) : undefined;
    if (writes) await writeUserFile(file, text, host);
    return { file, outcome, text, backup };
  };
  const { file, outcome, text, backup } = dryRun
    ? await carry()
    : await whileLocked([path], host, stop.signal, carry);
  const isChange = outcome !== "unchanged";
  const change = isChange ? shownChange(file.text ?? "", text ?? "", entry) : "";
  const done = doneText(outcome, verb, target, { isGone: text === undefined, dryRun });
  const lines = [
    `${target.title}: ${shown}`,
    ...(change === "" ? [] : [change]),
    done,
    ...(backup === undefined ? [] : [`As it was: ${showName(backup)}`]),
    ...(isChange && verb === "install" && !dryRun ? [target.next] : []),
  ];
  const details = {
    host: target.name,
    scope,
    path,
    outcome,
    change,
    ...(backup !== undefined && { backup }),
    ...(dryRun && { dryRun }),
  };
  return printAnswer(lines.join("\n"), details, { stdio: program.stdio, settings });
}

function doneText(
  outcome: Plan["outcome"],
  verb: Job["verb"],
  { title }: InstallHost,
  { isGone, dryRun }: { readonly isGone: boolean; readonly dryRun: boolean },
): string {
  if (outcome === "unchanged") {
    return verb === "install" ? "It is there already." : `${title} has no such server here.`;
  }
  const words = {
    added: "the server is added",
    updated: "the server is brought up to date",
    replaced: "another server of that name is replaced",
    removed: isGone
      ? "the server was all that the file had, so it is removed"
      : "the server is removed",
  };
  const word = words[outcome];
  return dryRun ? `Dry run: ${word}; nothing was written.` : `Done: ${word}.`;
}

const hostNames = installHosts.map(({ name }) => name);

function hostOf(name: string): InstallHost {
  const wanted = name.toLowerCase().replaceAll(/[ _]/g, "-");
  const found = installHosts.find((host) => host.name === (synonyms[wanted] ?? wanted));
  if (found) return found;
  throw unknownWord("host", name, hostNames);
}

const synonyms: Readonly<Record<string, string>> = {
  claude: "claude-code",
  code: "vscode",
  "vs-code": "vscode",
  "gemini-cli": "gemini",
};

function scopeOf(flag: unknown): Scope {
  return (flag ?? "user") as Scope;
}

function nameOf(flag: unknown): string {
  const name = (flag ?? "atomic") as string;
  if (/^[A-Za-z0-9_-]{1,64}$/.test(name)) return name;
  throw new AtomicError(
    "usage.command",
    `--name must be 1 to 64 letters, digits, "-" or "_", but is ${JSON.stringify(name)}.`,
  );
}

/** What follows "--" is for `atomic mcp serve`; a mistake in it would only show when an agent starts it. */
function checkServeArguments(words: readonly string[]): void {
  const { flags } = mcpActions.find(({ name }) => name === "serve")!;
  const parsed = parseArguments(words, [...flags, ...globalFlags], "atomic mcp serve");
  const [extra] = parsed.operands;
  if (extra === undefined) return;
  throw new AtomicError(
    "usage.command",
    `Unexpected argument "${extra}": what follows HOST are flags of \`atomic mcp serve\`, after "--".`,
    { hint: "For example: atomic mcp install cursor -- --read-only" },
  );
}

/**
 * How the agent starts us. A project's file is for others too, so it has the name alone. The user's has the whole path:
 * programs that are not started from a shell often have another PATH.
 */
async function commandOf(scope: Scope, program: Program): Promise<string> {
  const { executable } = program.runtime;
  if (scope === "project" || executable === undefined) return "atomic";
  const { fs, env } = await program.host();
  const separator = env.platform === "windows" ? ";" : ":";
  const file = env.platform === "windows" ? "atomic.exe" : "atomic";
  const real = await fs.realPath(executable);
  for (const folder of (env.get("PATH") ?? "").split(separator)) {
    if (folder === "" || folder.startsWith(".")) continue;
    const found = resolvePath(file, folder);
    // A link on the PATH stays where it is when the program behind it is renewed.
    if (real !== undefined && (await fs.realPath(found).catch(() => undefined)) === real)
      return found;
  }
  return executable;
}

async function pathOf(
  target: InstallHost,
  scope: Scope,
  named: string | undefined,
  { fs, env }: Host,
): Promise<string> {
  const workspace = await findWorkspace({ cwd: env.cwd, named }, { fs, env });
  const files = filesOf(target, scope, env, workspace);
  if (files === undefined) {
    throw new AtomicError(
      "usage.command",
      "This user has no home folder, so only --scope project has a place.",
    );
  }
  // What cannot be looked at is told when it is read.
  const isThere = (file: string) => fs.lstat(file).then(Boolean, () => true);
  for (const file of files) if (await isThere(file)) return file;
  return files[0]!;
}
