// One table of a TOML file: put there, changed or taken out, with every other byte as it was.

import { parse, TomlError } from "smol-toml";

import { EntryError, isSame } from "./json-entry.ts";

/** A header or a key with its value. */
interface Statement {
  readonly kind: "table" | "list" | "pair";
  readonly keys: readonly string[];
  readonly start: number;
  /** Of the value, for a pair. */
  readonly value: number;
  readonly end: number;
}

/** @throws EntryError with the place where it is no TOML */
export function parseToml(text: string): Readonly<Record<string, unknown>> {
  try {
    return parse(text);
  } catch (thrown) {
    if (!(thrown instanceof TomlError)) throw thrown;
    const [reason] = thrown.message.replace(/^Invalid TOML document: /, "").split("\n");
    throw new EntryError(`line ${thrown.line}, column ${thrown.column}: ${reason}`);
  }
}

export function readTomlEntry(text: string, path: readonly string[]): unknown {
  let at: unknown = parseToml(text);
  for (const key of path) {
    if (typeof at !== "object" || at === null) {
      throw new EntryError(`there must be a table for ${JSON.stringify(key)}`);
    }
    at = Object.hasOwn(at, key) ? (at as Record<string, unknown>)[key] : undefined;
    if (at === undefined) return undefined;
  }
  return at;
}

/**
 * @param entry strings and lists of strings
 * @param replaces whatever the table has beside it goes
 * @throws EntryError where the table cannot be written as one of its own
 */
export function putTomlEntry(
  text: string,
  path: readonly string[],
  entry: Readonly<Record<string, unknown>>,
  { replaces }: { readonly replaces: boolean },
): string {
  const newline = /\r\n|\n/.exec(text)?.[0] ?? "\n";
  const was = readTomlEntry(text, path);
  if (was === undefined || replaces) {
    const rest = was === undefined ? text : dropTomlEntry(text, path);
    const gap = rest === "" ? "" : rest.endsWith("\n") ? newline : newline + newline;
    const pairs = Object.entries(entry).map(([key, value]) => pair(key, value) + newline);
    return `${rest}${gap}[${path.map(keyText).join(".")}]${newline}${pairs.join("")}`;
  }
  let now = text;
  for (const [key, value] of Object.entries(entry)) {
    if (isSame((was as Record<string, unknown>)[key], value)) continue;
    const all = statementsOf(now);
    const head = all.findIndex(({ kind, keys }) => kind === "table" && isSame(keys, path));
    if (head < 0) throw elsewhere(path);
    const after = all.findIndex(({ kind }, at) => at > head && kind !== "pair");
    const own = all.slice(head + 1, after < 0 ? undefined : after);
    const found = own.find(({ keys }) => keys.length === 1 && keys[0] === key);
    if (found) now = now.slice(0, found.value) + valueText(value) + now.slice(found.end);
    else if (own.some(({ keys }) => keys[0] === key)) throw elsewhere(path);
    else {
      const { end } = own.at(-1) ?? all[head]!;
      const line = now.indexOf("\n", end);
      const at = line < 0 ? now.length : line + 1;
      const lead = line < 0 ? newline : "";
      now = `${now.slice(0, at)}${lead}${pair(key, value)}${newline}${now.slice(at)}`;
    }
  }
  return now;
}

/** Without the table and those below it. */
export function dropTomlEntry(text: string, path: readonly string[]): string {
  const all = statementsOf(text);
  const cuts: { start: number; end: number }[] = [];
  for (const [index, { kind, keys }] of all.entries()) {
    if (kind === "pair" || !isSame(keys.slice(0, path.length), path)) continue;
    const next = all.findIndex((one, at) => at > index && one.kind !== "pair");
    const last = all[(next < 0 ? all.length : next) - 1]!;
    const line = text.indexOf("\n", last.end);
    let start = text.lastIndexOf("\n", all[index]!.start) + 1;
    // The blank line that set it apart.
    start -= /(?:^|\n)(\r?\n)$/.exec(text.slice(0, start))?.[1]?.length ?? 0;
    cuts.push({ start, end: line < 0 ? text.length : line + 1 });
  }
  if (cuts.length === 0) throw elsewhere(path);
  let now = text;
  for (const { start, end } of cuts.toReversed()) now = now.slice(0, start) + now.slice(end);
  return now;
}

