// Help for the program, a command or a topic. citty's own rendering neither wraps, nor shows examples, nor names
// operands as we do, and decides on colour when it is imported.

import { AtomicError } from "../core/errors.ts";
import { topics } from "../core/docs/topics.ts";
import { columns, wrap } from "../core/text/layout.ts";
import type { Flag } from "./args.ts";
import { type Command, command } from "./command.ts";
import { unknownWord } from "./operands.ts";
import { printAnswer } from "./output.ts";
import { commandNames, findRow, otherRows, purpose, toolRows } from "./root.ts";
import { globalFlags, rootFlags } from "./settings.ts";
import {
  describeFlag,
  describeOperand,
  exitRows,
  flagUsage,
  operandUsage,
  quickStart,
} from "./usage.ts";

/** What `atomic` alone says on a terminal. */
export function shortHelp(color: boolean): string {
  return [
    purpose,
    section("USAGE", "  atomic COMMAND [OPTIONS] [ARGUMENTS]", color),
    section("START WITH", quickStart, color),
    `The commands are: ${commandNames().join(", ")}.\nSee \`atomic --help\`.`,
  ].join("\n\n");
}

export function rootHelp(color: boolean): string {
  const listed = (rows: typeof toolRows) => columns(rows.map((row) => [row.name, row.summary]));
  return [
    purpose,
    section("USAGE", "  atomic COMMAND [OPTIONS] [ARGUMENTS]", color),
    section("EXAMPLES", quickStart, color),
    section("TOOLS", listed(toolRows), color),
    section("OTHER COMMANDS", listed(otherRows), color),
    section("OPTIONS", flagColumns(rootFlags), color),
    section("TOPICS", columns(topics.map((topic) => [topic.name, topic.summary])), color),
    section("EXIT STATUS", exitLine, color),
    section("SEE ALSO", "  atomic COMMAND --help, atomic help TOPIC", color),
  ].join("\n\n");
}

export function commandHelp(command: Command, color: boolean): string {
  const { name, summary, description, operands, flags, examples, topics: related } = command;
  const words = ["atomic", name, "[OPTIONS]", ...operands.map(operandUsage)];
  const parts = [summary];
  if (description !== undefined) parts.push(wrap(description));
  parts.push(section("USAGE", `  ${words.join(" ")}`, color));
  if (examples.length > 0) {
    const shown = examples.map(({ title, line }) => `  # ${title}\n${indent(line)}`);
    parts.push(section("EXAMPLES", shown.join("\n\n"), color));
  }
  if (operands.length > 0) {
    const rows = operands.map((operand) => [operand.name, describeOperand(operand)] as const);
    parts.push(section("ARGUMENTS", columns(rows), color));
  }
  if (flags.length > 0) parts.push(section("OPTIONS", flagColumns(flags), color));
  parts.push(section("OPTIONS OF EVERY COMMAND", flagColumns(globalFlags), color));
  parts.push(section("EXIT STATUS", exitLine, color));
  if (related.length > 0) {
    const lines = related.map((topic) => `atomic help ${topic}`);
    parts.push(section("SEE ALSO", `  ${lines.join(", ")}`, color));
  }
  return parts.join("\n\n");
}

export const help = command({
  name: "help",
  summary: "Explain a command or a topic",
  operands: [
    {
      name: "TOPIC",
      description: "A command or one of the topics",
      required: false,
      repeat: false,
      choices: [...topics.map(({ name }) => name), ...commandNames()],
    },
  ],
  flags: [
    { name: "agent", type: "boolean", description: "The compact guide for an agent" },
    { name: "agents-md", type: "boolean", description: "A section for AGENTS.md" },
  ],
  examples: [
    { title: "How to write an edit", line: "atomic help hashline" },
    { title: "For a project's AGENTS.md", line: "atomic help --agents-md >>AGENTS.md" },
  ],
  topics: topics.map(({ name }) => name),
  async run({ operands: [name], flags, settings, program: { stdio } }) {
    const forAgents = ["agent", "agents-md"].filter((flag) => flags[flag] === true);
    if (forAgents.length > 0) {
      if (name !== undefined || forAgents.length > 1) {
        throw new AtomicError("usage.command", `Flag --${forAgents[0]} stands alone.`);
      }
      const { agentGuide, agentsMd } = await import("../core/docs/agent-guide.ts");
      const guide = flags["agent"] === true ? agentGuide() : agentsMd();
      return printAnswer(guide, {}, { stdio, settings });
    }
    const text = await explain(name, settings.color.out && !settings.json);
    return printAnswer(text, {}, { stdio, settings });
  },
});

async function explain(name: string | undefined, color: boolean): Promise<string> {
  if (name === undefined) return rootHelp(color);
  const topic = topics.find((one) => one.name === name);
  if (topic) return bold(await topic.load(), color);
  const row = findRow(name);
  if (row) return commandHelp(await row.load(), color);
  throw unknownWord("topic", name, [...topics.map((one) => one.name), ...commandNames()]);
}

const exitLine = columns(exitRows);

function section(title: string, body: string, color: boolean): string {
  return `${bold(title, color)}\n${body}`;
}

/** Lines of capitals at the margin are headings. */
function bold(text: string, color: boolean): string {
  return color ? text.replace(/^[A-Z][A-Z ]+$/gm, "\u001b[1m$&\u001b[22m") : text;
}

function indent(text: string): string {
  return text.replace(/^/gm, "  ");
}

function flagColumns(flags: readonly Flag[]): string {
  return columns(flags.map((flag) => [flagUsage(flag), describeFlag(flag)] as const));
}
