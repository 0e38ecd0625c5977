import type { GenericSchema, InferInput, InferOutput } from "valibot";

import type { Config } from "./config/config.ts";
import type { Host } from "./ports/host.ts";
import type { Ask } from "./questions/question.ts";
import type { Session } from "./session/session.ts";

/** What a tool does to the world: MCP annotations, the policy gate and a heading in the docs come from it. */
export type Effect = "read" | "write" | "execute" | "network";

/** Choices that only the command line offers; MCP and `atomic call` leave them at their defaults. */
export interface CallOptions {
  /** Show what would change; write nothing. */
  readonly dryRun: boolean;
  /** With `dryRun`: the script is still being written; leave out what is unfinished or does not resolve yet. */
  readonly partial: boolean;
  /** Overrule the guards against generated files and unseen changes; never a policy. Logged with the change. */
  readonly force: boolean;
  /** Whole output whatever its size: the `:raw` bytes of a file on the command line. */
  readonly unlimited: boolean;
  /** Paths as they are, each ended by a NUL, for `xargs -0`. */
  readonly nulSeparated?: boolean;
  /** The command reads our own standard input. */
  readonly stdin?: boolean;
}

/** One invocation: who asks, from where, and until when. */
export interface Call {
  /** Absolute; relative paths of the input start here. */
  readonly cwd: string;
  /** Opens the session's state on first use, so that a call that needs none does not pay for it. */
  session(): Promise<Session>;
  /** The folder that confined targets may not leave, absolute, looked for on first use. Throws `usage.command`. */
  workspace(): Promise<string>;
  /** The session's folder for what is kept as files, absolute; it may not exist yet. Throws `session.unavailable`. */
  sessionFolder(): Promise<string>;
  /** The session's id, which is known without opening it. */
  readonly sessionId: string;
  /** What the configuration files say, read on first use. Throws `config.invalid`, `usage.command`. */
  config(): Promise<Config>;
  readonly signal: AbortSignal;
  readonly options: CallOptions;
  /**
   * Whether the policy lets this call write the path. Every target is asked for before the session is opened and before
   * anything is locked, staged or made, so that a refusal leaves no trace; a dry run may ask too.
   * @param path absolute, the one that will be written
   * @param shown how messages name it; default: relative to `cwd` where inside it
   * @throws AtomicError `policy.read_only`, `policy.plan`
   */
  allowWrite(path: string, shown?: string): Promise<void>;
  /** Whether the caller can call the tool of that name. */
  hasTool(name: string): boolean;
  /** Whether the policy lets programs be started on behalf of this call, which may write anywhere. */
  readonly mayExecute: boolean;
  /** Our own tools, as a search among them needs them. */
  ownTools(): Promise<readonly OwnTool[]>;
  /**
   * The exact bytes of the tool's content field, where the caller had bytes to give: they need not be text. The field
   * itself is empty then.
   */
  readonly contentBytes?: Uint8Array;
  /** Everything on standard input, where the caller has one to give; only the command line does. */
  readonly standardInput?: () => Promise<Uint8Array>;
  /** A diagnostic that is not part of the tool's text: standard error on the command line, a log message in MCP. */
  notice(text: string): void;
  /** Told how far long work has come, in a few words; as often as is cheap, the caller shows what it likes of it. */
  progress?(text: () => string): void;
  /** Where the caller wants results as they come: takes one, in the order of the answer. Waits for its reader. */
  emit?(record: Readonly<Record<string, unknown>>): Promise<void>;
  /** Puts questions to a person; absent where nobody can be asked. For a yes or no see `confirm` and `approve`. */
  readonly ask?: Ask;
  /** Seconds that the caller waits for a command, which then goes on as a task; undefined: to its end. */
  readonly yieldAfter?: number;
  /** Where the caller wants a command's output as it comes: takes clean text, and waits for its reader. */
  live?(text: string): Promise<void>;
}

/** A call as its maker gives it to `callTool`, which puts it under the policy. */
/** What is said of a tool of ours without running it. */
export interface OwnTool {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  /** JSON Schema. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}
export type CallRequest = Omit<Call, "allowWrite" | "mayExecute" | "hasTool" | "ownTools"> & {
  /** Names of the tools that the caller can call; undefined: all of them. */
  readonly tools?: readonly string[] | undefined;
};

/** What the caller sees. `bytes` are written untouched. */
export type Rendered =
  { readonly text: string; readonly ending?: Ending } | { readonly bytes: Uint8Array };

/**
 * How a command ended that the tool ran. Its text is then what the command wrote, character by character; the command line
 * puts the notes on standard error and ends with the command's status, others put them below the text.
 */
