// From a tool to its subcommand: flags, operands and examples all come from the tool itself.

import { callTool, type Outcome } from "../core/call.ts";
import { AtomicError } from "../core/errors.ts";
import { type Field, fieldsOf } from "../core/fields.ts";
import { shellPath } from "../core/paths.ts";
import type { Host } from "../core/ports/host.ts";
import type { AnyTool, CallOptions } from "../core/tool.ts";
import type { Flag, FlagValue } from "./args.ts";
import {
  type Command,
  command,
  type CommandExample,
  type Invocation,
  type Operand,
  type Program,
} from "./command.ts";
import { readContent, readContentBytes } from "./content.ts";
import { deliver, mannerOf, noticesTo, present, presentAll, print } from "./output.ts";
import { policyOf } from "./policy.ts";
import { accessSession } from "./session-access.ts";

export function toolCommand(tool: AnyTool): Command {
  const { positional, content } = tool.cli;
  const fields = fieldsOf(tool.input);
  const operand = fields.find(({ name }) => name === positional);
  // With an operand of its own beside it, the content is a flag like any other.
  const script = operand ? undefined : fields.find(({ name }) => name === content);
  return command({
    name: kebab(tool.name),
    summary: tool.summary,
    description: tool.description,
    operands: operandsOf(tool, operand, script),
    flags: [
      ...fields
        .filter((field) => field !== operand && field !== script)
        .map((field) => flagOf(tool, field))
        .map((flag) =>
          flag.name === content
            ? { ...flag, description: `${flag.description} (else standard input)` }
            : flag,
        ),
      ...(tool.cli.options ?? [])
        .map((option) => optionFlags[option])
        .filter((flag) => flag !== undefined),
    ],
    examples: tool.examples.map((example) => exampleOf(tool, fields, example)),
    topics: topicsOf[tool.name] ?? [],
    run: (invocation) => runTool(tool, fields, invocation),
  });
}

/** Runs a tool once for each input and prints what comes of it, as it comes. */
export async function runInputs(
  tool: AnyTool,
  inputs: readonly unknown[],
  options: CallOptions,
  { program, settings, stop, contentBytes }: Invocation & { readonly contentBytes?: Uint8Array },
): Promise<number> {
  const host = await program.host();
  const policy = policyOf(settings, host.env);
  const notice = noticesTo(program.stdio);
  const session = accessSession(host, settings, notice);
  const { signal } = stop;
  const { stdin } = program.stdio;
  const call = {
    cwd: host.env.cwd,
    session: session.open,
    sessionFolder: session.folder,
    workspace: workspaceOf(host, settings),
    signal,
    options,
    notice,
    ...(contentBytes && { contentBytes }),
    // A terminal is never waited for.
    ...(!stdin.isTerminal && { standardInput: () => stdin.read() }),
  };
  if (tool.effect !== "read") stop.arm();
  try {
    return await runEach(tool, inputs, (input) => callTool(tool, input, host, call, policy), {
      stdio: program.stdio,
      settings,
      stop,
    });
  } finally {
    await session.close();
  }
}

async function runEach(
  tool: AnyTool,
  inputs: readonly unknown[],
  run: (input: unknown) => Promise<Outcome>,
  { stdio, settings, stop }: Pick<Invocation, "settings" | "stop"> & Pick<Program, "stdio">,
): Promise<number> {
  const manner = () =>
    mannerOf(stdio, settings, { writes: tool.effect === "write", stopStatus: stop.status() });
  const outcomes: Outcome[] = [];
  let failed = 0;
  for (const input of inputs) {
    const outcome = await run(input);
    const before = outcomes.findLast(({ ok }) => ok);
    outcomes.push(outcome);
    if (!settings.json) {
      const printed = present(outcome, manner(), before);
      const isWanted = await deliver(printed, stdio);
      if (failed === 0) failed = printed.status;
      if (!isWanted) break;
    }
    if (stop.signal.aborted) break;
  }
  if (!settings.json) return failed;
  const [only] = outcomes;
  const all =
    inputs.length === 1 && only ? present(only, manner()) : presentAll(outcomes, manner());
  return print(all, stdio);
}

/** Looked for once, when a call needs it. */
function workspaceOf(host: Host, { workspace: named }: Invocation["settings"]) {
  let found: Promise<string> | undefined;
  return () =>
    (found ??= import("../core/config/workspace.ts").then(({ findWorkspace }) =>
      findWorkspace({ cwd: host.env.cwd, named }, host),
    ));
}

