// One file of ignore rules as git reads it (gitignore(5), wildmatch), compiled for questions about many names.
//
// Git compares bytes. So rules and names are byte strings here: one character from U+0000 to U+00FF for each byte.

import { Automaton, DEAD, literal, never, type Node } from "./automaton.ts";
import { anySymbol, except, one } from "./char-set.ts";
import { parseClass } from "./glob-class.ts";

interface Rule {
  /** Its place in the file: of those that match, the last one counts. */
  readonly order: number;
  readonly keeps: boolean;
  readonly foldersOnly: boolean;
}

/** What the rules of one folder's position say of a name in it. */
export type Verdict = "ignored" | "kept" | undefined;

interface WildRule extends Rule {
  readonly automaton: Automaton;
  /** Codes of the characters that a name must begin and end with; -1: any. */
  readonly first: number;
  readonly last: number;
}

interface Branch {
  readonly rules: Rule[];
  readonly children: Map<string, Branch>;
}

/** The rules of a file, seen from one folder at or below the file's own. */
export interface RulesHere {
  verdict(name: string, isFolder: boolean): Verdict;
  /** Seen from the folder of that name in this one. */
  enter(name: string): RulesHere;
}

/**
 * @param text the file as a byte string
 * @returns undefined where it has no rule
 */
export function compileRules(text: string): RulesHere | undefined {
  const file = new RuleFile();
  let order = 0;
  for (const line of lines(text)) file.add(line, order++);
  return file.isEmpty ? undefined : file.atItsFolder();
}

/** A name as git sees it. */
export function byteString(name: string): string {
  // oxlint-disable-next-line no-control-regex -- all of ASCII
  if (/^[\0-\x7f]*$/.test(name)) return name;
  return String.fromCharCode(...new TextEncoder().encode(name));
}

function* lines(text: string): Generator<string> {
  const body = text.startsWith("\u00ef\u00bb\u00bf") ? text.slice(3) : text;
  for (const line of body.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const whole = line.endsWith("\r") ? line.slice(0, -1) : line;
    // A string of C ends there.
    const nul = whole.indexOf("\0");
    const rule = withoutTrailingSpaces(nul === -1 ? whole : whole.slice(0, nul));
    if (rule !== "") yield rule;
  }
}

function withoutTrailingSpaces(line: string): string {
  let end = -1;
  for (let i = 0; i < line.length; i++) {
    if (line[i] === " ") {
      if (end === -1) end = i;
      continue;
    }
    if (line[i] === "\\") {
      i++;
      if (i === line.length) return line;
    }
    end = -1;
  }
  return end === -1 ? line : line.slice(0, end);
}

class RuleFile {
  /** By the whole name, by what follows the last dot, and by the code of the last or first character. */
  readonly names = new Map<string, Rule[]>();
  readonly extensions = new Map<string, Rule[]>();
  readonly suffixes = new Map<number, (Rule & { readonly suffix: string })[]>();
  readonly prefixes = new Map<number, (Rule & { readonly prefix: string })[]>();
  readonly others: WildRule[] = [];
  readonly #paths: Branch = { rules: [], children: new Map() };
  readonly #wildPaths: WildRule[] = [];
  #count = 0;

  get isEmpty(): boolean {
    return this.#count === 0;
  }

  add(line: string, order: number): void {
    this.#count++;
    const keeps = line.startsWith("!");
    let pattern = keeps ? line.slice(1) : line;
    const foldersOnly = pattern.endsWith("/");
    if (foldersOnly) pattern = pattern.slice(0, -1);
    const rule: Rule = { order, keeps, foldersOnly };
    if (pattern.includes("/")) this.#addPath(pattern.replace(/^\//, ""), rule);
    else this.#addName(pattern, rule);
  }

