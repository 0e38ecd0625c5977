// What of a caller's SQL is refused before an engine sees it (tools.md §4).

import { describe, expect, test } from "bun:test";

import { AtomicError } from "../../../core/errors.ts";
import { allowsReading, checkQuery, checkWhere, parseOrder } from "../../../core/sqlite/guard.ts";
import { sqlTokens } from "../../../core/sqlite/tokens.ts";

function refusal(work: () => unknown): string {
  try {
    return `accepted: ${JSON.stringify(work())}`;
  } catch (thrown) {
    if (!(thrown instanceof AtomicError)) throw thrown;
    return thrown.message;
  }
}

test("tokens are those of SQLite", () => {
  const kinds = (sql: string) => [...sqlTokens(sql)].map(({ kind, value }) => `${kind} ${value}`);
  expect(kinds(`SELECT "a""b", 'it''s', [c d], \`e\`, x'00', 1.5e-3, .5 -- end`)).toEqual([
    "word SELECT",
    'quoted a"b',
    "mark ,",
    "string it's",
    "mark ,",
    "quoted c d",
    "mark ,",
    "quoted e",
    "mark ,",
    "blob x'00'",
    "mark ,",
    "number 1.5e-3",
    "mark ,",
    "number .5",
    "comment -- end",
  ]);
  expect(kinds("a/*b*/c /* open")).toEqual([
    "word a",
    "comment /*b*/",
    "word c",
    "comment /* open",
  ]);
  expect(kinds("é$1 ?1 :a @b $c")).toEqual([
    "word é$1",
    "parameter ?1",
    "parameter :a",
    "parameter @b",
    "parameter $c",
  ]);
  for (const open of ["'a", '"a', "[a", "`a"])
    expect(kinds(`x ${open}`)[1]).toBe(`broken ${open[0]}`);
  expect(kinds("1\0; DROP")).toContain("broken \0");
});

describe("a query", () => {
  const bad: Readonly<Record<string, string>> = {
    "": "it is empty",
    ";": "it is empty",
    "DELETE FROM t": 'only SELECT is accepted, and it begins with "DELETE"',
    "EXPLAIN SELECT 1": 'only SELECT is accepted, and it begins with "EXPLAIN"',
    "VALUES (1)": 'only SELECT is accepted, and it begins with "VALUES"',
    "(SELECT 1)": 'only SELECT is accepted, and it begins with "("',
    "SELECT 1; SELECT 2": "only one statement is accepted",
    "SELECT 1 -- x": "comments (-- and /* */) are not accepted",
    "SELECT/**/1": "comments (-- and /* */) are not accepted",
    "SELECT 'a": "a quote (') is not closed",
    "SELECT 1\0": "it holds a NUL",
    "SELECT ?": "? is a placeholder, and there are no values for it",
    "SELECT * FROM sqlite_master": "sqlite_master is internal to SQLite",
    'SELECT * FROM "SQLITE_schema"': "SQLITE_schema is internal to SQLite",
    "SELECT * FROM [sqlite_temp_master]": "sqlite_temp_master is internal to SQLite",
    "SELECT * FROM pragma_table_info('t')": "pragma_table_info is internal to SQLite",
  };
  for (const [sql, reason] of Object.entries(bad)) {
    test(JSON.stringify(sql), () => {
      expect(refusal(() => checkQuery(sql, true))).toBe(`Bad q=: ${reason}.`);
    });
  }

  test("that only reads passes, without its last semicolon", () => {
    expect(checkQuery(" select 1 ; ; ", true)).toBe(" select 1");
    const fine = "WITH d AS (SELECT replace('--;''', ';', 'ATTACH') AS \"delete\") SELECT * FROM d";
    expect(checkQuery(fine, true)).toBe(fine);
    expect(checkQuery(fine, false)).toBe(fine);
  });

  test("is judged by its words where the engine does not judge", () => {
    for (const [sql, reason] of [
      ["WITH d AS (SELECT 1) DELETE FROM t", "only SELECT is accepted, and it has DELETE"],
      [
        "WITH d AS (SELECT 1) REPLACE INTO t VALUES(1)",
        "only SELECT is accepted, and it has REPLACE",
      ],
      ["SELECT load_extension('x')", "only SELECT is accepted, and it has load_extension"],
      ["SELECT * FROM 'sqlite_master'", "sqlite_master is internal to SQLite"],
    ] as const) {
      expect(checkQuery(sql, true)).toBe(sql);
      expect(refusal(() => checkQuery(sql, false))).toBe(`Bad q=: ${reason}.`);
    }
  });
});

describe("a condition", () => {
  for (const [condition, reason] of [
    ["1) UNION SELECT 1 FROM t WHERE (1", "its parentheses do not match"],
    ["1=1) --", "comments (-- and /* */) are not accepted"],
    ["1; DELETE FROM t", '";" is not accepted'],
    ["id IN (SELECT 1)", "SELECT is not accepted"],
    ["1 LIMIT 5", "LIMIT is not accepted"],
    ['"select" = 1', "select is not accepted"],
    ["name = ?", "? is a placeholder, and there are no values for it"],
    ["name = 'a", "a quote (') is not closed"],
    ["sqlite_version() = 1", "sqlite_version is internal to SQLite"],
    ["", "it is empty"],
  ] as const) {
    test(condition, () => {
      expect(refusal(() => checkWhere(condition, true))).toBe(`Bad where=: ${reason}.`);
    });
  }

  test("that compares passes", () => {
    for (const fine of ["name='LIMIT'", "a = (b + 1) * 2 AND c LIKE '%;--%'", "selected = 1"]) {
      expect(checkWhere(fine, true)).toBe(fine);
    }
  });
});

test("an order is a list of columns", () => {
  expect(parseOrder("a, b:DESC,_c$1:asc")).toEqual([
    { column: "a", descending: false },
    { column: "b", descending: true },
    { column: "_c$1", descending: false },
  ]);
  for (const bad of [
    "",
    "a,",
    "a:down",
    "1",
    "a b",
    "a;b",
    "lower(a)",
    "sqlite_x",
    '"a"',
    "a:desc:asc",
  ]) {
    expect(refusal(() => parseOrder(bad))).toStartWith("Bad order=: ");
  }
});

test("the engine may read tables and nothing else", () => {
  for (const [kind, name, allowed] of [
    ["select", "", true],
    ["recursive", "", true],
    ["read", "users", true],
    ["read", "SQLite_Master", false],
    ["function", "upper", true],
    ["function", "Load_Extension", false],
    ["pragma", "data_version", true],
    ["pragma", "user_version", false],
    ["other", "", false],
  ] as const) {
    expect(allowsReading({ kind, name })).toBe(allowed);
  }
});
