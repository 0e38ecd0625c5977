// Patterns in the dialect of Rust's regex crate, which ripgrep's users write (tools.md §7.2).

import { type Assertion, literal, never, type Node, nothing } from "./automaton.ts";
import {
  anySymbol,
  type CharSet,
  codePoints,
  except,
  intersection,
  one,
  ranges,
  symmetricDifference,
  unicodeClass,
  union,
} from "./char-set.ts";
import { WORD } from "./automaton.ts";

/** The pattern is none; the message says why, and where. */
export class PatternError extends Error {
  override readonly name = "PatternError";
  readonly kind: "group" | "other";
  constructor(message: string, kind: "group" | "other" = "other") {
    super(message);
    this.kind = kind;
  }
}

export interface ParsedPattern {
  readonly node: Node;
  /** It can only be told on the whole text: it speaks of line ends, or of the text's. */
  readonly spansLines: boolean;
  /** Braces that begin no repetition were taken literally. */
  readonly literalBraces: boolean;
  /** Before such a brace a dollar sign was, too. */
  readonly literalDollars: boolean;
}

export interface PatternFlags {
  readonly ignoreCase: boolean;
}

interface Flags {
  i: boolean;
  m: boolean;
  s: boolean;
  x: boolean;
  u: boolean;
  swapGreed: boolean;
}

/** The most that one bounded repetition may count to. */
const MOST_REPEATS = 1_000;
const MOST_NESTED = 200;
const LF = 0x0a;
const CR = 0x0d;

/** @throws PatternError */
export function parsePattern(text: string, { ignoreCase }: PatternFlags): ParsedPattern {
  return new PatternParser(text, ignoreCase).parse();
}