  #addName(pattern: string, rule: Rule): void {
    if (pattern === "") return;
    if (!isSpecial(pattern)) push(this.names, pattern, rule);
    else if (pattern.startsWith("*") && pattern.length > 1 && !isSpecial(pattern.slice(1))) {
      const suffix = pattern.slice(1);
      if (/^\.[^.]+$/.test(suffix)) push(this.extensions, suffix.slice(1), rule);
      else push(this.suffixes, suffix.charCodeAt(suffix.length - 1), { ...rule, suffix });
    } else if (pattern.endsWith("*") && pattern.length > 1 && !isSpecial(pattern.slice(0, -1))) {
      const prefix = pattern.slice(0, -1);
      push(this.prefixes, prefix.charCodeAt(0), { ...rule, prefix });
    } else {
      // Without a slash in the text, "**" is no more than "*".
      const automaton = new Automaton(wildNode(pattern));
      this.others.push({ ...rule, automaton, ...endsOf(pattern) });
    }
  }

  #addPath(pattern: string, rule: Rule): void {
    if (isSpecial(pattern)) {
      const special = pattern.search(/[*?[\\]/);
      const node: Node = {
        kind: "all",
        parts: [literal(pattern.slice(0, special)), wildNode(pattern.slice(special))],
      };
      // A "**" may stand for several names, and an "*" may not hold a slash: the last name ends as the pattern does.
      const { last } = endsOf(pattern);
      this.#wildPaths.push({ ...rule, automaton: new Automaton(node), first: -1, last });
      return;
    }
    let branch = this.#paths;
    for (const segment of pattern.split("/")) {
      let child = branch.children.get(segment);
      if (!child) branch.children.set(segment, (child = { rules: [], children: new Map() }));
      branch = child;
    }
    branch.rules.push(rule);
  }

  atItsFolder(): RulesHere {
    const live = this.#wildPaths.map((rule): Live => ({
      rule,
      state: rule.automaton.start,
      generation: rule.automaton.generation,
    }));
    return new Here(this, this.#paths, live, "");
  }
}

/** A rule with wildcards, after the path that led here. */
interface Live {
  readonly rule: WildRule;
  readonly state: number;
  readonly generation: number;
}

class Here implements RulesHere {
  readonly #file: RuleFile;
  readonly #branch: Branch | undefined;
  readonly #live: readonly Live[];
  readonly #path: string;

  constructor(file: RuleFile, branch: Branch | undefined, live: readonly Live[], path: string) {
    this.#file = file;
    this.#branch = branch && branch.children.size > 0 ? branch : undefined;
    this.#live = live;
    this.#path = path;
  }

