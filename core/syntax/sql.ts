// SQL has too many dialects for one grammar. What they share is the statement: from its first word to its semicolon.
// Where dialects read the same characters differently, and the statement's end hangs on it, nothing further resolves.

import { askedSeldom, type Overdue } from "./deadline.ts";
import type { Range } from "./scanned.ts";

/**
 * First words of statements that hold others, whose semicolons are not theirs, or that change what ends a statement.
 * Safe only when the body is dollar-quoted.
 */
const holdsOthers =
  /^(create|alter|replace) (or (replace|alter) )?(definer ?=.{1,200}? )?(editionable |noneditionable |temp\w* |constraint )*(function|procedure|proc|trigger|package|event|type body) |^(declare|if|while|loop|for|delimiter|set term|execute block) |^begin (?!transaction|tran|work|deferred|immediate|exclusive|;)|^do (?!\$)/;

/** So many words decide what a statement is. */
const FIRST_WORDS = 16;

/** Statements with their semicolon, and the comments between them, up to where nobody can tell. */
export function sqlRanges(text: string, overdue: Overdue): Range[] {
  const isLate = askedSeldom(overdue);
  const nextBracket = finder(text, /\]/g);
  const nextHazard = finder(text, /['"`;]/g);
  const ranges: Range[] = [];
  let at = 0;
  let statement: { start: number; words: string[]; isDollarQuoted: boolean } | undefined;
  let depth = 0;
  let line = lineFrom(text, 0);

  /** Takes what is at `at`. False where nobody can tell what it is. */
  function take(): boolean {
    const char = text[at]!;
    switch (char) {
      case ";":
        at++;
        return endStatement();
      case "'":
      case '"':
      case "`":
        return code(closingQuote(text, at));
      case "$":
        return dollar();
      case "[":
        return bracket();
      case "(":
      case ")":
        depth += char === "(" ? 1 : -1;
        return code(at + 1);
      case "-":
        return text[at + 1] === "-" ? comment(line.end) : code(at + 1);
      case "/":
        if (text[at + 1] === "*") return comment(closingComment(text, at));
        return isAlone(/^\/$/) ? separator() : code(at + 1);
      case "#":
        return isHarmless() && code(at + 1);
      case "\\":
        // A command of psql, such as \connect, is a line.
        return statement === undefined ? separator() : code(at + 1);
      default:
        word.lastIndex = at;
        word.exec(text);
        return word.lastIndex - at === 2 && isAlone(/^go( \d+)?$/i)
          ? separator()
          : code(word.lastIndex);
    }
  }

  function code(end: number | undefined, isDollarQuoted = false): boolean {
    if (end === undefined) return false;
    statement ??= { start: at, words: [], isDollarQuoted: false };
    if (statement.words.length < FIRST_WORDS) {
      statement.words.push(text.slice(at, Math.min(end, at + 100)).toLowerCase());
    }
    statement.isDollarQuoted ||= isDollarQuoted;
    at = end;
    return true;
  }

  function comment(end: number | undefined): boolean {
    if (end === undefined) return false;
    ranges.push({ start: at, end, isComment: true });
    at = end;
    return true;
  }

  /** A line that ends a batch: what stands before it without a semicolon is no statement that ends with one. */
  function separator(): boolean {
    statement = undefined;
    depth = 0;
    at = line.end;
    return true;
  }

  function endStatement(): boolean {
    if (depth !== 0) return false;
    if (statement === undefined) return true;
    const { start, words, isDollarQuoted } = statement;
    // From here on a semicolon may belong to a statement inside; where that ends, no dialect-free rule says.
    if (holdsOthers.test(`${words.join(" ")} ; `) && !isDollarQuoted) return false;
    if (
      words[0] === "copy" &&
      /\bfrom\s+stdin\b/i.test(text.slice(Math.max(start, at - 200), at))
    ) {
      // The rows of a dump follow, up to a line with \. alone.
      const rows = /\n\\\.[^\S\n]*(?=\n|$)/g;
      rows.lastIndex = at;
      if (rows.exec(text) === null) return false;
      at = rows.lastIndex;
    }
    ranges.push({ start, end: at });
    statement = undefined;
    return true;
  }

  /** `$tag$ … $tag$`, and a dollar sign in a name or before a number. */
  function dollar(): boolean {
    tag.lastIndex = at;
    const open = /\w/.test(text[at - 1] ?? "") ? undefined : tag.exec(text)?.[0];
    if (open === undefined) return code(at + 1);
    const close = text.indexOf(open, at + open.length);
    return close >= 0 && code(close + open.length, true);
  }

  /** A name in brackets, which may hold anything, or a subscript, which may hold strings. */
  function bracket(): boolean {
    const close = nextBracket(at);
    if (close >= line.end) return code(at + 1);
    const inside = text.slice(at + 1, close);
    if (!/['"`]/.test(inside)) return code(close + 1);
    // Both readings must come out behind the bracket.
    return /^[^'"`;]*(?:'[^'\\]*'[^'"`;]*)*$/.test(inside) && code(close + 1);
  }

  /** Whether it does not matter that `#` begins a comment in one dialect and is an operator in another. */
  function isHarmless(): boolean {
    const follows = text[at + 1] ?? "\n";
    return (at !== line.first && /\S/.test(follows)) || nextHazard(at) >= line.end;
  }

  function isAlone(pattern: RegExp): boolean {
    return (
      at === line.first && line.end - at < 100 && pattern.test(text.slice(at, line.end).trim())
    );
  }

  for (;;) {
    blanks.lastIndex = at;
    blanks.exec(text);
    at = blanks.lastIndex;
    while (line.end < at) line = lineFrom(text, line.end + 1);
    if (at >= text.length || isLate() || !take()) return ranges;
  }
}

const blanks = /\s*/y;
const indent = /[^\S\n]*/y;
const word = /[^\s;'"`$/[()#\\-]+/y;
const tag = /\$(?:[A-Za-z_]\w*)?\$/y;

interface Line {
  /** Of its first character that is not blank. */
  readonly first: number;
  readonly end: number;
}

function lineFrom(text: string, start: number): Line {
  const end = text.indexOf("\n", start);
  indent.lastIndex = start;
  indent.exec(text);
  return { first: indent.lastIndex, end: end < 0 ? text.length : end };
}

/** The next match at or behind a place, or the text's end; asked with growing places, so that it looks once. */
function finder(text: string, pattern: RegExp): (from: number) => number {
  let found = -1;
  return (from) => {
    if (found < from) {
      pattern.lastIndex = from;
      found = pattern.exec(text)?.index ?? text.length;
    }
    return found;
  };
}

/** Behind the closing quote. Undefined where there is none, or a backslash makes it doubtful. */
function closingQuote(text: string, open: number): number | undefined {
  const quote = text[open]!;
  for (let at = open + 1; ; at += 2) {
    at = text.indexOf(quote, at);
    if (at < 0) return undefined;
    let first = at;
    while (text[first - 1] === "\\") first--;
    if ((at - first) % 2 === 1) return undefined;
    if (text[at + 1] !== quote) return at + 1;
  }
}

/** Some dialects nest comments: one that could be nested is no comment that anybody can tell the end of. */
function closingComment(text: string, open: number): number | undefined {
  const close = text.indexOf("*/", open + 2);
  if (close < 0) return undefined;
  const nested = text.slice(open + 2, close).includes("/*");
  return nested ? undefined : close + 2;
}
