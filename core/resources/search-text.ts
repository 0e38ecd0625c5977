// One file or part, searched: which of its lines match, and the rows that show them.

import { scanText, type ScannedText } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { displayPath, showName } from "../paths.ts";
import { cutRow, hitLines, rowsAround } from "../scan/hits.ts";
import { type LineMatcher, PatternTooSlow } from "../scan/match-lines.ts";
import { isBinary, noConversion, textOf } from "../scan/scan-files.ts";
import { fromStored, showEscapes } from "../text/encoding.ts";
import type { LineRange } from "../text/ranges.ts";
import type { Call } from "../tool.ts";
import { convertFile } from "./convert.ts";
import { loadFile } from "./file.ts";
import { vanished } from "./file-errors.ts";
import type { SearchedText, TextRow } from "./searched-text.ts";
import { searchLargeFile } from "./search-large.ts";
import type { Contents, Located, Part, TargetPorts } from "./resource.ts";

export interface FileToSearch {
  /** Absolute. */
  readonly path: string;
  readonly matcher: LineMatcher;
  /** Where the caller named it. */
  readonly located?: Located;
  /** It is all that is searched, so that nothing about it goes unsaid. */
  readonly isAlone?: boolean;
}

/** @throws AtomicError as `loadFile`; a file that is gone or cannot be searched has no hits where it is not alone */
export async function searchFile(
  { path, matcher, located, isAlone = false }: FileToSearch,
  ports: TargetPorts,
  call: Pick<Call, "cwd" | "signal">,
): Promise<SearchedText> {
  const { fs, bytes } = ports;
  const display = displayPath(path, call.cwd);
  const stat = located?.stat ?? (await fs.stat(path));
  if (!stat) {
    if (isAlone) throw vanished(display);
    return nothingIn(display);
  }
  const ranges = located?.ranges;
  if (stat.size > limits.editableFile) {
    return searchLargeFile({ path, display, matcher, ranges }, ports, call.signal);
  }
  const place: Located = located ?? {
    kind: "path",
    path,
    typed: display,
    stat,
    note: undefined,
    root: undefined,
    raw: false,
    ranges,
  };
  const { bytes: file } = await loadFile(place, fs, call.signal);
  const searched = textOf(path, file, convertFile);
  if (!searched || isBinary(searched, bytes)) {
    return isAlone
      ? { ...nothingIn(display), notice: `Not searched: ${showName(display)} is a binary file` }
      : nothingIn(display);
  }
  const isConverted = convertFile.text(path, file) !== undefined;
  const hits = safeHits(matcher, searched, ranges);
  if (!hits)
    return { ...nothingIn(display), notice: `The pattern timed out on ${showName(display)}` };
  if (hits.length === 0) return nothingIn(display);
  const text = scanText(isConverted ? searched : file, bytes)!;
  const realPath = isConverted ? undefined : ((await fs.realPath(path)) ?? path);
  return {
    display,
    isLabelled: isConverted,
    hits,
    seen:
      realPath === undefined
        ? undefined
        : { path: realPath, tag: text.tag, content: text.content, bytesHash: bytes.sha256(file) },
    rows: (most, context) => rowsOf(text, hits, most, context),
  };
}

/** @param part a member of an archive, or the rows of a table, which have no surroundings */
export function searchPart(
  part: Contents & Partial<Pick<Part, "ranges">>,
  matcher: LineMatcher,
  { bytes }: Pick<TargetPorts, "bytes">,
): SearchedText {
  const { display, rowNames } = part;
  const searched = textOf(display, part.bytes, noConversion);
  if (!searched || isBinary(searched, bytes)) {
    return { ...nothingIn(display), notice: `Not searched: ${showName(display)} is binary` };
  }
  const hits = safeHits(matcher, searched, part.ranges);
  if (!hits)
    return { ...nothingIn(display), notice: `The pattern timed out on ${showName(display)}` };
  const text = scanText(part.bytes, bytes)!;
  return {
    display,
    isLabelled: true,
    hits,
    seen: undefined,
    rows(most, context) {
      // The rows of a table have no surroundings.
      const around = part.source === "sqlite" ? { before: 0, after: 0 } : context;
      const { rows, cut } = rowsOf(text, hits, most, around);
      if (!rowNames) return { rows, cut };
      return { cut, rows: rows.map((row) => ({ ...row, name: rowNames[row.line - 1]! })) };
    },
  };
}

function nothingIn(display: string): SearchedText {
  return {
    display,
    isLabelled: false,
    hits: [],
    seen: undefined,
    rows: () => ({ rows: [], cut: 0 }),
  };
}

/** Undefined where the pattern is too slow. */
function safeHits(
  matcher: LineMatcher,
  text: Uint8Array,
  ranges: readonly LineRange[] | undefined,
): readonly number[] | undefined {
  try {
    return hitLines(matcher, text, ranges);
  } catch (thrown) {
    if (thrown instanceof PatternTooSlow) return undefined;
    throw thrown;
  }
}

function rowsOf(
  text: ScannedText,
  hits: readonly number[],
  most: number,
  context: { readonly before: number; readonly after: number },
) {
  const shown = hits.slice(0, most);
  let cut = 0;
  const rows = rowsAround(shown, new Set(hits), { ...context, count: text.lines.count }).map(
    ({ line, isHit }): TextRow => {
      const { start, end } = text.lines.bytesOf(line, line);
      // A row shows so many characters; of a line of megabytes no more need be decoded.
      const bytes = text.content.subarray(start, Math.min(end, start + 4 * (limits.searchRow + 1)));
      const row = cutRow(showEscapes(fromStored(bytes)), limits.searchRow);
      if (row.isCut) cut++;
      return { line, isHit, text: row.text };
    },
  );
  return { rows, cut };
}
