import assert from "node:assert/strict";

import {
  type Database,
  DatabaseError,
  type DatabaseFailure,
  type SqlAction,
  type SqlValue,
} from "../../core/ports/databases.ts";
import type { Case } from "../helpers/cases.ts";
import {
  type DatabaseFiles,
  databaseOf,
  databaseWithJournal,
  databaseWithLog,
} from "../helpers/database.ts";

import { type Body, casesOf, type World } from "./body.ts";

const WAIT = 50;
const two = databaseOf(
  "CREATE TABLE t(id INTEGER PRIMARY KEY, v)",
  "INSERT INTO t(v) VALUES('a'),('b')",
);

export function databasesSuite(body: Body): readonly Case[] {
  return [...casesOf(body, shared), ...(body.isMemory ? [] : casesOf(body, onRealDisks))];
}

const shared: Parameters<typeof casesOf>[1] = {
  "values come out exactly as they are stored": (world) =>
    reading(world, { "": two }, (database) => {
      const [row] = rowsOf(
        database,
        "SELECT 9223372036854775807, -9223372036854775808, 1, 1.0, 'x', x'00ff', NULL, 9e999, ?",
        9007199254740993n,
      );
      assert.deepEqual(row, [
        9223372036854775807n,
        -9223372036854775808n,
        1n,
        1,
        "x",
        Uint8Array.of(0, 255),
        null,
        Infinity,
        9007199254740993n,
      ]);
    }),

  "columns keep their names, also equal ones, and a loop may be left": (world) =>
    reading(world, { "": two }, (database) => {
      const statement = database.prepare("SELECT id AS a, v AS a, 1 AS __proto__ FROM t");
      assert.deepEqual(statement.columns, ["a", "a", "__proto__"]);
      for (const row of statement.rows()) {
        assert.deepEqual(row, [1n, "a", 1n]);
        break;
      }
      assert.equal([...statement.rows()].length, 2);
    }),

  async "reading changes nothing, whatever the statement"(world) {
    await put(world, { "": two });
    await using(world.host.databases.openToRead(path(world), WAIT), (database) => {
      for (const sql of ["DELETE FROM t", "CREATE TABLE u(x)", "PRAGMA user_version=7"]) {
        try {
          database.prepare(sql).run();
        } catch (thrown) {
          assert.ok(thrown instanceof DatabaseError);
        }
      }
    });
    assert.deepEqual(await content(world, ""), two);
  },

  async "rows that are in the log only are read, and nothing is touched"(world) {
    const files = databaseWithLog(
      ["CREATE TABLE t(v)", "INSERT INTO t VALUES(1)"],
      ["INSERT INTO t VALUES(2)"],
    );
    assert.ok(files["-wal"]!.length > 0);
    await reading(world, files, (database) => {
      assert.deepEqual(rowsOf(database, "SELECT v FROM t"), [[1n], [2n]]);
    });
    await untouched(world, files);
  },

  async "a database that would need a log is read without one"(world) {
    const files = { "": databaseOf("PRAGMA journal_mode=WAL", "CREATE TABLE t(v)") };
    await reading(world, files, (opened) => {
      assert.deepEqual(rowsOf(opened, "SELECT count(*) FROM sqlite_schema"), [[1n]]);
      assert.equal(opened.isSettled(), true);
    });
    await untouched(world, files);
  },

  async "a journal that a killed writer left is applied to what is read, and stays"(world) {
    const files = databaseWithJournal(
      [
        "CREATE TABLE t(v)",
        "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c LIMIT 9000) INSERT INTO t SELECT 'old'||hex(zeroblob(200)) FROM c",
      ],
      ["UPDATE t SET v='new'||hex(zeroblob(200))"],
    );
    assert.ok(files["-journal"]!.length > 0);
    assert.ok(Buffer.from(files[""]!).includes("new"));
    await reading(world, files, (database) => {
      assert.deepEqual(rowsOf(database, "SELECT count(*) FROM t WHERE v LIKE 'new%'"), [[0n]]);
      assert.deepEqual(rowsOf(database, "SELECT count(*) FROM t WHERE v LIKE 'old%'"), [[9000n]]);
    });
    await untouched(world, files);
  },

  async "writing says how many rows it changed, and is there afterwards"(world) {
    await put(world, { "": two });
    await using(world.host.databases.openToWrite(path(world), WAIT), (database) => {
      const update = database.prepare("UPDATE t SET v=? WHERE id=?");
      assert.equal(update.run(9223372036854775807n, 1n), 1);
      assert.equal(update.run("x", 77n), 0);
    });
    await using(world.host.databases.openToRead(path(world), WAIT), (database) => {
      assert.deepEqual(rowsOf(database, "SELECT v FROM t"), [[9223372036854775807n], ["b"]]);
    });
  },

  async "what is missing is not made"(world) {
    const { databases, fs } = world.host;
    const missing = `${world.folder}/none.db`;
    await failsWith("unavailable", databases.openToRead(missing, WAIT));
    await failsWith("unavailable", databases.openToWrite(missing, WAIT));
    assert.equal(await fs.lstat(missing), undefined);
  },

  async "what is no database is damaged, and a wrong statement says what the engine says"(world) {
    await put(world, { "": new TextEncoder().encode("no database at all".repeat(100)) });
    await failsWith(
      "damaged",
      using(world.host.databases.openToRead(path(world), WAIT), (database) =>
        rowsOf(database, "SELECT * FROM sqlite_schema"),
      ),
    );
    await reading(world, { "": two }, async (database) => {
      await failsWith(
        "sql",
        async () => database.prepare("SELECT missing FROM t"),
        /no such column/,
      );
    });
  },

  async "the judge is asked of every action, and its no is refused"(world) {
    if (!world.host.databases.canJudge) return;
    await reading(world, { "": two }, async (database) => {
      const asked: SqlAction[] = [];
      database.judge((action) => {
        asked.push(action);
        return action.kind === "select" || (action.kind === "read" && action.name === "t");
      });
      assert.deepEqual(rowsOf(database, "SELECT v FROM t WHERE id=2"), [["b"]]);
      assert.deepEqual(asked[0], { kind: "select", name: "" });
      await failsWith("refused", async () => rowsOf(database, "SELECT lower(v) FROM t"));
      assert.deepEqual(asked.at(-1), { kind: "function", name: "lower" });
      for (const sql of [
        "SELECT upper(v) FROM t",
        "SELECT name FROM sqlite_schema",
        "PRAGMA user_version",
        "DELETE FROM t",
        "ATTACH ':memory:' AS x",
        "WITH RECURSIVE c(x) AS (VALUES(1) UNION ALL SELECT x+1 FROM c) SELECT x FROM c LIMIT 1",
      ]) {
        await failsWith("refused", async () => rowsOf(database, sql));
      }
    });
  },
};

