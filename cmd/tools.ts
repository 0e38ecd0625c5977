import { AtomicError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { presentRows, registry } from "../core/registry.ts";
import { loadTool } from "./call.ts";
import { command, type Invocation } from "./command.ts";
import { columns, wrap } from "../core/text/layout.ts";
import { noticesTo, printAnswer } from "./output.ts";
import { configOf, runInputs } from "./tool-command.ts";

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
  flags: [
    {
      name: "search",
      type: "string",
      placeholder: "WORDS",
      description: "Find tools by words or by name: ours, and those of MCP servers",
    },
    {
      name: "limit",
      type: "number",
      placeholder: "N",
      description: `With --search: most tools to show, 1 to ${limits.toolSearchMost}`,
      default: limits.toolSearch,
    },
  ],
  examples: [
    { title: "Names and what they do", line: "atomic tools" },
    { title: "Every input as JSON Schema", line: "atomic tools --json" },
    { title: "One tool", line: "atomic tools edit" },
    { title: "By words, with those of MCP servers", line: 'atomic tools --search "create issue"' },
  ],
  topics: [],
  async run(invocation) {
    const { operands, flags, settings, program } = invocation;
    const { stdio } = program;
    const [name] = operands;
    const where = { stdio, settings };
    const { search: query, limit } = flags;
    if (query !== undefined || limit !== undefined) {
      if (query === undefined) throw usage("Flag --limit goes with --search.");
      if (name !== undefined) throw usage(`Flag --search stands alone, but got "${name}".`);
      const options = { dryRun: false, partial: false, force: false, unlimited: false };
      const input = { query, ...(limit !== undefined && { limit }) };
      return runInputs(await loadTool("tool_search"), [input], options, invocation);
    }
    if (name !== undefined && /^mcp__.+__./.test(name)) return showExternal(name, invocation);
    if (name !== undefined) {
      const tool = await loadTool(name);
      const { describeTool } = await import("../core/tool-schema.ts");
      const described = describeTool(tool);
      const schema = JSON.stringify(described.inputSchema, undefined, 2);
      const text = `${tool.name}: ${tool.summary}\n\n${wrap(tool.description)}\n\nInput:\n${schema}`;
      return printAnswer(text, { ...described }, where);
    }
    const rows = await presentRows(await program.host());
    const text = columns(
      rows.map((row) => [row.name, row.summary]),
      "",
    );
    if (!settings.json) return printAnswer(text, {}, where);
    const { describeTool } = await import("../core/tool-schema.ts");
    const described = await Promise.all(rows.map(async (row) => describeTool(await row.load())));
    return printAnswer(text, { tools: described }, where);
  },
});

/** A tool of an MCP server, as it was when the server was last asked. */
async function showExternal(id: string, { settings, program }: Invocation): Promise<number> {
  const { stdio } = program;
  const { loadCatalogue, gapsText, searchCatalogue, toolText } =
    await import("../core/mcp-client/catalogue.ts");
  const host = await program.host();
  const config = await configOf(host, settings, noticesTo(stdio))();
  const catalogue = await loadCatalogue({ cwd: host.env.cwd, config }, [], host);
  const fold = (text: string) => text.toLowerCase().replaceAll("_", "-");
  const tool = searchCatalogue(catalogue, id, 1).found.find((each) => fold(each.id) === fold(id));
  if (tool) return printAnswer(toolText(tool), { ...tool }, { stdio, settings });
  const gaps = gapsText(catalogue, host.clock.now());
  throw new AtomicError("mcp.unknown", `No tool ${JSON.stringify(id)} is known.`, {
    hint: gaps.length > 0 ? gaps.join("\n") : "See `atomic mcp tools`.",
  });
}

function usage(message: string): AtomicError {
  return new AtomicError("usage.command", message, { hint: "See `atomic tools --help`." });
}
