// The strict pass over raw arguments. Pure: words in, values out, or one error that says which word is wrong.

import { AtomicError } from "../core/errors.ts";
import { didYouMean } from "../core/text/nearest.ts";

export interface Flag {
  /** kebab-case, without dashes; never beginning with "no-". */
  readonly name: string;
  readonly type: "boolean" | "string" | "number" | "list" | "choice";
  readonly short?: string;
  /** Of what it turns on, or, with `describesOff`, of what its `--no-` form does. */
  readonly description: string;
  readonly describesOff?: boolean;
  /** What stands for the value in help, such as "ID". */
  readonly placeholder?: string;
  readonly default?: string | number | boolean;
  readonly choices?: readonly string[];
  /** Its value is the name of a file or folder, for completion. */
  readonly file?: boolean;
  /** The lines that `atomic` and these words print complete its value. */
  readonly complete?: string;
}

export type FlagValue = string | number | boolean | readonly string[];

export interface Arguments {
  /** Only what was given; defaults are the business of whoever reads it. */
  readonly flags: Readonly<Record<string, FlagValue>>;
  readonly operands: readonly string[];
}

export interface Leading {
  readonly flags: Readonly<Record<string, FlagValue>>;
  /** The first operand and what follows it; undefined where there is none. */
  readonly command: string | undefined;
  readonly rest: readonly string[];
}

/** @param usage the command, for the message's last sentence: "atomic read" */
export function parseArguments(
  words: readonly string[],
  known: readonly Flag[],
  usage: string,
): Arguments {
  const pass = new Pass(known, usage);
  const operands: string[] = [];
  for (let at = 0; at < words.length;) {
    const word = words[at]!;
    if (word === "--") {
      operands.push(...words.slice(at + 1));
      break;
    }
    if (!pass.isFlag(word)) {
      operands.push(word);
      at++;
    } else at += pass.take(word, words[at + 1]);
  }
  return { flags: pass.values(), operands };
}

/** The flags before the first operand, which is the subcommand's name. */
export function parseLeading(
  words: readonly string[],
  known: readonly Flag[],
  usage: string,
): Leading {
  const pass = new Pass(known, usage);
  let at = 0;
  while (at < words.length) {
    const word = words[at]!;
    if (word === "--") {
      at++;
      break;
    }
    if (!pass.isFlag(word)) break;
    at += pass.take(word, words[at + 1]);
  }
  return { flags: pass.values(), command: words[at], rest: words.slice(at + 1) };
}

/** The values of two passes over one command line, held to the same rule: nothing given twice but lists. */
export function mergeFlags(
  first: Readonly<Record<string, FlagValue>>,
  second: Readonly<Record<string, FlagValue>>,
  usage: string,
): Readonly<Record<string, FlagValue>> {
  const merged: Record<string, FlagValue> = { ...first, ...second };
  for (const [name, value] of Object.entries(second)) {
    if (!Object.hasOwn(first, name)) continue;
    if (Array.isArray(value)) {
      merged[name] = [...(first[name] as readonly string[]), ...value];
      continue;
    }
    if (typeof value === "boolean" && first[name] === value) continue;
    throw typeof value === "boolean" ? contradiction(name, usage) : repeated(name, usage);
  }
  return merged;
}

class Pass {
  readonly #known: readonly Flag[];
  readonly #usage: string;
  readonly #values = new Map<string, FlagValue>();

  constructor(known: readonly Flag[], usage: string) {
    this.#known = known;
    this.#usage = usage;
  }

