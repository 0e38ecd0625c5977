// Programs through node:child_process, which every runtime has.

import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

import {
  type KillSignal,
  type MergedProcess,
  type ProcessEnd,
  ProcessError,
  type ProcessInput,
  type Processes,
  type RunningProcess,
  type StartMerged,
  type StartProcess,
} from "../../core/ports/processes.ts";

import { detectRuntime } from "../runtime.ts";
import { errnoOf } from "./errno.ts";
import { processTable } from "./process-table.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function nodeProcesses(): Processes {
  const isWindows = process.platform === "win32";
  return {
    self: ownProgram(),
    ownShell: undefined,
    ...processTable(),
    startMerged,
    detach,
    async start({ program, args, cwd, env = {}, inherits, cpuSeconds }) {
      const { spawn } = process.getBuiltinModule("node:child_process");
      checkFolder(cwd);
      let child: Child;
      try {
        const [first, ...others] = limited([program, ...args], isWindows ? undefined : cpuSeconds);
        child = spawn(first!, others, {
          cwd,
          env: environment(env, inherits),
          // A group of its own; on Windows, where there are no groups, it would open a window.
          detached: !isWindows,
          windowsHide: true,
          stdio: ["pipe", "pipe", "pipe"],
        });
        const ended = endOf(child);
        await started(child);
        return running(child, ended, isWindows ? killTree : killGroup);
      } catch (thrown) {
        const code = errnoOf(thrown);
        throw code === undefined ? thrown : new ProcessError(code, program, { cause: thrown });
      }
    },
  };
}

/**
 * One pipe for both streams. A shell joins them and becomes the program: what this runtime makes is a socket, which the
 * program cannot open again by the name of /dev/stderr.
 */
async function startMerged(options: StartMerged): Promise<MergedProcess> {
  const { program, args, cwd, env = {}, inherits, stdin } = options;
  const { spawn } = process.getBuiltinModule("node:child_process");
  checkFolder(cwd);
  checkProgram(program);
  const isWindows = process.platform === "win32";
  const words = isWindows
    ? [program, ...args]
    : ["/bin/sh", "-c", 'exec "$@" 2>&1', "sh", program, ...args];
  try {
    const child = spawn(words[0]!, words.slice(1), {
      cwd,
      env: environment(env, inherits),
      detached: !isWindows,
      windowsHide: true,
      stdio: [stdin === "ours" ? "inherit" : "ignore", "pipe", isWindows ? "pipe" : "ignore"],
    });
    const ended = endOf(child as unknown as Child);
    await started(child as unknown as Child);
    const streams = [child.stdout!, child.stderr].filter((stream) => stream !== null);
    for (const stream of streams) stream.on("error", () => {});
    return mergedProcess(child.pid!, ended, {
      output: streams.length === 1 ? chunksOf(streams[0]!) : interleaved(streams),
      hasTerminal: false,
      close: () => streams.forEach((stream) => stream.destroy()),
    });
  } catch (thrown) {
    const code = errnoOf(thrown);
    throw code === undefined ? thrown : new ProcessError(code, program, { cause: thrown });
  }
}

/** What every body of a merged process has in common. */
export function mergedProcess(
  pid: number,
  ended: Promise<ProcessEnd>,
  { output, hasTerminal, close }: Pick<MergedProcess, "output" | "hasTerminal"> & { close(): void },
): MergedProcess {
  const isWindows = process.platform === "win32";
  let isReleased = false;
  let hasEnded = false;
  void ended.then(() => (hasEnded = true));
  const forget = killAtExit(pid, isWindows ? killTree : killGroup);
  return {
    pid,
    output,
    ended,
    hasTerminal,
    kill: (signal) => (isWindows ? killTree(pid) : killGroup(pid, signal)),
    isGroupAlive: () => (isWindows ? !hasEnded : isThere(-pid)),
    release() {
      if (isReleased) return;
      isReleased = true;
      forget();
      close();
    },
  };
}

const atExit = new Map<number, () => void>();

/** @returns takes it back */
function killAtExit(pid: number, kill: (pid: number, signal: KillSignal) => boolean): () => void {
  if (atExit.size === 0) process.on("exit", killAll);
  atExit.set(pid, () => kill(pid, "SIGKILL"));
  return () => {
    atExit.delete(pid);
    if (atExit.size === 0) process.off("exit", killAll);
  };
}

function killAll(): void {
  for (const kill of atExit.values()) kill();
}

async function detach({ program, args, cwd, env = {}, inherits }: StartProcess): Promise<number> {
  const { spawn } = process.getBuiltinModule("node:child_process");
  checkFolder(cwd);
  try {
    const child = spawn(program, [...args], {
      cwd,
      env: environment(env, inherits),
      detached: true,
      windowsHide: true,
      stdio: "ignore",
    });
    await started(child as unknown as Child);
    child.unref();
    return child.pid!;
  } catch (thrown) {
    const code = errnoOf(thrown);
    throw code === undefined ? thrown : new ProcessError(code, program, { cause: thrown });
  }
}

