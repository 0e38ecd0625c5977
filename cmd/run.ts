// One command line from its words to its exit status. Everything it needs of the process comes in as `Program`.

import { asAtomicError, AtomicError, exitStatus } from "../core/errors.ts";
import type { Env } from "../core/ports/env.ts";
import { type FlagValue, mergeFlags, parseArguments, parseLeading } from "./args.ts";
import type { Program } from "./command.ts";
import type { Stop } from "./exit.ts";
import { mannerOf, presentError, print, printText } from "./output.ts";
import { checkOperands, unknownWord } from "./operands.ts";
import { commandNames, findRow } from "./root.ts";
import { globalFlags, rootFlags, settingsOf } from "./settings.ts";

export async function run(
  words: readonly string[],
  env: Pick<Env, "get">,
  program: Program,
  stop: Stop,
): Promise<number> {
  const { stdio } = program;
  try {
    return await dispatch(words, env, program, stop);
  } catch (thrown) {
    // The command line may be what is wrong, so its flags are looked for by hand.
    const options = words.slice(0, words.includes("--") ? words.indexOf("--") : undefined);
    const settings = settingsOf({ json: options.includes("--json") }, env, stdio);
    const manner = mannerOf(stdio, settings, { stopStatus: stop.status() });
    return print(presentError(asAtomicError(thrown), manner), stdio);
  }
}

async function dispatch(
  words: readonly string[],
  env: Pick<Env, "get">,
  program: Program,
  stop: Stop,
): Promise<number> {
  const { stdio } = program;
  const { flags: leading, command: name, rest } = parseLeading(words, rootFlags, "atomic");
  if (leading["version"] === true) {
    if (name !== undefined) throw usage(`Flag --version stands alone, but got "${name}".`);
    const { printVersion } = await import("./version.ts");
    return printVersion(program, settingsOf(leading, env, stdio));
  }
  if (name === undefined) {
    const { rootHelp, shortHelp } = await import("./help.ts");
    const { color } = settingsOf(leading, env, stdio);
    if (leading["help"] === true) {
      await printText(rootHelp(color.out), stdio.stdout);
      return exitStatus.success;
    }
    if (stdio.stdout.isTerminal) {
      await printText(shortHelp(color.out), stdio.stdout);
      return exitStatus.success;
    }
    throw usage("No command was given.");
  }
  const row = findRow(name);
  if (!row) throw unknownWord("command", name, commandNames());
  const command = await row.load();
  const called = `atomic ${command.name}`;
  // Asked for help, a command line may be wrong in every other way.
  if (leading["help"] === true || asksForHelp(rest)) {
    const { commandHelp } = await import("./help.ts");
    await printText(commandHelp(command, settingsOf(leading, env, stdio).color.out), stdio.stdout);
    return exitStatus.success;
  }
  const parsed = parseArguments(rest, [...command.flags, ...globalFlags], called);
  const flags: Readonly<Record<string, FlagValue>> = mergeFlags(leading, parsed.flags, called);
  checkOperands(command, parsed.operands);
  const settings = settingsOf(flags, env, stdio);
  const { runCommand } = await import("citty");
  const { result } = await runCommand(command.citty, {
    rawArgs: [],
    data: { flags, operands: parsed.operands, settings, program, stop },
  });
  return result as number;
}

function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const options = end < 0 ? words : words.slice(0, end);
  return options.includes("--help") || options.includes("-h");
}

function usage(message: string): AtomicError {
  return new AtomicError("usage.command", message, { hint: "See `atomic --help`." });
}
