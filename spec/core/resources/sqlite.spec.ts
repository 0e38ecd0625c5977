// Databases as the read tool shows them, over files in memory (tools.md §§2.5, 4).

import { describe, expect, setDefaultTimeout, test } from "bun:test";

import type { MemoryEntry } from "../../../adapters/memory/fs.ts";
import { memoryHost, type MemoryHost } from "../../../adapters/memory/host.ts";
import type { MemoryProgram } from "../../../adapters/memory/processes.ts";
import { callTool, type Outcome } from "../../../core/call.ts";
import { serveJob } from "../../../core/sqlite/job.ts";
import { read } from "../../../core/tools/read.ts";
import { callFor } from "../../helpers/call.ts";
import { databaseOf, databaseWithLog } from "../../helpers/database.ts";

setDefaultTimeout(60_000);

const app = databaseOf(
  "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT NOT NULL, note)",
  "INSERT INTO users VALUES(1,'Ada',NULL),(2,'Bob',x'00ff'),(9007199254740993,'Big',1.0)",
  "CREATE TABLE raw(a)",
  "INSERT INTO raw VALUES(5)",
  "CREATE VIEW v AS SELECT name FROM users",
);

interface Reader {
  readonly host: MemoryHost;
  readonly notices: string[];
  outcome(path: string, input?: { readonly raw?: boolean }): Promise<Outcome>;
  /** What is shown; or the code and the message of the refusal. */
  text(path: string): Promise<string>;
}

function reader(
  files: Readonly<Record<string, MemoryEntry>> = { "app.db": app },
  { child, unlimited = false }: { child?: MemoryProgram; unlimited?: boolean } = {},
): Reader {
  const own: MemoryProgram = async ({ stdin, out }) => {
    const parts: Uint8Array[] = [];
    for await (const part of stdin) parts.push(part);
    const job = Buffer.concat(parts).toString();
    for await (const line of serveJob(job, host)) if (!(await out(line))) break;
    return 0;
  };
  const host = memoryHost({ files, programs: { atomic: child ?? own } });
  const notices: string[] = [];
  const call = callFor({
    cwd: "/work",
    notice: (text) => void notices.push(text),
    options: { ...callFor().options, unlimited },
  });
  const it: Reader = {
    host,
    notices,
    outcome: (path, input = {}) =>
      callTool(read, { path, ...input }, host, call, { readOnly: true }),
    async text(path) {
      const outcome = await it.outcome(path);
      if (!outcome.ok) return `${outcome.error.code}: ${outcome.error.message}`;
      const { rendered } = outcome;
      return "text" in rendered ? rendered.text : Buffer.from(rendered.bytes).toString();
    },
  };
  return it;
}

const ada = '{"id":1,"name":"Ada","note":null}';
const bob = '{"id":2,"name":"Bob","note":{"$blob":"AP8=","bytes":2}}';
const big = '{"id":"9007199254740993","name":"Big","note":1.0}';

test("a database lists its tables and views", async () => {
  const it = reader();
  const list = '{"table":"raw","rows":1}\n{"table":"users","rows":3}\n{"table":"v","view":true}';
  expect(await it.text("app.db")).toBe(list);
  expect(await it.text("app.db:")).toBe(list);
  expect(await it.text("app.db:2-2")).toBe(list);
  expect(await it.text("app.db:2-")).toBe('{"table":"users","rows":3}\n{"table":"v","view":true}');
  const outcome = await it.outcome("app.db");
  expect(outcome.ok && outcome.details).toMatchObject({
    tables: 3,
    meta: { source: "sqlite", sourcePath: "/work/app.db" },
  });
});

test("a table shows its schema and a sample", async () => {
  expect(await reader().text("app.db:users")).toBe(`# users
Schema:
{"cid":0,"name":"id","type":"INTEGER","notnull":0,"dflt_value":null,"pk":1}
{"cid":1,"name":"name","type":"TEXT","notnull":1,"dflt_value":null,"pk":0}
{"cid":2,"name":"note","type":"","notnull":0,"dflt_value":null,"pk":0}
Rows:
${ada}
${bob}
${big}`);
});

