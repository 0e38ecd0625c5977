import { findWorkspace } from "../core/config/workspace.ts";
import { skillText } from "../core/docs/agent-guide.ts";
import { AtomicError, exitStatus } from "../core/errors.ts";
import { shownDiff } from "../core/install/shown-change.ts";
import { isUntouchedSkill, skillFile } from "../core/install/skill.ts";
import { displayPath, resolvePath, showName } from "../core/paths.ts";
import { guardWrites } from "../core/policy.ts";
import { FsError } from "../core/ports/fs.ts";
import type { Host } from "../core/ports/host.ts";
import { command, type Invocation } from "./command.ts";
import { unknownWord } from "./operands.ts";
import { printAnswer } from "./output.ts";
import { policyOf } from "./policy.ts";
import { backUp, openUserFile, type UserFile, whileLocked, writeUserFile } from "./user-file.ts";

const actions = ["install", "uninstall", "show"] as const;

/** Where agents look for skills, below the project or the home folder. */
const folders = { agents: ".agents/skills", "claude-code": ".claude/skills" } as const;

export const skill = command({
  name: "skill",
  summary: "Write the Agent Skill that teaches an agent to use atomic",
  description:
    "install: writes the folder atomic with its SKILL.md into .agents/skills, or with --host claude-code into .claude/skills, of the project or, with --scope user, of the home folder. Done again, it brings the skill up to date; one that somebody has changed is shown and left alone, unless --force is given, which keeps a copy. uninstall: takes it away again. show: prints it.",
  operands: [
    {
      name: "ACTION",
      description: "What to do",
      required: true,
      repeat: false,
      choices: actions,
    },
  ],
  flags: [
    {
      name: "scope",
      type: "choice",
      choices: ["project", "user"],
      default: "project",
      description: "For this project, or for all of the user's",
    },
    {
      name: "host",
      type: "choice",
      choices: Object.keys(folders),
      default: "agents",
      description: "Who reads it: agents that know .agents/skills, or Claude Code",
    },
    { name: "dry-run", type: "boolean", description: "Show what would change; write nothing" },
    { name: "force", type: "boolean", description: "Also where somebody has changed the skill" },
  ],
  examples: [
    { title: "For this project", line: "atomic skill install" },
    {
      title: "For Claude Code, everywhere",
      line: "atomic skill install --host claude-code --scope user",
    },
  ],
  topics: [],
  async run(invocation) {
    const { operands, program, settings } = invocation;
    const [action] = operands;
    if (action === "install" || action === "uninstall") return change(action, invocation);
    if (action !== "show") throw unknownWord("action", action!, [...actions]);
    const { bytes } = await program.host();
    const text = skillFile(skillText(), bytes);
    return printAnswer(text, { skill: text }, { stdio: program.stdio, settings });
  },
});

async function change(
  action: "install" | "uninstall",
  { flags, program, settings, stop }: Invocation,
): Promise<number> {
  const host = await program.host();
  const { fs, env } = host;
  const { cwd } = env;
  const dryRun = flags["dry-run"] === true;
  const allow = guardWrites({ name: `skill ${action}`, effect: "write" }, policyOf(settings, env), {
    fs,
    cwd,
    dryRun,
  });
  const folder = await folderOf(flags, settings.workspace, host);
  const path = `${folder}/SKILL.md`;
  await allow(path);
  stop.arm();
  const wanted = action === "install" ? skillFile(skillText(), host.bytes) : undefined;
  const carry = async () => {
    const file = await openUserFile(path, host);
    if (file.text === wanted) return { file, isChange: false, backup: undefined };
    const isForeign = file.text !== undefined && !isUntouchedSkill(file.text, host.bytes);
    if (isForeign && flags["force"] !== true) throw touched(file, wanted, cwd);
    const backup = isForeign && !dryRun ? await backUp(file, host) : undefined;
    if (!dryRun) await writeUserFile(file, wanted, host);
    if (!dryRun && wanted === undefined) await fs.removeDirectory(folder).catch(notEmpty);
    return { file, isChange: true, backup };
  };
  const { file, isChange, backup } = dryRun
    ? await carry()
    : await whileLocked([path], host, stop.signal, carry);
  const shown = showName(displayPath(path, cwd));
  const lines = [
    `${shown}: ${outcomeText(action, file, isChange)}${dryRun && isChange ? " (dry run: nothing was written)" : ""}`,
    ...(isChange && file.text !== undefined && wanted !== undefined
      ? [shownDiff(file.text, wanted)]
      : []),
    ...(backup === undefined ? [] : [`As it was: ${showName(backup)}`]),
  ];
  const details = { path, changed: isChange, ...(backup !== undefined && { backup }) };
  await printAnswer(lines.join("\n"), details, { stdio: program.stdio, settings });
  return exitStatus.success;
}

function outcomeText(action: "install" | "uninstall", file: UserFile, isChange: boolean): string {
  if (action === "uninstall") return isChange ? "removed" : "there is no such skill";
  if (!isChange) return "up to date already";
  return file.text === undefined ? "written" : "brought up to date";
}

function touched(file: UserFile, wanted: string | undefined, cwd: string): AtomicError {
  const shown = showName(displayPath(file.path, cwd));
  const diff = wanted === undefined ? "" : `\n${shownDiff(file.text!, wanted)}`;
  return new AtomicError(
    "install.foreign",
    `${shown} is not as atomic wrote it. Nothing was written.${diff}`,
    { data: { path: file.path }, hint: "With --force it is replaced, and a copy of it is kept." },
  );
}

/** Others keep files in it. */
function notEmpty(thrown: unknown): void {
  if (!(thrown instanceof FsError)) throw thrown;
}

async function folderOf(
  flags: Invocation["flags"],
  named: string | undefined,
  { fs, env }: Host,
): Promise<string> {
  const below = folders[(flags["host"] ?? "agents") as keyof typeof folders];
  if (flags["scope"] !== "user") {
    const workspace = await findWorkspace({ cwd: env.cwd, named }, { fs, env });
    return resolvePath(`${below}/atomic`, workspace);
  }
  if (env.home !== undefined) return resolvePath(`${below}/atomic`, env.home);
  throw new AtomicError(
    "usage.command",
    "This user has no home folder, so only --scope project has a place.",
  );
}
