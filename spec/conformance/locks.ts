import assert from "node:assert/strict";

import { LockTimeout } from "../../core/ports/locks.ts";
import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf } from "./body.ts";

const long = { timeoutMs: 30_000 };
const short = { timeoutMs: 30 };

export function locksSuite(body: Body): readonly Case[] {
  return [...casesOf(body, shared), ...(body.isMemory ? [] : casesOf(body, onRealDisks))];
}

const shared: Parameters<typeof casesOf>[1] = {
  async "a lock is free again after it was given back, also twice"({ host: { locks }, folder }) {
    const release = await locks.acquire(folder, ["/a"], long);
    release();
    release();
    const again = await locks.acquire(folder, ["/a"], short);
    release();
    await assert.rejects(locks.acquire(folder, ["/a"], short), LockTimeout);
    again();
  },

  async "one caller at a time"({ host: { locks, clock }, folder }) {
    let inside = 0;
    let turns = 0;
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const release = await locks.acquire(folder, ["/a"], long);
        assert.equal(++inside, 1);
        await clock.sleep(1);
        inside--;
        turns++;
        release();
      }),
    );
    assert.equal(turns, 20);
  },

  async "locks of different names do not meet, in one folder or two"({
    host: { locks, fs },
    folder,
  }) {
    await fs.makeDirectory(`${folder}/other`);
    const releases = [
      await locks.acquire(folder, ["/a"], short),
      await locks.acquire(folder, ["/b"], short),
      await locks.acquire(folder, ["session store"], short),
      await locks.acquire(`${folder}/other`, ["/a"], short),
    ];
    for (const release of releases) release();
  },

  async "who waits too long is told, and what was held meanwhile is freed"({
    host: { locks },
    folder,
  }) {
    const release = await locks.acquire(folder, ["/b"], long);
    await assert.rejects(locks.acquire(folder, ["/a", "/b"], short), LockTimeout);
    await assert.rejects(locks.acquire(folder, ["/b"], { timeoutMs: 0 }), LockTimeout);
    (await locks.acquire(folder, ["/a"], short))();
    release();
    (await locks.acquire(folder, ["/b", "/a"], short))();
  },

  async "an abort ends the wait with its reason, and leaves the lock to the next"({
    host: { locks },
    folder,
  }) {
    const release = await locks.acquire(folder, ["/a"], long);
    const controller = new AbortController();
    const reason = new Error("enough");
    const wait = locks.acquire(folder, ["/a"], { ...long, signal: controller.signal });
    const next = locks.acquire(folder, ["/a"], long);
    controller.abort(reason);
    await assert.rejects(wait, (thrown) => thrown === reason);
    const early = locks.acquire(folder, ["/free"], { ...long, signal: controller.signal });
    await assert.rejects(early, (thrown) => thrown === reason);
    release();
    (await next)();
  },

  async "who gives up in the middle of the line lets nobody past the holder"({
    host: { locks },
    folder,
  }) {
    const release = await locks.acquire(folder, ["/a"], long);
    await assert.rejects(locks.acquire(folder, ["/a"], short), LockTimeout);
    await assert.rejects(locks.acquire(folder, ["/a"], short), LockTimeout);
    release();
    (await locks.acquire(folder, ["/a"], short))();
  },

  async "many at once, in any order, never wait for each other in a circle"({
    host: { locks, clock },
    folder,
  }) {
    const keys = ["/a", "/b", "/c", "/d"];
    let held = new Set<string>();
    await Promise.all(
      Array.from({ length: 24 }, async (_, at) => {
        const some = [keys[at % 4]!, keys[(at * 3 + 1) % 4]!, keys[(at * 3 + 2) % 4]!];
        const release = await locks.acquire(folder, some, long);
        for (const key of new Set(some)) assert.ok(!held.has(key));
        held = new Set([...held, ...some]);
        await clock.sleep(1);
        held = new Set([...held].filter((key) => !some.includes(key)));
        release();
      }),
    );
    assert.equal(held.size, 0);
  },

  async "no keys, no lock"({ host: { locks }, folder }) {
    const release = await locks.acquire(folder, [], short);
    release();
  },
};

const onRealDisks: Parameters<typeof casesOf>[1] = {
  async "its files are few, empty, private, and nothing else stays behind"({
    host: { locks, fs },
    folder,
  }) {
    const keys = Array.from({ length: 1500 }, (_, at) => `/some/path/${at}`);
    for (let at = 0; at < keys.length; at += 300) {
      (await locks.acquire(folder, keys.slice(at, at + 300), long))();
    }
    const release = await locks.acquire(folder, ["/some/path/0"], long);
    const entries = (await fs.list(folder))!;
    assert.ok(entries.length <= 1024, String(entries.length));
    for (const { name } of entries) {
      assert.match(name, /^[0-9]{4}\.lock$/);
      const stat = (await fs.stat(`${folder}/${name}`))!;
      assert.deepEqual([stat.mode, stat.size], [0o600, 0]);
    }
    release();
  },

  async "any folder name will do"({ host: { locks, fs }, folder }) {
    for (const name of ["new\nline", "?mode=ro", "#hash", "%20", "ünïcödé 😀"]) {
      await fs.makeDirectory(`${folder}/${name}`);
      const release = await locks.acquire(`${folder}/${name}`, ["/a"], short);
      await assert.rejects(locks.acquire(`${folder}/${name}`, ["/a"], short), LockTimeout);
      assert.equal((await fs.list(`${folder}/${name}`))!.length, 1);
      release();
    }
  },
};
