import assert from "node:assert/strict";

import fc from "fast-check";

import {
  type RecordRange,
  type Store,
  StoreError,
  type StoreFailure,
} from "../../core/ports/store.ts";
import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf, type World } from "./body.ts";

export function storesSuite(body: Body): readonly Case[] {
  return [...casesOf(body, shared), ...(body.isMemory ? [] : casesOf(body, onRealDisks))];
}

const shared: Parameters<typeof casesOf>[1] = {
  async "a new store is empty"(world) {
    await using(world, (store) =>
      store.read((transaction) => {
        assert.equal(transaction.get("a", "k"), undefined);
        assert.deepEqual(transaction.range("a"), []);
        assert.equal(transaction.blob("b"), undefined);
        assert.equal(transaction.hasBlob("b"), false);
      }),
    );
  },

  async "what is written is there for another who opens the store"(world) {
    await using(world, (store) =>
      store.write((transaction) => {
        transaction.put("a", "k", "one");
        transaction.put("a", "k", "two");
        transaction.put("b", "k", "other space");
        transaction.putBlob("blob", Uint8Array.of(0, 1, 255));
        transaction.putBlob("empty", new Uint8Array(0));
      }),
    );
    await using(world, (store) =>
      store.read((transaction) => {
        assert.equal(transaction.get("a", "k"), "two");
        assert.equal(transaction.get("b", "k"), "other space");
        assert.deepEqual([...transaction.blob("blob")!], [0, 1, 255]);
        assert.equal(transaction.blob("empty")?.length, 0);
        assert.equal(transaction.hasBlob("empty"), true);
      }),
    );
  },

  async "delete takes away, and what is not there is no error"(world) {
    await using(world, async (store) => {
      await store.write((transaction) => {
        transaction.put("a", "k", "v");
        transaction.putBlob("b", Uint8Array.of(1));
        transaction.delete("a", "k");
        transaction.deleteBlob("b");
        transaction.delete("a", "none");
        transaction.deleteBlob("none");
        assert.equal(transaction.get("a", "k"), undefined);
        assert.equal(transaction.hasBlob("b"), false);
      });
    });
  },

  async "values are any text"(world) {
    const values = [
      "",
      "\0",
      "a\0b",
      "\ud800",
      "x\udc80y",
      "😀",
      "\ufeff\ufffe",
      "line\r\nline",
      "1",
    ];
    await using(world, async (store) => {
      await store.write((transaction) => {
        for (const [at, value] of values.entries()) transaction.put("a", `k${at}`, value);
      });
      const found = await store.read((transaction) => transaction.range("a"));
      assert.deepEqual(
        found.map(({ value }) => value),
        values,
      );
    });
  },

  async "a part of a buffer is stored as that part, and as it was"(world) {
    await using(world, async (store) => {
      const whole = Uint8Array.of(1, 2, 3, 4);
      await store.write((transaction) => transaction.putBlob("b", whole.subarray(1, 3)));
      whole.fill(0);
      const first = (await store.read((transaction) => transaction.blob("b")))!;
      assert.deepEqual([...first], [2, 3]);
      first.fill(0);
      assert.deepEqual([...(await store.read((transaction) => transaction.blob("b")))!], [2, 3]);
    });
  },

  async "range goes by prefix, from a key on, in both directions, up to a limit"(world) {
    await using(world, async (store) => {
      const keys = ["a", "a/1", "a/10", "a/2", "a0", "b", "~", "a ", "a/~"];
      await store.write((transaction) => {
        for (const key of keys) transaction.put("s", key, key);
        transaction.put("t", "a/3", "of another space");
      });
      const range = (options?: RecordRange) =>
        store.read((transaction) => transaction.range("s", options).map(({ key }) => key));
      assert.deepEqual(await range(), ["a", "a ", "a/1", "a/10", "a/2", "a/~", "a0", "b", "~"]);
      assert.deepEqual(await range({ prefix: "a/" }), ["a/1", "a/10", "a/2", "a/~"]);
      assert.deepEqual(await range({ prefix: "a/", after: "a/10" }), ["a/2", "a/~"]);
      assert.deepEqual(await range({ prefix: "a/", after: "a" }), ["a/1", "a/10", "a/2", "a/~"]);
      assert.deepEqual(await range({ prefix: "a/", after: "b" }), []);
      assert.deepEqual(await range({ prefix: "a/", reverse: true, limit: 2 }), ["a/~", "a/2"]);
      assert.deepEqual(await range({ prefix: "a/", reverse: true, after: "a/2" }), ["a/10", "a/1"]);
      assert.deepEqual(await range({ limit: 1 }), ["a"]);
      assert.deepEqual(await range({ limit: 0 }), []);
      assert.deepEqual(await range({ prefix: "none" }), []);
    });
  },

  async "range agrees with sorting and filtering"(world) {
    const key = fc.string({
      unit: fc.constantFrom("a", "/", "~", " ", "0"),
      minLength: 1,
      maxLength: 3,
    });
    await using(world, async (store) => {
      await fc.assert(
        fc.asyncProperty(
          fc.uniqueArray(key, { maxLength: 12 }),
          fc.record(
            { prefix: key, after: key, reverse: fc.boolean(), limit: fc.nat(5) },
            { requiredKeys: [] },
          ),
          async (keys, range) => {
            const found = await store.write((transaction) => {
              for (const { key } of transaction.range("s")) transaction.delete("s", key);
              for (const one of keys) transaction.put("s", one, `=${one}`);
              return transaction.range("s", range);
            });
            const { prefix = "", after, reverse, limit } = range;
            const right = keys
              .filter((one) => one.startsWith(prefix))
              .filter((one) => after === undefined || (reverse ? one < after : one > after))
              .sort();
            if (reverse) right.reverse();
            assert.deepEqual(
              found,
              right.slice(0, limit).map((one) => ({ key: one, value: `=${one}` })),
            );
          },
        ),
        { numRuns: 60 },
      );
    });
  },

  async "when the work throws, nothing is kept and the error passes on"(world) {
    await using(world, async (store) => {
      await store.write((transaction) => transaction.put("a", "k", "old"));
      const reason = new Error("no");
      const attempt = store.write((transaction) => {
        transaction.put("a", "k", "new");
        transaction.putBlob("b", Uint8Array.of(1));
        throw reason;
      });
      await assert.rejects(attempt, (thrown) => thrown === reason);
      await store.read((transaction) => {
        assert.equal(transaction.get("a", "k"), "old");
        assert.equal(transaction.hasBlob("b"), false);
      });
      const busy = new StoreError("busy", "the work's own");
      let runs = 0;
      const other = store.write(() => {
        runs++;
        throw busy;
      });
      await assert.rejects(other, (thrown) => thrown === busy);
      assert.equal(runs, 1);
      await store.write((transaction) => transaction.put("a", "k", "newer"));
    });
  },

  async "a transaction means nothing when its work is over"(world) {
    await using(world, async (store) => {
      const kept = await store.write((transaction) => transaction);
      assert.throws(() => kept.put("a", "k", "late"), StoreError);
      assert.throws(() => kept.get("a", "k"), StoreError);
      assert.equal(await store.read((transaction) => transaction.get("a", "k")), undefined);
    });
  },

  async "many writers lose nothing"(world) {
    const stores = await Promise.all(
      Array.from({ length: 4 }, () => world.host.stores.open(world.folder)),
    );
    const writes = Array.from({ length: 60 }, (_, at) =>
      stores[at % 4]!.write(
        (transaction) => {
          const count = Number(transaction.get("a", "count") ?? 0);
          transaction.put("a", "count", String(count + 1));
        },
        { durable: at % 7 === 0 },
      ),
    );
    await Promise.all(writes);
    const counts = await Promise.all(
      stores.map((store) => store.read((transaction) => transaction.get("a", "count"))),
    );
    assert.deepEqual(counts, ["60", "60", "60", "60"]);
    for (const store of stores) store.close();
  },

  async "a closed store is unavailable, and closing it twice is harmless"({ host, folder }) {
    const store = await host.stores.open(folder);
    store.close();
    store.close();
    await failsWith("unavailable", () => store.read(() => 0));
    await failsWith("unavailable", () => store.write(() => 0));
  },

  async "a folder that is not there is unavailable"({ host, folder }) {
    await failsWith("unavailable", () => host.stores.open(`${folder}/none`));
  },

  async "a damaged store is corrupt, and can be set aside for a new one"(world) {
    const { host, folder } = world;
    await using(world, (store) => store.write((transaction) => transaction.put("a", "k", "v")));
    world.damageStore(folder);
    await failsWith("corrupt", () => host.stores.open(folder));
    const aside = await host.stores.setAside(folder);
    assert.ok(aside.startsWith(`${folder}/`), aside);
    await using(world, (store) =>
      store.read((transaction) => assert.equal(transaction.get("a", "k"), undefined)),
    );
  },

  async "who still holds a store that was set aside is told so"({ host, folder }) {
    const store = await host.stores.open(folder);
    await host.stores.setAside(folder);
    (await host.stores.open(folder)).close();
    await failsWith("corrupt", () => store.read(() => 0));
    await failsWith("corrupt", () => store.write((transaction) => transaction.put("a", "k", "v")));
    store.close();
  },

  async "where there is no store there is none to set aside"({ host, folder }) {
    await failsWith("unavailable", () => host.stores.setAside(folder));
  },
};

