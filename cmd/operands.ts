import { AtomicError } from "../core/errors.ts";
import { didYouMean } from "../core/text/nearest.ts";
import type { Command } from "./command.ts";

/** @throws AtomicError usage.command where an operand is missing or one too many */
export function checkOperands(
  { name, operands: known }: Pick<Command, "name" | "operands">,
  given: readonly string[],
): void {
  const see = { hint: `See \`atomic ${name} --help\`.` };
  const missing = known.find(({ required }, at) => required && given.length <= at);
  if (missing) {
    const choices = missing.choices ? `: one of ${missing.choices.join(", ")}` : "";
    throw new AtomicError(
      "usage.command",
      `\`atomic ${name}\` needs ${missing.name}${choices}.`,
      see,
    );
  }
  if (given.length <= known.length || known.at(-1)?.repeat) return;
  const most = ["no argument", "one argument", "two arguments"][known.length];
  throw new AtomicError(
    "usage.command",
    `Unexpected argument "${given[known.length]}": \`atomic ${name}\` takes ${most}${known.length > 0 ? " at most" : ""}.`,
    see,
  );
}

/** @param what such as "shell", as in "Unknown shell" */
export function unknownWord(what: string, given: string, choices: readonly string[]): AtomicError {
  return new AtomicError(
    "usage.command",
    `Unknown ${what} "${given}"${didYouMean(given, choices) || "."}`,
    { hint: `It is one of: ${choices.join(", ")}.` },
  );
}
