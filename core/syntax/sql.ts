// SQL has too many dialects for one grammar. What they share is the statement: from its first word to its semicolon.

import type { Range } from "./scanned.ts";

/** Statements that hold others, whose semicolons are not theirs; safe only when their body is dollar-quoted. */
const holdsOthers =
  /^(create|alter|replace)\s+(or\s+(replace|alter)\s+)?(definer\s*=\s*\S+\s+)?(editionable\s+|temp\w*\s+|constraint\s+)*(function|procedure|proc|trigger|package|event|type\s+body)\b|^(begin(\s*$|\s+(?!transaction|tran|work|deferred|immediate|exclusive|;))|declare|if|while|loop|for|do(?!\s+\$))\b/i;

interface Token {
  readonly kind: "comment" | "end" | "code";
  readonly start: number;
  readonly end: number;
}

/** Statements with their semicolon, and the comments between them, up to where nobody can tell. */
export function sqlRanges(text: string): Range[] {
  const ranges: Range[] = [];
  let start: number | undefined;
  for (const token of tokens(text)) {
    if (token === undefined) break;
    if (token.kind === "comment") {
      ranges.push({ start: token.start, end: token.end, isComment: true });
    } else if (token.kind === "code") start ??= token.start;
    else if (start !== undefined) {
      const statement = text.slice(start, token.end);
      // From here on a semicolon may belong to a statement inside; where that ends, no dialect-free rule says.
      if (holdsOthers.test(statement) && !/\$\w*\$/.test(statement)) break;
      ranges.push({ start, end: token.end });
      start = undefined;
    }
  }
  return ranges;
}

/** Yields undefined where a quote or comment never ends. */
function* tokens(text: string): Generator<Token | undefined> {
  const next =
    /--[^\n]*|\/\*|'(?:[^']|'')*'|"(?:[^"]|"")*"|`[^`]*`|\[[^\]\n]*\]|\$(?:[A-Za-z_]\w*)?\$|;|['"`]|[^\s;'"`$/[-]+|\S/g;
  for (let match = next.exec(text); match !== null; match = next.exec(text)) {
    const start = match.index;
    const lexeme = match[0];
    if (lexeme.startsWith("--")) yield { kind: "comment", start, end: next.lastIndex };
    else if (lexeme === ";") yield { kind: "end", start, end: next.lastIndex };
    else if (
      lexeme === "/*" ||
      (lexeme.length > 1 && lexeme.startsWith("$") && lexeme.endsWith("$"))
    ) {
      const close = lexeme === "/*" ? "*/" : lexeme;
      const end = text.indexOf(close, next.lastIndex);
      if (end < 0) return yield undefined;
      next.lastIndex = end + close.length;
      yield { kind: lexeme === "/*" ? "comment" : "code", start, end: next.lastIndex };
    } else if (/^['"`]$/.test(lexeme)) return yield undefined;
    else yield { kind: "code", start, end: next.lastIndex };
  }
}
