import type { CommandDef } from "citty";

import type { Host } from "../core/ports/host.ts";
import type { Stdio } from "../core/ports/stdio.ts";
import type { Terminal } from "../core/ports/terminal.ts";
import type { Flag, FlagValue } from "./args.ts";
import type { Stop } from "./exit.ts";
import type { Settings } from "./settings.ts";

/** The process as the command line sees it. */
export interface Program {
  readonly stdio: Stdio;
  readonly runtime: Runtime;
  /** Opened once, on first use: printing help needs no host. */
  host(): Promise<Host>;
  /** Where a person can be asked, on first use. */
  terminal(): Promise<Terminal>;
}

export interface Runtime {
  readonly name: "bun" | "deno" | "node";
  readonly version: string;
  /** Operating system and processor, such as "linux-x64". */
  readonly target: string;
  /** The running program's own file; undefined when it runs from source. */
  readonly executable: string | undefined;
}

/** One command line, parsed. */
export interface Invocation {
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly operands: readonly string[];
  readonly settings: Settings;
  readonly program: Program;
  readonly stop: Stop;
}

export interface Operand {
  /** As in usage lines: "TARGET". */
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly repeat: boolean;
  /** The only values it takes, for completion and for messages. */
  readonly choices?: readonly string[];
  /** Names of files complete it. */
  readonly file?: boolean;
  /** The lines that `atomic` and these words print complete it. */
  readonly complete?: string;
}

export interface CommandExample {
  readonly title: string;
  /** One line of shell, or several with a here-document. */
  readonly line: string;
}

/** What help, completion and the strict pass need, around the citty command that does the work. */
export interface Command {
  readonly name: string;
  readonly summary: string;
  readonly description?: string;
  readonly operands: readonly Operand[];
  /** Beside the ones that every command has. */
  readonly flags: readonly Flag[];
  readonly examples: readonly CommandExample[];
  /** Help topics worth reading next. */
  readonly topics: readonly string[];
  /** Runs with the parsed command line as its `data`, and returns the exit status. */
  readonly citty: CommandDef;
}

export type CommandParts = Omit<Command, "citty"> & {
  run(invocation: Invocation): Promise<number>;
};

/** citty holds the command; its lax parser never sees a word, since our strict pass has read them all. */
export function command({ run, ...parts }: CommandParts): Command {
  return {
    ...parts,
    citty: {
      meta: { name: parts.name, description: parts.summary },
      run: ({ data }) => run(data as Invocation),
    },
  };
}
