// A line diff in bounded time (hashline.md decision 24): common ends off, then Myers' shortest edit path while it is
// short; where it is long, lines that occur once on both sides split the problem; what is left changes in one piece.

import type { LineHunk, LineMap } from "./line-map.ts";

/** Edit paths longer than this are split first. Work and memory of one search grow with its square. */
const LONGEST_PATH = 500;

export function diffLines(before: readonly string[], after: readonly string[]): LineMap {
  const differ = new Differ(...numbered(before, after), "any");
  differ.compare({ aStart: 0, aEnd: before.length, bStart: 0, bEnd: after.length });
  return differ.hunks;
}

/**
 * The two outermost of all shortest edits: the one that keeps the earliest twins and the one that keeps the latest. Where
 * both keep a line at one place, every shortest edit does; where they disagree, which of two twins stayed is not certain.
 */
export function outermostDiffs(
  before: readonly string[],
  after: readonly string[],
): readonly [LineMap, LineMap] {
  const [a, b] = numbered(before, after);
  const box = { aStart: 0, aEnd: before.length, bStart: 0, bEnd: after.length };
  const maps = (["earliest", "latest"] as const).map((twins) => {
    const differ = new Differ(a, b, twins);
    differ.compare(box);
    return differ.hunks;
  });
  return [maps[0]!, maps[1]!];
}

/** Equal lines get equal numbers. */
function numbered(before: readonly string[], after: readonly string[]): [Int32Array, Int32Array] {
  const ids = new Map<string, number>();
  const numbers = (texts: readonly string[]) =>
    Int32Array.from(texts, (text) => {
      let id = ids.get(text);
      if (id === undefined) ids.set(text, (id = ids.size));
      return id;
    });
  return [numbers(before), numbers(after)];
}

interface Box {
  readonly aStart: number;
  readonly aEnd: number;
  readonly bStart: number;
  readonly bEnd: number;
}

class Differ {
  readonly hunks: LineHunk[] = [];
  private readonly a: Int32Array;
  private readonly b: Int32Array;
  private readonly twins: "any" | "earliest" | "latest";

  constructor(a: Int32Array, b: Int32Array, twins: "any" | "earliest" | "latest") {
    this.a = a;
    this.b = b;
    this.twins = twins;
  }

  compare(box: Box): void {
    const { a, b } = this;
    let { aStart, aEnd, bStart, bEnd } = box;
    // Common ends are part of a shortest edit, but not of every one.
    const strip = this.twins === "any";
    while (strip && aStart < aEnd && bStart < bEnd && a[aStart] === b[bStart]) {
      aStart++;
      bStart++;
    }
    while (strip && aStart < aEnd && bStart < bEnd && a[aEnd - 1] === b[bEnd - 1]) {
      aEnd--;
      bEnd--;
    }
    const rest = { aStart, aEnd, bStart, bEnd };
    if (aStart === aEnd && bStart === bEnd) return;
    if (aStart === aEnd || bStart === bEnd) return this.add(rest);
    if (this.shortestPath(rest)) return;
    const anchors = this.uniqueAnchors(rest);
    if (anchors.length === 0) return this.add(rest);
    let from = { a: aStart, b: bStart };
    for (const [x, y] of anchors) {
      this.compare({ aStart: from.a, aEnd: x, bStart: from.b, bEnd: y });
      from = { a: x + 1, b: y + 1 };
    }
    this.compare({ aStart: from.a, aEnd, bStart: from.b, bEnd });
  }

  /** Myers 1986, greedy, with the whole trace kept. False where the path is too long. */
  private shortestPath({ aStart, aEnd, bStart, bEnd }: Box): boolean {
    const { a, b } = this;
    const n = aEnd - aStart;
    const m = bEnd - bStart;
    if (Math.abs(n - m) > LONGEST_PATH) return false;
    const most = Math.min(n + m, LONGEST_PATH);
    const offset = most + 1;
    const furthest = new Int32Array(2 * most + 3);
    const trace: Int32Array[] = [];
    for (let d = 0; d <= most; d++) {
      trace.push(furthest.slice(offset - d - 1, offset + d + 2));
      for (let k = -d; k <= d; k += 2) {
        const down = k === -d || (k !== d && furthest[offset + k - 1]! < furthest[offset + k + 1]!);
        let x = down ? furthest[offset + k + 1]! : furthest[offset + k - 1]! + 1;
        while (x < n && x - k < m && a[aStart + x] === b[bStart + x - k]) x++;
        furthest[offset + k] = x;
        if (x >= n && x - k >= m) {
          const box = { aStart, aEnd, bStart, bEnd };
          if (this.twins === "any") this.addPath(trace, box);
          else this.addOutermostPath(trace, box);
          return true;
        }
      }
    }
    return false;
  }