const onRealDisks: Parameters<typeof casesOf>[1] = {
  async "names mean themselves, and links are followed"(world) {
    const odd = `${world.folder}/a?b#c%41 d.db`;
    await world.host.fs.create(odd, databaseOf("PRAGMA journal_mode=WAL", "CREATE TABLE t(v)"));
    world.symlink(odd, `${world.folder}/link.db`);
    for (const file of [odd, `${world.folder}/link.db`]) {
      await using(world.host.databases.openToRead(file, WAIT), (database) => {
        assert.deepEqual(rowsOf(database, "SELECT name FROM sqlite_schema"), [["t"]]);
      });
    }
    await using(world.host.databases.openToWrite(`${world.folder}/link.db`, WAIT), (database) => {
      assert.equal(database.prepare("INSERT INTO t VALUES(1)").run(), 1);
    });
    const names = (await world.host.fs.list(world.folder))!.map(({ name }) => name);
    assert.deepEqual(names.toSorted(), ["a?b#c%41 d.db", "link.db"]);
  },

  async "a log that is being written is read at one moment"(world) {
    await put(world, { "": two });
    const { databases } = world.host;
    await using(databases.openToWrite(path(world), WAIT), async (writer) => {
      writer.prepare("PRAGMA journal_mode=WAL").run();
      writer.prepare("INSERT INTO t(v) VALUES('c')").run();
      writer.prepare("BEGIN").run();
      writer.prepare("INSERT INTO t(v) VALUES('not yet')").run();
      await using(databases.openToRead(path(world), WAIT), (reader) => {
        assert.deepEqual(rowsOf(reader, "SELECT v FROM t"), [["a"], ["b"], ["c"]]);
      });
      writer.prepare("COMMIT").run();
    });
  },

  async "whoever waits too long is told that it is busy"(world) {
    await put(world, { "": two });
    const { databases } = world.host;
    await using(databases.openToWrite(path(world), WAIT), async (holder) => {
      holder.prepare("BEGIN EXCLUSIVE").run();
      await failsWith("busy", databases.openToRead(path(world), WAIT));
      await using(databases.openToWrite(path(world), WAIT), async (other) => {
        await failsWith("busy", async () => other.prepare("BEGIN IMMEDIATE").run());
      });
    });
    await using(databases.openToWrite(path(world), WAIT), (other) => {
      other.prepare("BEGIN IMMEDIATE").run();
    });
  },
};

function path({ folder }: World): string {
  return `${folder}/one.db`;
}

async function put(world: World, files: DatabaseFiles): Promise<void> {
  for (const [suffix, bytes] of Object.entries(files)) {
    await world.host.fs.remove(path(world) + suffix);
    await world.host.fs.create(path(world) + suffix, bytes);
  }
}

async function content(world: World, suffix: string): Promise<Uint8Array | undefined> {
  const found = await world.host.fs.read(path(world) + suffix);
  return found && new Uint8Array(found.bytes);
}

async function untouched(world: World, files: DatabaseFiles): Promise<void> {
  const names = (await world.host.fs.list(world.folder))!.map(({ name }) => name);
  assert.deepEqual(
    names.toSorted(),
    Object.keys(files)
      .map((suffix) => `one.db${suffix}`)
      .toSorted(),
  );
  for (const [suffix, bytes] of Object.entries(files)) {
    assert.deepEqual(await content(world, suffix), bytes);
  }
}

async function reading(
  world: World,
  files: DatabaseFiles,
  work: (database: Database) => void | Promise<void>,
): Promise<void> {
  await put(world, files);
  await using(world.host.databases.openToRead(path(world), WAIT), work);
}

async function using<T>(
  opening: Promise<Database>,
  work: (database: Database) => T | Promise<T>,
): Promise<T> {
  const database = await opening;
  try {
    return await work(database);
  } finally {
    database.close();
    database.close();
  }
}

function rowsOf(
  database: Database,
  sql: string,
  ...values: readonly SqlValue[]
): readonly (readonly SqlValue[])[] {
  return Array.from(database.prepare(sql).rows(...values), (row) =>
    row.map((value) => (value instanceof Uint8Array ? new Uint8Array(value) : value)),
  );
}

async function failsWith(
  reason: DatabaseFailure,
  work: Promise<unknown> | (() => Promise<unknown>),
  message = /./,
): Promise<void> {
  await assert.rejects(typeof work === "function" ? work() : work, (thrown: unknown) => {
    assert.ok(thrown instanceof DatabaseError, `${String(thrown)} is no DatabaseError`);
    assert.equal(thrown.reason, reason, thrown.message);
    assert.match(thrown.message, message);
    return true;
  });
}
