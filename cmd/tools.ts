import { registry } from "../core/registry.ts";
import { loadTool } from "./call.ts";
import { command } from "./command.ts";
import { columns, wrap } from "../core/text/layout.ts";
import { printAnswer } from "./output.ts";

export const tools = command({
  name: "tools",
  summary: "List the tools, or show one tool's input schema",
  operands: [
    {
      name: "TOOL",
      description: "The tool to show",
      required: false,
      repeat: false,
      choices: registry.map(({ name }) => name),
    },
  ],
  flags: [],
  examples: [
    { title: "Names and what they do", line: "atomic tools" },
    { title: "Every input as JSON Schema", line: "atomic tools --json" },
    { title: "One tool", line: "atomic tools edit" },
  ],
  topics: [],
  async run({ operands: [name], settings, program: { stdio } }) {
    const where = { stdio, settings };
    if (name !== undefined) {
      const tool = await loadTool(name);
      const { describeTool } = await import("../core/tool-schema.ts");
      const described = describeTool(tool);
      const schema = JSON.stringify(described.inputSchema, undefined, 2);
      const text = `${tool.name}: ${tool.summary}\n\n${wrap(tool.description)}\n\nInput:\n${schema}`;
      return printAnswer(text, { ...described }, where);
    }
    const text = columns(
      registry.map((row) => [row.name, row.summary]),
      "",
    );
    if (!settings.json) return printAnswer(text, {}, where);
    const { describeTool } = await import("../core/tool-schema.ts");
    const described = await Promise.all(
      registry.map(async (row) => describeTool(await row.load())),
    );
    return printAnswer(text, { tools: described }, where);
  },
});
