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
];
