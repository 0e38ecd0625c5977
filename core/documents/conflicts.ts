// Regions that a merge left marked in a text (seed 000, "Conflict resolution and file writes"; tools.md §10).

import { AtomicError } from "../errors.ts";
import type { Lines, Terminator } from "../text/lines.ts";

/** Line numbers from 1, as `last` inclusive; `markers` are the lines of the markers themselves. */
export interface Conflict {
  readonly first: number;
  readonly last: number;
  readonly markers: {
    /** Undefined: the conflict has no base section. */
    readonly base: number | undefined;
    readonly separator: number;
  };
  /** Another line could be the separator, so nobody can tell where "ours" ends. */
  readonly ambiguous: boolean;
}

/** A conflict as it was when it was numbered. */
export interface NumberedConflict {
  /** Real path. */
  readonly path: string;
  /** Lines from 1, both inclusive. */
  readonly first: number;
  readonly last: number;
  /** SHA-256 of its lines. */
  readonly hash: string;
  /** It has been replaced by this session. Absent: no. */
  readonly resolved?: boolean;
}

export type Side = "ours" | "theirs" | "base";

/**
 * A marker is exactly seven characters at the start of a line, then a blank or the line's end: a heading underlined with
 * eight "=" is none. An opening marker inside a region begins anew there.
 */
export function findConflicts(texts: readonly string[]): readonly Conflict[] {
  const found: Conflict[] = [];
  let open: { first: number; base?: number; separator?: number; ambiguous: boolean } | undefined;
  for (const [i, text] of texts.entries()) {
    const line = i + 1;
    const kind = markerOf(text);
    if (kind === undefined) continue;
    if (kind === "<") {
      open = { first: line, ambiguous: false };
    } else if (!open) {
      continue;
    } else if (kind === "|") {
      if (open.separator === undefined) open.base ??= line;
    } else if (kind === "=") {
      if (open.separator === undefined) open.separator = line;
      else open.ambiguous = true;
    } else {
      const { first, base, separator, ambiguous } = open;
      if (separator !== undefined) {
        found.push({ first, last: line, markers: { base, separator }, ambiguous });
      }
      open = undefined;
    }
  }
  return found;
}

/** The lines of one side, `first` > `last` where it has none; undefined: there is no base. */
export function sideOf(
  { first, last, markers: { base, separator } }: Conflict,
  side: Side,
): { readonly first: number; readonly last: number } | undefined {
  if (side === "ours") return { first: first + 1, last: (base ?? separator) - 1 };
  if (side === "theirs") return { first: separator + 1, last: last - 1 };
  return base === undefined ? undefined : { first: base + 1, last: separator - 1 };
}

/** Whether a content asks for a side by name, so that it needs to be known where the sides lie. */
export function namesSide(content: string): boolean {
  return rowsOf(content).some((row) => tokens.has(row.trim()));
}

/**
 * The text with one conflict replaced. A row of the content that is `@ours`, `@theirs`, `@base` or `@both` stands for that
 * side's lines, byte for byte; every other row is text and ends as the region's lines do. One final terminator of the
 * content is dropped; an empty content removes the region.
 * @throws AtomicError `conflict.no_base`
 */
export function resolveConflict(lines: Lines, conflict: Conflict, content: string): Lines {
  const texts: string[] = [];
  const ends: Terminator[] = [];
  const start = conflict.first - 1;
  const usual = lines.ends[start]!;
  for (const row of rowsOf(content)) {
    const sides = tokens.get(row.trim());
    if (!sides) {
      texts.push(row);
      ends.push(usual);
      continue;
    }
    for (const side of sides) {
      const span = sideOf(conflict, side);
      if (!span) throw noBase(conflict);
      texts.push(...lines.texts.slice(span.first - 1, span.last));
      ends.push(...lines.ends.slice(span.first - 1, span.last));
    }
  }
  // A file that ends without a terminator goes on doing so.
  if (lines.ends[conflict.last - 1] === "" && ends.length > 0) ends[ends.length - 1] = "";
  return {
    texts: [...lines.texts.slice(0, start), ...texts, ...lines.texts.slice(conflict.last)],
    ends: [...lines.ends.slice(0, start), ...ends, ...lines.ends.slice(conflict.last)],
  };
}

const tokens: ReadonlyMap<string, readonly Side[]> = new Map([
  ["@ours", ["ours"]],
  ["@theirs", ["theirs"]],
  ["@base", ["base"]],
  ["@both", ["ours", "theirs"]],
]);

function rowsOf(content: string): readonly string[] {
  return content === "" ? [] : content.replace(/\r?\n$/, "").split(/\r?\n/);
}

type MarkerKind = "<" | "|" | "=" | ">";

function markerOf(text: string): MarkerKind | undefined {
  const kind = text[0];
  if (kind !== "<" && kind !== "|" && kind !== "=" && kind !== ">") return undefined;
  for (let i = 1; i < 7; i++) if (text[i] !== kind) return undefined;
  return text.length === 7 || text[7] === " " ? kind : undefined;
}

function noBase({ first, last }: Conflict): AtomicError {
  return new AtomicError(
    "conflict.no_base",
    `The conflict on lines ${first}-${last} has no base section, so @base stands for nothing. Nothing was written.`,
    { data: { first, last } },
  );
}
