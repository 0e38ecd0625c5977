// A file that is too large to be edited, searched window by window: neither its size nor its lines are held in memory.

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import type { Bytes } from "../ports/bytes.ts";
import type { OpenedFile } from "../ports/fs.ts";
import { cutRow } from "../scan/hits.ts";
import {
  afterLine,
  countTerminators,
  type LineMatcher,
  lineEnd,
  PatternTooSlow,
} from "../scan/match-lines.ts";
import { isBinary } from "../scan/scan-files.ts";
import { fromStored, showEscapes } from "../text/encoding.ts";
import type { LineRange } from "../text/ranges.ts";
import { formatSize } from "../text/size.ts";
import { readFailure, vanished } from "./file-errors.ts";
import type { TargetPorts } from "./resource.ts";
import type { SearchedText, TextRow } from "./searched-text.ts";

export interface LargeFile {
  readonly path: string;
  readonly display: string;
  readonly matcher: LineMatcher;
  readonly ranges: readonly LineRange[] | undefined;
}

/** Hits whose surroundings are kept. */
const KEPT = limits.searchSingleHits;
/** Windows after which others get their turn. */
const TURN = 32;

/** @throws AtomicError `file.unreadable`, `file.not_found`, `search.regex` for a pattern that spans lines */
export async function searchLargeFile(
  { path, display, matcher, ranges }: LargeFile,
  { fs, bytes, clock }: Pick<TargetPorts, "fs" | "bytes" | "clock">,
  signal: AbortSignal,
): Promise<SearchedText> {
  if (matcher.spansLines) {
    throw new AtomicError(
      "search.regex",
      `The pattern speaks of line ends, and ${showName(display)} is larger than ${formatSize(limits.editableFile)}: it is searched line by line only.`,
      { data: { path: display } },
    );
  }
  let file: OpenedFile | undefined;
  try {
    file = await fs.open(path);
  } catch (thrown) {
    throw readFailure(display, thrown);
  }
  if (!file) throw vanished(display);
  const search = new LargeSearch(matcher, ranges, bytes);
  try {
    let buffer = new Uint8Array(limits.searchFirstWindow);
    for (let offset = 0, windows = 1; offset < file.size; windows++) {
      signal.throwIfAborted();
      if (windows % TURN === 0) await clock.sleep(0, signal);
      const length = await file.readInto(offset, buffer);
      if (length === 0) break;
      const window = buffer.subarray(0, length);
      const isLast = offset + length >= file.size;
      const isCut = !isLast && wholeLines(window) === undefined;
      if (isCut && buffer.length < limits.searchWindow) {
        buffer = new Uint8Array(limits.searchWindow);
        continue;
      }
      offset += search.take(window, isLast);
    }
  } catch (thrown) {
    if (!(thrown instanceof PatternTooSlow)) throw readFailure(display, thrown);
    search.problem = `The pattern timed out on ${showName(display)}`;
  } finally {
    await file.close();
  }
  const tagless = `${showName(display)} is larger than ${formatSize(limits.editableFile)}: shown without a tag, so it cannot be edited`;
  return {
    display,
    isLabelled: false,
    hits: search.hits,
    seen: undefined,
    notice: [search.problem, tagless].filter(Boolean).join(". "),
    rows: (most, context) => search.rows(most, context),
  };
}

class LargeSearch {
  readonly hits: number[] = [];
  problem: string | undefined;
  readonly #matcher: LineMatcher;
  readonly #bytes: Pick<Bytes, "indexOf">;
  readonly #ranges: readonly LineRange[] | undefined;
  readonly #lines = new Map<number, string>();
  /** Lines before the window. */
  #passed = 0;
  #isBinary = false;
  /** The last lines of the window before, for the context of hits at the beginning of the next. */
  #before: readonly string[] = [];
  #owed = 0;

  constructor(
    matcher: LineMatcher,
    ranges: readonly LineRange[] | undefined,
    bytes: Pick<Bytes, "indexOf">,
  ) {
    this.#matcher = matcher;
    this.#bytes = bytes;
    this.#ranges = ranges;
  }