describe("what a selector shows", () => {
  for (const [target, expected] of [
    [
      "app.db:users?limit=2",
      `${ada}\n${bob}\n\n[More rows follow; continue with limit=2&offset=2]`,
    ],
    ["app.db:users?limit=2&offset=2", big],
    ["app.db:users?where=name='Bob'", bob],
    [
      "app.db:users?order=id:desc&limit=1",
      `${big}\n\n[More rows follow; continue with limit=1&offset=1]`,
    ],
    ["app.db:users?where=id>5", big],
    ["app.db:users?where=id<0", "(no rows)"],
    ["app.db:users?sampleRows=1", `${ada}\n\n[More rows follow]`],
    ["app.db:users:2", bob],
    ["app.db:users?id=2", bob],
    ["app.db:users:9007199254740993", big],
    ["app.db:users:9007199254740992", "no row '9007199254740992' in users"],
    ["app.db:users:9007199254740993.0", "no row '9007199254740993.0' in users"],
    ["app.db:users:99999999999999999999", "no row '99999999999999999999' in users"],
    ["app.db:users:7", "no row '7' in users"],
    ["app.db:users:2-3", "no row '2-3' in users"],
    ["app.db:users:2:raw", `${bob}\n`],
    [
      "app.db:users:2:5-6",
      "Line 5 is beyond EOF: app.db:users:2 has 1 line; the last one is app.db:users:2:1",
    ],
    ["app.db:users?limit=3:2-", `${bob}\n${big}`],
    [
      "app.db:raw",
      '# raw\nSchema:\n{"cid":0,"name":"a","type":"","notnull":0,"dflt_value":null,"pk":0}\nRows:\n{"a":5}',
    ],
    ["app.db:raw:1", '{"a":5}'],
    ["app.db:v?limit=1", '{"name":"Ada"}\n\n[More rows follow; continue with limit=1&offset=1]'],
    ["app.db:v:1", "sqlite.no_key: The rows of v cannot be named by a key: it is a view."],
    ["app.db?q=SELECT count(*) AS n, 1 AS n FROM v", '{"n":3,"n:1":1}'],
    ["app.db?q=SELECT%20name%20FROM%20users%20LIMIT%201", '{"name":"Ada"}'],
    ["app.db?q=SELECT name FROM users WHERE id=0", "(no rows)"],
    [
      "app.db?q=SELEC 1",
      'sqlite.query: Bad q=: only SELECT is accepted, and it begins with "SELEC".',
    ],
    ["app.db?q=SELECT missing FROM users", "sqlite.sql: app.db: no such column: missing"],
    ["app.db:users?where=missing=1", "sqlite.sql: app.db: no such column: missing"],
    ["app.db:users?order=missing", "sqlite.sql: app.db: no such column: users.missing"],
    ["app.db:user", 'sqlite.no_table: app.db: no such table: user; did you mean "users"?'],
    ["app.db:sqlite_schema", "sqlite.no_table: app.db: no such table: sqlite_schema"],
  ] as const) {
    test(target, async () => expect(await reader().text(target)).toBe(expected));
  }
});

test("only the first 16 bytes make a database; other files of such names are plain", async () => {
  const it = reader({ "notes.db": "one\ntwo\nthree\n", "empty.db": "", "app.data": app });
  expect(await it.text("notes.db:2-2:raw")).toBe("two");
  expect(await it.text("notes.db")).toBe("1:one\n2:two\n3:three");
  expect(await it.text("empty.db")).toContain("(file is empty)");
  expect(await it.text("app.data")).toContain("a binary file");
  expect(await it.text("none.db")).toStartWith("file.not_found: File not found: none.db");
  expect(await it.text("none.db:users")).toStartWith(
    "file.not_found: File not found: none.db:users",
  );
  // A whole database by its bytes.
  expect(await reader().text("app.db:raw:raw")).toContain("# raw");
});

test("reading takes no more of the file than its beginning, and opens it once", async () => {
  const it = reader();
  await it.text("app.db:users:2");
  expect(it.host.fs.calls.filter((call) => call.startsWith("open "))).toEqual([
    "open /work/app.db",
  ]);
});