/** From source the entry is named, since what was started may be a test. */
function ownProgram(): Processes["self"] {
  const { execPath, env } = process;
  const { name: runtime, executable } = detectRuntime();
  const settings = Object.keys(env).filter((name) => /^BUN_|^NODE_OPTIONS$/.test(name));
  const own = {
    program: execPath,
    env: Object.fromEntries(settings.map((name) => [name, undefined])),
  };
  if (executable !== undefined) return { ...own, args: [] };
  const { resolve } = process.getBuiltinModule("node:path");
  const main = resolve(import.meta.dirname, "../../cmd/main.ts");
  return { ...own, args: runtime === "deno" ? ["run", "-A", "--no-lock", main] : [main] };
}

/** A shell sets the limit and becomes the program. */
function limited(words: readonly string[], cpuSeconds: number | undefined): readonly string[] {
  if (cpuSeconds === undefined) return words;
  return ["/bin/sh", "-c", `ulimit -t ${cpuSeconds}; exec "$0" "$@"`, ...words];
}

function checkProgram(program: string): void {
  const { statSync } = process.getBuiltinModule("node:fs");
  if (!/[\\/]/.test(program)) return;
  if (!statSync(program, { throwIfNoEntry: false })) throw new ProcessError("ENOENT", program);
}

/** The system says ENOENT for a missing folder as it does for a missing program. */
export function checkFolder(cwd: string): void {
  const { statSync } = process.getBuiltinModule("node:fs");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ProcessError("ENOTDIR", cwd);
  }
}

export function environment(
  changes: Readonly<Record<string, string | undefined>>,
  inherits?: readonly string[],
): NodeJS.ProcessEnv {
  const env: NodeJS.ProcessEnv = {};
  for (const name of inherits ?? Object.keys(process.env)) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  for (const [name, value] of Object.entries(changes)) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  return env;
}

function started(child: Child): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  child.once("spawn", resolve);
  child.once("error", reject);
  return promise;
}

function endOf(child: Child): Promise<ProcessEnd> {
  const { promise, resolve } = Promise.withResolvers<ProcessEnd>();
  child.once("exit", (code, signal) => resolve(signal === null ? { code: code ?? 0 } : { signal }));
  return promise;
}

function running(
  child: Child,
  ended: Promise<ProcessEnd>,
  kill: (pid: number, signal: KillSignal) => boolean,
): RunningProcess {
  const { stdin, stdout, stderr } = child;
  const pid = child.pid!;
  // A pipe whose other end is gone says so here; whoever reads or writes meets its end.
  for (const stream of [stdin, stdout, stderr]) stream.on("error", () => {});
  const input = inputTo(stdin);
  return {
    pid,
    stdin: input,
    stdout: chunksOf(stdout),
    stderr: chunksOf(stderr),
    ended,
    kill: (signal) => kill(pid, signal),
    release() {
      input.abandon();
      for (const stream of [stdin, stdout, stderr]) stream.destroy();
    },
  };
}

function inputTo(stdin: Writable): ProcessInput & { abandon(): void } {
  const waiting = new Set<(taken: boolean) => void>();
  function abandon() {
    for (const settle of waiting) settle(false);
  }
  // Not every runtime calls back for what a closing pipe leaves unwritten.
  stdin.once("close", abandon);
  return {
    async write(bytes) {
      if (stdin.destroyed || stdin.writableEnded) return false;
      const { promise, resolve } = Promise.withResolvers<boolean>();
      waiting.add(resolve);
      stdin.write(bytes, (error) => resolve(!error));
      const taken = await promise;
      waiting.delete(resolve);
      return taken;
    },
    close() {
      if (!stdin.destroyed) stdin.end();
    },
    abandon,
  };
}

async function* chunksOf(stream: Readable): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of stream) if (chunk.length > 0) yield chunk as Uint8Array;
  } catch {
    // Closed on our side, or by a failing pipe: to the reader it has ended.
  }
}

/** Several streams as one, in the order in which their pieces come. */
async function* interleaved(streams: readonly Readable[]): AsyncGenerator<Uint8Array> {
  const sources = streams.map((stream) => chunksOf(stream));
  const next = new Map(sources.map((source, at) => [at, step(source, at)]));
  while (next.size > 0) {
    const { at, result } = await Promise.race(next.values());
    if (result.done) next.delete(at);
    else {
      next.set(at, step(sources[at]!, at));
      yield result.value;
    }
  }
}

async function step(source: AsyncGenerator<Uint8Array>, at: number) {
  return { at, result: await source.next() };
}

function isThere(target: number): boolean {
  try {
    return process.kill(target, 0);
  } catch (thrown) {
    return errnoOf(thrown) === "EPERM";
  }
}

export function killGroup(pid: number, signal: KillSignal): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (thrown) {
    // EPERM: what is left there changed its user; it is somebody all the same.
    return errnoOf(thrown) === "EPERM";
  }
}

/** Windows knows no signals and no groups: the tree of processes is ended, whatever the signal. */
export function killTree(pid: number): boolean {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status } = spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], {
    stdio: "ignore",
    windowsHide: true,
  });
  return status === 0;
}
