// A plan made for the tagged text, carried over to what the file holds now; or refused (hashline.md decisions 9 to 11).
// Positions come from line maps, never from a search for matching text, so that a twin elsewhere is never a target.

import { limits } from "../limits.ts";
import { outermostDiffs } from "../text/diff.ts";
import type { LineMap } from "../text/line-map.ts";
import type { Step } from "./plan.ts";

/**
 * Every touched line and `recoveryContext` lines around it must stand unchanged and in one piece, and at one place
 * in every shortest edit that leads from base to live. Undefined: not provable.
 */
export function carryByDiff(
  steps: readonly Step[],
  base: readonly string[],
  live: readonly string[],
): Step[] | undefined {
  const maps = outermostDiffs(base, live);
  const carried: Step[] = [];
  for (const step of steps) {
    if (step.kind === "head" || step.kind === "tail") {
      carried.push(step);
      continue;
    }
    const [from, to] =
      step.kind === "insert" ? [step.after, step.after] : [step.start - 1, step.end];
    const first = Math.max(0, from - limits.recoveryContext);
    const last = Math.min(base.length, to + limits.recoveryContext);
    const shifts = maps.map((map) => shiftOf(map, first, last));
    const shift = shifts[0];
    if (shift === undefined || shifts[1] !== shift) return undefined;
    carried.push(moved(step, shift));
  }
  return carried;
}

/**
 * Along this session's own edits every position is known exactly, at any distance: only a line that the plan deletes or
 * anchors on must not have been changed by them.
 */
export function carryAlong(
  steps: readonly Step[],
  maps: readonly LineMap[],
  count: number,
): Step[] | undefined {
  let current: readonly Step[] = steps;
  let lines = count;
  for (const map of maps) {
    const next: Step[] = [];
    for (const step of current) {
      const carried = carryOne(step, map, lines);
      if (!carried) return undefined;
      next.push(...carried);
    }
    current = next;
    lines = map.reduce((sum, hunk) => sum + hunk.added - hunk.removed, lines);
  }
  return [...current];
}

function carryOne(step: Step, map: LineMap, count: number): Step[] | undefined {
  if (step.kind === "head" || step.kind === "tail") return [step];
  if (step.kind === "insert") {
    const anchor = step.side === "after" && step.after > 0 ? step.after : step.after + 1;
    if (anchor <= count && lineAfter(map, anchor) === undefined) return undefined;
    return [{ ...step, after: gapAfter(map, step.after) }];
  }
  if (step.end < step.start) {
    const gap = gapAfter(map, step.start - 1);
    return [{ kind: "insert", after: gap, side: "before", rows: step.rows }];
  }
  const pieces: { start: number; end: number }[] = [];
  for (let line = step.start; line <= step.end; line++) {
    const now = lineAfter(map, line);
    if (now === undefined) return undefined;
    const last = pieces[pieces.length - 1];
    if (last && last.end === now - 1) last.end = now;
    else pieces.push({ start: now, end: now });
  }
  return pieces.map((piece, i) => ({ kind: "replace", ...piece, rows: i === 0 ? step.rows : [] }));
}

/** Where a line that stayed stands now; undefined where it was changed or deleted. */
function lineAfter(map: LineMap, line: number): number | undefined {
  let shift = 0;
  for (const { at, removed, added } of map) {
    if (at >= line) break;
    if (at + removed >= line) return undefined;
    shift += added - removed;
  }
  return line + shift;
}

/** Rows for a gap that already got rows land after those. The anchor beside the gap is known to be unchanged. */
function gapAfter(map: LineMap, after: number): number {
  let shift = 0;
  for (const { at, removed, added } of map) {
    if (at > after || (at === after && removed > 0)) break;
    shift += added - removed;
  }
  return after + shift;
}

/** How far base lines `first`..`last` (0-based, end exclusive) moved as one unchanged piece. */
function shiftOf(map: LineMap, first: number, last: number): number | undefined {
  if (first === last) return map.length === 0 ? 0 : undefined;
  let shift = 0;
  for (const { at, removed, added } of map) {
    if (at >= last) break;
    if (at + removed > first) return undefined;
    shift += added - removed;
  }
  return shift;
}

function moved<T extends Step>(step: T, shift: number): Step {
  if (step.kind === "insert") return { ...step, after: step.after + shift };
  if (step.kind === "replace") return { ...step, start: step.start + shift, end: step.end + shift };
  return step;
}
