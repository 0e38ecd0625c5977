// Stores and locks between processes, under one runtime and across all.

import { expect, test } from "bun:test";
import { chmodSync, chownSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { openHost } from "../../adapters/host.ts";
import { LockTimeout } from "../../core/ports/locks.ts";
import { inFolder } from "../helpers/folder.ts";
import { runtimes } from "../helpers/runtimes.ts";

const child = resolve(import.meta.dir, "child.ts");
const host = await openHost();
const bun = runtimes[0]!.command;
const LONG = 120_000;
const nobody = 65_534;

test(
  "64 processes that open a fresh store at once all count",
  () =>
    inFolder(async (folder) => {
      await all(Array.from({ length: 64 }, () => run(bun, ["count", folder, "2"])));
      expect(await counted(folder)).toBe("128");
      expect(readdirSync(folder)).toEqual(["atomic.db"]);
    }),
  LONG,
);

test(
  "processes of every runtime share one store",
  () =>
    inFolder(async (folder) => {
      const commands = runtimes.flatMap(({ command }) => [command, command, command]);
      await all(commands.map((command) => run(command, ["count", folder, "10"])));
      expect(await counted(folder)).toBe(String(10 * commands.length));
    }),
  LONG,
);

test(
  "a process killed in the middle of its writes leaves a store that opens, with whole transactions",
  () =>
    inFolder(async (folder) => {
      for (let round = 0; round < 12; round++) {
        const writer = start(bun, ["write", folder]);
        await said(writer, "writing");
        await Bun.sleep(3 * round);
        writer.kill("SIGKILL");
        await writer.exited;
        const store = await host.stores.open(folder, { busyTimeoutMs: 1000 });
        const [left, right] = await store.read((transaction) => [
          transaction.get("pair", "left"),
          transaction.get("pair", "right"),
        ]);
        expect(left).toBe(right);
        await store.write((transaction) => transaction.put("a", "k", "v"));
        store.close();
      }
    }),
  LONG,
);

for (const { name, command } of runtimes) {
  test(
    `a lock held under ${name} keeps out every other runtime, and is free when its holder is killed`,
    () =>
      inFolder(async (folder) => {
        const holder = start(command, ["hold", folder, "/a"]);
        await said(holder, "held");
        const attempt = host.locks.acquire(folder, ["/a"], { timeoutMs: 50 });
        expect(await attempt.catch((thrown) => thrown)).toBeInstanceOf(LockTimeout);
        const others = runtimes.map((other) => start(other.command, ["hold", folder, "/a"]));
        const first = Promise.race(others.map((other) => said(other, "held").then(() => "held")));
        expect(await Promise.race([first, Bun.sleep(400).then(() => "waiting")])).toBe("waiting");
        holder.kill("SIGKILL");
        expect(await first).toBe("held");
        for (const other of others) other.kill("SIGKILL");
        await Promise.all(others.map((other) => other.exited));
        (await host.locks.acquire(folder, ["/a"], { timeoutMs: 1000 }))();
        expect(readdirSync(folder).filter((file) => !file.endsWith(".lock"))).toEqual([]);
      }),
    LONG,
  );
}

test(
  "processes of every runtime take turns",
  () =>
    inFolder(async (folder) => {
      writeFileSync(join(folder, "counter"), "0");
      const commands = runtimes.flatMap(({ command }) => [command, command]);
      await all(commands.map((command) => run(command, ["turns", folder, "/a", "20"])));
      expect(await Bun.file(join(folder, "counter")).text()).toBe(String(20 * commands.length));
    }),
  LONG,
);

for (const { name, command } of process.getuid?.() === 0 ? runtimes : []) {
  test(
    `an ordinary user meets permissions under ${name}`,
    () =>
      inFolder(async (folder) => {
        chmodSync(folder, 0o755);
        const cases: readonly (readonly [number, string])[] = [
          [0o600, "false false EACCES EACCES EACCES EPERM"],
          [0o644, "true false ok EACCES EACCES EPERM"],
          [0o666, "true true ok ok EACCES EPERM"],
        ];
        for (const [mode, right] of cases) {
          const path = join(folder, mode.toString(8));
          writeFileSync(path, "x");
          chmodSync(path, mode);
          expect((await run(command, ["access", path], nobody)).trim()).toBe(right);
        }
        const readOnly = join(folder, "fresh");
        mkdirSync(readOnly);
        expect((await run(command, ["open", readOnly], nobody)).trim()).toBe("unavailable");

        const made = join(folder, "made");
        mkdirSync(made);
        (await host.stores.open(made)).close();
        chmodSync(join(made, "atomic.db"), 0o644);
        expect((await run(command, ["open", made], nobody)).trim()).toBe("unavailable");
        chownSync(join(made, "atomic.db"), nobody, nobody);
        expect((await run(command, ["open", made], nobody)).trim()).toBe("unavailable");
        chownSync(made, nobody, nobody);
        expect((await run(command, ["open", made], nobody)).trim()).toBe("written");
      }),
    LONG,
  );
}

function start(command: readonly string[], args: readonly string[], uid?: number) {
  const prefix =
    uid === undefined
      ? []
      : ["setpriv", `--reuid=${uid}`, `--regid=${uid}`, "--clear-groups", "--"];
  return Bun.spawn([...prefix, ...command, child, ...args], {
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
    env: {
      ...process.env,
      ...(uid !== undefined && { HOME: "/nonexistent", DENO_DIR: "/nonexistent" }),
    },
  });
}

async function run(
  command: readonly string[],
  args: readonly string[],
  uid?: number,
): Promise<string> {
  const process = start(command, args, uid);
  const [out, err] = await Promise.all([process.stdout.text(), process.stderr.text()]);
  expect([await process.exited, err]).toEqual([0, ""]);
  return out;
}

function all(runs: readonly Promise<string>[]): Promise<unknown> {
  return Promise.all(runs);
}

/** Waits for the first line. */
async function said(process: ReturnType<typeof start>, word: string): Promise<void> {
  const reader = process.stdout.getReader();
  const { value } = await reader.read();
  expect(new TextDecoder().decode(value).trim()).toBe(word);
  reader.releaseLock();
}

async function counted(folder: string): Promise<string | undefined> {
  const store = await host.stores.open(folder);
  try {
    return await store.read((transaction) => transaction.get("a", "count"));
  } finally {
    store.close();
  }
}
