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
  const texts: string[] = [];
  const ends: Terminator[] = [];
  if (!text.includes("\r")) {
    let start = 0;
    for (let at = text.indexOf("\n"); at !== -1; at = text.indexOf("\n", start)) {
      texts.push(text.slice(start, at));
      ends.push("\n");
      start = at + 1;
    }
    if (start < text.length) {
      texts.push(text.slice(start));
      ends.push("");
    }
    return { texts, ends };
  }
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
  const parts: string[] = [];
  for (let i = 0; i < lines.texts.length; i++) parts.push(lines.texts[i]!, lines.ends[i]!);
  return parts.join("");
}

/** The text that tags, snapshots and anchors speak of: every terminator an LF. */
export function normalizeTerminators(text: string): string {
  return text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text;
}

/** The normalised text of lines whose terminators no longer matter. */
export function normalizedText(lines: Lines): string {
  const { texts, ends } = lines;
  if (texts.length === 0) return "";
  return texts.join("\n") + (ends[ends.length - 1] === "" ? "" : "\n");
}
