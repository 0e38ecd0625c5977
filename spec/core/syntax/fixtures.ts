// Files of spec/fixtures/syntax: in front of each line of code the span of the construct that begins there.
//   .     none begins there          =    the line itself          3-6  lines 3 to 6
//   +     the last line goes on past the construct
//   !     what stands around it needs it: without it the file has more syntax errors than before

import { readdirSync, readFileSync } from "node:fs";

import { packageGrammars } from "../../../adapters/shared/grammars.ts";
import type { BlockSpan, SpanLookup } from "../../../core/hashline/blocks.ts";
import { createBlockResolver } from "../../../core/syntax/resolve.ts";

export interface Fixture {
  /** The file's name without ".spans"; its language follows from it. */
  readonly name: string;
  readonly lines: readonly string[];
  /** One per line, as written in the fixture. */
  readonly marks: readonly string[];
}

const folder = new URL("../../fixtures/syntax/", import.meta.url);

export const fixtures: readonly Fixture[] = readdirSync(folder)
  .sort()
  .map((file) => {
    const rows = readFileSync(new URL(file, folder), "utf8").replace(/\n$/, "").split("\n");
    return {
      name: file.replace(/\.spans$/, ""),
      lines: rows.map((row) => row.slice(row.indexOf("|") + 1)),
      marks: rows.map((row) => row.slice(0, row.indexOf("|")).trim()),
    };
  });

export const grammars = packageGrammars();

export const resolver = createBlockResolver({
  grammars,
  clock: { now: () => 0, sleep: async () => {} },
});

/** Where the clock stands still, nothing is overdue. */
export function inTime(span: ReturnType<SpanLookup>): BlockSpan | undefined {
  if (typeof span === "string")
    throw new Error(`A lookup was ${span}, although the clock stood still.`);
  return span;
}

/** A span in the fixtures' way of writing, without "!". */
export function mark(span: BlockSpan | undefined, line: number): string {
  if (span === undefined) return ".";
  const own = span.start === line && span.end === line;
  return (own ? "=" : `${span.start}-${span.end}`) + (span.continues ? "+" : "");
}

/** Spans of every line of a text, in the fixtures' way of writing. */
export async function marksOf(path: string, text: string): Promise<string[]> {
  const spanAt = await resolver.open(path, text);
  return text
    .replace(/\n$/, "")
    .split("\n")
    .map((_, i) => mark(inTime(spanAt(i + 1)), i + 1));
}
