// Where the rows of an `insert after` land, by their indentation (hashline.md §13).

import { isCloserLine } from "./balance.ts";
import type { LineHunk } from "./hunk.ts";
import { warning } from "./messages.ts";

type InsertAfter = Extract<LineHunk, { readonly anchor: number }>;

export interface Landing {
  readonly after: number;
  readonly warning?: string;
}

export function moveLanding(
  hunk: InsertAfter,
  rows: readonly string[],
  texts: readonly string[],
  hunks: readonly LineHunk[],
): Landing {
  const stay = { after: hunk.anchor };
  const indent = bodyIndent(rows);
  if (indent === undefined) return stay;
  const named = (line: number) => hunks.some((other) => other !== hunk && names(other, line));
  return outward(hunk.anchor, indent, texts, named) ?? inward(hunk, indent, texts, named) ?? stay;
}

function outward(
  anchor: number,
  indent: string,
  texts: readonly string[],
  named: (line: number) => boolean,
): Landing | undefined {
  const anchorText = texts[anchor - 1]!;
  if (anchorText.trim() === "" || !isDeeper(indentOf(anchorText), indent)) return undefined;
  let landing = anchor;
  let crossed = 0;
  for (let line = anchor + 1; line <= texts.length; line++) {
    const text = texts[line - 1]!;
    if (text.trim() === "") continue;
    const closerIndent = indentOf(text);
    if (!isCloserLine(text) || !closerIndent.startsWith(indent)) break;
    if (named(line)) return undefined;
    landing = line;
    crossed++;
    if (closerIndent === indent) break;
  }
  if (crossed === 0) return undefined;
  return { after: landing, warning: warning.landedFurtherOut(anchor, crossed, landing) };
}

/** Rows deeper than the closer of the block they follow belong inside it. */
function inward(
  hunk: InsertAfter,
  indent: string,
  texts: readonly string[],
  named: (line: number) => boolean,
): Landing | undefined {
  const { block } = hunk;
  if (!block) return undefined;
  const closer = block.end;
  const closerText = texts[closer - 1]!;
  if (!isCloserLine(closerText) || !isDeeper(indent, indentOf(closerText))) return undefined;
  let landing = closer;
  for (let line = closer; line > block.start; line--) {
    const text = texts[line - 1]!;
    if (text.trim() !== "") {
      if (!isCloserLine(text) || !isDeeper(indent, indentOf(text))) break;
      if (named(line)) return undefined;
    }
    landing = line - 1;
  }
  return { after: landing, warning: warning.landedInside(block.asked, closer, landing) };
}

function names(hunk: LineHunk, line: number): boolean {
  if ("end" in hunk) return hunk.start <= line && line <= hunk.end;
  return "anchor" in hunk && hunk.anchor === line;
}

/** The shortest indentation of the rows that say something; none where rows are all blank, all closers or mixed. */
function bodyIndent(rows: readonly string[]): string | undefined {
  const spoken = rows.filter((row) => row.trim() !== "");
  if (spoken.every(isCloserLine)) return undefined;
  const indents = spoken.map(indentOf);
  const shortest = indents.reduce((a, b) => (b.length < a.length ? b : a));
  return indents.every((indent) => indent.startsWith(shortest)) ? shortest : undefined;
}

function indentOf(text: string): string {
  return /^[ \t]*/.exec(text)![0];
}

function isDeeper(a: string, b: string): boolean {
  return a.length > b.length && a.startsWith(b);
}
