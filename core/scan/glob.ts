// Globs of paths: `*`, `?`, classes, braces and extglobs within a segment, `**` across segments. Names that begin with a dot
// are names like any other.

import { Automaton, literal, never, type Node, nothing, ProgramTooLarge } from "./automaton.ts";
import { anySymbol, type CharSet, except, one } from "./char-set.ts";
import { type ParsedClass, parseClass } from "./glob-class.ts";

export interface Glob {
  readonly text: string;
  /** Reads a path from the glob's base on, with "/" between its segments. */
  readonly automaton: Automaton;
  /** It ended in "/". */
  readonly foldersOnly: boolean;
  /** Segments that it spells out, which are then not left out as usual. */
  readonly spelled: ReadonlySet<string>;
}

export interface SplitGlob {
  /** Leading segments without anything special, "" for none; with its root and final "/" where it has them. */
  readonly base: string;
  /** What follows them; undefined where nothing is special. */
  readonly pattern: string | undefined;
}

const SLASH = 0x2f;
const withinSegment: CharSet = except(anySymbol, one(SLASH));
const anyRun: Node = repeat(withinSegment, 0);
const slash: Node = { kind: "set", set: one(SLASH) };

/** Whether any part of it has a meaning beyond its letters. */
export function isGlob(text: string): boolean {
  return /[*?[{]|[!@+]\(/.test(text);
}

/** The first segment with something special in it begins the pattern (tools.md §7.1). */
export function splitGlob(text: string): SplitGlob {
  const at = text.search(/[*?[{]|[!@+]\(/);
  if (at === -1) return { base: text, pattern: undefined };
  const start = text.lastIndexOf("/", at) + 1;
  return { base: text.slice(0, start), pattern: text.slice(start) };
}

/**
 * @param pattern as from `splitGlob`. Without a folder part it is about the name, at any depth below.
 * @param anchored it stands behind a base, so that it counts from there
 * @throws ProgramTooLarge
 */
export function compileGlob(pattern: string, anchored: boolean): Glob {
  const trimmed = pattern.replace(/\/+$/, "");
  const parser = new GlobParser(trimmed);
  let node = parser.parse();
  if (!anchored && !trimmed.includes("/") && trimmed !== "**") node = all(anyFolders, node);
  return {
    text: pattern,
    automaton: new Automaton(node),
    foldersOnly: trimmed !== pattern,
    spelled: new Set(
      trimmed.split(/[/{},()|]/).filter((segment) => segment !== "" && !isGlob(segment)),
    ),
  };
}

/** Whether the text, as a whole, can be compiled at all. */
export function globProblem(pattern: string): string | undefined {
  try {
    compileGlob(pattern, true);
    return undefined;
  } catch (thrown) {
    if (thrown instanceof ProgramTooLarge) return "it has too many alternatives";
    throw thrown;
  }
}

const anyFolders: Node = {
  kind: "choice",
  choices: [nothing, all(repeat(anySymbol, 0), slash)],
};

function repeat(set: CharSet, least: number): Node {
  return { kind: "repeat", node: { kind: "set", set }, least, most: Infinity };
}

function all(...parts: readonly Node[]): Node {
  return { kind: "all", parts };
}

class GlobParser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  parse(): Node {
    return this.#sequence("");
  }

  /** Up to one of the closing characters, which stays. */
  #sequence(closers: string): Node {
    const parts: Node[] = [];
    while (this.#at < this.#text.length && !closers.includes(this.#text[this.#at]!)) {
      parts.push(this.#part());
    }
    return all(...parts);
  }

  #part(): Node {
    const text = this.#text;
    const char = String.fromCodePoint(text.codePointAt(this.#at)!);
    if ("?*+@!".includes(char) && text[this.#at + 1] === "(") {
      const group = this.#group(char);
      if (group) return group;
    }
    if (char === "*") return this.#star();
    if (char === "?") {
      this.#at++;
      return { kind: "set", set: withinSegment };
    }
    if (char === "[") {
      const parsed: ParsedClass | undefined = parseClass(text, this.#at);
      if (parsed) {
        this.#at = parsed.end;
        return { kind: "set", set: except(parsed.set, one(SLASH)) };
      }
    }
    if (char === "{") {
      const braces = this.#braces();
      if (braces) return braces;
    }
    if (char === "\\" && this.#at + 1 < text.length) {
      const escaped = String.fromCodePoint(text.codePointAt(this.#at + 1)!);
      this.#at += 1 + escaped.length;
      return literal(escaped);
    }
    this.#at += char.length;
    return literal(char);
  }

  #star(): Node {
    const text = this.#text;
    const begin = this.#at;
    while (text[this.#at] === "*" && text[this.#at + 1] !== "(") this.#at++;
    if (this.#at === begin) this.#at++;
    const before = text[begin - 1];
    const after = text[this.#at];
    const isWhole =
      this.#at - begin >= 2 &&
      (before === undefined || "/{,(|".includes(before)) &&
      (after === undefined || "/},)|".includes(after));
    if (!isWhole) return anyRun;
    if (after !== "/") return repeat(anySymbol, 1);
    this.#at++;
    return anyFolders;
  }

  /** `@(a|b)` and its kin; undefined where it is not closed. */
  #group(kind: string): Node | undefined {
    const begin = this.#at;
    this.#at += 2;
    const choices: Node[] = [];
    for (;;) {
      choices.push(this.#sequence("|)"));
      if (this.#at >= this.#text.length) {
        this.#at = begin;
        return undefined;
      }
      const closer = this.#text[this.#at++];
      if (closer === ")") break;
    }
    const node: Node = { kind: "choice", choices };
    if (kind === "@") return node;
    if (kind === "!") return { kind: "unlike", node, within: withinSegment };
    return {
      kind: "repeat",
      node,
      least: kind === "+" ? 1 : 0,
      most: kind === "?" ? 1 : Infinity,
    };
  }

  /** `{a,b}` or `{1..9}`; a brace that is neither stands for itself, one that is not closed ends with the glob. */
  #braces(): Node | undefined {
    const close = closingBrace(this.#text, this.#at);
    const inside = this.#text.slice(this.#at + 1, close);
    const sequence = braceRange(inside);
    if (sequence) {
      this.#at = Math.min(close + 1, this.#text.length);
      return { kind: "choice", choices: sequence.map(literal) };
    }
    if (!hasComma(inside)) return undefined;
    this.#at++;
    const choices: Node[] = [];
    for (;;) {
      choices.push(this.#sequence(",}"));
      const closer = this.#text[this.#at];
      this.#at++;
      if (closer !== ",") break;
    }
    this.#at = Math.min(this.#at, this.#text.length);
    return choices.length === 0 ? never : { kind: "choice", choices };
  }
}

/** Its place; the text's length where there is none. */
function closingBrace(text: string, open: number): number {
  let depth = 0;
  for (let i = open; i < text.length; i++) {
    if (text[i] === "\\") i++;
    else if (text[i] === "{") depth++;
    else if (text[i] === "}" && --depth === 0) return i;
  }
  return text.length;
}

function hasComma(inside: string): boolean {
  let depth = 0;
  for (let i = 0; i < inside.length; i++) {
    if (inside[i] === "\\") i++;
    else if (inside[i] === "{") depth++;
    else if (inside[i] === "}") depth--;
    else if (inside[i] === "," && depth === 0) return true;
  }
  return false;
}

/** "1..5", "01..10", "a..e", "0..10..5" as the shell counts them. */
function braceRange(inside: string): readonly string[] | undefined {
  const match = /^(-?\d{1,9}|[A-Za-z])\.\.(-?\d{1,9}|[A-Za-z])(?:\.\.(-?\d{1,9}))?$/.exec(inside);
  if (!match) return undefined;
  const [, from, to, by] = match as unknown as [string, string, string, string | undefined];
  const isNumeric = /\d$/.test(from);
  if (isNumeric !== /\d$/.test(to)) return undefined;
  const first = isNumeric ? Number(from) : from.charCodeAt(0);
  const last = isNumeric ? Number(to) : to.charCodeAt(0);
  const step = Math.max(1, Math.abs(Number(by ?? 1)));
  if (Math.abs(last - first) / step > MOST_IN_RANGE) return undefined;
  const isPadded = isNumeric && [from, to].some((end) => /^-?0\d/.test(end));
  const width = isPadded ? Math.max(from.length, to.length) : 0;
  const found: string[] = [];
  for (let i = first; first <= last ? i <= last : i >= last; i += first <= last ? step : -step) {
    found.push(isNumeric ? padded(i, width) : String.fromCharCode(i));
  }
  return found;
}

const MOST_IN_RANGE = 2_000;

function padded(value: number, width: number): string {
  if (value >= 0) return String(value).padStart(width, "0");
  return `-${String(-value).padStart(width - 1, "0")}`;
}
