// Places in a text as language servers give them: lines and UTF-16 columns from 0.

import { HelperFailure } from "./helper.ts";

export interface Position {
  readonly line: number;
  readonly character: number;
}

/** 1-based; columns count characters (code points), as an editor's cursor does. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

export interface TextEdit {
  readonly range: { readonly start: Position; readonly end: Position };
  readonly newText: string;
}

/** A text by its lines, which end at LF, CRLF and CR alike. */
export interface Positions {
  /** A place beyond a line's end is that end, beyond the text's its end; undefined for what is no position. */
  offset(position: unknown): number | undefined;
  place(offset: number): Place;
}

export function positionsIn(text: string): Positions {
  const starts = [0];
  for (const { index, 0: end } of text.matchAll(/\r\n?|\n/g)) starts.push(index + end.length);
  function endOfLine(line: number): number {
    const next = starts[line + 1];
    if (next === undefined) return text.length;
    return text[next - 1] === "\n" && text[next - 2] === "\r" ? next - 2 : next - 1;
  }
  return {
    offset(position) {
      const { line, character } = (position ?? {}) as Partial<Record<keyof Position, unknown>>;
      if (!isCount(line) || !isCount(character)) return undefined;
      const start = starts[line];
      if (start === undefined) return text.length;
      return Math.min(start + character, endOfLine(line));
    },
    place(offset) {
      let low = 0;
      let high = starts.length - 1;
      while (low < high) {
        const middle = Math.ceil((low + high) / 2);
        if (starts[middle]! <= offset) low = middle;
        else high = middle - 1;
      }
      const before = text.slice(starts[low], offset);
      return { line: low + 1, column: [...before].length + 1 };
    },
  };
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/**
 * The text with all edits, which speak of it as it was. Several insertions at one place keep their order.
 * @throws HelperFailure where they overlap or are none
 */
export function applyTextEdits(text: string, edits: readonly unknown[]): string {
  const positions = positionsIn(text);
  const spans = edits.map((edit) => {
    const { range, newText } = (edit ?? {}) as Partial<Record<keyof TextEdit, unknown>>;
    const { start, end } = (range ?? {}) as Partial<Record<"start" | "end", unknown>>;
    const from = positions.offset(start);
    const to = positions.offset(end);
    if (from === undefined || to === undefined || from > to || typeof newText !== "string") {
      throw new HelperFailure("the server answered with what is no edit");
    }
    return { from, to, newText };
  });
  const parts: string[] = [];
  let at = 0;
  for (const { from, to, newText } of spans.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    if (from < at) throw new HelperFailure("the server's edits overlap");
    parts.push(text.slice(at, from), newText);
    at = to;
  }
  return parts.join("") + text.slice(at);
}
