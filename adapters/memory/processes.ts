// Programs as functions: what they read, write and do when they are told to end follows from the test alone.

import {
  type KillSignal,
  type ProcessEnd,
  ProcessError,
  type ProcessFacts,
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
  readonly running: ReadonlyMap<number, unknown>;
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
  const running = new Map<number, Running>();
  let last = 10_000;

  async function launch(
    { program, args, cwd, env = {}, inherits }: StartProcess,
    isMerged: boolean,
  ) {
    if (!(await world.isFolder(cwd))) throw new ProcessError("ENOTDIR", cwd);
    const body = Object.hasOwn(programs, program) ? programs[program] : undefined;
    if (!body) throw new ProcessError("ENOENT", program);
    const pid = ++last;
    const [stdin, stdout] = [memoryPipe(), memoryPipe()];
    const stderr = isMerged ? stdout : memoryPipe();
    const killed = new AbortController();
    const ended = Promise.withResolvers<ProcessEnd>();
    function end(how: ProcessEnd) {
      if (!running.delete(pid)) return;
      stdout.close();
      stderr.close();
      stdin.abandon();
      ended.resolve(how);
    }
    const variable = (name: string) =>
      Object.hasOwn(env, name)
        ? env[name]
        : (inherits?.includes(name) ?? true)
          ? world.variable(name)
          : undefined;
    const facts = {
      pid,
      group: pid,
      started: `memory:${pid}`,
      command: [program, ...args].join(" ").slice(0, 200),
    };
    function kill(signal: KillSignal) {
      if (!running.has(pid)) return false;
      killed.abort();
      end({ signal });
      return true;
    }
    running.set(pid, { facts, variable, kill });
    const io: MemoryProgramIo = {
      args,
      cwd,
      variable,
      stdin: stdin.read(),
      out: (bytes) => stdout.write(encoded(bytes)),
      err: (bytes) => stderr.write(encoded(bytes)),
      killed: killed.signal,
    };
    void body(io).then(
      (code) => end({ code }),
      () => end({ signal: "SIGABRT" }),
    );
    return { pid, ended: ended.promise, kill, stdin, stdout, stderr };
  }

  const alive = () => [...running.values()];
  return {
    running,
    self: { program: "atomic", args: [], env: {} },
    ownShell: undefined,
    async start(options) {
      const { pid, ended, kill, stdin, stdout, stderr } = await launch(options, false);
      return {
        pid,
        ended,
        kill,
        stdin: { write: stdin.write, close: stdin.close },
        stdout: stdout.read(),
        stderr: stderr.read(),
        release() {
          stdin.close();
          stdout.abandon();
          stderr.abandon();
        },
      };
    },
    async startMerged(options) {
      const { pid, ended, kill, stdin, stdout } = await launch(options, true);
      stdin.close();
      return {
        pid,
        ended,
        kill,
        output: stdout.read(),
        hasTerminal: options.terminal !== undefined,
        isGroupAlive: () => running.has(pid),
        release: stdout.abandon,
      };
    },
    async detach(options) {
      const { pid, stdin, stdout, stderr } = await launch(options, false);
      stdin.close();
      stdout.abandon();
      stderr.abandon();
      return pid;
    },
    list: async () => alive().map(({ facts }) => facts),
    find: async (pid) => running.get(pid)?.facts,
    marked: async (variable, text) =>
      alive()
        .filter((one) => one.variable(variable)?.includes(text))
        .map(({ facts }) => facts),
    signal: (target, signal) =>
      running.get("pid" in target ? target.pid : target.group)?.kill(signal) ?? false,
  };
}

interface Running {
  readonly facts: ProcessFacts;
  variable(name: string): string | undefined;
  kill(signal: KillSignal): boolean;
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
