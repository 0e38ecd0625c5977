// What a value must be and what it is, for messages about input that a schema refuses.

import type * as v from "valibot";

export function wanted({ expected, type }: v.BaseIssue<unknown>): string {
  if (type === "integer") return "a whole number";
  if (expected === null) return "valid";
  if (type === "picklist")
    return `one of ${expected.replace(/^\(|\)$/g, "").replaceAll(" | ", ", ")}`;
  const words: Readonly<Record<string, string>> = {
    string: "a string",
    number: "a number",
    boolean: "true or false",
    Array: "a list",
    Object: "an object",
  };
  return words[expected] ?? expected;
}

export function found(value: unknown): string {
  if (value === null) return "null";
  if (value === undefined) return "nothing";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "object") return "an object";
  if (typeof value === "string") return `the string ${shorten(JSON.stringify(value))}`;
  return `the ${typeof value} ${String(value)}`;
}

function shorten(text: string): string {
  return text.length <= 60 ? text : `${text.slice(0, 59)}…`;
}
