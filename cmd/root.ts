// Every subcommand: one row for each tool of the registry, and the few that are no tools. Only the row that is called is loaded.

import { registry } from "../core/registry.ts";
import type { Command } from "./command.ts";

export interface CommandRow {
  readonly name: string;
  readonly summary: string;
  /** Hidden names: what people and models try first. */
  readonly aliases: readonly string[];
  load(): Promise<Command>;
}

export const purpose = "Read and edit files by hashline, for coding agents and shell pipelines";

const tools: readonly CommandRow[] = registry.map((row) => ({
  name: row.name.replaceAll("_", "-"),
  summary: row.summary,
  aliases: row.aliases,
  async load() {
    const [{ toolCommand }, tool] = await Promise.all([import("./tool-command.ts"), row.load()]);
    return toolCommand(tool);
  },
}));

const others: readonly CommandRow[] = [
  {
    name: "call",
    summary: "Call a tool by its name with a JSON input",
    aliases: [],
    load: async () => (await import("./call.ts")).call,
  },
  {
    name: "tools",
    summary: "List the tools, or show one tool's input schema",
    aliases: ["schema"],
    load: async () => (await import("./tools.ts")).tools,
  },
  {
    name: "tasks",
    summary: "List this session's background tasks, or show one's state and output",
    aliases: ["task", "jobs"],
    load: async () => (await import("./tasks.ts")).tasks,
  },
  {
    name: "log",
    summary: "List what this session has changed, newest first",
    aliases: ["history"],
    load: async () => (await import("./log.ts")).log,
  },
  {
    name: "diff",
    summary: "Show changes of this session as a patch for git apply",
    aliases: [],
    load: async () => (await import("./diff.ts")).diff,
  },
  {
    name: "undo",
    summary: "Take back the newest change of this session, or a named one",
    aliases: [],
    load: async () => (await import("./undo.ts")).undo,
  },
  {
    name: "redo",
    summary: "Take back the newest undo of this session, or a named one",
    aliases: [],
    load: async () => (await import("./undo.ts")).redo,
  },
  {
    name: "mcp",
    summary: "Serve the tools over MCP, and use other servers' tools",
    aliases: [],
    load: async () => (await import("./mcp.ts")).mcp,
  },
  {
    name: "skill",
    summary: "Write the Agent Skill that teaches an agent to use atomic",
    aliases: ["skills"],
    load: async () => (await import("./skill.ts")).skill,
  },
  {
    name: "session",
    summary: "Show which session this is and what it has seen",
    aliases: ["sessions"],
    load: async () => (await import("./session.ts")).session,
  },
  {
    name: "gc",
    summary: "Remove kept output that nobody has touched for 30 days",
    aliases: [],
    load: async () => (await import("./gc.ts")).gc,
  },
  {
    name: "doctor",
    summary: "Check the state folder, the session and this program itself",
    aliases: [],
    load: async () => (await import("./doctor.ts")).doctor,
  },
  {
    name: "completions",
    summary: "Print the completion script for a shell",
    aliases: ["completion"],
    load: async () => (await import("./completions.ts")).completions,
  },
  {
    name: "man",
    summary: "Write the manual pages into a folder",
    aliases: [],
    load: async () => (await import("./man.ts")).man,
  },
  {
    name: "help",
    summary: "Explain a command or a topic",
    aliases: [],
    load: async () => (await import("./help.ts")).help,
  },
];

export const toolRows = tools;
export const otherRows = others;
export const commandRows: readonly CommandRow[] = [...tools, ...others];

export function findRow(name: string): CommandRow | undefined {
  return commandRows.find((row) => row.name === name || row.aliases.includes(name));
}

/** The names that may be suggested and completed. */
export function commandNames(): readonly string[] {
  return commandRows.map(({ name }) => name);
}
