// One member of an object in a settings file: put there, changed or taken out, with every other byte as it was.

import { type JsoncMember, type JsoncNode, parseJsonc, skipTrivia } from "../text/jsonc.ts";

/** Texts that are to stand in the place of parts of another. */
interface Change {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

export class EntryError extends Error {
  override readonly name = "EntryError";
}

/** How the file is written, as far as it shows. */
interface Manner {
  readonly unit: string;
  readonly newline: string;
}

/**
 * The text with the members of `entry` in the object at `path`; what that object has beside them stays. Objects that are
 * missing on the way are made.
 * @param text parsed as `isStrict` says; blank: a new file
 * @param replaces the whole entry, whatever it has
 * @throws EntryError where something else stands on the way
 */
export function putEntry(
  text: string,
  path: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  { isStrict, replaces }: { readonly isStrict: boolean; readonly replaces: boolean },
): string {
  if (text.trim() === "") {
    const whole = path.reduceRight<unknown>((inner, key) => ({ [key]: inner }), entry);
    return `${JSON.stringify(whole, undefined, 2)}\n`;
  }
  let now = text;
  for (;;) {
    const change = nextChange(now, path, entry, isStrict, replaces);
    if (change === undefined) return now;
    now = now.slice(0, change.start) + change.text + now.slice(change.end);
    if (replaces) return now;
  }
}

/** One at a time, so that offsets are always those of the text as it is. */
function nextChange(
  text: string,
  path: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  isStrict: boolean,
  replaces: boolean,
): Change | undefined {
  const manner = mannerOf(text);
  let node = parseJsonc(text, isStrict);
  for (const [index, key] of path.entries()) {
    const member = memberOf(node, key, text);
    if (member === undefined) {
      const rest = path.slice(index + 1);
      const value = rest.reduceRight<unknown>((inner, one) => ({ [one]: inner }), entry);
      return insertion(text, node, key, value, manner);
    }
    node = member.node;
  }
  if (replaces || node.kind !== "object") return replacement(text, node, entry, manner);
  for (const [key, value] of Object.entries(entry)) {
    const member = memberOf(node, key, text);
    if (member === undefined) return insertion(text, node, key, value, manner);
    if (isSame(member.node.value, value)) continue;
    return replacement(text, member.node, value, manner);
  }
  return undefined;
}

/** The value at the path; undefined where there is none. @throws EntryError, JsoncError */
export function readEntry(text: string, path: readonly string[], isStrict: boolean): unknown {
  if (text.trim() === "") return undefined;
  let node = parseJsonc(text, isStrict);
  for (const key of path) {
    const member = memberOf(node, key, text);
    if (member === undefined) return undefined;
    node = member.node;
  }
  return node.value;
}

/** The text without the member at the path, which must be there. Comments stay. */
export function dropEntry(text: string, path: readonly string[], isStrict: boolean): string {
  let node = parseJsonc(text, isStrict);
  for (const key of path.slice(0, -1)) node = memberOf(node, key, text)!.node;
  const member = memberOf(node, path.at(-1)!, text)!;
  const at = node.members.indexOf(member);
  const before = node.members[at - 1];
  const cuts: { start: number; end: number }[] = [];
  const end = member.comma === undefined ? member.node.end : member.comma + 1;
  const isJoined =
    member.comma === undefined || text.slice(member.node.end, member.comma).trim() === "";
  if (isJoined) cuts.push(wholeLines(text, member.start, end));
  else {
    cuts.push({ start: member.start, end: member.node.end }, { start: end - 1, end });
  }
  // The one before it is the last one now, and keeps its comma only where that was the manner.
  if (member.comma === undefined && before?.comma !== undefined) {
    cuts.unshift({ start: before.comma, end: before.comma + 1 });
  }
  let now = text;
  for (const cut of cuts.toReversed()) now = now.slice(0, cut.start) + now.slice(cut.end);
  return now;
}

/** With the lines that nothing else is on; else with the blanks before or behind it. */
function wholeLines(text: string, start: number, end: number): { start: number; end: number } {
  let from = start;
  while (" \t".includes(text[from - 1] ?? "\n")) from--;
  let to = end;
  while (" \t".includes(text[to] ?? "\n")) to++;
  const opens = from === 0 || "\r\n".includes(text[from - 1]!);
  const newline = /^\r?\n/.exec(text.slice(to, to + 2))?.[0] ?? "";
  if (opens && newline !== "") return { start: from, end: to + newline.length };
  if (opens) return { start, end: to };
  return text[to] === "}" || newline !== "" ? { start: from, end } : { start, end: to };
}

function memberOf(node: JsoncNode, key: string, text: string): JsoncMember | undefined {
  if (node.kind !== "object") {
    const { line, column } = placeAt(text, node.start);
    throw new EntryError(
      `line ${line}, column ${column}: there must be an object for ${JSON.stringify(key)} here`,
    );
  }
  const found = node.members.filter((member) => member.key === key);
  if (found.length <= 1) return found[0];
  const { line, column } = placeAt(text, found[1]!.start);
  throw new EntryError(`line ${line}, column ${column}: ${JSON.stringify(key)} is there twice`);
}

function placeAt(text: string, at: number): { readonly line: number; readonly column: number } {
  const before = text.slice(0, at).split(/\r\n|\r|\n/);
  return { line: before.length, column: before.at(-1)!.length + 1 };
}

function insertion(
  text: string,
  node: JsoncNode,
  key: string,
  value: unknown,
  manner: Manner,
): Change {
  const last = node.members.at(-1);
  const close = node.end - 1;
  const name = `${JSON.stringify(key)}: `;
  const outer = indentAt(text, node.start);
  const isOneLine = !/[\r\n]/.test(text.slice(node.start, node.end));
  if (last && isOneLine) {
    const end = last.comma === undefined ? last.node.end : last.comma + 1;
    const lead = last.comma === undefined ? ", " : " ";
    const tail = last.comma === undefined ? "" : ",";
    return { start: end, end, text: lead + name + inline(value) + tail };
  }
  const indent = last ? indentAt(text, last.start) : outer + manner.unit;
  const shown = name + block(value, indent, manner);
  if (!last) {
    const inside = lastComment(text, node.start + 1, close);
    const isClosed = /[\r\n]/.test(text.slice(inside, close));
    const start = inside;
    return {
      start,
      end: isClosed ? start : close,
      text: `${manner.newline}${indent}${shown}${isClosed ? "" : manner.newline + outer}`,
    };
  }
  const end = last.comma === undefined ? last.node.end : last.comma + 1;
  const behind = lastComment(text, end, close);
  const comma = last.comma === undefined ? "," : "";
  const tail = last.comma === undefined ? "" : ",";
  const isClosed = /[\r\n]/.test(text.slice(behind, close));
  return {
    start: end,
    end: behind,
    text: `${comma}${text.slice(end, behind)}${manner.newline}${indent}${shown}${tail}${isClosed ? "" : manner.newline + outer}`,
  };
}

function replacement(text: string, node: JsoncNode, value: unknown, manner: Manner): Change {
  const isOneLine = node.kind !== "scalar" && !/[\r\n]/.test(text.slice(node.start, node.end));
  const isEmpty = text.slice(node.start + 1, node.end - 1).trim() === "";
  const shown =
    isOneLine && !isEmpty ? inline(value) : block(value, indentAt(text, node.start), manner);
  return { start: node.start, end: node.end, text: shown };
}

/** The end of the last comment in a stretch between data, or its beginning. */
function lastComment(text: string, from: number, to: number): number {
  let at = from;
  let end = from;
  while (at < to) {
    if (/\s/.test(text[at]!)) {
      at++;
      continue;
    }
    const isLine = text.startsWith("//", at);
    const found = isLine ? text.slice(at, to).search(/[\r\n]/) : text.indexOf("*/", at) + 2 - at;
    at = found < 0 ? to : at + found;
    end = at;
  }
  return end;
}

function block(value: unknown, indent: string, { unit, newline }: Manner): string {
  return JSON.stringify(value, undefined, unit).replaceAll("\n", newline + indent);
}

function inline(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).map(
    ([key, one]) => `${JSON.stringify(key)}: ${inline(one)}`,
  );
  return members.length === 0 ? "{}" : `{ ${members.join(", ")} }`;
}

/** The blanks that the line of an offset begins with. */
function indentAt(text: string, at: number): string {
  const start = Math.max(text.lastIndexOf("\n", at - 1), text.lastIndexOf("\r", at - 1)) + 1;
  return /^[ \t]*/.exec(text.slice(start, at))![0];
}

function mannerOf(text: string): Manner {
  const newline = /\r\n|\n/.exec(text)?.[0] ?? "\n";
  const first = skipTrivia(text, skipTrivia(text, 0) + 1);
  const indent = indentAt(text, first);
  const isOwnLine = /[\r\n]/.test(text.slice(0, first));
  return { newline, unit: isOwnLine && indent !== "" ? indent : "  " };
}

/** Whatever the order of members. */
export function isSame(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const [mine, theirs] = [Object.entries(a), Object.entries(b)];
  return (
    mine.length === theirs.length &&
    mine.every(([key, value]) => Object.hasOwn(b, key) && isSame(value, (b as never)[key]))
  );
}
