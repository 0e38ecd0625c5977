import { registry } from "../core/registry.ts";
import type { AnyTool } from "../core/tool.ts";
import { command, type Invocation } from "./command.ts";
import { readContent } from "./content.ts";
import { parseJson } from "./json-input.ts";
import { unknownWord } from "./operands.ts";
import { runInputs } from "./tool-command.ts";

export const call = command({
  name: "call",
  summary: "Call a tool by its name with a JSON input",
  description:
    "Runs a tool exactly as MCP would: the input is the tool's own object, and its limits on size hold. `atomic tools TOOL` shows the fields. A tool of a configured MCP server has the name mcp__SERVER__TOOL.",
  operands: [
    {
      name: "TOOL",
      description: "The tool's name",
      required: true,
      repeat: false,
      choices: registry.map(({ name }) => name),
    },
    {
      name: "JSON",
      description: 'The input; "-" or none: standard input',
      required: false,
      repeat: false,
    },
  ],
  flags: [],
  examples: [
    { title: "With an argument", line: `atomic call read '{"path":"src/main.ts:5-16"}'` },
    { title: "From a file", line: "atomic call edit --json < input.json" },
  ],
  topics: ["exit-codes"],
  async run(invocation) {
    const [name, json] = invocation.operands;
    const isExternal = /^mcp__.+__./.test(name!);
    const tool = isExternal ? await loadExternal(name!, invocation) : await loadTool(name!);
    const text =
      json === undefined || json === "-"
        ? await readContent(json, `atomic call ${tool.name}`, invocation.program)
        : json;
    const options = { dryRun: false, partial: false, force: false, unlimited: false };
    return runInputs(tool, [parseJson(text)], options, invocation);
  },
});

/** A tool of a configured MCP server, by its long name. */
async function loadExternal(id: string, { flags }: Invocation): Promise<AnyTool> {
  const [{ externalTool }, { version }] = await Promise.all([
    import("../core/mcp-client/external-tool.ts"),
    import("./version.ts"),
  ]);
  return externalTool({ id }, { version, offline: flags["offline"] === true });
}

/** @throws AtomicError usage.command that names the nearest tool */
export async function loadTool(name: string): Promise<AnyTool> {
  const row = registry.find((one) => one.name === name || one.name === name.replaceAll("-", "_"));
  if (row) return row.load();
  throw unknownWord(
    "tool",
    name,
    registry.map((one) => one.name),
  );
}