function elsewhere(path: readonly string[]): EntryError {
  return new EntryError(
    `${path.join(".")} is not written as a table [${path.map(keyText).join(".")}] of its own, so change it by hand`,
  );
}

function pair(key: string, value: unknown): string {
  return `${keyText(key)} = ${valueText(value)}`;
}

function keyText(key: string): string {
  return /^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key);
}

/** JSON's strings are TOML's basic strings, but for DEL. */
function valueText(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(valueText).join(", ")}]`;
  return JSON.stringify(value).replaceAll("\u007f", "\\u007F");
}

/** The text must have been parsed: what it is made of is known to be right. */
function statementsOf(text: string): readonly Statement[] {
  const all: Statement[] = [];
  let at = text.startsWith("\ufeff") ? 1 : 0;
  while (at < text.length) {
    if (/\s/.test(text[at]!)) at++;
    else if (text[at] === "#") at = lineEnd(text, at);
    else {
      const statement = statementAt(text, at);
      all.push(statement);
      at = statement.end;
    }
  }
  return all;
}

function statementAt(text: string, start: number): Statement {
  if (text[start] === "[") {
    const isList = text[start + 1] === "[";
    const { keys, end } = keysAt(text, start + (isList ? 2 : 1));
    const close = end + (isList ? 2 : 1);
    return { kind: isList ? "list" : "table", keys, start, value: close, end: close };
  }
  const { keys, end } = keysAt(text, start);
  let value = end + 1;
  while (" \t".includes(text[value]!)) value++;
  return { kind: "pair", keys, start, value, end: valueEnd(text, value) };
}

/** Up to the "=" or "]" behind them. */
function keysAt(text: string, from: number): { readonly keys: string[]; readonly end: number } {
  const keys: string[] = [];
  let at = from;
  for (;;) {
    while (" \t.".includes(text[at]!)) at++;
    if (text[at] === "=" || text[at] === "]") return { keys, end: at };
    if (text[at] === '"' || text[at] === "'") {
      const end = stringEnd(text, at);
      const literal = text.slice(at, end);
      keys.push(Object.keys(parse(`${literal} = 1`))[0]!);
      at = end;
    } else {
      const [bare] = /^[A-Za-z0-9_-]+/.exec(text.slice(at)) ?? [text[at]!];
      keys.push(bare);
      at += bare.length;
    }
  }
}

function valueEnd(text: string, from: number): number {
  let depth = 0;
  let end = from;
  for (let at = from; at < text.length;) {
    const unit = text[at]!;
    if (unit === '"' || unit === "'") at = stringEnd(text, at);
    else if (unit === "#") {
      if (depth === 0) return end;
      at = lineEnd(text, at);
      continue;
    } else if (unit === "\n" && depth === 0) return end;
    else {
      if (unit === "[" || unit === "{") depth++;
      else if (unit === "]" || unit === "}") depth--;
      at++;
      if (/\s/.test(unit)) continue;
    }
    end = at;
  }
  return end;
}

function stringEnd(text: string, start: number): number {
  const quote = text[start]!;
  const isLong = text.startsWith(quote.repeat(3), start);
  const close = isLong ? quote.repeat(3) : quote;
  for (let at = start + close.length; at < text.length; at++) {
    if (quote === '"' && text[at] === "\\") at++;
    else if (text.startsWith(close, at)) {
      let end = at + close.length;
      // A long one may end in up to two quotes of its own.
      if (isLong) while (text[end] === quote && end < at + 5) end++;
      return end;
    }
  }
  return text.length;
}

function lineEnd(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end < 0 ? text.length : end;
}
