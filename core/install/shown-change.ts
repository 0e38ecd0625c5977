// A change as lines for a person. What is not ours may hold keys and tokens: its values are left out.

import { diffLines } from "../text/diff.ts";

/** @param entry what is written for our server: its lines are shown as they are */
export function shownChange(
  before: string,
  after: string,
  entry: Readonly<Record<string, unknown>> | undefined,
): string {
  const [old, now] = [linesOf(before), linesOf(after)];
  const rows: string[] = [];
  const own = new Set(entry ? textsOf(entry) : []);
  let shift = 0;
  for (const { at, removed, added } of diffLines(old, now)) {
    const start = at + shift;
    rows.push(`@@ line ${start + 1} @@`);
    for (const line of old.slice(at, at + removed)) rows.push(`-${shownLine(line, undefined)}`);
    for (const line of now.slice(start, start + added)) rows.push(`+${shownLine(line, own)}`);
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
