// A process of its own for the specs beside it: does one thing with a host, under whatever runtime runs this file.
//
//   count FOLDER TIMES       opens the store TIMES times and counts up by one each time
//   write FOLDER             writes without end
//   hold FOLDER KEY          takes a lock, prints "held", holds it until it is ended
//   turns FOLDER KEY TIMES   takes a lock TIMES times and counts up a file, without any other care, while it has it
//   open FOLDER              opens the store, writes, and prints how it went
//   access PATH              prints what the user may do, and how reading and creating fail

import { readFileSync, writeFileSync } from "node:fs";

import { openHost } from "../../adapters/host.ts";
import { FsError } from "../../core/ports/fs.ts";
import { StoreError } from "../../core/ports/store.ts";

const [what, folder = "", ...rest] = process.argv.slice(2);
const { fs, stores, locks } = await openHost();

const tasks: Readonly<Record<string, () => Promise<void>>> = {
  async count() {
    for (let times = Number(rest[0]); times > 0; times--) {
      const store = await stores.open(folder);
      await store.write((transaction) => {
        transaction.put("a", "count", String(Number(transaction.get("a", "count") ?? 0) + 1));
      });
      store.close();
    }
  },

  async write() {
    const store = await stores.open(folder);
    console.log("writing");
    for (let i = 0; ; i++) {
      await store.write(
        (transaction) => {
          transaction.put("pair", "left", String(i));
          transaction.putBlob(`b${i % 50}`, new Uint8Array(5000).fill(i));
          transaction.put("pair", "right", String(i));
        },
        { durable: i % 3 === 0 },
      );
    }
  },

  async hold() {
    await locks.acquire(folder, [rest[0]!], { timeoutMs: 20_000 });
    console.log("held");
    await new Promise(() => setInterval(() => {}, 1000));
  },

  async turns() {
    const file = `${folder}/counter`;
    for (let times = Number(rest[1]); times > 0; times--) {
      const release = await locks.acquire(folder, [rest[0]!], { timeoutMs: 60_000 });
      const count = Number(readFileSync(file, "utf8"));
      await new Promise((resume) => setTimeout(resume, 1));
      writeFileSync(file, String(count + 1));
      release();
    }
  },

  async open() {
    try {
      const store = await stores.open(folder);
      await store.write((transaction) => transaction.put("a", "k", "v"));
      console.log("written");
    } catch (thrown) {
      console.log(thrown instanceof StoreError ? thrown.reason : thrown);
    }
  },

  async access() {
    const how = [await fs.mayAccess(folder, "read"), await fs.mayAccess(folder, "write")];
    const errors: string[] = [];
    for (const attempt of [
      () => fs.read(folder),
      () => fs.overwrite(folder, new Uint8Array(0)),
      () => fs.create(`${folder}.new`, new Uint8Array(0)),
      () => fs.setMode(folder, 0o666),
    ]) {
      try {
        await attempt();
        errors.push("ok");
      } catch (thrown) {
        errors.push(thrown instanceof FsError ? thrown.code : String(thrown));
      }
    }
    console.log([...how, ...errors].join(" "));
  },
};

await tasks[what!]!();
process.exit(0);
