// Secrets of a definition (values of headers, of variables) never reach output, logs, errors or what is kept: whoever
// writes them back to us, be it the server itself, writes their names.

import type { Secret } from "./expand.ts";

export type Redact = (text: string) => string;

/** Shorter ones would take words out of every text. */
const SHORTEST = 6;

export function redactor(secrets: readonly Secret[]): Redact {
  const forms = new Map<string, string>();
  for (const { label, value } of secrets) {
    const trimmed = value.trim();
    if (trimmed.length < SHORTEST) continue;
    const shown = `[${label.replace(/[^\w-]+/g, "_").slice(0, 60)} hidden]`;
    const json = JSON.stringify(trimmed).slice(1, -1);
    for (const form of [trimmed, json, encoded(trimmed), base64(trimmed)]) {
      if (form !== undefined && form.length >= SHORTEST && !forms.has(form)) forms.set(form, shown);
    }
  }
  if (forms.size === 0) return (text) => text;
  const longest = [...forms.keys()].toSorted((a, b) => b.length - a.length);
  const any = new RegExp(
    longest.map((form) => form.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&")).join("|"),
    "g",
  );
  return (text) => text.replace(any, (form) => forms.get(form) ?? "[hidden]");
}

function encoded(text: string): string | undefined {
  return text.isWellFormed() ? encodeURIComponent(text) : undefined;
}

function base64(text: string): string | undefined {
  try {
    return btoa(text).replace(/=+$/, "");
  } catch {
    return undefined;
  }
}

/** How deep values of a server are followed; what is deeper is left out. */
const DEEPEST = 64;

/** Every text in a value, its keys too. */
export function mapTexts(value: unknown, change: (text: string) => string, depth = 0): unknown {
  if (typeof value === "string") return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (depth >= DEEPEST) return "[nested too deeply]";
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [change(name), mapTexts(each, change, depth + 1)]),
  );
}
