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
  /** What was taken off the end, in the order it was written: "raw", line ranges. Not yet validated. */
  readonly modifiers: readonly string[];
}

/** `scheme`: addressed by a URL, with its scheme in lower case. */
export type Selector =
  | { readonly kind: "scheme"; readonly scheme: string }
  | { readonly kind: "path"; readonly readings: readonly PathReading[] };

export interface Modifiers {
  readonly raw: boolean;
  /** Undefined: the whole text. */
  readonly ranges: readonly LineRange[] | undefined;
}

/** In the order of precedence (tools.md §2.2): the first kind that knows the target wins. */
export function parseSelector(target: string): Selector {
  return scheme(target) ?? { kind: "path", readings: pathReadings(target) };
}

/** The target itself first, then with one modifier fewer at its end each time. */
export function pathReadings(target: string): readonly PathReading[] {
  const readings: PathReading[] = [{ path: target, modifiers: [] }];
  for (;;) {
    const { path: rest, modifiers } = readings.at(-1)!;
    const colon = rest.lastIndexOf(":");
    if (colon < 1) return readings;
    const modifier = rest.slice(colon + 1);
    if (!isRaw(modifier) && !looksLikeRanges(modifier)) return readings;
    readings.push({ path: rest.slice(0, colon), modifiers: [modifier, ...modifiers] });
  }
}

/** @throws AtomicError `selector.line` */
export function readModifiers(modifiers: readonly string[]): Modifiers {
  const raw = modifiers.some(isRaw);
  const ranges = modifiers.filter((modifier) => !isRaw(modifier));
  const [first, second, ...others] = ranges;
  if (first === undefined) return { raw, ranges: undefined };
  if (second === undefined) return { raw, ranges: parseRanges(first) };
  if (others.length === 0 && isBareLine(first) && isBareLine(second)) {
    return { raw, ranges: [grepRange(first, second)] };
  }
  throw new AtomicError(
    "selector.line",
    `Bad line selector ":${modifiers.join(":")}": it names lines ${ranges.length} times. Put all ranges into one list, as in :5-9,20-25.`,
    { data: { selector: modifiers.join(":") } },
  );
}

/** "http:/x" is what remains of a URL after a path function has been over it; "file:" is a path. */
function scheme(target: string): Selector | undefined {
  const match = /^(?:(https?):\/|([a-z][a-z\d+.-]+):\/\/)/i.exec(target);
  const name = (match?.[1] ?? match?.[2])?.toLowerCase();
  return name === undefined || name === "file" ? undefined : { kind: "scheme", scheme: name };
}

function isRaw(modifier: string): boolean {
  return /^raw$/i.test(modifier);
}
