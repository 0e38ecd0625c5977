// Databases through the built program, against the sqlite3 command line where it is installed (tools.md §4).

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";

import { databaseOf, databaseWithJournal, databaseWithLog } from "../helpers/database.ts";
import { runtimes } from "../helpers/runtimes.ts";
import { inPlace, type Place, runPiped } from "./program.ts";

setDefaultTimeout(120_000);

const main = resolve(import.meta.dirname, "../../cmd/main.ts");
const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/cases/${name}`, import.meta.url)));
const lines = (text: string) => text.split("\n").filter((line) => line !== "");

/** All that a folder holds, and when it was last written. */
function stateOf({ folder }: Pick<Place, "folder">) {
  return readdirSync(folder)
    .toSorted()
    .map((name) => {
      const path = join(folder, name);
      const { mtimeMs, size, mode, nlink } = statSync(path);
      const hash = createHash("sha256").update(readFileSync(path)).digest("hex");
      return { name, size, mode, nlink, mtimeMs, hash };
    });
}

/** Rows as the command line of SQLite gives them. */
function sqlite3(file: string, sql: string): unknown {
  const { status, stdout, stderr } = spawnSync("sqlite3", ["-readonly", "-json", file, sql], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout === "" ? [] : JSON.parse(stdout);
}

const hasPeer = spawnSync("sqlite3", ["--version"]).status === 0;

async function rowsOf({ run }: Place, target: string): Promise<readonly unknown[]> {
  const { status, stdout } = await run(["read", target, "--raw"]);
  expect([target, status]).toEqual([target, 0]);
  return lines(stdout).map((line) => JSON.parse(line));
}

test("B038: integers beyond 2^53 are shown and found by every digit", async () => {
  await inPlace({ "big.db": fixture("B038/big.db") }, async (place) => {
    const { folder, run } = place;
    const [{ table }] = (await rowsOf(place, "big.db")) as [{ table: string }];
    const shown = (await run(["read", `big.db:${table}?limit=100`])).stdout;
    for (const digits of ["770011223344556677", "9007199254740993", "9223372036854775807"]) {
      if (sqliteHas(folder, table, digits)) expect(shown).toContain(`"${digits}"`);
    }
    const row = (await run(["read", `big.db:${table}:9007199254740993`])).stdout;
    expect(row).toContain('"9007199254740993"');
    expect(lines(row)).toHaveLength(1);
  });
});

function sqliteHas(folder: string, table: string, digits: string): boolean {
  const bytes = readFileSync(join(folder, "big.db"));
  const number = Buffer.alloc(8);
  number.writeBigInt64BE(BigInt(digits));
  return table !== "" && bytes.includes(number);
}

describe("B040: only SELECT", () => {
  const listed = (name: string) => lines(Buffer.from(fixture(`B040/${name}`)).toString());
  const more = [
    "SELECT * FROM sqlite_master",
    'SELECT * FROM "sqlite_master"',
    "SELECT * FROM 'sqlite_master'",
    "SELECT * FROM [sqlite_schema]",
    "SELECT * FROM `SQLITE_MASTER`",
    "SELECT * FROM main.'sqlite_schema'",
    "SELECT * FROM v",
    "SELECT * FROM pragma_user_version",
    "SELECT * FROM 'pragma_table_info'('t')",
    "SELECT fts3_tokenizer('simple')",
    "WITH a AS (SELECT 1) INSERT INTO t(v) SELECT 1",
    "SELECT 1 UNION ALL SELECT 2; DROP TABLE t",
    "SELECT load_extension('/tmp/x') FROM t",
  ];

  test("what is more is refused, in every runtime, and changes nothing", async () => {
    await inPlace({ "ro.db": fixture("B040/ro.db") }, async (place) => {
      if (hasPeer) {
        spawnSync("sqlite3", [
          join(place.folder, "ro.db"),
          "CREATE VIEW v AS SELECT * FROM sqlite_master",
        ]);
      }
      const before = stateOf(place);
      for (const sql of [...listed("queries.txt"), ...more]) {
        const { status, stdout } = await place.run(["read", `ro.db?q=${sql}`]);
        expect([sql, stdout]).toEqual([sql, ""]);
        expect(status).not.toBe(0);
      }
      for (const { command } of runtimes.slice(1)) {
        for (const sql of ["WITH a AS (SELECT 1) DELETE FROM t", "SELECT * FROM 'sqlite_master'"]) {
          const line = [...command, main, "read", `ro.db?q=${sql}`];
          const { status, stdout } = await runPiped(line, place.folder, place.env);
          expect([sql, status, stdout]).toEqual([sql, 2, ""]);
        }
      }
      expect(stateOf(place)).toEqual(before);
      expect(existsSync("/tmp/atomic_b040_leak.db")).toBe(false);
    });
  });

  test("what only reads is answered, in every runtime", async () => {
    await inPlace({ "ro.db": fixture("B040/ro.db") }, async ({ run, folder, env }) => {
      for (const [i, sql] of listed("allowed.txt").entries()) {
        const own = await run(["read", `ro.db?q=${sql}`]);
        expect([own.status, own.stderr]).toEqual([0, ""]);
        for (const { command } of i === 0 ? runtimes : []) {
          const line = [...command, main, "read", `ro.db?q=${sql}`];
          expect(await runPiped(line, folder, env)).toEqual(own);
        }
      }
    });
  });

  test("conditions and orders are judged as well", async () => {
    await inPlace({ "ro.db": fixture("B040/ro.db") }, async (place) => {
      const before = stateOf(place);
      for (const bad of [
        "where=1) UNION SELECT 1,2 FROM t WHERE (1",
        "where=1;",
        "where=1 -- x",
        "where=id IN (SELECT id FROM t)",
        "where=load_extension('x')",
        "where=1 LIMIT 1",
        "order=id; DROP TABLE t",
        "order=(SELECT 1)",
      ]) {
        const { status, stdout } = await place.run(["read", `ro.db:t?${bad}`]);
        expect([bad, status, stdout]).toEqual([bad, 2, ""]);
      }
      expect(stateOf(place)).toEqual(before);
    });
  });
});

test("B042: odd names are names", async () => {
  await inPlace({ "odd.db": fixture("B042/odd.db") }, async (place) => {
    const before = stateOf(place);
    const list = (await rowsOf(place, "odd.db")) as { table: string; view?: true; rows: number }[];
    for (const { table, view, rows } of list) {
      const spelt = table.replaceAll("%", "%25").replaceAll(":", "%3A").replaceAll("?", "%3F");
      for (const name of new Set([table, spelt])) {
        const found = await rowsOf(place, `odd.db:${name}?limit=500`);
        if (!view) expect([name, found.length]).toEqual([name, rows]);
        if (!hasPeer) continue;
        const quoted = `"${table.replaceAll('"', '""')}"`;
        expect(found).toEqual(
          sqlite3(join(place.folder, "odd.db"), `SELECT * FROM ${quoted}`) as unknown[],
        );
      }
    }
    expect(await rowsOf(place, "odd.db:a:b:1")).toHaveLength(1);
    expect(JSON.stringify(await rowsOf(place, "odd.db:nopk:1"))).toContain("7");
    const composite = await place.run(["read", "odd.db:comp:1"]);
    expect([composite.status, composite.stdout]).toEqual([1, ""]);
    expect(composite.stderr).toContain("primary key of 2 columns");
    expect(stateOf(place)).toEqual(before);
  });
});

