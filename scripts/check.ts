// Everything that has to hold before a change is done.
//
//   bun scripts/check.ts [NAME…]     all checks, or only those named
//
// The last line is `N passed, N failed`, with `, N skipped` where something could not run here. Each static check
// counts as one, each test as one.

import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

import { type Counts, countJunit, countLastLine } from "./check/counts.ts";
import { findDeno, findNode } from "./check/runtimes.ts";

const root = resolve(import.meta.dirname, "..");
const bun = process.execPath;

/** Milliseconds that one command may take: a test that hangs must not hold up everything. */
const longest = 15 * 60 * 1000;

interface Finding extends Counts {
  /** Shown when something failed or was skipped. */
  readonly output: string;
}

interface Check {
  readonly name: string;
  run(): Promise<Finding>;
}

/** Checks of one stage run at the same time; a later stage uses what an earlier one made. */
const stages: readonly (readonly Check[])[] = [
  [
    passes("format", [bun, "fmt", "--check"]),
    passes("lint", [bun, "node_modules/oxlint/bin/oxlint", "--deny-warnings"]),
    passes("types", [bun, "check", "--no-script"]),
    passes("core-types", [bun, "check", "--no-script", "-p", "core/tsconfig.json"]),
    passes("imports", [bun, "scripts/imports.ts"]),
  ],
  [passes("build", [bun, "scripts/build.ts", "--if-stale"])],
  [{ name: "specs", run: runSpecs }],
  [neutral("deno", findDeno, ["run", "-A", "--no-lock"])],
  [neutral("node", findNode, [])],
];

/** A command that says with its status whether all is well. */
function passes(name: string, command: readonly string[]): Check {
  return {
    name,
    async run() {
      const { status, output } = await run(command);
      const ok = status === 0;
      return { passed: ok ? 1 : 0, failed: ok ? 0 : 1, skipped: 0, output };
    },
  };
}

/** Unit specs, contracts, and the built executable from outside. */
async function runSpecs(): Promise<Finding> {
  const folder = mkdtempSync(join(tmpdir(), "atomic-check-"));
  try {
    const report = join(folder, "junit.xml");
    const { status, output } = await run(
      [
        bun,
        "test",
        "--timeout=120000",
        "--only-failures",
        "--reporter=junit",
        `--reporter-outfile=${report}`,
      ],
      // Makes `test.only` and new snapshots an error.
      { CI: "true" },
    );
    const counts = countJunit(
      existsSync(report) ? readFileSync(report, "utf8") : "",
      specFiles(),
      status,
    );
    return { ...counts, output: [output, ...counts.remarks].join("\n") };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function specFiles(): readonly string[] {
  return readdirSync(join(root, "spec"), { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".spec.ts"))
    .map((path) => `spec/${path.replaceAll("\\", "/")}`)
    .toSorted();
}

/** The suites that need no runner, on another runtime. */
function neutral(
  name: string,
  find: (root: string) => string | undefined,
  flags: readonly string[],
): Check {
  return {
    name,
    async run() {
      const runtime = find(root);
      if (runtime === undefined) {
        return {
          passed: 0,
          failed: 0,
          skipped: 1,
          output: `No ${name} for this system was found.`,
        };
      }
      const { status, output } = await run([runtime, ...flags, "spec/runtimes/run.ts"]);
      return { ...countLastLine(output, status), output };
    },
  };
}

interface Ended {
  readonly status: number;
  readonly output: string;
}

/** @returns Standard output and error as they came, together. Nothing is fed to standard input. */
function run(
  command: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<Ended> {
  const [program, ...args] = command;
  const { promise, resolve: settle } = Promise.withResolvers<Ended>();
  const child = spawn(program!, args, {
    cwd: root,
    env: { ...process.env, ...env },
    stdio: ["ignore", "pipe", "pipe"],
    timeout: longest,
    killSignal: "SIGKILL",
  });
  const chunks: Buffer[] = [];
  child.stdout.on("data", (chunk: Buffer) => chunks.push(chunk));
  child.stderr.on("data", (chunk: Buffer) => chunks.push(chunk));
  const output = () => Buffer.concat(chunks).toString();
  child.on("error", (error) => settle({ status: 127, output: `${output()}${error.message}\n` }));
  child.on("close", (code, signal) =>
    settle(
      code === null
        ? { status: 128, output: `${output()}Ended by ${signal}\n` }
        : { status: code, output: output() },
    ),
  );
  return promise;
}

async function main(names: readonly string[]): Promise<void> {
  const known = stages.flat().map((check) => check.name);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0) {
    console.error(`There is no check "${unknown.join('", "')}". There are: ${known.join(", ")}`);
    process.exitCode = 2;
    return;
  }
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const stage of stages) {
    const wanted = stage.filter(({ name }) => names.length === 0 || names.includes(name));
    const findings = wanted.map(async (check) => {
      const start = performance.now();
      return { check, finding: await check.run(), seconds: (performance.now() - start) / 1000 };
    });
    for (const { check, finding, seconds } of await Promise.all(findings)) {
      const { passed, failed, skipped } = finding;
      if (failed > 0 || skipped > 0) console.log(finding.output.trimEnd());
      console.log(`${check.name}: ${sum(finding)} (${seconds.toFixed(1)} s)`);
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
    }
  }
  if (total.failed > 0) process.exitCode = 1;
  console.log(sum(total));
}

function sum({ passed, failed, skipped }: Counts): string {
  return `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`;
}

await main(process.argv.slice(2));
