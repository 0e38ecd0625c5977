// Programs through node:child_process, which every runtime has.

import type { ChildProcessByStdio } from "node:child_process";
import type { Readable, Writable } from "node:stream";

import {
  type KillSignal,
  type ProcessEnd,
  ProcessError,
  type ProcessInput,
  type Processes,
  type RunningProcess,
} from "../../core/ports/processes.ts";

import { detectRuntime } from "../runtime.ts";
import { errnoOf } from "./errno.ts";

type Child = ChildProcessByStdio<Writable, Readable, Readable>;

export function nodeProcesses(): Processes {
  const { spawn } = process.getBuiltinModule("node:child_process");
  const isWindows = process.platform === "win32";
  return {
    self: ownProgram(),
    async start({ program, args, cwd, env = {}, cpuSeconds }) {
      checkFolder(cwd);
      let child: Child;
      try {
        const [first, ...others] = limited([program, ...args], isWindows ? undefined : cpuSeconds);
        child = spawn(first!, others, {
          cwd,
          env: environment(env),
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

/** From source the entry is named, since what was started may be a test. */
function ownProgram(): Processes["self"] {
  const { execPath, env } = process;
  const { name, executable } = detectRuntime();
  const settings = Object.keys(env).filter((name) => /^BUN_|^NODE_OPTIONS$/.test(name));
  const own = {
    program: execPath,
    env: Object.fromEntries(settings.map((name) => [name, undefined])),
  };
  if (executable !== undefined) return { ...own, args: [] };
  const { resolve } = process.getBuiltinModule("node:path");
  const main = resolve(import.meta.dirname, "../../cmd/main.ts");
  return { ...own, args: name === "deno" ? ["run", "-A", "--no-lock", main] : [main] };
}

/** A shell sets the limit and becomes the program. */
function limited(words: readonly string[], cpuSeconds: number | undefined): readonly string[] {
  if (cpuSeconds === undefined) return words;
  return ["/bin/sh", "-c", `ulimit -t ${cpuSeconds}; exec "$0" "$@"`, ...words];
}

/** The system says ENOENT for a missing folder as it does for a missing program. */
function checkFolder(cwd: string): void {
  const { statSync } = process.getBuiltinModule("node:fs");
  if (!statSync(cwd, { throwIfNoEntry: false })?.isDirectory()) {
    throw new ProcessError("ENOTDIR", cwd);
  }
}

function environment(changes: Readonly<Record<string, string | undefined>>): NodeJS.ProcessEnv {
  const env = { ...process.env };
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

function killGroup(pid: number, signal: KillSignal): boolean {
  try {
    return process.kill(-pid, signal);
  } catch (thrown) {
    // EPERM: what is left there changed its user; it is somebody all the same.
    return errnoOf(thrown) === "EPERM";
  }
}

/** Windows knows no signals and no groups: the tree of processes is ended, whatever the signal. */
function killTree(pid: number): boolean {
  const { spawnSync } = process.getBuiltinModule("node:child_process");
  const { status } = spawnSync("taskkill", ["/PID", String(pid), "/T", "/F"], {
    stdio: "ignore",
    windowsHide: true,
  });
  return status === 0;
}
