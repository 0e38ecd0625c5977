// SCSS and Less: statements that end with `;` or a braced block, and the entries of maps and argument lists. No grammar
// at hand knows both languages as they are written today.

import { askedSeldom, type Overdue } from "./deadline.ts";
import type { Range } from "./scanned.ts";

/** So deep may blocks, groups and interpolations stand in each other; deeper ones do not parse. */
const DEEPEST = 500;

/** All constructs up to the first place that does not parse; what is open there is left out. */
export function styleRanges(text: string, overdue: Overdue): Range[] {
  const isLate = askedSeldom(overdue);
  const ranges: Range[] = [];
  let at = 0;
  let depth = 0;
  /** Places so far that do not parse, but do not hide where things end. What holds one is no construct. */
  let doubts = 0;

  function nested(part: () => boolean): boolean {
    if (depth === DEEPEST) return false;
    depth++;
    const isWhole = part();
    depth--;
    return isWhole;
  }

  /** Statements up to a `}` or the text's end. False where something never ends. */
  function statements(): boolean {
    for (;;) {
      if (!skipBlanks()) return false;
      if (at >= text.length || text[at] === "}") return true;
      if (text[at] === ";") at++;
      else if (!statement()) return false;
    }
  }

  function statement(): boolean {
    const start = at;
    const keyword = /^@[\w-]+/.exec(text.slice(at, at + 20))?.[0];
    const doubtsBefore = doubts;
    const end = prelude();
    if (end === undefined) return false;
    if (text[at] !== "{") {
      if (text[at] === ";") at++;
      const range = { start, end: text[at - 1] === ";" ? at : end };
      if (range.end === start) return false;
      if (holdsNext(text.slice(start, range.end))) doubts++;
      if (doubts === doubtsBefore) ranges.push(range);
      return true;
    }
    at++;
    if (!nested(statements) || text[at] !== "}") return false;
    at++;
    if (text[at] === ";") at++;
    let last = at;
    while (keyword === "@if") {
      if (!skipBlanks()) return false;
      if (!text.startsWith("@else", at)) break;
      if (!nested(statement)) return false;
      last = at;
    }
    at = last;
    if (doubts === doubtsBefore) ranges.push({ start, end: last });
    return true;
  }

  /** What stands before `{`, `;` or `}`; the end of its last token. */
  function prelude(): number | undefined {
    let end = at;
    for (;;) {
      if (!skipBlanks()) return undefined;
      const char = text[at];
      if (char === undefined || char === "{" || char === "}" || char === ";") return end;
      if (!token()) return undefined;
      end = at;
    }
  }

  /** One string, group, interpolation or character. */
  function token(): boolean {
    if (isLate()) return false;
    const char = text[at]!;
    if (char === '"' || char === "'") return quoted(char);
    if (char === "(" || char === "[") return nested(() => group(char === "(" ? ")" : "]"));
    if (char === "\\") at += 2;
    else if ((char === "#" || char === "@") && text[at + 1] === "{") return nested(interpolation);
    else if (/^url\((?!\s*["'#])/i.test(text.slice(at, at + 12))) return skipTo(")");
    else if (char === ")" || char === "]") return false;
    else at++;
    return true;
  }

  function quoted(quote: string): boolean {
    for (at++; at < text.length && text[at] !== "\n"; at++) {
      if (text[at] === "\\") at++;
      else if (text[at] === "#" && text[at + 1] === "{") {
        if (!nested(interpolation)) return false;
        at--;
      } else if (text[at] === quote) {
        at++;
        return true;
      }
    }
    return false;
  }

  function group(close: string): boolean {
    at++;
    for (;;) {
      if (!skipBlanks()) return false;
      const start = at;
      let end = at;
      while (at < text.length && text[at] !== "," && text[at] !== close && text[at] !== ";") {
        if (text[at] === "{" ? !detached() : text[at] === "}" || !token()) return false;
        end = at;
        if (!skipBlanks()) return false;
      }
      if (at >= text.length) return false;
      if (end > start) ranges.push({ start, end });
      at++;
      if (text[at - 1] === close) return true;
    }
  }

  /** A block as an argument. */
  function detached(): boolean {
    at++;
    if (!nested(statements) || text[at] !== "}") return false;
    at++;
    return true;
  }

  function interpolation(): boolean {
    at += 2;
    while (at < text.length && text[at] !== "}") if (text[at] === "{" || !token()) return false;
    at++;
    return at <= text.length;
  }

  function skipTo(word: string): boolean {
    const end = text.indexOf(word, at);
    at = end + word.length;
    return end >= 0;
  }

  /** Blanks and comments. False where a comment never ends. */
  function skipBlanks(): boolean {
    for (;;) {
      if (isLate()) return false;
      while (/\s/.test(text[at] ?? "")) at++;
      const start = at;
      if (text.startsWith("//", at)) at = lineEnd(text, at);
      else if (!text.startsWith("/*", at)) return true;
      else {
        at += 2;
        if (!skipTo("*/")) return false;
      }
      ranges.push({ start, end: at, isComment: true });
    }
  }

  statements();
  return ranges;
}

/** Whether a `;` seems forgotten: a later line looks like a declaration of its own. */
function holdsNext(statement: string): boolean {
  const open = statement.indexOf("(");
  const close = statement.lastIndexOf(")");
  const outside =
    open < 0 || close < open ? statement : statement.slice(0, open) + statement.slice(close + 1);
  return /\n[^\S\n]*[\w$@-]+\s*:(?!:)\s/.test(outside);
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
