// Speed and memory as ratios to a named peer, measured in one run on one machine.
//
//   bun scripts/bench/main.ts [NAME…]     all cases, or only those named
//
// Prints a Markdown table. Ends with status 1 when a ratio is over its limit.

import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import type { BenchCase, Place } from "./bench-case.ts";
import { cases } from "./cases.ts";
import { measure } from "./measure.ts";
import { head, row } from "./table.ts";

const root = resolve(import.meta.dirname, "../..");
const atomic = join(root, "dist/atomic");

async function main(names: readonly string[]): Promise<void> {
  const known = cases.map((each) => each.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    throw new Error(`There is no case "${unknown.join('", "')}". There are: ${known.join(", ")}`);
  }
  build();
  console.log(head);
  const shared = realpathSync(mkdtempSync(join(tmpdir(), "atomic-bench-shared-")));
  try {
    for (const each of cases) {
      if (names.length === 0 || names.includes(each.name)) await bench(each, shared);
    }
  } finally {
    rmSync(shared, { recursive: true });
  }
}

function build(): void {
  const script = join(root, "scripts/build.ts");
  const { status } = spawnSync(process.execPath, [script, "--if-stale"], {
    stdio: ["ignore", 2, 2],
  });
  if (status !== 0) throw new Error("There is nothing to measure: the build failed.");
}

async function bench(each: BenchCase, shared: string): Promise<void> {
  const base = realpathSync(mkdtempSync(join(tmpdir(), "atomic-bench-")));
  try {
    const place = openPlace(base, shared);
    const pair = each.open(place);
    const measured = await measure(pair, each.runs, { cwd: place.folder, env: place.env });
    console.log(row(each, pair, measured));
    const { target } = each;
    if (target !== undefined && measured.ours.median > target * measured.peer.median) {
      process.exitCode = 1;
    }
  } finally {
    rmSync(base, { recursive: true });
  }
}

function openPlace(base: string, shared: string): Place {
  const folder = join(base, "work");
  mkdirSync(folder);
  const env = {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: base,
    ATOMIC_HOME: join(base, "state"),
    LC_ALL: "C.UTF-8",
  };
  return {
    folder,
    shared,
    atomic,
    env,
    run(command) {
      const [program, ...args] = command;
      const { status, stdout, stderr } = spawnSync(program!, args, {
        cwd: folder,
        env,
        input: "",
        encoding: "utf8",
        maxBuffer: 1 << 28,
      });
      if (status !== 0) throw new Error(`${command.join(" ")} failed: ${stderr}`);
      return stdout;
    },
  };
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  console.error(error instanceof Error ? error.message : String(error));
  process.exitCode = 2;
}
