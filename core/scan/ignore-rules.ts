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

interface PathRule extends Rule {
  readonly automaton: Automaton;
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
  /** By the whole name, by what follows the last dot, and by the last or first character. */
  readonly #names = new Map<string, Rule[]>();
  readonly #extensions = new Map<string, Rule[]>();
  readonly #suffixes: (Rule & { readonly suffix: string })[] = [];
  readonly #prefixes = new Map<string, (Rule & { readonly prefix: string })[]>();
  readonly #others: PathRule[] = [];
  readonly #paths: Branch = { rules: [], children: new Map() };
  readonly #wildPaths: PathRule[] = [];
  #count = 0;
  #namesOnly: RulesHere | undefined;

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
    if (!isSpecial(pattern)) push(this.#names, pattern, rule);
    else if (pattern.startsWith("*") && !isSpecial(pattern.slice(1))) {
      const suffix = pattern.slice(1);
      if (/^\.[^.]+$/.test(suffix)) push(this.#extensions, suffix.slice(1), rule);
      else this.#suffixes.push({ ...rule, suffix });
    } else if (pattern.endsWith("*") && !isSpecial(pattern.slice(0, -1))) {
      const prefix = pattern.slice(0, -1);
      push(this.#prefixes, prefix[0]!, { ...rule, prefix });
    } else {
      // Without a slash in the text, "**" is no more than "*".
      this.#others.push({ ...rule, automaton: new Automaton(wildNode(pattern)) });
    }
  }

  #addPath(pattern: string, rule: Rule): void {
    if (isSpecial(pattern)) {
      const special = pattern.search(/[*?[\\]/);
      const node: Node = {
        kind: "all",
        parts: [literal(pattern.slice(0, special)), wildNode(pattern.slice(special))],
      };
      this.#wildPaths.push({ ...rule, automaton: new Automaton(node) });
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
    const live = this.#wildPaths.map((rule) => ({ rule, state: rule.automaton.start }));
    return this.#at(this.#paths, live, "");
  }

  #at(branch: Branch | undefined, live: readonly Live[], path: string): RulesHere {
    const isSpent = live.length === 0 && (branch === undefined || branch.children.size === 0);
    if (isSpent) return (this.#namesOnly ??= this.#namesAlone());
    return {
      verdict: (name, isFolder) => this.#verdict(branch, live, path, name, isFolder),
      enter: (name) => {
        const below = `${path}${name}/`;
        return this.#at(
          branch?.children.get(name),
          live.flatMap((each) => {
            const state = stateAfter(each, path, `${name}/`);
            return state.state === DEAD ? [] : [state];
          }),
          below,
        );
      },
    };
  }

  /** From here on, and in all that lies below, no rule about paths can match. */
  #namesAlone(): RulesHere {
    const here: RulesHere = {
      verdict: (name, isFolder) => this.#verdict(undefined, [], "", name, isFolder),
      enter: () => here,
    };
    return here;
  }

  #verdict(
    branch: Branch | undefined,
    live: readonly Live[],
    path: string,
    name: string,
    isFolder: boolean,
  ): Verdict {
    let best: Rule | undefined;
    const consider = (rules: readonly Rule[] | undefined): void => {
      if (!rules) return;
      for (let i = rules.length - 1; i >= 0; i--) {
        const rule = rules[i]!;
        if (best && rule.order < best.order) return;
        if (isFolder || !rule.foldersOnly) return void (best = rule);
      }
    };
    consider(this.#names.get(name));
    if (this.#extensions.size > 0) {
      const dot = name.lastIndexOf(".");
      if (dot !== -1) consider(this.#extensions.get(name.slice(dot + 1)));
    }
    for (const rule of this.#suffixes) {
      if (isBetter(rule, best, isFolder) && name.endsWith(rule.suffix)) best = rule;
    }
    if (this.#prefixes.size > 0) {
      for (const rule of this.#prefixes.get(name[0]!) ?? []) {
        if (isBetter(rule, best, isFolder) && name.startsWith(rule.prefix)) best = rule;
      }
    }
    for (const rule of this.#others) {
      if (isBetter(rule, best, isFolder) && rule.automaton.matches(name)) best = rule;
    }
    consider(branch?.children.get(name)?.rules);
    for (const each of live) {
      if (!isBetter(each.rule, best, isFolder)) continue;
      const { state } = stateAfter(each, path, name);
      if (each.rule.automaton.accepts(state)) best = each.rule;
    }
    return best && (best.keeps ? "kept" : "ignored");
  }
}

/** A rule with wildcards, after the path that led here. */
interface Live {
  readonly rule: PathRule;
  readonly state: number;
  readonly generation?: number;
}

function stateAfter(
  { rule, state, generation = 1 }: Live,
  path: string,
  more: string,
): Required<Live> {
  const { automaton } = rule;
  const from = generation === automaton.generation ? state : automaton.run(path);
  const after = automaton.run(more, from);
  return { rule, state: after, generation: automaton.generation };
}

function isBetter(rule: Rule, best: Rule | undefined, isFolder: boolean): boolean {
  return (best === undefined || rule.order > best.order) && (isFolder || !rule.foldersOnly);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
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
