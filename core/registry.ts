import type { Host } from "./ports/host.ts";
import type { AnyTool, Effect } from "./tool.ts";

/** What lists need of a tool, without loading its code. `spec/core/registry.spec.ts` holds it to the tool itself. */
export interface RegistryRow {
  readonly name: string;
  readonly summary: string;
  readonly effect: Effect;
  /** Hidden names of the subcommand. */
  readonly aliases: readonly string[];
  load(): Promise<AnyTool>;
  /** Whether this machine has what the tool needs; absent: it needs nothing. */
  isThere?(ports: Pick<Host, "fs" | "env">): Promise<boolean>;
}

/** Every tool, in the order of help and docs. */
export const registry: readonly RegistryRow[] = [
  {
    name: "read",
    summary: "Show a file's lines with their numbers and the tag that edits need",
    effect: "read",
    aliases: ["cat"],
    load: async () => (await import("./tools/read.ts")).read,
  },
  {
    name: "write",
    summary: "Write a whole file: a new one, or over one that this session has read",
    effect: "write",
    aliases: [],
    load: async () => (await import("./tools/write.ts")).write,
  },
  {
    name: "edit",
    summary: "Change files by line number, checked against the tag of a read",
    effect: "write",
    aliases: ["apply_patch"],
    load: async () => (await import("./tools/edit.ts")).edit,
  },
  {
    name: "search",
    summary: "Search file contents by regular expression, with anchors to edit by",
    effect: "read",
    aliases: ["grep"],
    load: async () => (await import("./tools/search.ts")).search,
  },
  {
    name: "find",
    summary: "List files and folders by path or glob",
    effect: "read",
    aliases: ["glob"],
    load: async () => (await import("./tools/find.ts")).find,
  },
  {
    name: "bash",
    summary: "Run a shell command, and end with its status",
    effect: "execute",
    aliases: ["run", "exec", "shell"],
    load: async () => (await import("./tools/bash.ts")).bash,
  },
  {
    name: "powershell",
    summary: "Run a PowerShell command, and end with its status",
    effect: "execute",
    aliases: ["pwsh"],
    isThere: async (ports) => (await import("./shell/choose.ts")).hasPowerShell(ports),
    load: async () => (await import("./tools/powershell.ts")).powershell,
  },
  {
    name: "kill",
    summary: "End a background task with all that it has started",
    effect: "execute",
    aliases: [],
    load: async () => (await import("./tools/kill.ts")).kill,
  },
  {
    name: "tool_search",
    summary: "Find a tool by words: ours, and those of the configured MCP servers",
    effect: "read",
    aliases: [],
    load: async () => (await import("./tools/tool-search.ts")).toolSearch,
  },
  {
    name: "ask_user_question",
    summary: "Ask the user one to four questions and wait for the answers",
    effect: "read",
    aliases: ["ask", "ask_user"],
    load: async () => (await import("./tools/ask-user-question.ts")).askUserQuestion,
  },
];

/** The tools of this machine. */
export async function presentRows(
  ports: Pick<Host, "fs" | "env">,
  rows: readonly RegistryRow[] = registry,
): Promise<readonly RegistryRow[]> {
  const there = await Promise.all(rows.map(async (row) => (await row.isThere?.(ports)) ?? true));
  return rows.filter((_, index) => there[index]);
}
