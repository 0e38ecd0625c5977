// Rows written by the built program, and what the sqlite3 command line says of the database afterwards (tools.md §9.3).

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";

import { databaseOf } from "../helpers/database.ts";
import { inPlace, type Place } from "./program.ts";

setDefaultTimeout(120_000);

const fixture = (name: string) =>
  new Uint8Array(readFileSync(new URL(`../fixtures/cases/${name}`, import.meta.url)));
const hasPeer = spawnSync("sqlite3", ["--version"]).status === 0;

/** As the command line of SQLite gives it. */
function sqlite3({ folder }: Place, file: string, ...words: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync("sqlite3", [join(folder, file), ...words], {
    encoding: "utf8",
  });
  if (status !== 0) throw new Error(stderr);
  return stdout;
}

/** Every statement that would make the database again, a line each. */
function dump(place: Place, file: string): readonly string[] {
  return sqlite3(place, file, ".dump").split("\n");
}

function changedLines(before: readonly string[], after: readonly string[]) {
  return {
    gone: before.filter((line) => !after.includes(line)),
    come: after.filter((line) => !before.includes(line)),
  };
}

async function put({ run }: Place, target: string, content: string): Promise<string> {
  const { status, stdout, stderr } = await run(["write", target], { stdin: content });
  return status === 0 ? stdout : `${status} ${stderr}`;
}

test.skipIf(!hasPeer)("B038: only the named row changes, exactly as written", async () => {
  await inPlace({ "big.db": fixture("B038/big.db") }, async (place) => {
    let before = dump(place, "big.db");
    function change() {
      const after = dump(place, "big.db");
      const lines = changedLines(before, after);
      before = after;
      return lines;
    }
    expect(await put(place, "big.db:t:9007199254740993", "{v: 9223372036854775807}")).toBe(
      "Updated row '9007199254740993' in t\n",
    );
    expect(change()).toEqual({
      gone: ["INSERT INTO t VALUES(9007199254740993,2,'odd neighbour');"],
      come: ["INSERT INTO t VALUES(9007199254740993,9223372036854775807,'odd neighbour');"],
    });
    expect(await put(place, "big.db:t:9007199254740993", "")).toBe(
      "Deleted row '9007199254740993' in t\n",
    );
    expect(change().come).toEqual([]);
    expect(
      await put(place, "big.db:t", "{id: -9223372036854775808, v: -9223372036854775808}"),
    ).toBe("Inserted row into t\n");
    expect(change().come).toEqual([
      "INSERT INTO t VALUES(-9223372036854775808,-9223372036854775808,NULL);",
    ]);
    expect(await put(place, "big.db:t", "{v: 9223372036854775808}")).toStartWith(
      "2 Column v of table t",
    );
    expect(change()).toEqual({ gone: [], come: [] });
    const { stdout } = await place.run(["read", "big.db:t:-9223372036854775808"]);
    expect(stdout).toBe('{"id":"-9223372036854775808","v":"-9223372036854775808","note":null}\n');
    expect(sqlite3(place, "big.db", "PRAGMA integrity_check")).toBe("ok\n");
  });
});