  /** @returns how much of the window was used: up to the end of its last whole line */
  take(window: Uint8Array, isLast: boolean): number {
    const used = isLast ? window.length : (wholeLines(window) ?? window.length);
    const text = window.subarray(0, used);
    this.#isBinary ||= isBinary(text, this.#bytes);
    if (this.#isBinary) {
      this.problem = "It is a binary file";
      return used;
    }
    let from = 0;
    let line = this.#passed + 1;
    this.#payContext(text);
    this.#matcher.lines(text, (start) => {
      line += countTerminators(text, from, start);
      from = start;
      if (
        this.#ranges?.some(({ first, last }) => line >= first && line <= (last ?? line)) === false
      ) {
        return true;
      }
      this.hits.push(line);
      if (this.hits.length <= KEPT) this.#keep(text, start, line);
      return true;
    });
    this.#passed += countTerminators(text, 0, text.length);
    this.#before = lastLines(text, limits.searchContext);
    return used;
  }

  rows(most: number, { before, after }: { readonly before: number; readonly after: number }) {
    const all = new Set(this.hits);
    const rows: TextRow[] = [];
    let next = 1;
    let cut = 0;
    for (const hit of this.hits.slice(0, Math.min(most, KEPT))) {
      for (let line = Math.max(next, hit - before, 1); line <= hit + after; line++) {
        const text = this.#lines.get(line);
        if (text === undefined) continue;
        const row = cutRow(text, limits.searchRow);
        if (row.isCut) cut++;
        rows.push({ line, isHit: all.has(line), text: row.text });
      }
      next = Math.max(next, hit + after + 1);
    }
    return { rows, cut };
  }

  #keep(text: Uint8Array, start: number, line: number): void {
    const most = limits.searchContext;
    let at = start;
    for (let i = 0; i <= most && at < text.length; i++) {
      const end = lineEnd(text, at);
      this.#lines.set(line + i, shown(text, at, end));
      at = afterLine(text, end);
      this.#owed = most - i;
    }
    let last = start;
    for (let i = 1; i <= most; i++) {
      if (last === 0) {
        const older = this.#before.at(-(i - (line - this.#passed - 1)));
        if (older === undefined || i <= line - this.#passed - 1) break;
        this.#lines.set(line - i, older);
        continue;
      }
      const end = text[last - 1] === 0x0a && text[last - 2] === 0x0d ? last - 2 : last - 1;
      let begin = end;
      while (begin > 0 && text[begin - 1] !== 0x0a && text[begin - 1] !== 0x0d) begin--;
      if (!this.#lines.has(line - i)) this.#lines.set(line - i, shown(text, begin, end));
      last = begin;
    }
  }

  /** Lines after a hit that the window before did not have. */
  #payContext(text: Uint8Array): void {
    let at = 0;
    for (let i = 1; this.#owed > 0 && at < text.length; i++, this.#owed--) {
      const end = lineEnd(text, at);
      this.#lines.set(this.#passed + i, shown(text, at, end));
      at = afterLine(text, end);
    }
    this.#owed = 0;
  }
}

/** Up to past the last terminator that surely is whole. */
function wholeLines(window: Uint8Array): number | undefined {
  const lf = window.lastIndexOf(0x0a);
  if (lf !== -1) return lf + 1;
  const cr = window.lastIndexOf(0x0d, window.length - 2);
  return cr === -1 ? undefined : cr + 1;
}

function lastLines(text: Uint8Array, count: number): readonly string[] {
  const lines: string[] = [];
  let end = text.length;
  while (end > 0 && lines.length < count) {
    const stop = text[end - 1] === 0x0a && text[end - 2] === 0x0d ? end - 2 : end - 1;
    let begin = stop;
    while (begin > 0 && text[begin - 1] !== 0x0a && text[begin - 1] !== 0x0d) begin--;
    lines.unshift(shown(text, begin, stop));
    end = begin;
  }
  return lines;
}

function shown(text: Uint8Array, start: number, end: number): string {
  const most = Math.min(end, start + 4 * (limits.searchRow + 1));
  return showEscapes(fromStored(text.subarray(start, most)));
}
