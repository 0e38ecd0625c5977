// An edit script as sections: headers apart from bodies, no disk, no operations yet (hashline.md §5).

import { AtomicError } from "../errors.ts";
import { readHeader } from "./operations.ts";
import { headerMessage, parseMessage } from "./messages.ts";

export interface SectionHeader {
  /** The path exactly as it stands between the brackets. */
  readonly authored: string;
  /** Upper-case; undefined where the header names none. */
  readonly tag: string | undefined;
}

export interface BodyLine {
  readonly text: string;
  /** 1-based within the section's own body, blank lines counted. */
  readonly number: number;
}

export interface RawSection extends SectionHeader {
  readonly body: readonly BodyLine[];
  /** Nothing but blank lines: such a section is dropped. */
  readonly blank: boolean;
}

/** Splits a script. Throws `edit.script` for what cannot be a header. */
export function splitScript(input: string): RawSection[] {
  const lines = input.replace(/^\ufeff/, "").split(/\r?\n/);
  let at = 0;
  while (at < lines.length && (lines[at]!.trim() === "" || isMarker(lines[at]!, "*** Begin Patch")))
    at++;
  const first = lines[at]?.replace(/\r$/, "");
  if (first === undefined) throw scriptError(headerMessage.noSections());
  if (!first.startsWith("[")) {
    if (isUnifiedHeader(first)) throw scriptError(headerMessage.unifiedDiff());
    throw scriptError(headerMessage.mustBegin(first));
  }

  const sections: { header: SectionHeader; body: BodyLine[]; blank: boolean }[] = [];
  let emptyHunkOpen = false;
  for (; at < lines.length; at++) {
    const line = lines[at]!.replace(/\r$/, "");
    if (isMarker(line, "*** End Patch") || isMarker(line, "*** Abort")) break;
    if (line.startsWith("[")) {
      const header = parseHeaderLine(line);
      // A bare row such as `[1, 2, 3]` must not turn the open hunk into a deletion (decision 13).
      if (emptyHunkOpen && header.tag === undefined) {
        throw scriptError(
          headerMessage.malformed(line),
          'To write a row that begins with "[", put "+" before it.',
        );
      }
      sections.push({ header, body: [], blank: true });
      emptyHunkOpen = false;
      continue;
    }
    const section = sections[sections.length - 1]!;
    const number = section.body.length + 1;
    if (isMarker(line, "*** Begin Patch"))
      throw scriptError(parseMessage.sentinel(number, line.trimEnd()));
    section.body.push({ text: line, number });
    if (line.trim() !== "") section.blank = false;
    emptyHunkOpen = hunkStillEmpty(emptyHunkOpen, line);
  }
  return sections.map(({ header, body, blank }) => ({ ...header, body, blank }));
}

/** `[PATH]` or `[PATH#TAG]`; blanks may follow the bracket, or stand between tag and bracket. */
export function parseHeaderLine(line: string): SectionHeader {
  const trimmed = line.trimEnd();
  if (!trimmed.endsWith("]")) throw scriptError(headerMessage.malformed(line));
  const inner = trimmed.slice(1, -1);
  const tagged = /^(.*)#([0-9a-fA-F]{4})\s*$/s.exec(inner);
  if (tagged) {
    if (tagged[1] === "") throw scriptError(headerMessage.malformed(line));
    return { authored: tagged[1]!, tag: tagged[2]!.toUpperCase() };
  }
  if (inner.trim() === "" || /#\w*\s*$/.test(inner))
    throw scriptError(headerMessage.malformed(line));
  return { authored: inner, tag: undefined };
}

/**
 * A script that is still being written, without its last line where that may go on; a row is shown as far as it is
 * (seed 000, "Block resolution": streaming preview).
 */
export function wholeLines(input: string): string {
  const end = input.lastIndexOf("\n") + 1;
  return input.startsWith("+", end) ? input : input.slice(0, end);
}

/**
 * What a header's path may mean, the likeliest first: as it stands, then without outer blanks, quotes and apply-patch
 * noise (decision 25). The last is the section's name where no file exists. Throws where nothing is left.
 */
export function headerPaths(authored: string): string[] {
  const paths = [authored];
  const add = (path: string) => {
    if (path !== "" && !paths.includes(path)) paths.push(path);
    return path;
  };
  const trimmed = add(authored.trim());
  const unquoted = add(unquote(trimmed));
  const bare = add(unquoted.replace(applyPatchNoise, "").trim());
  if (bare === "") throw scriptError(headerMessage.emptyPath());
  return paths;
}

const applyPatchNoise =
  /^\*{0,3} *(?:(?:update|add|delete|move)[^a-z0-9]*(?:file|to)?[^a-z0-9:]*:)?\*{0,3} */i;

function unquote(text: string): string {
  const quote = text[0];
  if (text.length < 2 || (quote !== '"' && quote !== "'" && quote !== "`") || !text.endsWith(quote))
    return text;
  if (quote === '"') {
    try {
      const value: unknown = JSON.parse(text);
      if (typeof value === "string") return value;
    } catch {
      // Not JSON: a path in plain quotes.
    }
  }
  return text.slice(1, -1);
}

function hunkStillEmpty(open: boolean, line: string): boolean {
  const header = line.startsWith("+") ? undefined : readHeader(line);
  if (header?.kind === "operation") return !header.operation.kind.startsWith("delete");
  return open && line.trim() === "";
}

function isMarker(line: string, marker: string): boolean {
  return line.startsWith(marker) && line.trimEnd() === marker;
}

export function isUnifiedHeader(line: string): boolean {
  return /^@@ [-+]?\d+,\d+ [-+]?\d+,\d+ @@/.test(line);
}

export function scriptError(message: string, hint?: string): AtomicError {
  return new AtomicError("edit.script", message, hint === undefined ? {} : { hint });
}
