import { toJsonSchema } from "@valibot/to-json-schema";

import type { AnyTool } from "./tool.ts";

/** What `atomic tools --json` and MCP say about a tool. */
export interface ToolDescription {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly effect: AnyTool["effect"];
  /** JSON Schema of the input as a caller writes it: what has a default is optional. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

export function describeTool(tool: AnyTool): ToolDescription {
  const { name, summary, description, effect, input } = tool;
  const inputSchema = toJsonSchema(input, { typeMode: "input" }) as Record<string, unknown>;
  return { name, summary, description, effect, inputSchema };
}
