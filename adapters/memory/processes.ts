// Programs as functions: what they read, write and do when they are told to end follows from the test alone.

import {
  type KillSignal,
  type ProcessEnd,
  ProcessError,
  type Processes,
  type StartProcess,
} from "../../core/ports/processes.ts";

/** @returns the program's status */
export type MemoryProgram = (io: MemoryProgramIo) => Promise<number>;

export interface MemoryProgramIo extends Omit<StartProcess, "program" | "env"> {
  variable(name: string): string | undefined;
  readonly stdin: AsyncIterable<Uint8Array>;
  /** Waits for the reader; false once it has gone. */
  out(bytes: Uint8Array | string): Promise<boolean>;
  err(bytes: Uint8Array | string): Promise<boolean>;
  /** Aborts when the program is killed; what it does afterwards reaches nobody. */
  readonly killed: AbortSignal;
}

export interface MemoryProcesses extends Processes {
  /** Programs that have not ended yet. */
  readonly running: ReadonlySet<number>;
}

interface MemoryWorld {
  isFolder(path: string): Promise<boolean>;
  variable(name: string): string | undefined;
}

/** @param programs name, or absolute path, → what it does */
export function memoryProcesses(
  programs: Readonly<Record<string, MemoryProgram>>,
  world: MemoryWorld,
): MemoryProcesses {
  const running = new Set<number>();
  let last = 10_000;
  return {
    running,
    self: { program: "atomic", args: [], env: {} },
    async start({ program, args, cwd, env = {} }) {
      if (!(await world.isFolder(cwd))) throw new ProcessError("ENOTDIR", cwd);
      const body = Object.hasOwn(programs, program) ? programs[program] : undefined;
      if (!body) throw new ProcessError("ENOENT", program);
      const pid = ++last;
      running.add(pid);
      const [stdin, stdout, stderr] = [memoryPipe(), memoryPipe(), memoryPipe()];
      const killed = new AbortController();
      const ended = Promise.withResolvers<ProcessEnd>();
      function end(how: ProcessEnd) {
        if (!running.delete(pid)) return;
        stdout.close();
        stderr.close();
        stdin.abandon();
        ended.resolve(how);
      }
      const io: MemoryProgramIo = {
        args,
        cwd,
        variable: (name) => (Object.hasOwn(env, name) ? env[name] : world.variable(name)),
        stdin: stdin.read(),
        out: (bytes) => stdout.write(encoded(bytes)),
        err: (bytes) => stderr.write(encoded(bytes)),
        killed: killed.signal,
      };
      void body(io).then(
        (code) => end({ code }),
        () => end({ signal: "SIGABRT" }),
      );
      return {
        pid,
        stdin: { write: stdin.write, close: stdin.close },
        stdout: stdout.read(),
        stderr: stderr.read(),
        ended: ended.promise,
        kill(signal: KillSignal) {
          if (!running.has(pid)) return false;
          killed.abort();
          end({ signal });
          return true;
        },
        release() {
          stdin.close();
          stdout.abandon();
          stderr.abandon();
        },
      };
    },
  };
}

interface MemoryPipe {
  write(bytes: Uint8Array): Promise<boolean>;
  close(): void;
  read(): AsyncGenerator<Uint8Array>;
  /** The reading end goes away. */
  abandon(): void;
}

/** Holds one chunk: the next write waits until it has been read. */
function memoryPipe(): MemoryPipe {
  const chunks: Uint8Array[] = [];
  let isClosed = false;
  let isAbandoned = false;
  let changed = Promise.withResolvers<void>();
  function change() {
    changed.resolve();
    changed = Promise.withResolvers();
  }
  return {
    async write(bytes) {
      while (chunks.length > 0 && !isAbandoned && !isClosed) await changed.promise;
      if (isAbandoned || isClosed) return false;
      if (bytes.length > 0) chunks.push(bytes.slice());
      change();
      return true;
    },
    close() {
      isClosed = true;
      change();
    },
    async *read() {
      while (!isAbandoned) {
        const chunk = chunks.shift();
        if (chunk) {
          change();
          yield chunk;
        } else if (isClosed) return;
        else await changed.promise;
      }
    },
    abandon() {
      isAbandoned = true;
      change();
    },
  };
}

function encoded(bytes: Uint8Array | string): Uint8Array {
  return typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
}
