// Sections: a heading and what it heads. The grammar nests sections by one of the two kinds of headings only.

import type { Tree } from "web-tree-sitter";

import { askedSeldom, type Overdue } from "./deadline.ts";
import type { Sections } from "./rules.ts";

/** Last rows of sections by the row of their heading, counted from zero. Blank lines at the end are no part. */
export function sectionsOf(
  tree: Tree,
  { within, headings, ranks }: Sections,
  lines: readonly string[],
  overdue: Overdue,
): ReadonlyMap<number, number> {
  const isLate = askedSeldom(overdue);
  const ends = new Map<number, number>();
  const open: { readonly row: number; readonly rank: number }[] = [];

  function closeFrom(rank: number, next: number): void {
    let end = next - 1;
    while (end > 0 && lines[end]?.trim() === "") end--;
    while ((open.at(-1)?.rank ?? 0) >= rank) ends.set(open.pop()!.row, end);
  }

  const cursor = tree.walk();
  try {
    for (;;) {
      if (isLate()) return ends;
      if (within.includes(cursor.nodeType) && cursor.gotoFirstChild()) continue;
      const { row } = cursor.startPosition;
      const rank = headingRank();
      if (rank !== undefined) {
        closeFrom(rank, row);
        open.push({ row, rank });
      }
      while (!cursor.gotoNextSibling()) {
        if (cursor.gotoParent()) continue;
        closeFrom(1, lines.length);
        return ends;
      }
    }
  } finally {
    cursor.delete();
  }

  function headingRank(): number | undefined {
    if (!headings.includes(cursor.nodeType) || !cursor.gotoFirstChild()) return undefined;
    let rank: number | undefined;
    do rank ??= ranks[cursor.nodeType];
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
    return rank;
  }
}