  enter(name: string): RulesHere {
    // From here on, and in all that lies below, no rule about paths can match.
    if (this.#branch === undefined && this.#live.length === 0) return this;
    const live: Live[] = [];
    for (const each of this.#live) {
      const after = this.#after(each, `${name}/`);
      if (after !== DEAD) {
        live.push({
          rule: each.rule,
          state: after,
          generation: each.rule.automaton.generation,
        });
      }
    }
    return new Here(this.#file, this.#branch?.children.get(name), live, `${this.#path}${name}/`);
  }

  /** Asked of every name of a tree: what cannot match is told by a character or one look-up. */
  verdict(name: string, isFolder: boolean): Verdict {
    const { names, extensions, suffixes, prefixes, others } = this.#file;
    const first = name.charCodeAt(0);
    const last = name.charCodeAt(name.length - 1);
    let best: Rule | undefined;
    if (names.size > 0) best = lastOf(names.get(name), isFolder, best);
    if (extensions.size > 0) {
      const dot = name.lastIndexOf(".");
      if (dot !== -1) best = lastOf(extensions.get(name.slice(dot + 1)), isFolder, best);
    }
    if (suffixes.size > 0) {
      const ending = suffixes.get(last);
      if (ending) best = lastEnding(ending, name, isFolder, best);
    }
    if (prefixes.size > 0) {
      const beginning = prefixes.get(first);
      if (beginning) best = lastBeginning(beginning, name, isFolder, best);
    }
    for (let i = 0; i < others.length; i++) {
      const rule = others[i]!;
      if (rule.first !== -1 && rule.first !== first) continue;
      if (rule.last !== -1 && rule.last !== last) continue;
      if (isBetter(rule, best, isFolder) && rule.automaton.matches(name)) best = rule;
    }
    if (this.#branch) best = lastOf(this.#branch.children.get(name)?.rules, isFolder, best);
    if (this.#live.length > 0) best = this.#lastLive(name, last, isFolder, best);
    return best && (best.keeps ? "kept" : "ignored");
  }

  #lastLive(
    name: string,
    last: number,
    isFolder: boolean,
    before: Rule | undefined,
  ): Rule | undefined {
    let best = before;
    for (let i = 0; i < this.#live.length; i++) {
      const each = this.#live[i]!;
      const { rule } = each;
      if (rule.last !== -1 && rule.last !== last) continue;
      if (!isBetter(rule, best, isFolder)) continue;
      if (rule.automaton.accepts(this.#after(each, name))) best = rule;
    }
    return best;
  }

  #after({ rule: { automaton }, state, generation }: Live, more: string): number {
    const from = generation === automaton.generation ? state : automaton.run(this.#path);
    return automaton.run(more, from);
  }
}

/** The last of the rules that counts, if it comes after `best`. */
function lastOf(
  rules: readonly Rule[] | undefined,
  isFolder: boolean,
  best: Rule | undefined,
): Rule | undefined {
  if (!rules) return best;
  for (let i = rules.length - 1; i >= 0; i--) {
    const rule = rules[i]!;
    if (best && rule.order < best.order) return best;
    if (isFolder || !rule.foldersOnly) return rule;
  }
  return best;
}

function lastEnding(
  rules: readonly (Rule & { readonly suffix: string })[],
  name: string,
  isFolder: boolean,
  before: Rule | undefined,
): Rule | undefined {
  let best = before;
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!;
    if (isBetter(rule, best, isFolder) && name.endsWith(rule.suffix)) best = rule;
  }
  return best;
}

function lastBeginning(
  rules: readonly (Rule & { readonly prefix: string })[],
  name: string,
  isFolder: boolean,
  before: Rule | undefined,
): Rule | undefined {
  let best = before;
  for (let i = 0; i < rules.length; i++) {
    const rule = rules[i]!;
    if (isBetter(rule, best, isFolder) && name.startsWith(rule.prefix)) best = rule;
  }
  return best;
}

/** What a name must begin and end with to match a pattern, as far as that is plain to see. */
function endsOf(pattern: string): { readonly first: number; readonly last: number } {
  const isPlain = (char: string): boolean => !/[*?[\]\\/]/.test(char);
  const final = pattern.length - 1;
  // What stands before the last character may escape it, which changes nothing, or open a class, which does.
  const isLastPlain = isPlain(pattern[final]!);
  return {
    first: isPlain(pattern[0]!) ? pattern.charCodeAt(0) : -1,
    last: isLastPlain ? pattern.charCodeAt(final) : -1,
  };
}

function isBetter(rule: Rule, best: Rule | undefined, isFolder: boolean): boolean {
  return (best === undefined || rule.order > best.order) && (isFolder || !rule.foldersOnly);
}

function push<K, T>(map: Map<K, T[]>, key: K, value: T): void {
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}

function isSpecial(pattern: string): boolean {
  return /[*?[\\]/.test(pattern);
}

const SLASH = 0x2f;
const noSlash = except(anySymbol, one(SLASH));
const star: Node = {
  kind: "repeat",
  node: { kind: "set", set: noSlash },
  least: 0,
  most: Infinity,
};
const starStar: Node = {
  kind: "repeat",
  node: { kind: "set", set: anySymbol },
  least: 0,
  most: Infinity,
};
const anyFolders: Node = {
  kind: "choice",
  choices: [
    { kind: "all", parts: [] },
    { kind: "all", parts: [starStar, literal("/")] },
  ],
};

/** What git's wildmatch takes the pattern for, its literal beginning taken off: a "**" right after it counts as whole. */
function wildNode(pattern: string): Node {
  const parts: Node[] = [];
  for (let at = 0; at < pattern.length;) {
    const char = pattern[at]!;
    if (char === "*") {
      const before = pattern[at - 1];
      let end = at;
      while (pattern[end] === "*") end++;
      const after = pattern[end];
      const isWhole =
        end - at >= 2 &&
        (at === 0 || before === "/") &&
        (after === undefined || after === "/" || (after === "\\" && pattern[end + 1] === "/"));
      at = end;
      if (!isWhole) parts.push(star);
      else if (after === "/") {
        parts.push(anyFolders);
        at++;
      } else parts.push(starStar);
    } else if (char === "?") {
      parts.push({ kind: "set", set: noSlash });
      at++;
    } else if (char === "[") {
      const parsed = parseClass(pattern, at);
      if (!parsed) return never;
      parts.push({ kind: "set", set: except(parsed.set, one(SLASH)) });
      at = parsed.end;
    } else if (char === "\\") {
      const escaped = pattern[at + 1];
      if (escaped === undefined) return never;
      parts.push(literal(escaped));
      at += 2;
    } else {
      parts.push(literal(char));
      at++;
    }
  }
  return { kind: "all", parts };
}
