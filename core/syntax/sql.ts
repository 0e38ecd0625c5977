// SQL has too many dialects for one grammar. What they share is the statement: from its first word to its semicolon.

import type { BlockSpan, SpanLookup } from "../hashline/blocks.ts";

/** Statements that hold others, whose semicolons are not theirs; safe only when their body is dollar-quoted. */
const holdsOthers =
  /^(create|alter|replace)\s+(or\s+(replace|alter)\s+)?(definer\s*=\s*\S+\s+)?(editionable\s+|temp\w*\s+|constraint\s+)*(function|procedure|proc|trigger|package|event|type\s+body)\b|^(begin(\s*$|\s+(?!transaction|tran|work|deferred|immediate|exclusive|;))|declare|if|while|loop|for|do(?!\s+\$))\b/i;

interface Token {
  readonly kind: "comment" | "end" | "code";
  readonly start: number;
  readonly end: number;
}

/** A lookup over one text. Statements without a semicolon at their end, and all after them, resolve nothing. */
export function sqlSpans(lines: readonly string[]): SpanLookup {
  let spans: ReadonlyMap<number, BlockSpan> | undefined;
  return (line) => (spans ??= statements(lines)).get(line);
}

function statements(lines: readonly string[]): Map<number, BlockSpan> {
  const text = lines.join("\n");
  const rowOf = rowFinder(lines);
  const spans = new Map<number, BlockSpan>();
  const put = (start: number, end: number, trusted: boolean) => {
    const first = rowOf(start);
    const last = rowOf(end - 1);
    const lineStart = text.lastIndexOf("\n", start - 1) + 1;
    if (!trusted || text.slice(lineStart, start).trim() !== "" || spans.has(first + 1)) return;
    const rest = (text.slice(end).split("\n", 1)[0] ?? "").trim();
    const continues = rest !== "" && !rest.startsWith("--");
    spans.set(first + 1, { start: first + 1, end: last + 1, continues, by: "syntax" });
  };
  let start: number | undefined;
  for (const token of tokens(text)) {
    if (token === undefined) break;
    if (token.kind === "comment") {
      if (start === undefined) put(token.start, token.end, true);
    } else if (token.kind === "code") start ??= token.start;
    else if (start !== undefined) {
      const statement = text.slice(start, token.end);
      // From here on a semicolon may belong to a statement inside; where that ends, no dialect-free rule says.
      if (holdsOthers.test(statement) && !/\$\w*\$/.test(statement)) return spans;
      put(start, token.end, true);
      start = undefined;
    }
  }
  return spans;
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

function rowFinder(lines: readonly string[]): (offset: number) => number {
  const ends: number[] = [];
  let at = 0;
  for (const line of lines) ends.push((at += line.length + 1));
  return (offset) => {
    let low = 0;
    let high = ends.length - 1;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (ends[middle]! > offset) high = middle;
      else low = middle + 1;
    }
    return low;
  };
}
