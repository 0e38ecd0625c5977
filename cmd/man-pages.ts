// The manual, from the same tables as help: a page for the program, for each command and for each topic.

import { topics } from "../core/docs/topics.ts";
import type { Command } from "./command.ts";
import { item, page, paragraphs, roff, section, verbatim } from "./roff.ts";
import type { CommandRow } from "./root.ts";
import { globalFlags, rootFlags } from "./settings.ts";
import {
  describeFlag,
  describeOperand,
  exitRows,
  flagUsage,
  operandUsage,
  quickStart,
} from "./usage.ts";
import type { Flag } from "./args.ts";

export interface ManPage {
  /** Below the manual's folder, such as "man1/atomic-read.1". */
  readonly path: string;
  readonly text: string;
}

export interface Edition {
  readonly version: string;
  /** YYYY-MM-DD. */
  readonly date: string;
  readonly purpose: string;
}

export async function manPages(
  rows: readonly CommandRow[],
  edition: Edition,
): Promise<readonly ManPage[]> {
  const commands = await Promise.all(rows.map((row) => row.load()));
  const explained = await Promise.all(
    topics.map(async ({ name, summary, load }) => topicPage(name, summary, await load(), edition)),
  );
  return [
    programPage(commands, edition),
    ...commands.map((each) => commandPage(each, edition)),
    ...explained,
  ];
}

function programPage(commands: readonly Command[], edition: Edition): ManPage {
  const listed = commands.map(({ name, summary }) => item(roff(`atomic-${name}`) + "(1)", summary));
  const related = topics.map(({ name, summary }) => item(roff(`atomic-${name}`) + "(7)", summary));
  const text = page({ name: "atomic", chapter: 1, summary: edition.purpose, ...edition }, [
    section("Synopsis", synopsis(["atomic", "COMMAND", "[OPTIONS]", "[ARGUMENTS]"])),
    section("Examples", verbatim(quickStart)),
    section("Commands", listed.join("\n")),
    section("Options", flagItems(rootFlags)),
    section("Exit status", exitItems()),
    section("See also", related.join("\n")),
  ]);
  return { path: "man1/atomic.1", text };
}

function commandPage(command: Command, edition: Edition): ManPage {
  const { name, summary, description, operands, flags, examples, topics: related } = command;
  const words = ["atomic", name, "[OPTIONS]", ...operands.map(operandUsage)];
  const sections = [section("Synopsis", synopsis(words))];
  if (description !== undefined) sections.push(section("Description", paragraphs(description)));
  if (operands.length > 0) {
    const items = operands.map((one) => item(roff(one.name), describeOperand(one)));
    sections.push(section("Arguments", items.join("\n")));
  }
  if (flags.length > 0) sections.push(section("Options", flagItems(flags)));
  sections.push(section("Options of every command", flagItems(globalFlags)));
  if (examples.length > 0) {
    const shown = examples.map(({ title, line }) => `${paragraphs(title)}\n${verbatim(line)}`);
    sections.push(section("Examples", shown.join("\n.PP\n")));
  }
  sections.push(section("Exit status", exitItems()));
  const others = ["atomic(1)", ...related.map((topic) => `atomic-${topic}(7)`)];
  sections.push(section("See also", others.map((one) => `.B ${roff(one)}`).join("\n")));
  return {
    path: `man1/atomic-${name}.1`,
    text: page({ name: `atomic-${name}`, chapter: 1, summary, ...edition }, sections),
  };
}

/** Lines of capitals at the margin begin sections; everything else is laid out already. */
function topicPage(name: string, summary: string, text: string, edition: Edition): ManPage {
  const parts = text.split(/^([A-Z][A-Z ]+)$/m);
  const sections: string[] = [];
  for (let at = 1; at < parts.length; at += 2) {
    const body = parts[at + 1]!.replace(/^ {2}/gm, "").replace(/^\n+|\s+$/g, "");
    if (body !== "") sections.push(section(parts[at]!, verbatim(body)));
  }
  const facts = { name: `atomic-${name}`, chapter: 7 as const, summary, ...edition };
  sections.push(section("See also", ".B atomic(1)"));
  return { path: `man7/atomic-${name}.7`, text: page(facts, sections) };
}

function synopsis(words: readonly string[]): string {
  return `.B ${roff(words.join(" "))}`;
}

function flagItems(flags: readonly Flag[]): string {
  return flags.map((flag) => item(roff(flagUsage(flag).trim()), describeFlag(flag))).join("\n");
}

function exitItems(): string {
  return exitRows.map(([status, meaning]) => item(status, meaning)).join("\n");
}