test("a database may not lead out of the workspace, a plain file of that name may", async () => {
  const it = reader({
    "/etc/app.db": app,
    "/etc/notes.db": "text\n",
    "link.db": { link: "/etc/app.db" },
    "plain.db": { link: "/etc/notes.db" },
  });
  const refused = (path: string) => `selector.escape: database leaves the workspace: ${path}`;
  for (const path of ["/etc/app.db", "../etc/app.db", "link.db"]) {
    expect(await it.text(path)).toBe(refused(path));
    expect(await it.text(`${path}:users`)).toBe(refused(path));
    expect(await it.text(`${path}?q=SELECT 1`)).toBe(refused(path));
  }
  expect(await it.text("plain.db:raw")).toBe("text\n");
});

test("rows that are only in the log are shown, and no file is touched", async () => {
  const files = databaseWithLog(["CREATE TABLE t(v)"], ["INSERT INTO t VALUES(7)"]);
  const it = reader({ "w.db": files[""]!, "w.db-wal": files["-wal"]! });
  expect(await it.text("w.db")).toBe('{"table":"t","rows":1}');
  expect(await it.text("w.db:t:1")).toBe('{"v":7}');
  expect(it.host.fs.paths()).toEqual(["/work/w.db", "/work/w.db-wal"]);
});

test("in a pipe a sentence never passes for a row", async () => {
  const it = reader(undefined, { unlimited: true });
  expect(await it.text("app.db:users:7:raw")).toBe("");
  expect(it.notices).toEqual(["no row '7' in users"]);
});

test("every cut is said", async () => {
  const many = databaseOf(
    "CREATE TABLE t(v)",
    "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 50001) INSERT INTO t SELECT x FROM c",
    "CREATE TABLE u(v)",
    "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 50000) INSERT INTO u SELECT x FROM c",
    ...Array.from({ length: 500 }, (_, i) => `CREATE TABLE a${i}(v)`),
  );
  const it = reader({ "m.db": many });
  const last = (text: string) => text.split("\n").at(-1);
  expect(last(await it.text("m.db"))).toBe(
    "[Showing the first 500 of 502 tables; the others are read by their names]",
  );
  expect(last(await it.text("m.db:t"))).toBe(
    "[More rows follow; 5 are shown. Read on with ?limit=20&offset=5]",
  );
  expect(last(await it.text("m.db?q=SELECT v FROM t"))).toBe(
    "[Only the first 1,000 rows are shown; the query has more]",
  );
  expect((await it.text("m.db:t?limit=600")).split("\n").slice(-2)).toEqual([
    "[limit=600 is over the limit; 500 was taken]",
    "[More rows follow; continue with limit=500&offset=500]",
  ]);
  const two = reader({
    "p.db": databaseOf(
      "CREATE TABLE t(v)",
      "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 50001) INSERT INTO t SELECT x FROM c",
      "CREATE TABLE u(v)",
      "INSERT INTO u SELECT v FROM t LIMIT 50000",
    ),
  });
  expect(await two.text("p.db")).toBe('{"table":"t","rows":"50000+"}\n{"table":"u","rows":50000}');
});

describe("a query that does not end", () => {
  const endless =
    (first: string): MemoryProgram =>
    async ({ out, killed }) => {
      await out(first);
      const { promise, resolve } = Promise.withResolvers<void>();
      killed.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      return 0;
    };

  async function late(first: string): Promise<string> {
    const it = reader(undefined, { child: endless(first) });
    const said = await it.text("app.db?q=SELECT 1");
    expect(it.host.processes.running.size).toBe(0);
    return said;
  }

  test("is stopped with what it had", async () => {
    expect(await late('R{"x":1}\nR{"x":2}\nR{"half')).toBe(
      '{"x":1}\n{"x":2}\n\n[Stopped after 5 s: 2 rows had come; there may be more]',
    );
  });

  test("is an error where it had nothing", async () => {
    expect(await late("")).toBe("sqlite.time: app.db: stopped after 5 s, before there was a row.");
  });
});

test("a process that dies is said to have died", async () => {
  const it = reader(undefined, {
    async child({ err }) {
      await err("out of memory\n");
      return 134;
    },
  });
  expect(await it.text("app.db?q=SELECT 1")).toBe(
    "sqlite.unavailable: app.db: the process for it ended with status 134: out of memory.",
  );
});
