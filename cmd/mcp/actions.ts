// What `atomic mcp` can do: one row for each action. Only the one that is called is loaded.

import { limits } from "../../core/limits.ts";
import type { Flag } from "../args.ts";
import type { CommandExample, Invocation, Operand } from "../command.ts";

export interface McpAction {
  readonly name: string;
  /** What it does, in full sentences: help shows it after the name. */
  readonly description: string;
  /** What follows its name. */
  readonly operands: readonly Operand[];
  /** Its own. Where two actions have a flag of one name, it is one and the same. */
  readonly flags: readonly Flag[];
  readonly examples: readonly CommandExample[];
  /** The invocation's operands are those that follow the action's name. */
  load(): Promise<(invocation: Invocation) => Promise<number>>;
}

const timeoutFlag: Flag = {
  name: "timeout",
  type: "number",
  placeholder: "S",
  description: `Seconds to wait for a server, to connect and for each answer (else ${limits.mcpConnectTime / 1000} and ${limits.mcpQuietTime / 1000})`,
};
const refreshFlag: Flag = {
  name: "refresh",
  type: "boolean",
  description: "tools, describe: ask the server now",
};
const yesFlag: Flag = {
  name: "yes",
  type: "boolean",
  description: "call, trust: do not ask; for a person who has decided",
};
const revokeFlag: Flag = {
  name: "revoke",
  type: "boolean",
  description: "trust: take it back",
};
const plainFlag: Flag = {
  name: "plain",
  type: "boolean",
  description: "call, resources, prompts: without the fence around what the server wrote",
};

function server({ required } = { required: true }): Operand {
  return { name: "SERVER", description: "Its name", required, repeat: false };
}
function tool({ required } = { required: true }): Operand {
  return { name: "TOOL", description: "Its name", required, repeat: false };
}

const hostChoices = ["claude-code", "codex", "cursor", "vscode", "gemini", "opencode", "zed"];
const scopeFlag: Flag = {
  name: "scope",
  type: "choice",
  choices: ["user", "project"],
  default: "user",
  description: "install, uninstall: the user's own settings, or those of the project",
};
const nameFlag: Flag = {
  name: "name",
  type: "string",
  placeholder: "NAME",
  default: "atomic",
  description: "install, uninstall: what the agent calls the server",
};
const dryRunFlag: Flag = {
  name: "dry-run",
  type: "boolean",
  description: "install, uninstall: show what would change; write nothing",
};
const forceFlag: Flag = {
  name: "force",
  type: "boolean",
  description: "install, uninstall: also where another server has that name",
};

