// Lines and their terminators. A line ends at LF, CRLF or lone CR, everywhere the same (hashline.md decision 2).

export type Terminator = "\n" | "\r\n" | "\r" | "";

/**
 * A text as lines and what ends each: equal lengths, only the last terminator may be "". A final terminator ends the
 * last line and starts no new one, so "a\nb\n" has two lines and "" has none.
 */
export interface Lines {
  readonly texts: readonly string[];
  readonly ends: readonly Terminator[];
}

export function splitLines(text: string): Lines {
  if (!text.includes("\r")) {
    // What the runtime does itself is several times faster than a loop here, before that is compiled.
    const texts = text.split("\n");
    const ends = Array.from<Terminator>({ length: texts.length }).fill("\n");
    if (texts.at(-1) === "") {
      texts.pop();
      ends.pop();
    } else {
      ends[ends.length - 1] = "";
    }
    return { texts, ends };
  }
  const texts: string[] = [];
  const ends: Terminator[] = [];
  const terminator = /\r\n?|\n/g;
  let start = 0;
  for (let match = terminator.exec(text); match; match = terminator.exec(text)) {
    texts.push(text.slice(start, match.index));
    ends.push(match[0] as Terminator);
    start = terminator.lastIndex;
  }
  if (start < text.length) {
    texts.push(text.slice(start));
    ends.push("");
  }
  return { texts, ends };
}

export function joinLines(lines: Lines): string {
  if (!lines.ends.includes("\r\n") && !lines.ends.includes("\r")) return normalizedText(lines);
  const parts: string[] = [];
  for (let i = 0; i < lines.texts.length; i++) parts.push(lines.texts[i]!, lines.ends[i]!);
  return parts.join("");
}

/** The text that tags, snapshots and anchors speak of: every terminator an LF. */
export function normalizeTerminators(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** Appends a part of a list to another, without a turn for each of them. */
export function appendSlice<T>(to: T[], from: readonly T[], start: number, end: number): void {
  for (let at = start; at < end; at += SLICE) {
    to.push(...from.slice(at, Math.min(end, at + SLICE)));
  }
}

/** Far below what an engine takes as arguments. */
const SLICE = 4_096;

/** The normalised text of lines whose terminators no longer matter. */
export function normalizedText(lines: Lines): string {
  const { texts, ends } = lines;
  if (texts.length === 0) return "";
  return texts.join("\n") + (ends[ends.length - 1] === "" ? "" : "\n");
}