/** Choices that are no tool parameters; `unlimited` goes without saying on the command line. */
const optionFlags: Readonly<Record<keyof CallOptions, Flag | undefined>> = {
  dryRun: {
    name: "dry-run",
    type: "boolean",
    description: "Show what would change; write nothing",
  },
  partial: {
    name: "partial",
    type: "boolean",
    description: "With --dry-run: the script is unfinished; leave out what is not whole yet",
  },
  force: {
    name: "force",
    type: "boolean",
    description: "Overrule the guards against generated files and unseen changes; it is logged",
  },
  unlimited: undefined,
};

const topicsOf: Readonly<Record<string, readonly string[]>> = {
  read: ["selectors", "hashline"],
  edit: ["hashline", "exit-codes"],
};

async function runTool(
  tool: AnyTool,
  fields: readonly Field[],
  invocation: Invocation,
): Promise<number> {
  const { flags, operands, program } = invocation;
  const { positional, content, repeat } = tool.cli;
  const given = Object.fromEntries(
    fields.flatMap(({ name }) => {
      const value = flags[kebab(name)];
      return value === undefined ? [] : [[name, value]];
    }),
  ) as Record<string, FlagValue>;
  const options = {
    dryRun: flags["dry-run"] === true,
    partial: flags["partial"] === true,
    force: flags["force"] === true,
    unlimited: true,
  };
  if (options.partial && !options.dryRun) {
    throw new AtomicError("usage.command", "Flag --partial goes with --dry-run only.");
  }
  let inputs: readonly unknown[] = [given];
  if (content !== undefined && positional !== undefined) {
    const input = { ...given, [positional]: operands[0] };
    if (given[content] !== undefined) return runInputs(tool, [input], options, invocation);
    const contentBytes = await readContentBytes(`atomic ${kebab(tool.name)}`, program);
    return runInputs(tool, [{ ...input, [content]: "" }], options, { ...invocation, contentBytes });
  }
  if (content !== undefined) {
    const text = await readContent(operands[0], `atomic ${kebab(tool.name)}`, program);
    inputs = [{ ...given, [content]: text }];
  } else if (positional !== undefined && repeat) {
    inputs = operands.map((value) => ({ ...given, [positional]: value }));
  } else if (positional !== undefined && operands.length > 0) {
    inputs = [{ ...given, [positional]: operands[0] }];
  }
  return runInputs(tool, inputs, options, invocation);
}

function operandsOf(
  { cli }: AnyTool,
  operand: Field | undefined,
  script: Field | undefined,
): readonly Operand[] {
  if (script) {
    const description = `File that holds it; "-" or none: standard input. ${script.description}`;
    return [{ name: "FILE", description, required: false, repeat: false, file: true }];
  }
  if (!operand) return [];
  return [
    {
      name: cli.placeholder ?? operand.name.toUpperCase(),
      description: operand.description,
      required: operand.required,
      repeat: cli.repeat ?? false,
      file: cli.placeholder === "TARGET",
    },
  ];
}

function flagOf({ cli }: AnyTool, field: Field): Flag {
  const short = cli.short?.[field.name];
  return {
    name: kebab(field.name),
    type: field.type,
    description: field.description,
    ...(short !== undefined && { short }),
    ...(field.default !== undefined && { default: field.default }),
    ...(field.type === "choice" && { choices: field.choices }),
  };
}

/** The tool's own example as a person would type it. */
function exampleOf(
  { name, cli }: AnyTool,
  fields: readonly Field[],
  { title, input }: { readonly title: string; readonly input: unknown },
): CommandExample {
  const values = input as Readonly<Record<string, FlagValue | undefined>>;
  const words = ["atomic", kebab(name)];
  for (const field of fields) {
    const value = values[field.name];
    const said = value === undefined || value === field.default;
    if (said || field.name === cli.positional || field.name === cli.content) continue;
    const flag = kebab(field.name);
    if (typeof value === "boolean") words.push(value ? `--${flag}` : `--no-${flag}`);
    else for (const one of [value].flat()) words.push(`--${flag}`, shellPath(String(one)));
  }
  if (cli.positional !== undefined) words.push(shellPath(String(values[cli.positional])));
  if (cli.content === undefined) return { title, line: words.join(" ") };
  const body = String(values[cli.content]).replace(/\n$/, "");
  return { title, line: `${words.join(" ")} <<'EOF'\n${body}\nEOF` };
}

function kebab(name: string): string {
  return name.replaceAll("_", "-");
}
