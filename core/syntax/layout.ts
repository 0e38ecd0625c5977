// Blocks by braces or indentation, for languages without a grammar. Answers only what braces and indentation both say.

import type { BlockSpan } from "../hashline/blocks.ts";

/** A line that opens with one of these belongs to what is above it, or closes it. */
const goesWithAbove =
  /^([)\]}>]|<\/|(end|fi|done|esac|od|else|elif|elsif|elseif|catch|rescue|ensure|finally|except|then|do|begin|until|loop|next|wend)(?![\w-]))/i;

const comment = /^(#|\/\/|\/\*|\*|--|;|%|<!--|rem\b|")/i;

/** @param row counted from zero */
export function spanByLayout(lines: readonly string[], row: number): BlockSpan | undefined {
  const line = lines[row];
  if (line === undefined || line.trim() === "") return undefined;
  const text = line.trim();
  if (goesWithAbove.test(text) || comment.test(text)) return undefined;
  return byBraces(lines, row) ?? byIndentation(lines, row);
}

function byBraces(lines: readonly string[], row: number): BlockSpan | undefined {
  const indent = indentOf(lines[row]!);
  const opener = lines[row]!.trimEnd().endsWith("{") ? row : row + 1;
  if (opener !== row && lines[opener]?.trim() !== "{") return undefined;
  if (indentOf(lines[opener]!) !== indent) return undefined;
  let depth = 0;
  for (let at = opener; at < lines.length; at++) {
    const line = lines[at]!;
    const before = depth;
    const change = balance(line);
    if (change === undefined) return undefined;
    depth += change;
    if (at === opener && depth !== 1) return undefined;
    if (at > opener && line.trim() !== "") {
      const closes = depth === 0 && before === 1 && /^\s*\}[;,)\]]*\s*$/.test(line);
      if (closes && indentOf(line) === indent) {
        const continues = /[,)\]]\s*$/.test(line);
        return { start: row + 1, end: at + 1, continues, by: "braces" };
      }
      if (depth < 1 || !isDeeper(indentOf(line), indent)) return undefined;
    }
  }
  return undefined;
}

function byIndentation(lines: readonly string[], row: number): BlockSpan | undefined {
  const line = lines[row]!;
  if (/[{([]\s*$/.test(line) || balance(line) !== 0) return undefined;
  const indent = indentOf(line);
  let end = row;
  for (let at = row + 1; at < lines.length; at++) {
    const next = lines[at]!;
    if (next.trim() === "") continue;
    if (isDeeper(indentOf(next), indent)) {
      end = at;
      continue;
    }
    // Neither deeper nor the same nor back at an outer level: tabs and spaces that cannot be compared.
    if (!indent.startsWith(indentOf(next)) || goesWithAbove.test(next.trim())) return undefined;
    break;
  }
  return end === row
    ? undefined
    : { start: row + 1, end: end + 1, continues: false, by: "indentation" };
}

/** Opening less closing braces outside quotes and comments; undefined where the quotes of a line do not close. */
function balance(line: string): number | undefined {
  let depth = 0;
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!;
    if (char === "{") depth++;
    else if (char === "}") depth--;
    else if (char === "\\") i++;
    else if (startsComment(line, i)) return depth;
    else if (line.startsWith("/*", i)) {
      const end = line.indexOf("*/", i + 2);
      if (end < 0) return undefined;
      i = end + 1;
    } else if (char === '"' || char === "`" || (char === "'" && !/\w/.test(line[i - 1] ?? ""))) {
      const end = closingQuote(line, i);
      if (end < 0) return undefined;
      i = end;
    }
  }
  return depth;
}

function startsComment(line: string, at: number): boolean {
  if (at > 0 && !/\s/.test(line[at - 1]!)) return false;
  return line[at] === "#" || line.startsWith("//", at) || line.startsWith("--", at);
}

function closingQuote(line: string, open: number): number {
  for (let i = open + 1; i < line.length; i++) {
    if (line[i] === "\\") i++;
    else if (line[i] === line[open]) return i;
  }
  return -1;
}

function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)![0];
}

function isDeeper(indent: string, than: string): boolean {
  return indent.length > than.length && indent.startsWith(than);
}
