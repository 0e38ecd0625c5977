// What a source file imports, and which host globals it uses.

import { type Token, tokenize } from "./tokens.ts";

export interface ImportUse {
  /** Undefined where it is only known at run time. */
  readonly specifier: string | undefined;
  readonly typeOnly: boolean;
  /** `import(…)`. */
  readonly lazy: boolean;
  readonly line: number;
}

export interface GlobalUse {
  /** Such as "fetch" or "Date.now". */
  readonly name: string;
  readonly line: number;
}

/** Static and dynamic imports, re-exports and `import("…")` types, in the order of the file. */
export function scanImports(source: string): readonly ImportUse[] {
  const tokens = tokenize(source);
  const found: ImportUse[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== "name" || isMember(tokens, i)) continue;
    const next = tokens[i + 1];
    if (next === undefined || isKey(tokens, i)) continue;
    const { line } = token;
    if (token.text === "import") {
      if (next.text === ".") continue; // import.meta
      if (next.kind === "punctuation" && next.text === "(") {
        const argument = tokens[i + 2];
        const literal = argument?.kind === "string" && /^[),]$/.test(tokens[i + 3]?.text ?? "");
        found.push({
          specifier: literal ? argument.text : undefined,
          typeOnly: false,
          lazy: true,
          line,
        });
      } else if (next.kind === "string") {
        found.push({ specifier: next.text, typeOnly: false, lazy: false, line });
      } else {
        found.push({ ...fromClause(tokens, i + 1), line });
      }
    } else if (token.text === "export") {
      const opener = tokens[i + (next.text === "type" ? 2 : 1)];
      if (opener?.text !== "{" && opener?.text !== "*") continue;
      const clause = fromClause(tokens, i + 1);
      if (clause.specifier !== undefined) found.push({ ...clause, line });
    }
  }
  return found;
}

/** The clause of an `import` or `export` ends at `from "…"`; an export of local names has no such end. */
function fromClause(tokens: readonly Token[], start: number): Omit<ImportUse, "line"> {
  const after = tokens[start + 1];
  // `import type from "…"` imports a thing called type.
  const typeOnly = tokens[start]?.text === "type" && after?.text !== "from" && after?.text !== ",";
  for (let i = start; i < tokens.length; i += 1) {
    const token = tokens[i]!;
    const next = tokens[i + 1];
    if (token.text === "from" && next?.kind === "string") {
      return { specifier: next.text, typeOnly, lazy: false };
    }
    if (token.text === ";" || (token.text === "}" && next?.text !== "from")) break;
  }
  return { specifier: undefined, typeOnly, lazy: false };
}

/**
 * Uses of the given names as globals: not in comments, strings or templates, nor as the name of a property or method.
 * A binding of the same name counts as a use of the global: core has no need of such a name, and a reader would trip.
 * @param names "fetch", or "Date.now" for one member of a global.
 */
export function scanGlobals(source: string, names: ReadonlySet<string>): readonly GlobalUse[] {
  const tokens = tokenize(source);
  const found: GlobalUse[] = [];
  for (const [i, token] of tokens.entries()) {
    if (token.kind !== "name" || isMember(tokens, i) || isKey(tokens, i)) continue;
    const member = memberOf(tokens, i);
    const name = [token.text, `${token.text}.${member}`].find((each) => names.has(each));
    if (name !== undefined) found.push({ name, line: token.line });
    else if (names.has("new Date()") && token.text === "Date" && readsClock(tokens, i)) {
      found.push({ name: "new Date()", line: token.line });
    }
  }
  return found;
}

function isMember(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1]?.text;
  return before === "." || before === "?.";
}

/** `Date.now`, `Date?.now` and `Date["now"]`. */
function memberOf(tokens: readonly Token[], i: number): string | undefined {
  const [sign, second, third] = tokens.slice(i + 1, i + 4);
  if (sign?.text === "[" && second?.kind === "string") return second.text;
  if (sign?.text === "?." && second?.text === "[" && third?.kind === "string") return third.text;
  return sign?.text === "." || sign?.text === "?." ? second?.text : undefined;
}

/** `new Date()`, `new Date` and `Date()`, but not `new Date(milliseconds)`. */
function readsClock(tokens: readonly Token[], i: number): boolean {
  const [next, second] = tokens.slice(i + 1, i + 3);
  const constructs = tokens[i - 1]?.text === "new";
  if (next?.text === "(") return !constructs || second?.text === ")";
  return constructs;
}

/** `name:` in an object or a type, and `name(…) {` or `name(…): Type` as a method. */
function isKey(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  const begins =
    before === undefined ||
    tokens[i]!.first ||
    /^(?:[{},;*]|async|get|set|readonly|static|public|private|protected)$/.test(before.text);
  if (
    !begins ||
    (before !== undefined && before.kind !== "name" && before.kind !== "punctuation")
  ) {
    return false;
  }
  // At the start of a line the middle of a conditional or a call is no key: `? fetch` and `(` come before.
  if (/^[?:(=]$|^=>$/.test(before?.text ?? "")) return false;
  const sign = tokens[i + 1]?.text === "?" ? i + 2 : i + 1;
  if (tokens[sign]?.text === ":") return true;
  if (tokens[sign]?.text !== "(") return false;
  const after = tokens[closing(tokens, sign) + 1]?.text;
  return after === "{" || after === ":";
}

function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i += 1) {
    const { kind, text } = tokens[i]!;
    if (kind !== "punctuation") continue;
    if (text === "(") depth += 1;
    if (text === ")") depth -= 1;
    if (depth === 0) return i;
  }
  return tokens.length;
}