  /** Walks the trace from the end, then adds the steps from the start. */
  private addPath(trace: readonly Int32Array[], { aStart, aEnd, bStart, bEnd }: Box): void {
    const steps: Box[] = [];
    let x = aEnd - aStart;
    let y = bEnd - bStart;
    for (let d = trace.length - 1; d > 0; d--) {
      const furthest = trace[d]!;
      const at = (k: number) => furthest[k + d + 1]!;
      const k = x - y;
      const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
      const previous = down ? k + 1 : k - 1;
      const px = at(previous);
      const py = px - previous;
      steps.push({
        aStart: aStart + px,
        aEnd: aStart + px + (down ? 0 : 1),
        bStart: bStart + py,
        bEnd: bStart + py + (down ? 1 : 0),
      });
      x = px;
      y = py;
    }
    for (const step of steps.toReversed()) this.add(step);
  }

  /**
   * From the end, a deletion (or an insertion) wherever a shortest edit can have one. A point is within `d` edits of the
   * start exactly when the furthest point of its diagonal with `d` edits lies at or behind it.
   */
  private addOutermostPath(
    trace: readonly Int32Array[],
    { aStart, aEnd, bStart, bEnd }: Box,
  ): void {
    const within = (d: number, x: number, y: number) => {
      const k = x - y;
      // Entry d + 1 of the trace holds what was reached with d edits, diagonal 0 at d + 2.
      return x >= 0 && y >= 0 && Math.abs(k) <= d && trace[d + 1]![k + d + 2]! >= x;
    };
    const steps: Box[] = [];
    let x = aEnd - aStart;
    let y = bEnd - bStart;
    for (let d = trace.length - 1; d > 0;) {
      const deletion = within(d - 1, x - 1, y);
      const insertion = within(d - 1, x, y - 1);
      const same = x > 0 && y > 0 && this.a[aStart + x - 1] === this.b[bStart + y - 1];
      const wanted = this.twins === "earliest" ? deletion : insertion;
      if (!wanted && same) {
        x--;
        y--;
        continue;
      }
      const removes = this.twins === "earliest" ? deletion : !insertion;
      const box = { aStart: aStart + x, aEnd: aStart + x, bStart: bStart + y, bEnd: bStart + y };
      steps.push(removes ? { ...box, aStart: box.aStart - 1 } : { ...box, bStart: box.bStart - 1 });
      if (removes) x--;
      else y--;
      d--;
    }
    for (const step of steps.toReversed()) this.add(step);
  }

  /** Lines that occur once on both sides, in the longest order common to both. */
  private uniqueAnchors({ aStart, aEnd, bStart, bEnd }: Box): [number, number][] {
    const seen = new Map<number, { a: number; inA: number; b: number; inB: number }>();
    for (let i = aStart; i < aEnd; i++) {
      const entry = seen.get(this.a[i]!);
      if (entry) entry.inA++;
      else seen.set(this.a[i]!, { a: i, inA: 1, b: -1, inB: 0 });
    }
    const pairs: [number, number][] = [];
    for (let i = bStart; i < bEnd; i++) {
      const entry = seen.get(this.b[i]!);
      if (!entry) continue;
      entry.inB++;
      entry.b = i;
    }
    for (const { a, inA, b, inB } of seen.values()) if (inA === 1 && inB === 1) pairs.push([a, b]);
    return longestRising(pairs);
  }

  private add({ aStart, aEnd, bStart, bEnd }: Box): void {
    const removed = aEnd - aStart;
    const added = bEnd - bStart;
    const last = this.hunks[this.hunks.length - 1];
    if (last && last.at + last.removed === aStart) {
      this.hunks[this.hunks.length - 1] = {
        at: last.at,
        removed: last.removed + removed,
        added: last.added + added,
      };
    } else {
      this.hunks.push({ at: aStart, removed, added });
    }
  }
}

/** Pairs rise in the first member; picks the longest run that rises in the second too. */
function longestRising(pairs: readonly [number, number][]): [number, number][] {
  const tails: number[] = [];
  const before = new Int32Array(pairs.length).fill(-1);
  pairs.forEach(([, y], i) => {
    let low = 0;
    let high = tails.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (pairs[tails[middle]!]![1] < y) low = middle + 1;
      else high = middle;
    }
    if (low > 0) before[i] = tails[low - 1]!;
    tails[low] = i;
  });
  const result: [number, number][] = [];
  for (let i = tails.length > 0 ? tails[tails.length - 1]! : -1; i >= 0; i = before[i]!)
    result.push(pairs[i]!);
  return result.toReversed();
}