test.skipIf(!hasPeer)(
  "B042: odd names are written by one row each, and nothing else runs",
  async () => {
    await inPlace({ "odd.db": fixture("B042/odd.db") }, async (place) => {
      for (const [target, content, expected] of [
        ["odd.db:123_digits:1", "{content:'new'}", "Updated row '1' in 123_digits\n"],
        [
          'odd.db:we"ird:1',
          `{'col[br]':'A', 'sp ace':'B', 'qu"ote':'C', 'back\`tick':'D', select:'E'}`,
          "Updated row '1' in we\"ird\n",
        ],
        ["odd.db:a:b:1", "{v:'new'}", "Updated row '1' in a:b\n"],
        ["odd.db:order:1", "{group:'new'}", "Updated row '1' in order\n"],
        [
          "odd.db:t; DROP TABLE victim; --",
          "{v:'new'}",
          "Inserted row into t; DROP TABLE victim; --\n",
        ],
        ["odd.db:nopk:1", "{v:'new'}", "Updated row '1' in nopk\n"],
        ["odd.db:gen:1", "{a:21}", "Updated row '1' in gen\n"],
        ["odd.db:gen", "{}", "Inserted row into gen\n"],
      ] as const) {
        const before = dump(place, "odd.db");
        expect(await put(place, target, content)).toBe(expected);
        const { gone, come } = changedLines(before, dump(place, "odd.db"));
        expect([target, gone.length, come.length]).toEqual([
          target,
          expected.startsWith("Inserted") ? 0 : 1,
          1,
        ]);
      }
      const before = dump(place, "odd.db");
      for (const [target, content] of [
        ["odd.db:kv:k", "{val:'x'}"],
        ["odd.db:comp:1", "{v:'x'}"],
        ["odd.db:vw:1", "{id:5}"],
        ["odd.db:gen:1", "{b:5}"],
        ["odd.db:order:1", "{'SELECT 1':5}"],
      ] as const) {
        expect(await put(place, target, content)).toMatch(/^[12] /);
      }
      expect(dump(place, "odd.db")).toEqual(before);
      expect(sqlite3(place, "odd.db", "SELECT count(*) FROM victim")).toBe("1\n");
      expect(sqlite3(place, "odd.db", "SELECT b FROM gen WHERE id=1")).toBe("42\n");
      expect(sqlite3(place, "odd.db", "PRAGMA integrity_check")).toBe("ok\n");
    });
  },
);

test.skipIf(!hasPeer)(
  "full-text tables, triggers, foreign keys and WAL stay as they are meant",
  async () => {
    const files = {
      "s.db": databaseOf(
        "PRAGMA journal_mode=WAL",
        "CREATE TABLE p(id INTEGER PRIMARY KEY, body TEXT)",
        "CREATE TABLE c(id INTEGER PRIMARY KEY, p REFERENCES p ON DELETE CASCADE)",
        "CREATE VIRTUAL TABLE f USING fts5(body, content='p', content_rowid='id')",
        "CREATE TRIGGER ai AFTER INSERT ON p BEGIN INSERT INTO f(rowid, body) VALUES(new.id, new.body); END",
        "CREATE VIRTUAL TABLE own USING fts5(title)",
      ),
    };
    await inPlace(files, async (place) => {
      const { mode } = statSync(join(place.folder, "s.db"));
      expect(await put(place, "s.db:p", "{body:'hello world'}")).toStartWith(
        "Inserted row into p\n",
      );
      expect(await put(place, "s.db:c", "{p:1}")).toBe("Inserted row into c\n");
      expect(await put(place, "s.db:c", "{p:9}")).toBe(
        "1 s.db: FOREIGN KEY constraint failed\nNothing was written.\n",
      );
      expect(await put(place, "s.db:own", "{title:'found by words'}")).toStartWith(
        "Inserted row into own\n",
      );
      expect(await put(place, "s.db:own:1", "{title:'found by others'}")).toStartWith(
        "Updated row '1' in own\n",
      );
      expect(sqlite3(place, "s.db", "SELECT rowid FROM f WHERE f MATCH 'hello'")).toBe("1\n");
      expect(sqlite3(place, "s.db", "SELECT rowid FROM own WHERE own MATCH 'others'")).toBe("1\n");
      expect(await put(place, "s.db:p:1", "")).toBe(
        "Deleted row '1' in p\nNote: triggers, foreign keys or the table's own index changed 1 further row.\n",
      );
      expect(sqlite3(place, "s.db", "PRAGMA journal_mode; PRAGMA integrity_check")).toBe(
        "wal\nok\n",
      );
      expect(statSync(join(place.folder, "s.db")).mode).toBe(mode);
    });
  },
);

