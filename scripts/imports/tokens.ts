// Splits TypeScript into tokens: enough to tell code from comments, strings, templates and regular expressions.

export interface Token {
  readonly kind: "name" | "punctuation" | "string" | "template" | "number" | "regex";
  /** As written; of a string only what is between its quotes. */
  readonly text: string;
  /** 1-based. */
  readonly line: number;
  /** The first token of its line. */
  readonly first: boolean;
}

const space = /(?:\s|\/\/.*|\/\*[^]*?\*\/|#!.*)+/y;
const name = /[\p{ID_Start}$_#][\p{ID_Continue}$\u200c\u200d]*/uy;
const number = /(?:\d|\.\d)[\w.]*/y;
const string = /"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'/y;
const regex = /\/(?:[^/\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+\/\w*/y;
const templatePart = /(?:[^`\\$]|\\[^]|\$(?!\{))*(?:`|\$\{)/y;
const punctuation = /\.\.\.|\?\.(?!\d)|=>|\+\+|--|[^]/y;

/** A slash after one of these begins a regular expression, as it does after most punctuation. */
const beforeOperand = new Set(
  "await case delete do else in instanceof new of return throw typeof void yield".split(" "),
);

/** @throws {SyntaxError} where a string, template or comment does not end: better than a scan that has lost its place. */
export function tokenize(source: string): readonly Token[] {
  const tokens: Token[] = [];
  /** For each open template hole, the braces open inside it. */
  const holes: number[] = [];
  let at = 0;
  let line = 1;
  let lastLine = 0;

  function match(pattern: RegExp): string | undefined {
    pattern.lastIndex = at;
    const found = pattern.exec(source);
    if (!found) return undefined;
    at = pattern.lastIndex;
    return found[0];
  }

  function push(kind: Token["kind"], text: string, raw = text): void {
    tokens.push({ kind, text, line, first: line !== lastLine });
    line += raw.split("\n").length - 1;
    lastLine = line;
  }

  function template(): void {
    const part = match(templatePart);
    if (part === undefined) throw new SyntaxError(`line ${line}: this template does not end`);
    push("template", part);
    if (part.endsWith("${")) holes.push(0);
  }

  while (at < source.length) {
    const skipped = match(space);
    if (skipped !== undefined) {
      line += skipped.split("\n").length - 1;
      continue;
    }
    const char = source[at];
    if (char === "`") {
      at += 1;
      template();
      continue;
    }
    if (char === '"' || char === "'") {
      const raw = match(string);
      if (raw === undefined) throw new SyntaxError(`line ${line}: this string does not end`);
      push("string", raw.slice(1, -1), raw);
      continue;
    }
    if (char === "/" && source[at + 1] === "*") {
      throw new SyntaxError(`line ${line}: this comment does not end`);
    }
    if (char === "/" && operandMayFollow(tokens)) {
      const raw = match(regex);
      if (raw !== undefined) {
        push("regex", raw);
        continue;
      }
    }
    const word = match(name);
    if (word !== undefined) {
      push("name", word);
      continue;
    }
    const digits = match(number);
    if (digits !== undefined) {
      push("number", digits);
      continue;
    }
    const sign = match(punctuation)!;
    const depth = holes.at(-1);
    if (depth !== undefined && sign === "{") holes[holes.length - 1] = depth + 1;
    if (depth !== undefined && sign === "}") {
      if (depth === 0) {
        holes.pop();
        template();
        continue;
      }
      holes[holes.length - 1] = depth - 1;
    }
    push("punctuation", sign);
  }
  if (holes.length > 0) throw new SyntaxError(`line ${line}: this template does not end`);
  return tokens;
}

function operandMayFollow(tokens: readonly Token[]): boolean {
  const last = tokens.at(-1);
  if (last === undefined) return true;
  if (last.kind === "name") return beforeOperand.has(last.text);
  if (last.kind === "template") return last.text.endsWith("${");
  if (last.kind !== "punctuation") return false;
  // After a value, `!` says that it is there: `count! / 2`.
  if (last.text === "!") return operandMayFollow(tokens.slice(-2, -1));
  return ![")", "]", "}", "++", "--"].includes(last.text);
}
