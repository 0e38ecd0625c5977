// From a tool to its subcommand: flags, operands and examples all come from the tool itself.

import { callTool, type Outcome } from "../core/call.ts";
import type { Config } from "../core/config/config.ts";
import { AtomicError, exitStatus } from "../core/errors.ts";
import { type Field, fieldsOf } from "../core/fields.ts";
import { shellPath } from "../core/paths.ts";
import type { Host } from "../core/ports/host.ts";
import { showControls } from "../core/text/controls.ts";
import type { Ask } from "../core/questions/question.ts";
import type { AnyTool, CallOptions } from "../core/tool.ts";
import type { Flag, FlagValue } from "./args.ts";
import { answersFrom, askOf, checkAnswers } from "./ask.ts";
import {
  type Command,
  command,
  type CommandExample,
  type Invocation,
  type Operand,
  type Program,
} from "./command.ts";
import { readContent, readContentBytes, readNames } from "./content.ts";
import { parseJson } from "./json-input.ts";
import { deliver, mannerOf, noticesTo, present, presentAll, presentLast, print } from "./output.ts";
import { policyOf } from "./policy.ts";
import { showProgress } from "./progress.ts";
import { accessSession } from "./session-access.ts";

export function toolCommand(tool: AnyTool): Command {
  const { positional, content, rest, callOnly = [] } = tool.cli;
  const fields = fieldsOf(tool.input).filter(({ name }) => !callOnly.includes(name));
  const operand = fields.find(({ name }) => name === positional);
  const others = fields.find(({ name }) => name === rest);
  // With an operand of its own beside it, the content is a flag like any other.
  const script = operand ? undefined : fields.find(({ name }) => name === content);
  return command({
    name: kebab(tool.name),
    summary: tool.summary,
    description: tool.description,
    operands: operandsOf(tool, operand, script, others),
    flags: [
      ...fields
        .filter((field) => field !== operand && field !== script && field !== others)
        .map((field) => flagOf(tool, field))
        .map((flag) =>
          flag.name === content
            ? { ...flag, description: `${flag.description} (else standard input)` }
            : flag,
        ),
      ...(tool.cli.options ?? [])
        .map((option) => optionFlags[option])
        .filter((flag) => flag !== undefined),
      ...(tool.cli.pathsFromFile ? [filesFromFlag] : []),
      ...(tool.cli.countsMatches ? [exitStatusFlag] : []),
      ...(tool.cli.runsCommand ? [streamFlag, jsonlFlag] : []),
      ...(tool.cli.streams ? [jsonlFlag] : []),
      ...(tool.cli.takesAnswers ? [answersFlag] : []),
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
  {
    program,
    settings,
    stop,
    flags,
    contentBytes,
    ask = askOf({ program, settings, stop }),
  }: Invocation & { readonly contentBytes?: Uint8Array; readonly ask?: Ask | undefined },
): Promise<number> {
  const isStreamed = flags["jsonl"] === true;
  const progress = showProgress(program.stdio);
  const { stdout } = program.stdio;
  const isLive =
    tool.cli.runsCommand === true &&
    !isStreamed &&
    !settings.json &&
    (flags["stream"] === true || stdout.isTerminal);
  const host = await program.host();
  const policy = policyOf(settings, host.env);
  const notice = noticesTo(program.stdio);
  const config = configOf(host, settings, notice);
  const session = accessSession(host, settings, notice, config);
  // Whoever reads the output as it comes may go away: there is nobody left to work for.
  const gone = new AbortController();
  const signal = AbortSignal.any([stop.signal, gone.signal]);
  const deliverLive = async (text: string) => {
    if (!(await stdout.write(text))) gone.abort();
  };
  const { stdin } = program.stdio;
  const call = {
    cwd: host.env.cwd,
    session: session.open,
    sessionId: session.chosen.id,
    sessionFolder: session.folder,
    workspace: workspaceOf(host, settings),
    config,
    signal,
    options,
    notice,
    ...(contentBytes && { contentBytes }),
    progress: progress.show,
    ...(ask && {
      async ask(...asked: Parameters<Ask>) {
        progress.clear();
        return ask(...asked);
      },
    }),
    ...(isStreamed && {
      async emit(record: Readonly<Record<string, unknown>>) {
        progress.clear();
        await deliverLive(`${JSON.stringify(record)}\n`);
      },
    }),
    ...(isLive && {
      async live(text: string) {
        await deliverLive(stdout.isTerminal ? showControls(text) : text);
      },
    }),
    // A terminal is never waited for.
    ...(!stdin.isTerminal && { standardInput: () => stdin.read() }),
  };
  if (tool.effect !== "read") stop.arm();
  try {
    const runOne = async (input: unknown) => {
      const outcome = await callTool(tool, input, host, call, policy);
      progress.clear();
      return outcome;
    };
    return await runEach(tool, inputs, runOne, {
      stdio: program.stdio,
      settings,
      stop,
      isUnread: () => gone.signal.aborted && !stop.signal.aborted,
      isStreamed,
      isLive,
      failsOnNothing: flags["exit-status"] === true,
    });
  } finally {
    await session.close();
    if (tool.cli.runsCommand) {
      const { cleanLittle } = await import("./clean-kept.ts");
      await cleanLittle(host, session.folder);
    }
  }
}

async function runEach(
  tool: AnyTool,
  inputs: readonly unknown[],
  run: (input: unknown) => Promise<Outcome>,
  {
    stdio,
    settings,
    stop,
    isUnread,
    isStreamed,
    isLive,
    failsOnNothing,
  }: Pick<Invocation, "settings" | "stop"> &
    Pick<Program, "stdio"> & {
      /** The reader went away before the end, which is no fault of anybody's. */
      readonly isUnread: () => boolean;
      readonly isStreamed: boolean;
      readonly isLive: boolean;
      readonly failsOnNothing: boolean;
    },
): Promise<number> {
  const manner = () =>
    mannerOf(stdio, settings, {
      writes: tool.effect === "write",
      isLive,
      stopStatus: stop.status(),
    });
  const outcomes: Outcome[] = [];
  let failed = 0;
  for (const input of inputs) {
    const outcome = await run(input);
    if (isUnread()) return exitStatus.success;
    const before = outcomes.findLast(({ ok }) => ok);
    outcomes.push(outcome);
    if (failsOnNothing && outcome.ok && outcome.details["fileCount"] === 0) failed ||= 1;
    if (isStreamed) {
      const printed = presentLast(outcome, manner());
      await deliver(printed, stdio);
      failed ||= printed.status;
    } else if (!settings.json) {
      const printed = present(outcome, manner(), before);
      const isWanted = await deliver(printed, stdio);
      if (failed === 0) failed = printed.status;
      if (!isWanted) break;
    }
    if (stop.signal.aborted) break;
  }
  if (!settings.json || isStreamed) return failed;
  const [only] = outcomes;
  const all =
    inputs.length === 1 && only ? present(only, manner()) : presentAll(outcomes, manner());
  return (await print(all, stdio)) || failed;
}

/** Looked for once, when a call needs it. */
export function workspaceOf(
  host: Host,
  { workspace: named }: Pick<Invocation["settings"], "workspace">,
  cwd: string = host.env.cwd,
) {
  let found: Promise<string> | undefined;
  return () =>
    (found ??= import("../core/config/workspace.ts").then(({ findWorkspace }) =>
      findWorkspace({ cwd, named }, host),
    ));
}

/** Read once, when a call needs it. */
export function configOf(
  host: Host,
  { workspace }: Pick<Invocation["settings"], "workspace">,
  notice: (text: string) => void,
  cwd: string = host.env.cwd,
) {
  let loaded: Promise<Config> | undefined;
  return () =>
    (loaded ??= import("../core/config/load.ts").then(({ loadConfig }) =>
      loadConfig({ cwd, workspace }, host, notice),
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
  stdin: {
    name: "stdin",
    type: "boolean",
    description: "Let the command read our standard input; else it meets its end at once",
  },
  nulSeparated: {
    name: "print0",
    short: "0",
    type: "boolean",
    description: "End each path with a NUL and escape nothing, for xargs -0",
  },
};

const filesFromFlag: Flag = {
  name: "files-from",
  type: "string",
  placeholder: "FILE",
  file: true,
  description: "Also the paths in this file, one a line or ended by NULs; - is standard input",
};

const exitStatusFlag: Flag = {
  name: "exit-status",
  type: "boolean",
  description: "End with status 1 where nothing was found",
};

const streamFlag: Flag = {
  name: "stream",
  type: "boolean",
  description: "Print the output as it comes, all of it; goes without saying on a terminal",
};

const jsonlFlag: Flag = {
  name: "jsonl",
  type: "boolean",
  description: "Print one JSON object a line, as results come; the last one has the details",
};

const answersFlag: Flag = {
  name: "answers",
  type: "string",
  placeholder: "FILE",
  file: true,
  description:
    "Ask nobody: a person has answered, and FILE (- is standard input) is a JSON list with a label, a list of labels, other text or null for each question",
};

const topicsOf: Readonly<Record<string, readonly string[]>> = {
  read: ["selectors", "hashline"],
  edit: ["hashline", "exit-codes"],
  bash: ["command-rules", "exit-codes"],
  powershell: ["command-rules", "exit-codes"],
  find: ["selectors"],
  search: ["selectors", "hashline"],
};

async function runTool(
  tool: AnyTool,
  fields: readonly Field[],
  invocation: Invocation,
): Promise<number> {
  const { flags, operands, program } = invocation;
  const { positional, content, contentIsJson, repeat, rest, fallback } = tool.cli;
  let ask: Ask | undefined;
  const given = Object.fromEntries(
    fields.flatMap(({ name, type }) => {
      const value = flags[kebab(name)];
      if (value === undefined) return [];
      return [[name, type === "pairs" ? pairsOf(kebab(name), value) : value]];
    }),
  ) as Record<string, FlagValue>;
  const options = {
    dryRun: flags["dry-run"] === true,
    partial: flags["partial"] === true,
    force: flags["force"] === true,
    unlimited: true,
    nulSeparated: flags["print0"] === true,
    stdin: flags["stdin"] === true,
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
    const { answers } = flags;
    checkAnswers(answers, operands[0]);
    if (answers !== undefined) ask = answersFrom(String(answers), invocation);
    const text = await readContent(operands[0], `atomic ${kebab(tool.name)}`, program);
    inputs = [contentIsJson ? wholeInput(text, content) : { ...given, [content]: text }];
  } else if (positional !== undefined && repeat) {
    inputs = operands.map((value) => ({ ...given, [positional]: value }));
  } else if (rest !== undefined) {
    const lead = positional === undefined ? 0 : 1;
    const named = [...operands.slice(lead), ...(await pathsFrom(flags["files-from"], program))];
    // An empty list of paths must not become a search of everything.
    const isGiven = named.length > 0 || flags["files-from"] !== undefined;
    if (isGiven && named.length === 0) {
      throw new AtomicError("usage.command", "--files-from gave no path.");
    }
    const listed = isGiven ? named : fallback;
    inputs = [
      {
        ...given,
        ...(positional !== undefined && { [positional]: operands[0] }),
        ...(listed && { [rest]: listed }),
      },
    ];
  } else if (positional !== undefined && operands.length > 0) {
    inputs = [{ ...given, [positional]: operands[0] }];
  }
  return runInputs(tool, inputs, options, { ...invocation, ask });
}

/** JSON of the one field, or of the whole input. */
function wholeInput(text: string, field: string): unknown {
  const parsed = parseJson(text);
  return Array.isArray(parsed) ? { [field]: parsed } : parsed;
}

/** @throws AtomicError as `readContent` */
async function pathsFrom(
  file: FlagValue | undefined,
  program: Program,
): Promise<readonly string[]> {
  if (file === undefined) return [];
  const text = await readNames(String(file), "atomic search --files-from", program);
  const separator = text.includes("\0") ? "\0" : /\r?\n/;
  return text.split(separator).filter((path) => path !== "");
}

function operandsOf(
  { cli }: AnyTool,
  operand: Field | undefined,
  script: Field | undefined,
  others: Field | undefined,
): readonly Operand[] {
  if (script) {
    const description = `File that holds it; "-" or none: standard input. ${script.description}`;
    return [{ name: "FILE", description, required: false, repeat: false, file: true }];
  }
  const found: Operand[] = [];
  if (operand) {
    found.push({
      name: others ? operand.name.toUpperCase() : (cli.placeholder ?? operand.name.toUpperCase()),
      description: operand.description,
      required: operand.required || cli.needsPositional === true,
      repeat: cli.repeat ?? false,
      file: cli.placeholder === "TARGET",
      ...(cli.complete !== undefined && { complete: cli.complete }),
    });
  }
  if (others) {
    const name = cli.placeholder ?? others.name.toUpperCase();
    const { description } = others;
    found.push({ name, description, required: false, repeat: true, file: true });
  }
  return found;
}

/** @throws AtomicError usage.command for a word that is no NAME=VALUE */
function pairsOf(flag: string, value: FlagValue): Readonly<Record<string, string>> {
  const pairs = (value as readonly string[]).map((word): [string, string] => {
    const at = word.indexOf("=");
    if (at > 0) return [word.slice(0, at), word.slice(at + 1)];
    throw new AtomicError("usage.command", `Flag --${flag} needs NAME=VALUE, but got "${word}".`, {
      data: { flag },
    });
  });
  return Object.fromEntries(pairs);
}

function flagOf({ cli }: AnyTool, field: Field): Flag {
  const short = cli.short?.[field.name];
  return {
    name: kebab(field.name),
    type: field.type === "pairs" ? "list" : field.type,
    description: field.description,
    ...(field.type === "pairs" && { placeholder: "NAME=VALUE" }),
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
    if (said || argumentsOf(cli).includes(field.name)) continue;
    const flag = kebab(field.name);
    if (typeof value === "boolean") words.push(value ? `--${flag}` : `--no-${flag}`);
    else for (const one of flagWords(value)) words.push(`--${flag}`, shellPath(String(one)));
  }
  if (cli.positional !== undefined) words.push(shellPath(String(values[cli.positional])));
  if (cli.rest !== undefined) {
    for (const one of [values[cli.rest] ?? []].flat()) words.push(shellPath(String(one)));
  }
  if (cli.content === undefined) return { title, line: words.join(" ") };
  const body = cli.contentIsJson
    ? JSON.stringify(input, undefined, 2)
    : String(values[cli.content]).replace(/\n$/, "");
  return { title, line: `${words.join(" ")} <<'EOF'\n${body}\nEOF` };
}

function flagWords(value: FlagValue | Readonly<Record<string, string>>): readonly unknown[] {
  if (typeof value !== "object" || Array.isArray(value)) return [value].flat();
  return Object.entries(value).map(([name, text]) => `${name}=${text}`);
}

/** The fields that no flag stands for. */
function argumentsOf({ positional, content, rest }: AnyTool["cli"]): readonly unknown[] {
  return [positional, content, rest];
}

function kebab(name: string): string {
  return name.replaceAll("_", "-");
}