describe("databases that others write to are read without changing a byte", () => {
  const before = ["CREATE TABLE t(id INTEGER PRIMARY KEY, v)", "INSERT INTO t(v) VALUES('old')"];

  test.each([
    ["with a log", databaseWithLog(before, ["INSERT INTO t(v) VALUES('new')"]), 2],
    ["in WAL mode without a log", { "": databaseOf("PRAGMA journal_mode=WAL", ...before) }, 1],
    [
      "with a journal of a killed writer",
      databaseWithJournal(
        [...before, "CREATE TABLE u(v)"],
        [
          "INSERT INTO t(v) VALUES('half')",
          "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 9000) INSERT INTO u SELECT hex(zeroblob(200)) FROM c",
        ],
      ),
      1,
    ],
  ])("%s", async (_, files, rows) => {
    const named = Object.fromEntries(
      Object.entries(files).map(([suffix, bytes]) => [`w.db${suffix}`, bytes]),
    );
    await inPlace(named, async (place) => {
      const state = stateOf(place);
      const folder = statSync(place.folder).mtimeMs;
      for (const target of [
        "w.db",
        "w.db:t",
        "w.db:t:1",
        "w.db?q=SELECT v FROM t",
        "w.db:t?where=id>0",
      ]) {
        expect((await place.run(["read", target])).status).toBe(0);
      }
      expect(await rowsOf(place, "w.db:t?limit=9")).toHaveLength(rows);
      expect(stateOf(place)).toEqual(state);
      expect(statSync(place.folder).mtimeMs).toBe(folder);
    });
  });
});