const onRealDisks: Parameters<typeof casesOf>[1] = {
  async "its files are the user's alone, also when they were not"(world) {
    const { host, folder } = world;
    const files = ["atomic.db", "atomic.db-wal", "atomic.db-shm"].map(
      (name) => `${folder}/${name}`,
    );
    const store = await host.stores.open(folder);
    await store.write((transaction) => transaction.put("a", "k", "v"));
    for (const file of files) {
      assert.equal((await host.fs.stat(file))?.mode, 0o600, file);
      await host.fs.setMode(file, 0o644);
    }
    const other = await host.stores.open(folder);
    for (const file of files) assert.equal((await host.fs.stat(file))?.mode, 0o600, file);
    other.close();
    store.close();
  },

  async "any folder name will do"(world) {
    for (const name of [
      "new\nline",
      "?mode=ro",
      "#hash",
      "%20",
      "ünïcödé 😀",
      "'quo\"te",
      "file:x",
    ]) {
      const folder = `${world.folder}/${name}`;
      await world.host.fs.makeDirectory(folder);
      await using({ ...world, folder }, (store) =>
        store.write((transaction) => transaction.put("a", "k", name)),
      );
      const names = (await world.host.fs.list(folder))!.map((entry) => entry.name);
      assert.deepEqual(names, ["atomic.db"], name);
      await using({ ...world, folder }, async (store) =>
        assert.equal(await store.read((transaction) => transaction.get("a", "k")), name),
      );
    }
  },

  async "set aside, a store is still whole"(world) {
    const { host, folder } = world;
    await using(world, (store) => store.write((transaction) => transaction.put("a", "k", "v")));
    const aside = await host.stores.setAside(folder);
    const other = `${world.folder}/other`;
    await host.fs.makeDirectory(other);
    await host.fs.rename(aside, `${other}/atomic.db`);
    await using({ ...world, folder: other }, async (store) =>
      assert.equal(await store.read((transaction) => transaction.get("a", "k")), "v"),
    );
  },

  async "what is no store of ours is corrupt and not touched"(world) {
    const { host, folder } = world;
    const file = `${folder}/atomic.db`;
    for (const content of ["x", "SQLite format 3\0", "y".repeat(10_000)]) {
      await host.fs.create(file, new TextEncoder().encode(content));
      await failsWith("corrupt", () => host.stores.open(folder));
      assert.equal(new TextDecoder().decode((await host.fs.read(file))!.bytes), content);
      await host.fs.remove(file);
    }
    const { DatabaseSync } = await import("node:sqlite");
    const foreign = new DatabaseSync(file);
    foreign.exec("CREATE TABLE t (a)");
    foreign.close();
    await failsWith("corrupt", () => host.stores.open(folder));
    await host.fs.remove(file);
    await host.fs.makeDirectory(file);
    await failsWith("corrupt", () => host.stores.open(folder));
    await host.stores.setAside(folder);
    (await host.stores.open(folder)).close();
  },

  async "a store of a newer version is left alone"({ host, folder }) {
    (await host.stores.open(folder)).close();
    const { DatabaseSync } = await import("node:sqlite");
    const newer = new DatabaseSync(`${folder}/atomic.db`);
    newer.exec("PRAGMA user_version=99");
    newer.close();
    await failsWith("unavailable", () => host.stores.open(folder));
  },

  async "damage inside shows as corrupt when it is met"({ host, folder }) {
    const store = await host.stores.open(folder);
    await store.write((transaction) => {
      for (let i = 0; i < 500; i++) transaction.put("a", `k${i}`, "v".repeat(200));
    });
    store.close();
    const file = `${folder}/atomic.db`;
    const { bytes } = (await host.fs.read(file))!;
    await host.fs.overwrite(
      file,
      bytes.map((byte, at) => (at < 4096 ? byte : 0x55)),
    );
    await failsWith("corrupt", async () => {
      const damaged = await host.stores.open(folder);
      try {
        await damaged.read((transaction) => transaction.range("a"));
      } finally {
        damaged.close();
      }
    });
  },

  async "who waits longer than the limit is told that it is busy, and the loop goes on"({
    host,
    folder,
  }) {
    const store = await host.stores.open(folder, { busyTimeoutMs: 80 });
    const { DatabaseSync } = await import("node:sqlite");
    const holder = new DatabaseSync(`${folder}/atomic.db`);
    holder.exec("BEGIN IMMEDIATE");
    let ticks = 0;
    const timer = setInterval(() => ticks++, 5);
    await failsWith("busy", () => store.write((transaction) => transaction.put("a", "k", "v")));
    clearInterval(timer);
    assert.ok(ticks >= 2, `the event loop turned ${ticks} times`);
    await store.read((transaction) => assert.equal(transaction.get("a", "k"), undefined));
    holder.exec("ROLLBACK");
    await store.write((transaction) => transaction.put("a", "k", "v"));
    holder.close();
    store.close();
  },
};

async function using<T>(
  { host, folder }: Pick<World, "host" | "folder">,
  work: (store: Store) => Promise<T>,
): Promise<T> {
  const store = await host.stores.open(folder);
  try {
    return await work(store);
  } finally {
    store.close();
  }
}

async function failsWith(reason: StoreFailure, work: () => Promise<unknown>): Promise<void> {
  await assert.rejects(work, (thrown: unknown) => {
    assert.ok(thrown instanceof StoreError, `${String(thrown)} is no StoreError`);
    assert.equal(thrown.reason, reason, thrown.message);
    return true;
  });
}