describe("whoever is in the way", () => {
  const counter = () =>
    databaseOf("CREATE TABLE t(id INTEGER PRIMARY KEY, v)", "INSERT INTO t VALUES(1,0)");

  test.skipIf(!hasPeer)("is waited for three seconds, and then told of", async () => {
    await inPlace({ "l.db": counter() }, async (place) => {
      const holder = spawn("sqlite3", [join(place.folder, "l.db")], {
        stdio: ["pipe", "pipe", "inherit"],
      });
      const ready = new Promise((resolve) => holder.stdout.once("data", resolve));
      holder.stdin.write("BEGIN EXCLUSIVE; SELECT 'held';\n");
      await ready;
      const before = readFileSync(join(place.folder, "l.db"));
      const [written, read] = await Promise.all([
        put(place, "l.db:t:1", "{v:1}"),
        place.run(["read", "l.db:t"]),
      ]);
      expect(written).toBe("3 l.db: database is locked\nNothing was written.\nTry again.\n");
      expect([read.status, read.stdout]).toEqual([3, ""]);
      expect(readFileSync(join(place.folder, "l.db"))).toEqual(before);
      holder.stdin.end("COMMIT;\n");
      await new Promise((resolve) => holder.once("exit", resolve));
      expect(await put(place, "l.db:t:1", "{v:1}")).toBe("Updated row '1' in t\n");
    });
  });

  test("many writers at once lose nothing", async () => {
    await inPlace({ "l.db": counter() }, async (place) => {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, i) => put(place, "l.db:t", `{v:${i}}`)),
      );
      expect(answers).toEqual(answers.map(() => "Inserted row into t\n"));
      const { stdout } = await place.run([
        "read",
        "l.db?q=SELECT count(*) AS n, sum(v) AS s FROM t",
      ]);
      expect(stdout).toBe('{"n":9,"s":28}\n');
    });
  });
});

test.skipIf(!hasPeer)(
  "a trigger that does not end is stopped, and nothing of it stays",
  async () => {
    const files = {
      "t.db": databaseOf(
        "CREATE TABLE t(id INTEGER PRIMARY KEY, v)",
        "CREATE TABLE log(x)",
        "CREATE TRIGGER endless AFTER INSERT ON t BEGIN INSERT INTO log SELECT x FROM (WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c) SELECT x FROM c); END",
      ),
    };
    await inPlace(files, async (place) => {
      const before = dump(place, "t.db");
      expect(await put(place, "t.db:t", "{v:1}")).toStartWith(
        "124 t.db: the write was stopped after 5 s. Nothing was written.",
      );
      expect(
        statSync(join(place.folder, "t.db-journal"), { throwIfNoEntry: false })?.size ?? 0,
      ).toBe(0);
      expect(dump(place, "t.db")).toEqual(before);
      expect(sqlite3(place, "t.db", "PRAGMA integrity_check")).toBe("ok\n");
    });
  },
);

test("what may not be written is not, and links stay inside", async () => {
  const bytes = databaseOf("CREATE TABLE t(id INTEGER PRIMARY KEY, v)");
  await inPlace({ "in/a.db": bytes, "outside.db": bytes }, async (place) => {
    const inside = join(place.folder, "in");
    symlinkSync(join(place.folder, "outside.db"), join(inside, "out.db"));
    symlinkSync("a.db", join(inside, "own.db"));
    const env = { ATOMIC_WORKSPACE: inside };
    const write = (target: string, ...flags: readonly string[]) =>
      place.run(["write", ...flags, target], { stdin: "{v:1}", env });
    expect((await write("in/out.db:t")).status).toBe(5);
    expect((await write("outside.db:t")).status).toBe(5);
    expect((await write("in/a.db:t", "--read-only")).status).toBe(5);
    expect((await write("in/a.db:t", "--plan", "in/other.db")).status).toBe(5);
    expect((await write("in/own.db:t", "--plan", "in/a.db")).stdout).toBe("Inserted row into t\n");
    expect(readFileSync(join(place.folder, "outside.db")).equals(bytes)).toBe(true);
    chmodSync(join(inside, "a.db"), 0o444);
    // Root may write all the same.
    const { status, stderr } = await write("in/a.db:t");
    if (process.getuid?.() !== 0)
      expect([status, stderr]).toEqual([1, expect.stringContaining("readonly")]);
  });
});
