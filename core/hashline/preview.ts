// What an edit did, as rows that can be anchored on (hashline.md decision 21), and as a unified patch (§15).

import { limits } from "../limits.ts";
import { showEscapes } from "../text/encoding.ts";
import type { LineMap } from "../text/line-map.ts";
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
    for (let i = from; i < first; i++) rows.push(` ${i + 1}:${showEscapes(after.texts[i]!)}`);
    rows.push(
      ...shorten(before.texts.slice(at, at + removed).map((text) => `-${showEscapes(text)}`)),
    );
    rows.push(
      ...shorten(
        after.texts
          .slice(first, first + added)
          .map((text, i) => `*${first + i + 1}:${showEscapes(text)}`),
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
    for (let i = shown; i < to; i++) rows.push(` ${i + 1}:${showEscapes(after.texts[i]!)}`);
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

/** A last line that differs only in having a terminator is a difference too. */
function withFinalTerminator(before: Lines, after: Lines, map: LineMap): LineMap {
  const lastBefore = before.texts.length - 1;
  const lastAfter = after.texts.length - 1;
  if (lastBefore < 0 || lastAfter < 0) return map;
  const changed = (before.ends[lastBefore] === "") !== (after.ends[lastAfter] === "");
  const last = map[map.length - 1];
  if (!changed) return keepUnterminated(before, map);
  if (last && last.at + last.removed > lastBefore) return map;
  if (last && last.at + last.removed === lastBefore) {
    return [...map.slice(0, -1), { at: last.at, removed: last.removed + 1, added: last.added + 1 }];
  }
  return [...map, { at: lastBefore, removed: 1, added: 1 }];
}

/** Rows that follow an unterminated last line, or that make one, change that line's row in a patch. */
function keepUnterminated(before: Lines, map: LineMap): LineMap {
  const last = map[map.length - 1];
  const lastBefore = before.texts.length - 1;
  if (!last || before.ends[lastBefore] !== "") return map;
  if (last.at === before.texts.length) {
    // Appended: the old last line gains a terminator.
    const joined = { at: lastBefore, removed: 1, added: last.added + 1 };
    const previous = map[map.length - 2];
    if (previous && previous.at + previous.removed === lastBefore) {
      const merged = {
        at: previous.at,
        removed: previous.removed + 1,
        added: previous.added + joined.added,
      };
      return [...map.slice(0, -2), merged];
    }
    return [...map.slice(0, -1), joined];
  }
  if (last.at + last.removed === before.texts.length && last.added === 0 && last.at > 0) {
    // Cut off: the line above becomes the last and loses its terminator.
    return [...map.slice(0, -1), { at: last.at - 1, removed: last.removed + 1, added: 1 }];
  }
  return map;
}

/** 1 + the leading lines, terminators included, that both texts share. */
export function firstChangedLine(before: Lines, after: Lines): number {
  let line = 0;
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
