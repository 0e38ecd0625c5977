// The real program from outside, in a folder of its own, with an environment that holds nothing by chance.

import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";

export const binary = resolve(import.meta.dir, "../../dist/atomic");

export interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface Place {
  readonly folder: string;
  readonly env: Record<string, string>;
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** On a pseudo-terminal: standard input, output and error are all one terminal. */
  runOnTerminal(args: readonly string[], options?: Pick<RunOptions, "env">): Promise<Ran>;
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  readonly env?: Readonly<Record<string, string>>;
}

/** A temporary folder with these files, for the time of the work. */
export async function inPlace(
  files: Readonly<Record<string, string | Uint8Array>>,
  work: (place: Place) => Promise<void>,
): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "atomic-cmd-")));
  const folder = join(root, "work");
  mkdirSync(folder);
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
  const env = { HOME: root, ATOMIC_HOME: join(root, "state"), PATH: "/usr/bin:/bin" };
  try {
    await work({
      folder,
      env,
      run: (args, options = {}) =>
        runPiped([binary, ...args], folder, { ...env, ...options.env }, options.stdin),
      runOnTerminal: (args, options = {}) =>
        runPty([binary, ...args], folder, { ...env, TERM: "xterm", ...options.env }),
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

export async function runPiped(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
  stdin: string | Uint8Array = "",
): Promise<Ran> {
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    stdin: typeof stdin === "string" ? new TextEncoder().encode(stdin) : stdin,
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
  await child.exited;
  return { status: child.exitCode, stdout, stderr };
}

async function runPty(
  command: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>>,
): Promise<Ran> {
  const parts: Uint8Array[] = [];
  const ended = Promise.withResolvers<void>();
  const child = Bun.spawn([...command], {
    cwd,
    env: { ...env },
    terminal: {
      cols: 80,
      rows: 24,
      data: (_terminal, data) => void parts.push(data.slice()),
      exit: () => ended.resolve(),
    },
  });
  await child.exited;
  await ended.promise;
  const stdout = Buffer.concat(parts).toString().replaceAll("\r\n", "\n");
  return { status: child.exitCode, stdout, stderr: "" };
}