export interface Ending {
  /** One line each. */
  readonly notes: readonly string[];
  /** "stopped": that of the signal which stopped us. */
  readonly status: number | "stopped";
}

/** A command's output and what is to be said about it as one text, a blank line between them. */
export function wholeText(text: string, { notes }: Ending): string {
  if (notes.length === 0) return text;
  const body = text.replace(/\n+$/, "");
  return body === "" ? notes.join("\n") : `${body}\n\n${notes.join("\n")}`;
}

export interface CliHints<Input> {
  /** The input field that takes the bare arguments. */
  readonly positional?: Extract<keyof Input, string>;
  /** A command line without the positional argument is incomplete, though the schema has it optional. */
  readonly needsPositional?: boolean;
  /** Fields that no flag stands for. */
  readonly callOnly?: readonly Extract<keyof Input, string>[];
  /** The list field that takes the bare arguments after the positional one, and what it is where there are none. */
  readonly rest?: Extract<keyof Input, string>;
  readonly fallback?: readonly string[];
  /** `--files-from FILE` adds to `rest` the lines of a file or of standard input. */
  readonly pathsFromFile?: boolean;
  /** The tool runs a command: `--stream` prints its output as it comes, and `--jsonl` too. */
  readonly runsCommand?: boolean;
  /** `--jsonl` prints results as they come. */
  readonly streams?: boolean;
  /** `details.fileCount` says whether anything was found, so that `--exit-status` can tell. */
  readonly countsMatches?: boolean;
  /** The positional argument may repeat; each value is a call of its own. */
  readonly repeat?: boolean;
  /** The command line whose lines complete the positional argument, without "atomic". */
  readonly complete?: string;
  /** The name of the positional argument in usage lines, such as "TARGET". */
  readonly placeholder?: string;
  /**
   * The field whose text comes from a file argument or standard input rather than from a flag; with a `positional` field
   * beside it, from the flag or else, byte for byte, from standard input.
   */
  readonly content?: Extract<keyof Input, string>;
  /** The content is JSON: the field's own value, or the whole input. */
  readonly contentIsJson?: boolean;
  /** `--answers FILE` gives what a person answered, in the place of asking. */
  readonly takesAnswers?: boolean;
  /** One-letter flags. */
  readonly short?: Partial<Record<Extract<keyof Input, string>, string>>;
  /** Which of the command-line-only choices this tool knows. */
  readonly options?: readonly (keyof CallOptions)[];
  /** Hidden names for the same command, such as "cat". */
  readonly aliases?: readonly string[];
}

export interface ToolExample<Input> {
  readonly title: string;
  readonly input: Input;
}

/**
 * A tool is a value. `run` does the work and returns data; `render` is a pure function from that data to what the
 * caller sees; `--json` and MCP print `details(data)`.
 */
export interface Tool<Schema extends GenericSchema, Ports extends Partial<Host>, Data> {
  /** snake_case; a subcommand is its kebab-case form. */
  readonly name: string;
  /** One line, for lists. */
  readonly summary: string;
  /** What a model needs to use it well. */
  readonly description: string;
  readonly effect: Effect;
  /** What a refusal says that it would do, where the effect does not say it. */
  readonly deed?: string;
  readonly input: Schema;
  run(input: InferOutput<Schema>, ports: Ports, call: Call): Promise<Data>;
  render(data: Data): Rendered;
  details(data: Data): Readonly<Record<string, unknown>>;
  /** It bounds its text itself; that of others goes to a file where it is too long for an answer. */
  readonly isBounded?: boolean;
  readonly cli: CliHints<InferOutput<Schema>>;
  readonly examples: readonly ToolExample<InferInput<Schema>>[];
}

/** A tool whose types have done their work: what the registry, the command line and MCP handle. */
export interface AnyTool {
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly effect: Effect;
  readonly deed?: string;
  readonly input: GenericSchema;
  run(input: unknown, ports: Host, call: Call): Promise<unknown>;
  render(data: unknown): Rendered;
  details(data: unknown): Readonly<Record<string, unknown>>;
  readonly isBounded?: boolean;
  readonly cli: CliHints<Record<string, unknown>>;
  readonly examples: readonly ToolExample<unknown>[];
}

/** Checks a tool's types where it is defined, and forgets them where it is listed. */
export function defineTool<Schema extends GenericSchema, Ports extends Partial<Host>, Data>(
  tool: Tool<Schema, Ports, Data>,
): AnyTool {
  return tool as unknown as AnyTool;
}
