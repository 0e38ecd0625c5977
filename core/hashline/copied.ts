// Content that is a copy of what a tool showed: the header and the prefixes of rows go, but only where every row is
// exactly that snapshot's (seed 000, "Outputs"; tools.md §9.1).

import { showEscapes } from "../text/encoding.ts";
import { normalizeTerminators, splitLines } from "../text/lines.ts";
import { STRIPPED_NOTE } from "./messages.ts";

export interface CopiedHeader {
  /** As it stands in the header; a name in JSON quotes is still quoted. */
  readonly path: string;
  /** Upper case. */
  readonly tag: string;
}

interface Split {
  readonly header: CopiedHeader;
  /** What follows the header. */
  readonly rows: readonly string[];
}

/** The header that content begins with, save for blank lines and folder headings; undefined where it has none. */
export function copiedHeader(content: string): CopiedHeader | undefined {
  return split(content)?.header;
}

/**
 * The content without header, prefixes and confirmations; undefined where it is not wholly such a copy, and so is meant
 * as it stands.
 * @param snapshot the normalised text that the session knows by the content's header
 * @param names of the file that is written, complete: only a confirmation for one of them is ours
 */
export function stripCopied(
  content: string,
  snapshot: string,
  names: readonly string[],
): string | undefined {
  const found = split(content);
  if (!found) return undefined;
  const own = new Set([...names, found.header.path]);
  const lines = splitLines(snapshot);
  const end = found.rows.findIndex((row) => !/^[* ]?\d+:/.test(row));
  const rows = found.rows.slice(0, end === -1 ? undefined : end);
  if (!found.rows.slice(rows.length).every((row) => isChrome(row, own))) return undefined;
  if (rows.length === 0) return snapshot;
  const texts: string[] = [];
  let last = 0;
  for (const row of rows) {
    const [, number, text] = /^[* ]?(\d+):(.*)$/s.exec(row)!;
    last = Number(number);
    const line = lines.texts[last - 1];
    // A row shows bytes that are no UTF-8 as \xNN.
    if (line === undefined || (text !== line && text !== showEscapes(line))) return undefined;
    texts.push(line);
  }
  const isWhole = last === lines.texts.length && lines.ends[last - 1] !== "";
  return texts.join("\n") + (isWhole ? "\n" : "");
}

function split(content: string): Split | undefined {
  // Mostly content is no copy, and shows that in its first character.
  if (!/^[\s#[]/.test(content)) return undefined;
  const rows = splitLines(normalizeTerminators(content)).texts;
  const at = rows.findIndex((row) => row.trim() !== "" && !/^# .*\/$/.test(row));
  const header = at === -1 ? undefined : /^\[(.+)#([0-9a-fA-F]{4})\]$/.exec(rows[at]!);
  if (!header) return undefined;
  return { header: { path: header[1]!, tag: header[2]!.toUpperCase() }, rows: rows.slice(at + 1) };
}

/** What tools say around rows, and nobody writes into a file right below a copied header. */
function isChrome(row: string, names: ReadonlySet<string>): boolean {
  if (row.trim() === "" || row === STRIPPED_NOTE || footer.test(row)) return true;
  const confirmed = /^Successfully wrote (?:\d+ bytes )?to (.+)$/.exec(row)?.[1];
  return confirmed !== undefined && names.has(confirmed);
}

/** The last lines of a read that was cut or bounded. */
const footer =
  /^\[(?:.*; continue with :\d+|Beyond EOF, not shown: [\d, +-]+; the file has [\d,]+ lines?)\]$/;