  values(): Readonly<Record<string, FlagValue>> {
    return Object.fromEntries(this.#values);
  }

  /** "-", also with a selector ("-:5-9"), is an operand, and so is a negative number unless a flag has that digit. */
  isFlag(word: string): boolean {
    if (!word.startsWith("-") || word === "-" || word.startsWith("-:")) return false;
    return !isNumber(word) || this.#known.some(({ short }) => short === word[1]);
  }

  /** @returns how many words were used up: 1, or 2 where the value was a word of its own */
  take(word: string, next: string | undefined): 1 | 2 {
    return word.startsWith("--") ? this.#long(word, next) : this.#shorts(word, next);
  }

  #long(word: string, next: string | undefined): 1 | 2 {
    const equals = word.indexOf("=");
    const name = word.slice(2, equals < 0 ? undefined : equals);
    const value = equals < 0 ? undefined : word.slice(equals + 1);
    const flag = this.#known.find((candidate) => candidate.name === name);
    if (flag) return this.#give(flag, `--${name}`, value, next);
    const positive = name.startsWith("no-") ? name.slice(3) : undefined;
    const negated = this.#known.find((candidate) => candidate.name === positive);
    if (negated?.type !== "boolean") throw this.#unknown(`--${name}`);
    if (value !== undefined) {
      throw wrong(`Flag --${name} takes no value, but got "${value}".`, this.#usage, name);
    }
    this.#set(negated, false);
    return 1;
  }

  /** "-ab", "-n5", "-n=5", "-n 5": letters up to the first that takes a value, which is the rest. */
  #shorts(word: string, next: string | undefined): 1 | 2 {
    for (let at = 1; at < word.length; at++) {
      const letter = word[at]!;
      const flag = this.#known.find(({ short }) => short === letter);
      if (!flag) throw this.#unknown(`-${letter}`, word);
      const rest = word.slice(at + 1);
      if (flag.type === "boolean" && !rest.startsWith("=")) {
        this.#set(flag, true);
        continue;
      }
      const value = rest === "" ? undefined : rest.replace(/^=/, "");
      return this.#give(flag, `-${letter}`, value, next);
    }
    return 1;
  }

  #give(flag: Flag, shown: string, attached: string | undefined, next: string | undefined): 1 | 2 {
    if (flag.type === "boolean") {
      if (attached !== undefined && attached !== "true" && attached !== "false") {
        throw wrong(
          `Flag ${shown} is either on or off: expected true or false, but got "${attached}".`,
          this.#usage,
          flag.name,
        );
      }
      this.#set(flag, attached !== "false");
      return 1;
    }
    if (attached !== undefined) {
      this.#set(flag, this.#convert(flag, shown, attached));
      return 1;
    }
    if (next === undefined || this.isFlag(next)) {
      const hint =
        next === undefined || next === "--"
          ? ""
          : ` Write ${shown}${shown.startsWith("--") ? "=" : ""}${next} if "${next}" is the value.`;
      throw wrong(`Flag ${shown} needs a value.${hint}`, this.#usage, flag.name);
    }
    this.#set(flag, this.#convert(flag, shown, next));
    return 2;
  }

  #convert(flag: Flag, shown: string, value: string): FlagValue {
    if (flag.type === "list") return [value];
    if (flag.type === "number") {
      if (isNumber(value)) return Number(value);
      throw wrong(`Flag ${shown} needs a number, but got "${value}".`, this.#usage, flag.name);
    }
    if (flag.type === "choice" && !flag.choices!.includes(value)) {
      throw wrong(
        `Flag ${shown} must be one of ${flag.choices!.join(", ")}, but got "${value}"${didYouMean(value, flag.choices!) || "."}`,
        this.#usage,
        flag.name,
      );
    }
    return value;
  }

  #set({ name, type }: Flag, value: FlagValue) {
    const earlier = this.#values.get(name);
    if (earlier === undefined) return void this.#values.set(name, value);
    if (type === "list") {
      return void this.#values.set(name, [
        ...(earlier as readonly string[]),
        ...(value as readonly string[]),
      ]);
    }
    if (type !== "boolean") throw repeated(name, this.#usage);
    if (earlier !== value) throw contradiction(name, this.#usage);
  }

  #unknown(shown: string, within = shown): AtomicError {
    const negative = shown.startsWith("--no-");
    const names = this.#known
      .filter(({ type }) => !negative || type === "boolean")
      .map(({ name }) => (negative ? `--no-${name}` : `--${name}`));
    const guess = shown.startsWith("--") ? didYouMean(shown, names, "") : "";
    const place = within === shown ? "" : ` in "${within}"`;
    return wrong(
      `Unknown flag ${shown}${place}${guess || "."}`,
      this.#usage,
      shown.replace(/^-+/, ""),
    );
  }
}

function isNumber(word: string): boolean {
  return /^-?(?:\d+(?:\.\d*)?|\.\d+)$/.test(word);
}

function contradiction(name: string, usage: string): AtomicError {
  return wrong(`Flag --${name} was given both on and off.`, usage, name);
}

function repeated(name: string, usage: string): AtomicError {
  return wrong(`Flag --${name} was given more than once.`, usage, name);
}

function wrong(message: string, usage: string, flag: string): AtomicError {
  return new AtomicError("usage.command", message, {
    data: { flag },
    hint: `See \`${usage} --help\`.`,
  });
}
