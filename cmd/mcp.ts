import { AtomicError } from "../core/errors.ts";
import type { Flag } from "./args.ts";
import { command, type Invocation, type Operand } from "./command.ts";
import { mcpActions, type McpAction } from "./mcp/actions.ts";
import { checkOperands, unknownWord } from "./operands.ts";

const names = mcpActions.map(({ name }) => name);
const operandsOfActions = mcpActions.flatMap(({ operands }) => operands);
const ownFlags = new Map<string, Flag>(
  mcpActions.flatMap(({ flags }) => flags).map((flag) => [flag.name, flag]),
);

const following: readonly Operand[] =
  operandsOfActions.length === 0
    ? []
    : [
        {
          name: "ARGUMENT",
          description: "What the action takes",
          required: false,
          repeat: true,
          file: operandsOfActions.some(({ file }) => file),
        },
      ];

export const mcp = command({
  name: "mcp",
  summary: "Serve the tools over MCP, and use other servers' tools",
  description: mcpActions.map(describe).join("\n\n"),
  operands: [
    {
      name: "ACTION",
      description: "What to do",
      required: true,
      repeat: false,
      choices: names,
    },
    ...following,
  ],
  flags: [...ownFlags.values()],
  examples: mcpActions.flatMap(({ examples }) => examples),
  topics: ["env"],
  async run(invocation) {
    const [name, ...operands] = invocation.operands;
    const action = mcpActions.find((each) => each.name === name);
    if (!action) throw unknownWord("action", name!, names);
    check(action, { ...invocation, operands });
    const run = await action.load();
    return run({ ...invocation, operands });
  },
});

/** Every action's flags and operands are known to the parser; here each gets its own only. */
function check({ name, flags, operands }: McpAction, given: Invocation): void {
  checkOperands({ name: `mcp ${name}`, operands }, given.operands);
  for (const flag of Object.keys(given.flags)) {
    if (!ownFlags.has(flag) || flags.some((own) => own.name === flag)) continue;
    throw new AtomicError("usage.command", `\`atomic mcp ${name}\` has no flag --${flag}.`, {
      data: { flag },
      hint: "See `atomic mcp --help`.",
    });
  }
}

function describe({ name, operands, description }: McpAction): string {
  const words = operands.map((operand) => (operand.required ? operand.name : `[${operand.name}]`));
  return `${[name, ...words].join(" ")}: ${description}`;
}