const wordClass = unicodeClass(WORD);
const digitClass = unicodeClass("\\p{Nd}");
const spaceClass = unicodeClass("\\p{White_Space}");
const asciiClasses: Readonly<Record<string, CharSet>> = {
  w: ascii(/\w/),
  d: ascii(/\d/),
  s: ascii(/[ \t\n\v\f\r]/),
};
const posixClasses: Readonly<Record<string, CharSet>> = {
  alnum: ascii(/[0-9A-Za-z]/),
  alpha: ascii(/[A-Za-z]/),
  ascii: ranges([[0, 127]]),
  blank: ascii(/[ \t]/),
  // oxlint-disable-next-line no-control-regex -- they are what the class is about
  cntrl: ascii(/[\0-\x1f\x7f]/),
  digit: ascii(/[0-9]/),
  graph: ascii(/[!-~]/),
  lower: ascii(/[a-z]/),
  print: ascii(/[ -~]/),
  punct: ascii(/[!-/:-@[-`{-~]/),
  space: ascii(/[ \t\n\v\f\r]/),
  upper: ascii(/[A-Z]/),
  word: ascii(/\w/),
  xdigit: ascii(/[0-9A-Fa-f]/),
};

function ascii(pattern: RegExp): CharSet {
  return { has: (symbol) => symbol < 128 && pattern.test(String.fromCharCode(symbol)) };
}

class PatternParser {
  readonly #text: string;
  #at = 0;
  #flags: Flags;
  #depth = 0;
  #spansLines = false;
  #literalBraces = false;
  #literalDollars = false;

  constructor(text: string, ignoreCase: boolean) {
    this.#text = text;
    this.#flags = { i: ignoreCase, m: true, s: false, x: false, u: true, swapGreed: false };
  }

  parse(): ParsedPattern {
    const node = this.#alternation();
    if (this.#at < this.#text.length) throw this.#error("unopened group", "group");
    return {
      node,
      spansLines: this.#spansLines,
      literalBraces: this.#literalBraces,
      literalDollars: this.#literalDollars,
    };
  }

  #error(problem: string, kind: "group" | "other" = "other"): PatternError {
    return new PatternError(`${problem} at character ${this.#at + 1}`, kind);
  }

  #alternation(): Node {
    if (++this.#depth > MOST_NESTED) throw this.#error("groups are nested too deep");
    const choices: Node[] = [];
    for (;;) {
      choices.push(this.#sequence());
      if (this.#text[this.#at] !== "|") break;
      this.#at++;
    }
    this.#depth--;
    return choices.length === 1 ? choices[0]! : { kind: "choice", choices };
  }

  #sequence(): Node {
    const parts: Node[] = [];
    for (;;) {
      this.#skipBlanks();
      const char = this.#text[this.#at];
      if (char === undefined || char === "|" || char === ")") break;
      if ("*+?".includes(char)) throw this.#error("repetition operator without an expression");
      const part = this.#atom();
      if (part) parts.push(this.#repeated(part));
    }
    return parts.length === 1 ? parts[0]! : { kind: "all", parts };
  }

  /** Blanks and comments that `x` makes meaningless. */
  #skipBlanks(): void {
    if (!this.#flags.x) return;
    for (;;) {
      const char = this.#text[this.#at];
      if (char !== undefined && /\s/.test(char)) this.#at++;
      else if (char === "#") {
        const end = this.#text.indexOf("\n", this.#at);
        this.#at = end === -1 ? this.#text.length : end;
      } else return;
    }
  }

  #repeated(atom: Node): Node {
    let node = atom;
    for (;;) {
      this.#skipBlanks();
      const char = this.#text[this.#at];
      let bounds: readonly [number, number] | undefined;
      if (char === "*") bounds = [0, Infinity];
      else if (char === "+") bounds = [1, Infinity];
      else if (char === "?") bounds = [0, 1];
      else if (char === "{") bounds = this.#counted();
      if (!bounds) return node;
      if (char !== "{") this.#at++;
      this.#skipBlanks();
      let lazy = this.#flags.swapGreed;
      if (this.#text[this.#at] === "?") {
        this.#at++;
        lazy = !lazy;
      }
      node = { kind: "repeat", node, least: bounds[0], most: bounds[1], lazy };
    }
  }

  /** `{2}`, `{2,}`, `{2,5}`; undefined where the brace begins none, which then stands for itself. */
  #counted(): readonly [number, number] | undefined {
    const match = /^\{\s*(\d+)\s*(?:(,)\s*(\d*)\s*)?\}/.exec(this.#text.slice(this.#at));
    if (!match) return undefined;
    const least = Number(match[1]);
    const most = match[2] === undefined ? least : match[3] === "" ? Infinity : Number(match[3]);
    if (most < least) throw this.#error("a repetition's bounds are the wrong way round");
    if (least > MOST_REPEATS || (most !== Infinity && most > MOST_REPEATS)) {
      throw this.#error(`a repetition counts to more than ${MOST_REPEATS}`);
    }
    this.#at += match[0].length;
    return [least, most];
  }

  #atom(): Node | undefined {
    const char = this.#point();
    switch (char) {
      case "(":
        return this.#group();
      case "[":
        return this.#setNode(this.#class());
      case ".":
        this.#at++;
        return this.#dot();
      case "^":
        this.#at++;
        return this.#anchor(this.#flags.m ? "line start" : "text start");
      case "$":
        this.#at++;
        // After the end of a line comes no brace: this is how templates name a value.
        if (/^\{(?!\s*\d)/.test(this.#text.slice(this.#at))) {
          this.#literalDollars = true;
          return this.#literalNode(0x24);
        }
        return this.#anchor(this.#flags.m ? "line end" : "text end");
      case "\\":
        return this.#escape();
      case "{":
        this.#literalBraces = true;
        break;
    }
    this.#at += char.length;
    if (char === "\n" || char === "\r") this.#spansLines = true;
    return this.#literalNode(char.codePointAt(0)!);
  }

  #point(): string {
    return String.fromCodePoint(this.#text.codePointAt(this.#at)!);
  }

  #anchor(what: Assertion): Node {
    if (what.startsWith("text")) this.#spansLines = true;
    return { kind: "assert", what, ascii: !this.#flags.u };
  }

  #dot(): Node {
    if (this.#flags.s) this.#spansLines = true;
    const all = this.#flags.u ? codePoints : anySymbol;
    const set = this.#flags.s
      ? all
      : except(all, { has: (symbol) => symbol === LF || symbol === CR });
    return this.#setNode(set);
  }

  #literalNode(symbol: number): Node {
    return this.#setNode(this.#folded(symbol));
  }

  /** A line end in the text may be two bytes where a symbol of the pattern is one. */
  #setNode(set: CharSet): Node {
    const node: Node = { kind: "set", set };
    if (!set.has(LF)) return node;
    return { kind: "choice", choices: [literal("\r\n"), node] };
  }

  #folded(symbol: number): CharSet {
    if (!this.#flags.i) return one(symbol);
    const char = String.fromCodePoint(symbol);
    if (symbol < 128 && !/[A-Za-z]/.test(char)) return one(symbol);
    // The Kelvin sign is a k, and the long s an s; every other letter of ASCII has just its two cases.
    if (symbol < 128 && (!this.#flags.u || !/[ks]/i.test(char))) {
      const letter = symbol | 0x20;
      return { has: (other) => other < 128 && (other | 0x20) === letter, letter };
    }
    if (!this.#flags.u) {
      const other = char === char.toLowerCase() ? char.toUpperCase() : char.toLowerCase();
      return union([one(symbol), one(other.codePointAt(0)!)]);
    }
    return unicodeClass(`[\\u{${symbol.toString(16)}}]`, true);
  }

  #group(): Node | undefined {
    const begin = this.#at;
    this.#at++;
    const saved = { ...this.#flags };
    if (this.#text[this.#at] === "?") {
      const rest = this.#text.slice(this.#at);
      if (/^\?<?[=!]/.test(rest)) {
        throw this.#error(
          "look-around is not supported, since it cannot be matched in linear time",
        );
      }
      const named = /^\?P?<([^>]*)>/.exec(rest);
      const flags = /^\?([a-zA-Z]*)(?:-([a-zA-Z]+))?([:)])/.exec(rest);
      if (named) {
        if (!/^[\p{L}_][\p{L}\p{N}_.[\]]*$/u.test(named[1]!))
          throw this.#error("invalid group name");
        this.#at += named[0].length;
      } else if (flags) {
        this.#setFlags(flags[1]!, true);
        this.#setFlags(flags[2] ?? "", false);
        this.#at += flags[0].length;
        if (flags[3] === ")") return undefined;
      } else throw this.#error("unknown kind of group");
    }
    const node = this.#alternation();
    if (this.#text[this.#at] !== ")") {
      this.#at = begin;
      throw this.#error("unclosed group", "group");
    }
    this.#at++;
    this.#flags = saved;
    return node;
  }

  #setFlags(letters: string, value: boolean): void {
    for (const letter of letters) {
      if (letter === "U") this.#flags.swapGreed = value;
      else if ("imsxu".includes(letter)) this.#flags[letter as "i" | "m" | "s" | "x" | "u"] = value;
      // Line ends of either kind are always understood.
      else if (letter !== "R") throw this.#error(`unknown flag "${letter}"`);
    }
  }

  #escape(): Node {
    const next = this.#text[this.#at + 1];
    if (next === undefined) throw this.#error("the pattern ends in a backslash");
    const assertion = assertions[next];
    if (assertion) {
      this.#at += 2;
      const special =
        next === "b"
          ? /^\{(start|end|start-half|end-half)\}/.exec(this.#text.slice(this.#at))
          : null;
      if (!special) return this.#anchor(assertion);
      this.#at += special[0].length;
      return this.#anchor(`word ${special[1]!.replace("-", " ")}` as Assertion);
    }
    if (/[1-9]/.test(next)) {
      throw this.#error(
        "back-references are not supported, since they cannot be matched in linear time",
      );
    }
    const set = this.#classEscape();
    if (set) return this.#setNode(set);
    const symbol = this.#symbolEscape();
    if (symbol === LF || symbol === CR) this.#spansLines = true;
    return this.#literalNode(symbol);
  }

  /** `\d`, `\p{L}` and their kin; undefined for anything else. */
  #classEscape(): CharSet | undefined {
    const letter = this.#text[this.#at + 1]!;
    const within = this.#flags.u ? codePoints : anySymbol;
    if (/[dwsDWS]/.test(letter)) {
      this.#at += 2;
      const name = letter.toLowerCase();
      const set = this.#flags.u
        ? { d: digitClass, w: wordClass, s: spaceClass }[name as "d" | "w" | "s"]
        : asciiClasses[name]!;
      return letter === name ? set : except(within, set);
    }
    if (letter !== "p" && letter !== "P") return undefined;
    const match = /^\\[pP](?:\{(\^?)([^}]*)\}|([A-Z]))/i.exec(this.#text.slice(this.#at));
    if (!match) throw this.#error("a Unicode class needs a name, as in \\p{Greek}");
    const set = this.#property(match[2] ?? match[3]!);
    this.#at += match[0].length;
    const isNegated = (letter === "P") !== (match[1] === "^");
    return isNegated ? except(within, set) : set;
  }

  #property(name: string): CharSet {
    const [, key, relation, value] = /^([^=:!]*?)\s*(!?=|:)\s*(.*)$/.exec(name) ?? [];
    const wanted = (value ?? name).trim();
    const spelled = spellings(wanted);
    const kinds =
      key === undefined
        ? ["", "Script=", "General_Category="]
        : /^(?:sc|script)$/i.test(key)
          ? ["Script="]
          : /^(?:scx|script_extensions)$/i.test(key)
            ? ["Script_Extensions="]
            : ["General_Category="];
    if (/^any$/i.test(wanted)) return codePoints;
    for (const kind of kinds) {
      for (const spelling of spelled) {
        try {
          const set = unicodeClass(`\\p{${kind}${spelling}}`, this.#flags.i);
          return relation === "!=" ? except(codePoints, set) : set;
        } catch (thrown) {
          if (!(thrown instanceof SyntaxError)) throw thrown;
        }
      }
    }
    throw this.#error(`Unicode property not found: ${name}`);
  }

  /** An escape for one symbol. */
  #symbolEscape(): number {
    const rest = this.#text.slice(this.#at);
    const hex =
      /^\\[xuU]\{([0-9A-Fa-f]+)\}/.exec(rest) ??
      /^\\x([0-9A-Fa-f]{2})/.exec(rest) ??
      /^\\u([0-9A-Fa-f]{4})/.exec(rest) ??
      /^\\U([0-9A-Fa-f]{8})/.exec(rest);
    if (hex) {
      const symbol = parseInt(hex[1]!, 16);
      if (symbol > 0x10ffff || (symbol >= 0xd800 && symbol < 0xe000)) {
        throw this.#error("that is no Unicode code point");
      }
      this.#at += hex[0].length;
      // As a byte, where bytes are meant: one that is no text by itself.
      return !this.#flags.u && hex[0].length === 4 && symbol > 127 ? 0x110000 + symbol : symbol;
    }
    const char = String.fromCodePoint(rest.codePointAt(1)!);
    const control = controls[char];
    if (control === undefined && /[0-9A-Za-z]/.test(char)) {
      throw this.#error(`unrecognized escape sequence \\${char}`);
    }
    this.#at += 1 + char.length;
    return control ?? char.codePointAt(0)!;
  }

  /** `[…]`, with classes in it, and the operations `&&`, `--` and `~~`. */
  #class(): CharSet {
    const begin = this.#at;
    if (++this.#depth > MOST_NESTED) throw this.#error("classes are nested too deep");
    this.#at++;
    const isNegated = this.#text[this.#at] === "^";
    if (isNegated) this.#at++;
    let mentionsLf = false;
    let mentionsCr = false;
    const mention = (symbol: number): void => {
      mentionsLf ||= symbol === LF;
      mentionsCr ||= symbol === CR;
    };
    let result: CharSet | undefined;
    let operation: ((a: CharSet, b: CharSet) => CharSet) | undefined;
    let items: CharSet[] = [];
    const close = (): void => {
      const set = union(items);
      result = result && operation ? operation(result, set) : set;
      items = [];
    };
    for (let isFirst = true; ; isFirst = false) {
      this.#skipBlanks();
      const rest = this.#text.slice(this.#at, this.#at + 2);
      if (rest === "") {
        this.#at = begin;
        throw this.#error("unclosed character class");
      }
      if (rest[0] === "]" && !isFirst) break;
      if (!isFirst && (rest === "&&" || rest === "--" || rest === "~~")) {
        close();
        operation = { "&&": intersection, "--": except, "~~": symmetricDifference }[rest];
        this.#at += 2;
        continue;
      }
      if (rest[0] === "[") {
        const posix = /^\[:(\^?)([a-z]+):\]/.exec(this.#text.slice(this.#at));
        if (!posix) {
          items.push(this.#class());
          continue;
        }
        const set = posixClasses[posix[2]!];
        if (!set) throw this.#error(`unrecognized class [:${posix[2]}:]`);
        this.#at += posix[0].length;
        const folded = this.#flags.i ? foldAscii(set) : set;
        items.push(posix[1] === "^" ? except(codePoints, folded) : folded);
        continue;
      }
      const escaped = rest[0] === "\\" && rest.length === 2 ? this.#classEscape() : undefined;
      if (escaped) {
        items.push(escaped);
        continue;
      }
      const first = this.#classSymbol();
      this.#skipBlanks();
      const after = this.#text.slice(this.#at, this.#at + 2);
      if (after[0] !== "-" || after === "--" || after === "-]" || after.length < 2) {
        mention(first);
        items.push(this.#folded(first));
        continue;
      }
      this.#at++;
      this.#skipBlanks();
      const last = this.#classSymbol();
      if (last < first) throw this.#error("a range of characters is the wrong way round");
      items.push(this.#range(first, last));
    }
    this.#at++;
    this.#depth--;
    close();
    const whole = result ?? union([]);
    const set = isNegated ? except(this.#flags.u ? codePoints : anySymbol, whole) : whole;
    if ((mentionsLf && set.has(LF)) || (mentionsCr && set.has(CR))) this.#spansLines = true;
    return set;
  }

  #classSymbol(): number {
    if (this.#at >= this.#text.length) throw this.#error("unclosed character class");
    if (this.#text[this.#at] === "\\") {
      if (this.#at + 1 >= this.#text.length) throw this.#error("unclosed character class");
      return this.#symbolEscape();
    }
    const char = this.#point();
    this.#at += char.length;
    return char.codePointAt(0)!;
  }

  #range(first: number, last: number): CharSet {
    const plain = ranges([[first, last]]);
    if (!this.#flags.i) return plain;
    if (!this.#flags.u || last > 0x10ffff) return foldAscii(plain);
    return unicodeClass(`[\\u{${first.toString(16)}}-\\u{${last.toString(16)}}]`, true);
  }
}

const assertions: Readonly<Record<string, Assertion>> = {
  A: "text start",
  z: "text end",
  b: "word boundary",
  B: "no word boundary",
  "<": "word start",
  ">": "word end",
};

const controls: Readonly<Record<string, number>> = {
  n: LF,
  r: CR,
  t: 0x09,
  f: 0x0c,
  v: 0x0b,
  a: 0x07,
};

function foldAscii(set: CharSet): CharSet {
  return {
    has: (symbol) =>
      set.has(symbol) ||
      (symbol >= 0x41 && symbol <= 0x5a && set.has(symbol + 32)) ||
      (symbol >= 0x61 && symbol <= 0x7a && set.has(symbol - 32)),
  };
}

/** The names of properties are compared loosely; the built-in engine wants them as the standard spells them. */
function spellings(name: string): readonly string[] {
  const words = name.split(/[\s_-]+/).filter((word) => word !== "");
  const capital = words.map((word) => word[0]!.toUpperCase() + word.slice(1).toLowerCase());
  return [...new Set([name, capital.join("_"), name.toUpperCase(), name.toLowerCase()])].filter(
    (spelling) => /^\w+$/.test(spelling),
  );
}

/** Whether the node matches nothing but the empty text: such a pattern is in every line. */
export function isEmptyPattern(node: Node): boolean {
  return (
    node === nothing || (node.kind === "all" && node.parts.every(isEmptyPattern) && node !== never)
  );
}
