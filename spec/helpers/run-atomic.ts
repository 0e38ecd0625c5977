// The built program from outside.

import { spawn } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join, resolve } from "node:path";

import { inFolder } from "./folder.ts";

export const executable = resolve(import.meta.dirname, "../../dist/atomic");

export interface Ran {
  /** 128 and the signal's number where one ended it, as a shell says it. */
  readonly status: number;
  readonly stdout: Output;
  readonly stderr: Output;
}

export interface Output {
  readonly bytes: Uint8Array;
  readonly text: string;
}

export interface RunOptions {
  readonly stdin?: string | Uint8Array;
  /** On top of PATH, HOME and ATOMIC_HOME; nothing else is inherited. */
  readonly env?: Readonly<Record<string, string>>;
  /** Where to run; else an empty temporary folder. */
  readonly cwd?: string;
}

/** Runs `dist/atomic` with a state folder of its own; name one as ATOMIC_HOME to share it between calls. */
export function runAtomic(args: readonly string[], options: RunOptions = {}): Promise<Ran> {
  return inFolder(async (root) => {
    const work = join(root, "work");
    mkdirSync(work);
    return runProgram([executable, ...args], {
      cwd: work,
      ...options,
      env: {
        PATH: "/usr/bin:/bin",
        HOME: root,
        ATOMIC_HOME: join(root, "state"),
        ...options.env,
      },
    });
  });
}

/** Any program; its standard input ends where `stdin` does. */
export async function runProgram(
  [program, ...args]: readonly string[],
  { stdin = "", env = {}, cwd }: RunOptions & { readonly cwd: string },
): Promise<Ran> {
  const child = spawn(program!, args, { cwd, env: { ...env }, stdio: "pipe" });
  // A program may end without having read it.
  child.stdin.on("error", () => {});
  child.stdin.end(stdin);
  const { promise, resolve: settle, reject } = Promise.withResolvers<number>();
  child.on("error", reject);
  child.on("close", (code, signal) => settle(code ?? 128 + numbers[signal!]!));
  const [stdout, stderr] = [gather(child.stdout), gather(child.stderr)];
  return { status: await promise, stdout: stdout(), stderr: stderr() };
}

const numbers: Readonly<Record<string, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGABRT: 6,
  SIGKILL: 9,
  SIGSEGV: 11,
  SIGPIPE: 13,
  SIGTERM: 15,
};

function gather(stream: NodeJS.ReadableStream): () => Output {
  const chunks: Uint8Array[] = [];
  stream.on("data", (chunk: Buffer) => chunks.push(chunk));
  return () => {
    const bytes = new Uint8Array(Buffer.concat(chunks));
    return { bytes, text: new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes) };
  };
}