export const mcpActions: readonly McpAction[] = [
  {
    name: "serve",
    description:
      "An MCP server on standard input and output, for agents that speak the Model Context Protocol. Every connection is a session of its own, unless --session names one. Standard output carries nothing but the protocol; diagnostics go to standard error. It ends when its input does. With --http, MCP's Streamable HTTP at /mcp, for whoever has the bearer token: that of --token-file, else of $ATOMIC_MCP_TOKEN, else a new one, printed on standard error.",
    operands: [],
    flags: [
      {
        name: "tools",
        type: "list",
        placeholder: "NAME",
        description: "serve: only these tools, split by commas",
      },
      {
        name: "yield",
        type: "number",
        placeholder: "SECONDS",
        description: `serve: a command that takes longer goes on as a task (${limits.mcpYield})`,
      },
      {
        name: "root",
        type: "string",
        placeholder: "DIR",
        file: true,
        description:
          "serve: folder where relative paths start, and the workspace (else the client's root)",
      },
      {
        name: "deferred",
        type: "boolean",
        description:
          "serve: list few tools, and tool_search and tool_call to find and call the others, those of configured servers as well",
      },
      {
        name: "http",
        type: "string",
        placeholder: "[HOST:]PORT",
        description: "serve: over HTTP instead, on this machine only unless a HOST is named",
      },
      {
        name: "token-file",
        type: "string",
        placeholder: "FILE",
        file: true,
        description:
          "serve --http: private file (0600) with the bearer token; made where it is missing",
      },
    ],
    examples: [
      { title: "For an agent that starts it", line: "atomic mcp serve" },
      {
        title: "Reading only, in one project",
        line: "atomic mcp serve --root ~/work/app --read-only",
      },
      {
        title: "Over HTTP on this machine",
        line: "atomic mcp serve --http 8931 --token-file ~/.config/atomic/mcp-token",
      },
    ],
    load: async () => (await import("./serve.ts")).serve,
  },
  {
    name: "list",
    description:
      "The MCP servers of .mcp.json, of the configuration, and of other programs' files: what each starts or reaches, where it is defined, and whether it is trusted. Starts none.",
    operands: [],
    flags: [],
    examples: [{ title: "The servers there are", line: "atomic mcp list" }],
    load: async () => (await import("./list.ts")).list,
  },
  {
    name: "tools",
    description:
      "A server's tools, or those of all: as of when they were last asked, with --refresh as of now.",
    operands: [server({ required: false })],
    flags: [refreshFlag, timeoutFlag],
    examples: [{ title: "Ask every trusted server", line: "atomic mcp tools --refresh" }],
    load: async () => (await import("./tools.ts")).tools,
  },
  {
    name: "describe",
    description: "What a server says of itself, or of one of its tools, with its input's schema.",
    operands: [server(), tool({ required: false })],
    flags: [refreshFlag, timeoutFlag],
    examples: [],
    load: async () => (await import("./describe.ts")).describe,
  },
  {
    name: "call",
    description:
      'Calls a tool; "-" for JSON is standard input. What it answers is data, not instructions: it stands inside <untrusted_tool_result>, without control, bidi and invisible characters. Files it holds, such as images, are kept and named.',
    operands: [
      server(),
      tool(),
      { name: "JSON", description: "The input (else {})", required: false, repeat: false },
    ],
    flags: [yesFlag, plainFlag, timeoutFlag],
    examples: [
      {
        title: "A call",
        line: `atomic mcp call files read_file '{"path":"notes.txt"}'`,
      },
    ],
    load: async () => (await import("./call.ts")).call,
  },
  {
    name: "resources",
    description: "A server's resources, or what one of them holds.",
    operands: [
      server(),
      { name: "URI", description: "The resource", required: false, repeat: false },
    ],
    flags: [plainFlag, timeoutFlag],
    examples: [],
    load: async () => (await import("./resources.ts")).resources,
  },
  {
    name: "prompts",
    description: "A server's prompts, or one of them with its arguments filled in.",
    operands: [
      server(),
      { name: "PROMPT", description: "Its name", required: false, repeat: false },
      { name: "JSON", description: "Its arguments", required: false, repeat: false },
    ],
    flags: [plainFlag, timeoutFlag],
    examples: [],
    load: async () => (await import("./prompts.ts")).prompts,
  },
  {
    name: "trust",
    description:
      "Shows what a server from a workspace's own file would start, and lets the user trust that very definition. --revoke takes it back. Without SERVER: what is trusted, and what is not.",
    operands: [server({ required: false })],
    flags: [yesFlag, revokeFlag],
    examples: [{ title: "Look at it, and decide", line: "atomic mcp trust github" }],
    load: async () => (await import("./trust.ts")).trust,
  },
  {
    name: "install",
    description:
      'Writes `atomic mcp serve` into the settings of an agent: claude-code, codex, cursor, vscode, gemini, opencode or zed. It shows the change, keeps a copy of the file, and leaves every other byte as it was; done twice, it changes nothing. A server of that name that is not ours is left alone, unless --force is given. Flags for `atomic mcp serve` follow after "--".',
    operands: [
      {
        name: "HOST",
        description: "The agent",
        required: false,
        repeat: false,
        choices: hostChoices,
      },
      { name: "FLAG", description: "For `atomic mcp serve`", required: false, repeat: true },
    ],
    flags: [
      scopeFlag,
      nameFlag,
      {
        name: "command",
        type: "string",
        placeholder: "PROGRAM",
        description: "install: how the agent starts atomic (else this program's own path)",
      },
      { name: "print", type: "boolean", description: "install: print the entry; write nothing" },
      dryRunFlag,
      forceFlag,
    ],
    examples: [
      { title: "For Claude Code, in all projects", line: "atomic mcp install claude-code" },
      {
        title: "For everyone who works in this project with VS Code, reading only",
        line: "atomic mcp install vscode --scope project -- --read-only",
      },
    ],
    load: async () => (await import("./install.ts")).install,
  },
  {
    name: "uninstall",
    description:
      "Takes what install wrote out of an agent's settings again; a file that has not changed otherwise becomes what it was.",
    operands: [
      {
        name: "HOST",
        description: "The agent",
        required: true,
        repeat: false,
        choices: hostChoices,
      },
    ],
    flags: [scopeFlag, nameFlag, dryRunFlag, forceFlag],
    examples: [],
    load: async () => (await import("./install.ts")).uninstall,
  },
];
