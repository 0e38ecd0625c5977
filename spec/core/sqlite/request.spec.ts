// What follows a database's name (tools.md §2.5).

import { describe, expect, test } from "bun:test";
import fc from "fast-check";

import { AtomicError } from "../../../core/errors.ts";
import {
  decodeLeniently,
  type NamedTable,
  parseRequest,
  type ReadRequest,
} from "../../../core/sqlite/request.ts";

const named = (...names: readonly string[]): readonly NamedTable[] =>
  names.map((name) => ({ name, kind: "table" }));
const tables = named("users", "a", "a:b", "a:b:c", "what?", "raw", "50%", "Users2", "é");

const parse = (inner: string): ReadRequest => parseRequest(inner, tables, "x.db");
/** "kind table rest" */
function meant(inner: string): string {
  try {
    const { request } = parse(inner);
    const table = "table" in request ? ` ${request.table.name}` : "";
    return `${request.kind}${table}${request.kind === "row" ? ` ${request.keys.join("|")}` : ""}`;
  } catch (thrown) {
    if (!(thrown instanceof AtomicError)) throw thrown;
    return thrown.message;
  }
}

describe("what is meant", () => {
  for (const [inner, expected] of [
    ["", "list"],
    [":", "list"],
    [":users", "table users"],
    [":USERS", "table users"],
    [":users2", "table Users2"],
    [":users:", "table users"],
    [":users:42", "row users 42"],
    [":users:a:b", "row users a:b"],
    [":users:a%3Ab", "row users a%3Ab|a:b"],
    [":users:50%", "row users 50%"],
    [":users?id=7", "row users 7"],
    [":raw", "table raw"],
    [":a", "table a"],
    [":a:1", "row a 1"],
    [":a:b", "table a:b"],
    [":a:b:c", "table a:b:c"],
    [":a:b:d", "row a:b d"],
    [":a%3Ab", "table a:b"],
    [":a%3ab:1", "row a:b 1"],
    [":what?", "table what?"],
    [":what%3F", "table what?"],
    [":what??limit=1", "rows what?"],
    [":50%", "table 50%"],
    [":50%25", "table 50%"],
    [":é:1", "row é 1"],
    [":É", 'x.db: no such table: É; did you mean "é"?'],
    [":user", 'x.db: no such table: user; did you mean "users"?'],
    ["?q=SELECT 1", "query"],
    [":?q=SELECT 1", "query"],
    [":users?limit=0", "rows users"],
    [":users?schema=1", "table users"],
  ] as const) {
    test(inner, () => expect(meant(inner)).toBe(expected));
  }
});

test("rows have a window, clamped aloud", () => {
  expect(parse(":users?where=a&2=2")).toMatchObject({ request: { where: "a&2=2" } });
  expect(parse(":users?limit=900&offset=3&where=n='x%26y'&order=n:desc")).toEqual({
    request: {
      kind: "rows",
      table: tables[0]!,
      limit: 500,
      offset: 3,
      where: "n='x&y'",
      order: "n:desc",
    },
    notes: ["[limit=900 is over the limit; 500 was taken]"],
  });
  expect(parse(":users?sample_rows=7")).toMatchObject({ request: { schema: false, sample: 7 } });
  expect(parse(":users?sampleRows=101").notes).toEqual([
    "[sampleRows=101 is over the limit; 100 was taken]",
  ]);
  expect(parse(":users?schema=true")).toMatchObject({
    request: { schema: true, sample: undefined, titled: false },
  });
});

describe("wrong parameters", () => {
  for (const inner of [
    ":users?",
    ":users?limit",
    ":users?limit=",
    ":users?limit=-1",
    ":users?limit=1e3",
    ":users?offset=x",
    ":users?limit=1&limit=2",
    ":users?lmit=1",
    ":users?where=1&b=2",
    ":users?schema=1&limit=2",
    ":users?schema=maybe",
    ":users?id=1&order=a",
    ":users?id=",
    ":users?q=SELECT 1",
    "?limit=3",
    "?",
  ]) {
    test(inner, () => expect(meant(inner)).toMatch(/^(?:Parameter|Unknown parameter) /));
  }
});

test("%XX is decoded where it stands for text, and every other percent sign stays (W-24)", () => {
  expect(decodeLeniently("like 'a%'")).toBe("like 'a%'");
  expect(decodeLeniently("a+b%20c%")).toBe("a+b c%");
  expect(decodeLeniently("%C3%A9%ff%zz")).toBe("%C3%A9%ff%zz");
  expect(decodeLeniently("%C3%A9 %ff")).toBe("é %ff");
  const { request, notes } = parse("?q=SELECT * FROM t WHERE v LIKE '%20%'");
  expect(request).toEqual({ kind: "query", sql: "SELECT * FROM t WHERE v LIKE ' %'" });
  expect(notes).toHaveLength(1);
});

test("every table is reached by its own name, whatever it is", () => {
  const name = fc.string({
    unit: fc.constantFrom("a", "B", ":", "?", "%", "3", "F", "é"),
    minLength: 1,
  });
  fc.assert(
    fc.property(fc.uniqueArray(name, { minLength: 1, maxLength: 5 }), (names) => {
      for (const each of names) {
        const spelt = each.replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll("?", "%3F");
        // A table that is called as another is spelt comes first.
        const meant = names.includes(spelt) ? spelt : each;
        expect(tableOf(`:${spelt}`, names)).toBe(meant);
        expect(tableOf(`:${each}`, names)).toBe(each);
      }
    }),
    { numRuns: 1000 },
  );
});

test("the name that is written best is meant where several could be", () => {
  expect(tableOf(":%3A%3A", ["%3a:", "::"])).toBe("::");
  expect(tableOf(":%3F%3F", ["?%3F", "%3F?", "??"])).toBe("??");
  expect(tableOf(":%3F", ["?", "%3F"])).toBe("%3F");
  expect(tableOf(":A:1", ["a", "A", "a:1"])).toBe("a:1");
});

function tableOf(inner: string, names: readonly string[]): string | false {
  const { request } = parseRequest(inner, named(...names), "x.db");
  return "table" in request && request.table.name;
}
