// What is known of a shell's state at some place of a command: variables, folder, arguments, functions.

import type { ShellCommand } from "./parse.ts";

/** Stands in a text for what only the run itself decides. */
export const UNKNOWN = "\ufffc";

export interface World {
  /** Absolute. */
  readonly cwd: string;
  readonly home: string | undefined;
  /** The environment that the shell starts with. */
  variable(name: string): string | undefined;
}

/** Variables that a shell makes itself. */
const dynamic =
  /^(?:_|\d+|[@*#?$!-]|BASH\w*|COMP_\w*|COPROC|DIRSTACK|E?UID|EPOCH\w*|FUNCNAME|GROUPS|HOST(?:NAME|TYPE)|LINENO|MACHTYPE|MAPFILE|OLDPWD|OPT(?:ARG|IND)|OSTYPE|PIPESTATUS|PPID|RANDOM|REPLY|SECONDS|SHELL\w*|SHLVL|SRANDOM)$/;

export class Scope {
  readonly #world: World;
  readonly #values: Map<string, string>;
  readonly functions: Map<string, ShellCommand>;
  /** Absolute; undefined once it cannot be told. */
  cwd: string | undefined;
  /** "$1" and on; undefined where they cannot be told. */
  arguments: readonly string[] | undefined;
  /** What the command itself writes before it may run it: absolute path → content, undefined where that is not known. */
  readonly files: Map<string, string | undefined>;
  /** What its input is where that is not what it was started with. */
  input: { readonly known: string | undefined } | undefined;
  /** Text has run that nobody has read: any variable may be anything. */
  isOpen = false;

  constructor(world: World, from?: Scope) {
    this.#world = world;
    this.#values = new Map(from ? from.#values : []);
    this.functions = new Map(from ? from.functions : []);
    this.files = from ? from.files : new Map();
    this.cwd = from ? from.cwd : world.cwd;
    this.arguments = from?.arguments;
    this.isOpen = from?.isOpen ?? false;
    this.input = from?.input;
  }

  /** What is changed in it, does not show outside. */
  inner(): Scope {
    return new Scope(this.#world, this);
  }

  get home(): string | undefined {
    return this.#values.get("HOME") ?? this.#world.home;
  }

  /** @param value `UNKNOWN` in it for what cannot be told */
  set(name: string, value: string): void {
    this.#values.set(name, value);
  }

  /** An unset variable is "". */
  get(name: string): string {
    const known = this.#values.get(name);
    if (known !== undefined) return known;
    if (name === "PWD") return this.cwd ?? UNKNOWN;
    const number = /^[1-9]\d*$/.test(name) ? Number(name) : undefined;
    if (number !== undefined && this.arguments) return this.arguments[number - 1] ?? "";
    if (dynamic.test(name)) return UNKNOWN;
    return this.#world.variable(name) ?? (this.isOpen ? UNKNOWN : "");
  }
}
