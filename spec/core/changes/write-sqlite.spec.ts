// Rows of databases through the write tool, over files in memory (seed 003; tools.md §9.3).

import { describe, expect, setDefaultTimeout, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { memoryHost, type MemoryHost } from "../../../adapters/memory/host.ts";
import type { MemoryProgram } from "../../../adapters/memory/processes.ts";
import { callTool, type Outcome } from "../../../core/call.ts";
import { openSession } from "../../../core/session/open.ts";
import { serveJob } from "../../../core/sqlite/job.ts";
import { write } from "../../../core/tools/write.ts";
import { callFor } from "../../helpers/call.ts";
import { databaseOf, inDatabase } from "../../helpers/database.ts";

setDefaultTimeout(60_000);

const app = databaseOf(
  "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT DEFAULT 'nobody', note, g AS (id+1))",
  "INSERT INTO users(id,name) VALUES(1,'Ada'),(2,'Bob')",
  "CREATE TABLE must(a NOT NULL, b TEXT)",
  "CREATE TABLE nopk(rowid TEXT, v)",
  "INSERT INTO nopk VALUES('7','x'),('1','y')",
  "CREATE TABLE any(k PRIMARY KEY, v)",
  "INSERT INTO any VALUES(1,'integer'),('1','text')",
  "CREATE TABLE kv(k TEXT PRIMARY KEY, v) WITHOUT ROWID",
  "INSERT INTO kv VALUES('a',1)",
  "CREATE TABLE comp(a, b, v, PRIMARY KEY(a, b))",
  "CREATE VIEW vw AS SELECT * FROM users",
  "CREATE TABLE 'a:b?'(id INTEGER PRIMARY KEY, v)",
  "INSERT INTO 'a:b?' VALUES(1,'x')",
);

interface Writer {
  readonly host: MemoryHost;
  outcome(path: string, content: string, dryRun?: boolean): Promise<Outcome>;
  text(path: string, content: string, dryRun?: boolean): Promise<string>;
  rows(sql: string): unknown;
}

async function writer(
  files: Readonly<Record<string, MemoryEntry>> = { "app.db": app },
  {
    child,
    readOnly = false,
    plan,
  }: { child?: MemoryProgram; readOnly?: boolean; plan?: readonly string[] } = {},
): Promise<Writer> {
  const own: MemoryProgram = async ({ stdin, out }) => {
    const parts: Uint8Array[] = [];
    for await (const part of stdin) parts.push(part);
    for await (const line of serveJob(Buffer.concat(parts).toString(), host)) await out(line);
    return 0;
  };
  const host = memoryHost({ files, programs: { atomic: child ?? own } });
  const session = await openSession(host, { folder: "/home/me/s", id: "s", notice: () => {} });
  const it: Writer = {
    host,
    outcome: (path, content, dryRun = false) =>
      callTool(
        write,
        { path, content },
        host,
        callFor({
          cwd: "/work",
          session: async () => session,
          options: { ...callFor().options, dryRun },
        }),
        { readOnly, plan },
      ),
    async text(path, content, dryRun) {
      const outcome = await it.outcome(path, content, dryRun);
      if (!outcome.ok) return `${outcome.error.code}: ${outcome.error.message}`;
      return "text" in outcome.rendered ? outcome.rendered.text : "bytes";
    },
    rows: (sql) =>
      inDatabase(host.fs.bytesOf("/work/app.db")!, (connection) => {
        const statement = connection.prepare(sql);
        statement.setReadBigInts(true);
        return statement.all().map((row) => Object.values(row));
      }),
  };
  return it;
}

test("a row is inserted, updated and deleted, with the seed's words", async () => {
  const it = await writer();
  expect(await it.text("app.db:users", "{name: 'Eve', /* why */ note: true,}")).toBe(
    "Inserted row into users",
  );
  expect(it.rows("SELECT id, name, note FROM users WHERE id=3")).toEqual([[3n, "Eve", 1n]]);
  expect(await it.text("app.db:users", "{}")).toBe("Inserted row into users");
  expect(it.rows("SELECT id, name, note FROM users WHERE id=4")).toEqual([[4n, "nobody", null]]);
  expect(await it.text("app.db:users:2", "{NAME: 'Robert'}")).toBe("Updated row '2' in users");
  expect(await it.text("app.db:users:1", " \n\t")).toBe("Deleted row '1' in users");
  expect(it.rows("SELECT id, name FROM users ORDER BY id")).toEqual([
    [2n, "Robert"],
    [3n, "Eve"],
    [4n, "nobody"],
  ]);
  expect(await it.text("app.db:users:9", "{name:'x'}")).toBe(
    "No row updated: there is no row '9' in users",
  );
  expect(await it.text("app.db:users:9", "")).toBe("No row deleted: there is no row '9' in users");
});

test("the details say what changed and where, and that undo does not know it", async () => {
  const it = await writer();
  const details = async (path: string, content: string) => {
    const outcome = await it.outcome(path, content);
    return outcome.ok && outcome.details;
  };
  const meta = { source: "sqlite", sourcePath: "/work/app.db" };
  expect(await details("app.db:users", "{name:'x'}")).toEqual({
    table: "users",
    outcome: "inserted",
    changes: 1,
    rowid: "3",
    undoable: false,
    meta,
  });
  expect(await details("app.db:users:2", "{name:'y'}")).toEqual({
    table: "users",
    key: "2",
    outcome: "updated",
    changes: 1,
    before: { id: 2, name: "Bob", note: null, g: 3 },
    undoable: false,
    meta,
  });
  expect(await details("app.db:users:77", "")).toEqual({
    table: "users",
    key: "77",
    outcome: "unchanged",
    changes: 0,
    undoable: false,
    meta,
  });
});

test("values are bound as what they are", async () => {
  const it = await writer();
  const type = async (literal: string) => {
    await it.text("app.db:users:1", `{note: ${literal}}`);
    return (it.rows("SELECT typeof(note), note FROM users WHERE id=1") as unknown[])[0];
  };
  expect(await type("1.0")).toEqual(["integer", 1n]);
  expect(await type("1e3")).toEqual(["integer", 1000n]);
  expect(await type("0x10")).toEqual(["integer", 16n]);
  expect(await type("9223372036854775807")).toEqual(["integer", 9223372036854775807n]);
  expect(await type("-9223372036854775808")).toEqual(["integer", -9223372036854775808n]);
  expect(await type("9007199254740993")).toEqual(["integer", 9007199254740993n]);
  expect(await type("9007199254740993.0")).toEqual(["integer", 9007199254740993n]);
  expect(await type(".5")).toEqual(["real", 0.5]);
  expect(await type("-Infinity")).toEqual(["real", -Infinity]);
  expect(await type("false")).toEqual(["integer", 0n]);
  expect(await type("null")).toEqual(["null", null]);
  expect(await type("'a:b, c: d \\x41\\\nz'")).toEqual(["text", "a:b, c: d Az"]);
  expect(await type('"\\0"')).toEqual(["text", "\0"]);
  await it.text("app.db:must", "{a: 1, b: 1}");
  expect(it.rows("SELECT b FROM must")).toEqual([["1"]]);
});

describe("what is refused, and leaves every byte", () => {
  for (const [target, content, expected] of [
    ["none.db:users", "{}", "sqlite.not_found: SQLite database 'none.db' not found"],
    ["sub/none.sqlite3:t:1", "", "sqlite.not_found: SQLite database 'sub/none.sqlite3' not found"],
    ["app.db", "x", "sqlite.target: SQLite write path must target a table"],
    ["app.db:", "x", "sqlite.target: SQLite write path must target a table"],
    ["app.db::1", "x", "sqlite.target: SQLite write path must target a table"],
    ["app.db?q=SELECT 1", "x", "sqlite.params: SQLite write paths do not support query parameters"],
    [
      "app.db:users?id=1",
      "{}",
      "sqlite.params: SQLite write paths do not support query parameters",
    ],
    ["app.db:users:", "{}", "sqlite.key: SQLite row writes require a non-empty row key"],
    ["app.db:user", "{}", 'sqlite.no_table: app.db: no such table: user; did you mean "users"?'],
    ["app.db:sqlite_schema", "{}", "sqlite.no_table: app.db: no such table: sqlite_schema"],
    ["app.db:vw", "{}", "sqlite.target: SQLite write path must target a table, and vw is a view"],
    [
      "app.db:users",
      "",
      "sqlite.payload: SQLite row content is empty: to delete a row of users, name its key; to insert one with its defaults, write {}.",
    ],
    [
      "app.db:users",
      "{a:",
      "sqlite.payload: SQLite row content is not valid JSON5: line 1, column 4: the text ends where a value or name should.",
    ],
    [
      "app.db:users",
      "[1]",
      "sqlite.payload: SQLite row content must be a JSON5 object, but is a list.",
    ],
    [
      "app.db:users",
      "5",
      "sqlite.payload: SQLite row content must be a JSON5 object, but is a number.",
    ],
    ["app.db:users", "{name:1,NAME:2}", "sqlite.payload: Column name is given twice."],
    [
      "app.db:users",
      "{nam:1}",
      "sqlite.column: Table users has no column nam; its columns are id, name, note, g.",
    ],
    [
      "app.db:users",
      "{'SELECT 1':1}",
      "sqlite.column: Table users has no column SELECT 1; its columns are id, name, note, g.",
    ],
    [
      "app.db:users:1",
      "{g:1}",
      "sqlite.column: Column g of table users is computed from others and cannot be written.",
    ],
    [
      "app.db:users:1",
      "{note:{}}",
      "sqlite.value: Column note of table users: a value must be a string, number, boolean or null, but is an object.",
    ],
    [
      "app.db:users:1",
      "{note:[]}",
      "sqlite.value: Column note of table users: a value must be a string, number, boolean or null, but is a list.",
    ],
    [
      "app.db:users:1",
      "{note:NaN}",
      "sqlite.value: Column note of table users: NaN cannot be stored; SQLite would make NULL of it.",
    ],
    [
      "app.db:users:1",
      "{note:9223372036854775808}",
      "sqlite.value: Column note of table users: 9223372036854775808 does not fit into 64 bits.",
    ],
    [
      "app.db:users:1",
      "{note:'\\ud800'}",
      "sqlite.value: Column note of table users: half a surrogate pair is no text.",
    ],
    [
      "app.db:users:1",
      "{}",
      "sqlite.empty_update: The update of row '1' in users names no column.",
    ],
    [
      "app.db:kv:a",
      "{v:2}",
      "sqlite.without_rowid: kv is a WITHOUT ROWID table, whose rows are not updated or deleted by key.",
    ],
    [
      "app.db:kv:a",
      "",
      "sqlite.without_rowid: kv is a WITHOUT ROWID table, whose rows are not updated or deleted by key.",
    ],
    [
      "app.db:comp:1",
      "{v:2}",
      "sqlite.composite_pk: comp has a primary key of 2 columns (a, b), so one value names no row of it.",
    ],
    ["app.db:must", "{b:1}", "sqlite.sql: app.db: NOT NULL constraint failed: must.a"],
    ["app.db:users", "{id:1}", "sqlite.sql: app.db: UNIQUE constraint failed: users.id"],
  ] as const) {
    test(`${target} ${content}`, async () => {
      const it = await writer();
      const paths = it.host.fs.paths();
      expect(await it.text(target, content)).toBe(expected);
      expect(it.host.fs.bytesOf("/work/app.db")).toEqual(app);
      expect(it.host.fs.paths()).toEqual(paths);
    });
  }
});

test("keys find the very row", async () => {
  const it = await writer();
  expect(await it.text("app.db:nopk:1", "{v:'first'}")).toBe("Updated row '1' in nopk");
  expect(it.rows("SELECT rowid, v FROM nopk")).toEqual([
    ["7", "first"],
    ["1", "y"],
  ]);
  expect(await it.text("app.db:any:1", "{v:'changed'}")).toBe("Updated row '1' in any");
  expect(it.rows("SELECT typeof(k), v FROM any")).toEqual([
    ["integer", "integer"],
    ["text", "changed"],
  ]);
  expect(await it.text("app.db:a:b?:1", "{v:'y'}")).toBe("Updated row '1' in a:b?");
  expect(await it.text("app.db:a%3Ab%3F:1", "{v:'z'}")).toBe("Updated row '1' in a:b?");
  expect(await it.text("app.db:kv", "{k:'b:c',v:2}")).toBe("Inserted row into kv");
  expect(await it.text("app.db:comp", "{a:1,b:2}")).toBe("Inserted row into comp");
  expect(await it.text("local://app.db:users:1", "{name:'L'}")).toBe("Updated row '1' in users");
});

test("other names are plain files: none, an existing one that is no database, and a literal one", async () => {
  const it = await writer({ "notes.db": "text\n", "app.db": app, "app.db:users": "own\n" });
  expect(await it.text("new.db", "fresh\n")).toContain("Successfully wrote to new.db");
  expect(it.host.fs.text("/work/new.db")).toBe("fresh\n");
  expect(await it.text("notes.db:users", "{}\n")).toContain("Successfully wrote to notes.db:users");
  expect(it.host.fs.text("/work/notes.db:users")).toBe("{}\n");
  expect(await it.text("app.db:users", "{}\n")).toStartWith("file.conflict");
  expect(it.host.fs.bytesOf("/work/app.db")).toEqual(app);
});

test("a dry run says what would be done and writes nothing", async () => {
  const it = await writer();
  for (const [target, content, expected] of [
    ["app.db:users", "{name:'x'}", "A row would be inserted into users; nothing was written"],
    ["app.db:users:1", "{name:'x'}", "Row '1' in users would be updated; nothing was written"],
    ["app.db:users:1", "", "Row '1' in users would be deleted; nothing was written"],
    ["app.db:users:9", "", "No row would be deleted: there is no row '9' in users"],
    [
      "app.db:users:1",
      "{zip:1}",
      "sqlite.column: Table users has no column zip; its columns are id, name, note, g.",
    ],
  ] as const) {
    expect(await it.text(target, content, true)).toBe(expected);
  }
  expect(it.host.fs.bytesOf("/work/app.db")).toEqual(app);
});

test("the policy and the workspace hold", async () => {
  const readOnly = await writer(undefined, { readOnly: true });
  expect(await readOnly.text("app.db:users", "{}")).toStartWith("policy.read_only");
  const elsewhere = await writer(undefined, { plan: ["/work/other.db"] });
  expect(await elsewhere.text("app.db:users:1", "{name:'x'}")).toStartWith("policy.plan");
  expect(elsewhere.host.fs.bytesOf("/work/app.db")).toEqual(app);
  const planned = await writer(undefined, { plan: ["/work/app.db"] });
  expect(await planned.text("app.db:users:1", "{name:'x'}")).toBe("Updated row '1' in users");
  const outside = await writer({ "/etc/app.db": app, "link.db": { link: "/etc/app.db" } });
  for (const path of ["/etc/app.db", "../etc/app.db", "link.db"]) {
    expect(await outside.text(`${path}:users:1`, "")).toBe(
      `selector.escape: database leaves the workspace: ${path}`,
    );
  }
  expect(outside.host.fs.bytesOf("/etc/app.db")).toEqual(app);
});

describe("a write that does not end", () => {
  const stuck =
    (first: string): MemoryProgram =>
    async ({ out, killed }) => {
      await out(first);
      const { promise, resolve } = Promise.withResolvers<void>();
      killed.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      return 0;
    };

  test("is stopped before it is committed, and never afterwards", async () => {
    const early = await writer(undefined, { child: stuck("") });
    expect(await early.text("app.db:users", "{}")).toBe(
      "sqlite.time: app.db: the write was stopped after 5 s. Nothing was written.",
    );
    const committing: MemoryProgram = async ({ out }) => {
      await out("C\n");
      // Long enough for the time to be over.
      await Bun.sleep(20);
      await out('W{"kind":"inserted","table":"users","changes":1,"further":0}\nD\n');
      return 0;
    };
    const late = await writer(undefined, { child: committing });
    expect(await late.text("app.db:users", "{}")).toBe("Inserted row into users");
  });

  test("that dies while it is committed is not said to have failed", async () => {
    const dying = await writer(undefined, {
      async child({ out }) {
        await out("C\n");
        return 137;
      },
    });
    expect(await dying.text("app.db:users", "{}")).toStartWith("sqlite.unsure: ");
  });
});

test("a file that is swapped while it is opened is not written", async () => {
  const it = await writer();
  it.host.fs.before("read", "/work/app.db", () => it.host.fs.put("/work/app.db", app));
  expect(await it.text("app.db:users:1", "{name:'x'}")).toStartWith("sqlite.unavailable: ");
});
