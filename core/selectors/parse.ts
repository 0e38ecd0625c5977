// What a target may mean, as plain data. The disk decides between the readings, in core/resources/open.ts.

import { AtomicError } from "../errors.ts";
import {
  grepRange,
  isBareLine,
  type LineRange,
  looksLikeRanges,
  parseRanges,
} from "../text/ranges.ts";

export interface PathReading {
  readonly path: string;
  /** What was taken off the end, in the order it was written: "raw", "conflicts", "cell:N", line ranges. Not yet validated. */
  readonly modifiers: readonly string[];
}

export type Selector =
  SchemeSelector | { readonly kind: "path"; readonly readings: readonly PathReading[] };

/** Addressed by a URL. */
export interface SchemeSelector {
  readonly kind: "scheme";
  /** In lower case. */
  readonly scheme: string;
  /** What follows "://". */
  readonly rest: string;
}

export interface Modifiers {
  readonly raw: boolean;
  /** Only the regions that a merge left marked. */
  readonly conflicts?: true;
  /** The cell of a notebook, from 0; only where one was named. */
  readonly cell?: number;
  /** Undefined: the whole text. */
  readonly ranges: readonly LineRange[] | undefined;
}

/** In the order of precedence (tools.md §2.2): the first kind that knows the target wins. */
export function parseSelector(target: string): Selector {
  return scheme(target) ?? { kind: "path", readings: pathReadings(target) };
}

/** No selector has as many; what has is part of a name. Each is another question to the disk. */
const MOST_MODIFIERS = 8;

/** The target itself first, then with one modifier fewer at its end each time. */
export function pathReadings(target: string): readonly PathReading[] {
  const readings: PathReading[] = [{ path: target, modifiers: [] }];
  for (;;) {
    if (readings.length > MOST_MODIFIERS) return readings;
    const { path: rest, modifiers } = readings.at(-1)!;
    const colon = rest.lastIndexOf(":");
    if (colon < 1) return readings;
    const modifier = rest.slice(colon + 1);
    const [number, ...others] = modifiers;
    if (/^cell$/i.test(modifier) && number !== undefined && /^\d+$/.test(number)) {
      readings.push({ path: rest.slice(0, colon), modifiers: [`cell:${number}`, ...others] });
      continue;
    }
    if (!isRaw(modifier) && !isConflicts(modifier) && !looksLikeRanges(modifier)) return readings;
    readings.push({ path: rest.slice(0, colon), modifiers: [modifier, ...modifiers] });
  }
}

/** @throws AtomicError `selector.line` */
export function readModifiers(modifiers: readonly string[]): Modifiers {
  const asked: Pick<Modifiers, "raw" | "conflicts"> = {
    raw: modifiers.some(isRaw),
    ...(modifiers.some(isConflicts) && { conflicts: true }),
  };
  const cells = modifiers.filter(isCell);
  const ranges = modifiers.filter(
    (modifier) => !isRaw(modifier) && !isConflicts(modifier) && !isCell(modifier),
  );
  if (cells.length > 0) {
    const cell = oneCell(cells, asked.conflicts ? ["conflicts", ...ranges] : ranges, modifiers);
    return { ...asked, ranges: undefined, cell };
  }
  const [first, second, ...others] = ranges;
  if (first === undefined) return { ...asked, ranges: undefined };
  if (second === undefined) return { ...asked, ranges: parseRanges(first) };
  if (others.length === 0 && isBareLine(first) && isBareLine(second)) {
    return { ...asked, ranges: [grepRange(first, second)] };
  }
  throw new AtomicError(
    "selector.line",
    `Bad line selector ":${modifiers.join(":")}": it names lines ${ranges.length} times. Put all ranges into one list, as in :5-9,20-25.`,
    { data: { selector: modifiers.join(":") } },
  );
}

/** "http:/x" is what remains of a URL after a path function has been over it; "file:" is a path. */
function scheme(target: string): SchemeSelector | undefined {
  const match = /^(?:(https?):\/\/?|([a-z][a-z\d+.-]+):\/\/)/i.exec(target);
  const name = (match?.[1] ?? match?.[2])?.toLowerCase();
  if (name === undefined || name === "file") return undefined;
  return { kind: "scheme", scheme: name, rest: target.slice(match![0].length) };
}

function oneCell(
  [cell, another]: readonly string[],
  ranges: readonly string[],
  modifiers: readonly string[],
): number {
  const number = Number(cell!.slice("cell:".length));
  if (another === undefined && ranges.length === 0 && Number.isSafeInteger(number)) return number;
  const problem =
    another !== undefined
      ? "it names a cell twice"
      : ranges[0] === "conflicts"
        ? "it names a cell and conflicts; ask for one of them"
        : ranges.length > 0
          ? "it names a cell and lines; the rows of a cell carry the numbers of the whole notebook, so lines alone do"
          : "the number is too large";
  const selector = modifiers.join(":");
  throw new AtomicError("selector.line", `Bad cell selector ":${selector}": ${problem}.`, {
    data: { selector },
  });
}

function isCell(modifier: string): boolean {
  return modifier.startsWith("cell:");
}

function isConflicts(modifier: string): boolean {
  return /^conflicts$/i.test(modifier);
}

function isRaw(modifier: string): boolean {
  return /^raw$/i.test(modifier);
}