describe("a query that does not end", () => {
  const endless = "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c)";
  const silent = `SELECT (${endless} SELECT count(*) FROM c) AS n`;

  test("is cut at 1,000 rows, or stopped after its time with what it had", async () => {
    await inPlace(
      { "a.db": databaseOf("CREATE TABLE t(v)", "INSERT INTO t VALUES(1)") },
      async (place) => {
        const { stdout } = await place.run(["read", `a.db?q=${endless} SELECT x FROM c`]);
        expect(lines(stdout).slice(-2)).toEqual([
          '{"x":1000}',
          "[Only the first 1,000 rows are shown; the query has more]",
        ]);
        const [none, some, view] = await Promise.all([
          place.run(["read", `a.db?q=${silent}`]),
          place.run(["read", `a.db?q=SELECT v FROM t UNION ALL ${silent}`]),
          place.run(["read", `a.db:t?where=v=1 AND abs(1)=1`]),
        ]);
        expect([none.status, none.stdout]).toEqual([124, ""]);
        expect(none.stderr).toStartWith("a.db: stopped after 5 s, before there was a row.");
        expect(some).toEqual({
          status: 0,
          stdout: '{"v":1}\n\n[Stopped after 5 s: 1 row had come; there may be more]\n',
          stderr: "",
        });
        expect(view.stdout).toBe('{"v":1}\n');
      },
    );
  });

  test("is stopped as well where it hides in a view", async () => {
    const files = { "a.db": databaseOf("CREATE TABLE t(v)", `CREATE VIEW v AS ${silent}`) };
    await inPlace(files, async ({ run }) => {
      expect((await run(["read", "a.db"])).status).toBe(0);
      expect((await run(["read", "a.db:v"])).stdout).toContain("[Stopped after 5 s");
    });
  });
});

test("rows are those of the sqlite3 command line", async () => {
  if (!hasPeer) return;
  const app = databaseOf(
    "CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT, c REAL, d NUMERIC, e)",
    "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 400) INSERT INTO t SELECT x, 'é\"\\'||char(9)||x, x/7.0, x*1000003, CASE x%3 WHEN 0 THEN NULL WHEN 1 THEN 'x' ELSE -x END FROM c",
    "CREATE TABLE w(k TEXT PRIMARY KEY, v) WITHOUT ROWID",
    "INSERT INTO w VALUES('a:b',1),('c?d',2.5),('',3)",
    "CREATE VIRTUAL TABLE f USING fts5(title, body)",
    "INSERT INTO f VALUES('one','hello world'),('two','goodbye')",
    "CREATE VIEW v AS SELECT a, b FROM t WHERE a % 2",
  );
  await inPlace({ "p.db": app }, async (place) => {
    const file = join(place.folder, "p.db");
    for (const [target, sql] of [
      ["p.db:t?limit=500", "SELECT * FROM t"],
      [
        "p.db:t?limit=7&offset=390&order=c:desc",
        "SELECT * FROM t ORDER BY c DESC LIMIT 7 OFFSET 390",
      ],
      ["p.db:t?where=b LIKE '%25é%25' AND e IS NULL&limit=500", "SELECT * FROM t WHERE e IS NULL"],
      ["p.db:t:77", "SELECT * FROM t WHERE a=77"],
      ["p.db:w?limit=500", "SELECT * FROM w"],
      ["p.db:w:a:b", "SELECT * FROM w WHERE k='a:b'"],
      ["p.db:w:c%3Fd", "SELECT * FROM w WHERE k='c?d'"],
      ["p.db:w:c?d", "SELECT * FROM w WHERE k='c?d'"],
      ["p.db:f?limit=9", "SELECT * FROM f"],
      ["p.db:f?where=f MATCH 'hello'", "SELECT * FROM f WHERE f MATCH 'hello'"],
      ["p.db:v?limit=500", "SELECT * FROM v"],
      [
        "p.db?q=SELECT e, count(*) n FROM t GROUP BY e ORDER BY n, e LIMIT 5",
        "SELECT e, count(*) n FROM t GROUP BY e ORDER BY n, e LIMIT 5",
      ],
    ] as const) {
      const both = { target, rows: await rowsOf(place, target) };
      expect(both).toEqual({ target, rows: sqlite3(file, sql) as unknown[] });
    }
  });
});
