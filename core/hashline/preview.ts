// What an edit did, as rows that can be anchored on (hashline.md decision 21), and as a unified patch (§15).

import { limits } from "../limits.ts";
import { showShort } from "../text/encoding.ts";
import type { LineHunk, LineMap } from "../text/line-map.ts";
import { normalizedText, type Lines } from "../text/lines.ts";

/** Context ` N:text` and added `*N:text` rows carry new numbers; removed rows are `-text`. */
export function previewRows(before: Lines, after: Lines, map: LineMap): string {
  const rows: string[] = [];
  let shown = 0;
  let shift = 0;
  for (const { at, removed, added } of map) {
    const first = at + shift;
    const from = Math.max(shown, first - limits.previewContext);
    if (rows.length > 0 && from > shown) rows.push("…");
    for (let i = from; i < first; i++) rows.push(` ${i + 1}:${showShort(after.texts[i]!)}`);
    rows.push(
      ...shorten(before.texts.slice(at, at + removed).map((text) => `-${showShort(text)}`)),
    );
    rows.push(
      ...shorten(
        after.texts
          .slice(first, first + added)
          .map((text, i) => `*${first + i + 1}:${showShort(text)}`),
      ),
    );
    shift += added - removed;
    shown = first + added;
    const next = map.find((hunk) => hunk.at > at);
    const to = Math.min(
      after.texts.length,
      shown + limits.previewContext,
      next ? next.at + shift : Infinity,
    );
    for (let i = shown; i < to; i++) rows.push(` ${i + 1}:${showShort(after.texts[i]!)}`);
    shown = to;
  }
  if (rows.length <= limits.previewRows) return rows.join("\n");
  return [...rows.slice(0, limits.previewRows - 1), "…"].join("\n");
}

const LONGEST_RUN = 12;

/** A long run shows its first and last rows around `…`. */
function shorten(rows: readonly string[]): readonly string[] {
  if (rows.length <= LONGEST_RUN) return rows;
  const half = LONGEST_RUN / 2;
  return [...rows.slice(0, half), "…", ...rows.slice(rows.length - half)];
}

/** Unified, 4 context lines, LF, the same path on both sides; empty where nothing differs. */
export function unifiedPatch(path: string, before: Lines, after: Lines, map: LineMap): string {
  const hunks = withFinalTerminator(before, after, map);
  if (hunks.length === 0) return "";
  const parts = [`--- ${path}\n+++ ${path}\n`];
  let shift = 0;
  for (let i = 0; i < hunks.length;) {
    let j = i + 1;
    while (
      j < hunks.length &&
      hunks[j]!.at - (hunks[j - 1]!.at + hunks[j - 1]!.removed) <= 2 * limits.patchContext
    )
      j++;
    const group = hunks.slice(i, j);
    const first = group[0]!;
    const last = group[group.length - 1]!;
    const from = Math.max(0, first.at - limits.patchContext);
    const to = Math.min(before.texts.length, last.at + last.removed + limits.patchContext);
    const growth = group.reduce((sum, hunk) => sum + hunk.added - hunk.removed, 0);
    parts.push(`@@ -${span(from, to - from)} +${span(from + shift, to - from + growth)} @@\n`);
    let line = from;
    let moved = shift;
    for (const { at, removed, added } of group) {
      for (; line < at; line++) parts.push(patchRow(" ", before, line));
      for (; line < at + removed; line++) parts.push(patchRow("-", before, line));
      for (let k = 0; k < added; k++) parts.push(patchRow("+", after, at + moved + k));
      moved += added - removed;
    }
    for (; line < to; line++) parts.push(patchRow(" ", before, line));
    shift += growth;
    i = j;
  }
  return parts.join("");
}

function span(index: number, count: number): string {
  return `${count === 0 ? index : index + 1},${count}`;
}

function patchRow(sign: string, lines: Lines, index: number): string {
  const row = `${sign}${lines.texts[index]!}\n`;
  return lines.ends[index] === "" ? `${row}\\ No newline at end of file\n` : row;
}

/** A kept line that gains or loses its terminator, as only a last one can, is a difference of a patch too. */
function withFinalTerminator(before: Lines, after: Lines, map: LineMap): LineMap {
  let hunks: readonly LineHunk[] = map;
  const last = [before.texts.length - 1, keptFrom(map, after.texts.length - 1)];
  for (const line of new Set(last)) {
    if (line === undefined || line < 0) continue;
    const now = keptAs(map, line);
    if (now === undefined || (before.ends[line] === "") === (after.ends[now] === "")) continue;
    hunks = [...hunks, { at: line, removed: 1, added: 1 }];
  }
  return hunks === map ? map : joined(hunks);
}

/** The index that a kept line has afterwards; undefined where it was not kept. */
function keptAs(map: LineMap, line: number): number | undefined {
  let shift = 0;
  for (const { at, removed, added } of map) {
    if (at > line) break;
    if (at + removed > line) return undefined;
    shift += added - removed;
  }
  return line + shift;
}

/** The index that a line of the new text had before; undefined where it is new. */
function keptFrom(map: LineMap, line: number): number | undefined {
  let shift = 0;
  for (const { at, removed, added } of map) {
    if (at + shift > line) break;
    if (at + shift + added > line) return undefined;
    shift += added - removed;
  }
  return line - shift;
}

/** In order, and as one where they touch. */
function joined(hunks: readonly LineHunk[]): LineMap {
  const all: LineHunk[] = [];
  for (const hunk of hunks.toSorted((a, b) => a.at - b.at || a.removed - b.removed)) {
    const last = all.at(-1);
    if (last && last.at + last.removed >= hunk.at) {
      all[all.length - 1] = {
        at: last.at,
        removed: last.removed + hunk.removed,
        added: last.added + hunk.added,
      };
    } else {
      all.push(hunk);
    }
  }
  return all;
}

/**
 * 1 + the leading lines, terminators included, that both texts share.
 * @param known so many are known to be
 */
export function firstChangedLine(before: Lines, after: Lines, known = 0): number {
  let line = known;
  const shared = Math.min(before.texts.length, after.texts.length);
  while (
    line < shared &&
    before.texts[line] === after.texts[line] &&
    (before.ends[line] === "") === (after.ends[line] === "")
  ) {
    line++;
  }
  return line + 1;
}

export function sameText(before: Lines, after: Lines): boolean {
  return normalizedText(before) === normalizedText(after);
}
