// A change as lines for a person. What is not ours may hold keys and tokens: its values are left out.

import { diffLines } from "../text/diff.ts";

/** @param entry what is written for our server: its lines are shown as they are */
export function shownChange(
  before: string,
  after: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): string {
  const own = new Set(entry ? textsOf(entry) : []);
  return hunks(
    before,
    after,
    (line) => shownLine(line, undefined),
    (line) => shownLine(line, own),
  );
}

/** Of texts that hold no secrets. */
export function shownDiff(before: string, after: string): string {
  const same = (line: string) => line;
  return hunks(before, after, same, same);
}

function hunks(
  before: string,
  after: string,
  old: (line: string) => string,
  now: (line: string) => string,
): string {
  const [from, to] = [linesOf(before), linesOf(after)];
  const rows: string[] = [];
  let shift = 0;
  for (const { at, removed, added } of diffLines(from, to)) {
    const start = at + shift;
    rows.push(`@@ line ${start + 1} @@`);
    for (const line of from.slice(at, at + removed)) rows.push(`-${old(line)}`);
    for (const line of to.slice(start, start + added)) rows.push(`+${now(line)}`);
    shift += added - removed;
  }
  return rows.join("\n");
}

function linesOf(text: string): string[] {
  const lines = text.split(/\r?\n/);
  if (lines.at(-1) === "") lines.pop();
  return lines;
}

/** Of a line with anything that is not known only the key. */
function shownLine(line: string, own: ReadonlySet<string> | undefined): string {
  if (/^[\s{}[\],]*$/.test(line) || /^\s*\[[^\]=]*\]\s*$/.test(line)) return line;
  const texts = line.match(/"(?:[^"\\]|\\.)*"/g) ?? [];
  const rest = line.replace(/"(?:[^"\\]|\\.)*"/g, "");
  const isOwn = /^\s*(?:[a-z_]+ = )?[\s{}[\],:]*(?:true)?,?\s*$/.test(rest);
  if (own && isOwn && texts.every((text) => own.has(text))) return line;
  const key = /^\s*(?:"(?:[^"\\]|\\.)*"|[\w.-]+)\s*[:=]/.exec(line)?.[0];
  return key === undefined ? `${/^\s*/.exec(line)![0]}…` : `${key} …`;
}

/** Keys and strings, as they are written. */
function textsOf(value: unknown): string[] {
  if (typeof value === "string") return [JSON.stringify(value)];
  if (typeof value !== "object" || value === null) return [];
  const keys = Array.isArray(value) ? [] : Object.keys(value).map((key) => JSON.stringify(key));
  return [...keys, ...Object.values(value).flatMap(textsOf)];
}
