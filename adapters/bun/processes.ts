// Programs whose output is one stream, through Bun's own spawn: a real pipe that both streams share, or a terminal.

import {
  type MergedProcess,
  type ProcessEnd,
  ProcessError,
  type Processes,
  type StartMerged,
} from "../../core/ports/processes.ts";

import { errnoOf } from "../shared/errno.ts";
import { checkFolder, environment, mergedProcess, nodeProcesses } from "../shared/processes.ts";

export function bunProcesses(): Processes {
  const shared = nodeProcesses();
  if (process.platform === "win32") return shared;
  return {
    ...shared,
    // Any executable that Bun has made is Bun itself as well.
    ownShell: {
      program: process.execPath,
      args: ["exec"],
      env: { ...shared.self.env, BUN_BE_BUN: "1" },
    },
    async startMerged(options) {
      checkFolder(options.cwd);
      if (options.terminal) return startOnTerminal(options, options.terminal);
      const pipe = openPipe();
      return pipe === undefined ? shared.startMerged(options) : startOnPipe(options, pipe);
    },
  };
}

/** Bytes of output after which memory is cleared of what is done with. */
const COLLECT = 16 * 1024 * 1024;

interface Pipe {
  readonly reader: number;
  readonly writer: number;
}

function startOnPipe(options: StartMerged, { reader, writer }: Pipe): MergedProcess {
  const { program, args, cwd, env = {} } = options;
  const { closeSync } = process.getBuiltinModule("node:fs");
  let child: Bun.Subprocess;
  try {
    child = starting(options, () =>
      Bun.spawn([program, ...args], {
        cwd,
        env: environment(env, options.inherits),
        detached: true,
        stdin: options.stdin === "ours" ? "inherit" : "ignore",
        stdout: writer,
        stderr: writer,
      }),
    );
  } catch (thrown) {
    closeSync(reader);
    throw thrown;
  } finally {
    closeSync(writer);
  }
  const source = Bun.file(reader).stream().getReader();
  let isOver = false;
  let read = 0;
  /** The stream leaves the descriptor open. */
  function finish() {
    if (isOver) return;
    isOver = true;
    closeSync(reader);
  }
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for (;;) {
        const { done, value } = await source.read();
        if (done) break;
        if (value.length > 0) yield value;
        // Left alone, the pieces of endless output pile up to many times of what is kept.
        read += value.length;
        if (read < COLLECT) continue;
        read = 0;
        Bun.gc(true);
      }
    } catch {
      // To whoever reads, a failing pipe has ended.
    } finally {
      await source.cancel().catch(() => {});
      finish();
    }
  }
  return mergedProcess(child.pid, endOf(child), {
    output: chunks(),
    hasTerminal: false,
    // Ends a waiting read, and with it the chunks; where nobody reads, there is no one else to close.
    close: () => void source.cancel().then(finish, finish),
  });
}

function startOnTerminal(
  options: StartMerged,
  { columns, rows }: { readonly columns: number; readonly rows: number },
): MergedProcess {
  const { program, args, cwd, env = {} } = options;
  const chunks: Uint8Array[] = [];
  let changed = Promise.withResolvers<void>();
  let isOver = false;
  function change() {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  function finish() {
    isOver = true;
    change();
  }
  const child = starting(options, () =>
    Bun.spawn([program, ...args], {
      cwd,
      env: environment(env, options.inherits),
      terminal: {
        cols: columns,
        rows,
        data(_, bytes) {
          chunks.push(bytes.slice());
          change();
        },
        exit: finish,
      },
    }),
  );
  async function* output(): AsyncGenerator<Uint8Array> {
    for (;;) {
      const chunk = chunks.shift();
      if (chunk) yield chunk;
      else if (isOver) return;
      else await changed.promise;
    }
  }
  return mergedProcess(child.pid, endOf(child), {
    output: output(),
    hasTerminal: true,
    close() {
      child.terminal?.close();
      finish();
    },
  });
}

/** The system's refusals in the port's words. */
function starting<T>({ program }: StartMerged, spawn: () => T): T {
  try {
    return spawn();
  } catch (thrown) {
    const code = errnoOf(thrown);
    throw code === undefined ? thrown : new ProcessError(code, program, { cause: thrown });
  }
}

async function endOf(child: Bun.Subprocess): Promise<ProcessEnd> {
  await child.exited;
  const { signalCode, exitCode } = child;
  if (signalCode === null) return { code: exitCode ?? 0 };
  return { signal: typeof signalCode === "number" ? `SIG${signalCode}` : signalCode };
}

type Libc = (fds: Int32Array) => number;

let pipeCall: Libc | undefined | null = null;

/** Undefined where the system's library cannot be called. */
function openPipe(): Pipe | undefined {
  pipeCall = pipeCall === null ? loadPipeCall() : pipeCall;
  const fds = new Int32Array(2);
  if (pipeCall === undefined || pipeCall(fds) !== 0) return undefined;
  return { reader: fds[0]!, writer: fds[1]! };
}

const O_CLOEXEC = 0o2000000;

function loadPipeCall(): Libc | undefined {
  const { dlopen, ptr } = process.getBuiltinModule("bun:ffi") as typeof import("bun:ffi");
  const isMac = process.platform === "darwin";
  const names = isMac
    ? ["libSystem.B.dylib"]
    : ["libc.so.6", `libc.musl-${process.arch === "arm64" ? "aarch64" : "x86_64"}.so.1`];
  for (const name of names) {
    try {
      if (isMac) {
        const { symbols } = dlopen(name, { pipe: { args: ["ptr"], returns: "i32" } });
        return (fds) => symbols.pipe(ptr(fds));
      }
      const { symbols } = dlopen(name, { pipe2: { args: ["ptr", "i32"], returns: "i32" } });
      return (fds) => symbols.pipe2(ptr(fds), O_CLOEXEC);
    } catch {
      // Another C library, or none that may be loaded.
    }
  }
  return undefined;
}
