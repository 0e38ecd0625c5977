// The three streams without process.stdin and process.stdout: those are slow to load, leave pipes non-blocking, lose what
// is not written yet at the end, and throw at whoever is near when a reader goes away.

import { FsError } from "../../core/ports/fs.ts";
import type { Output, Stdio, StopStatus } from "../../core/ports/stdio.ts";

import { errnoOf } from "./errno.ts";

/** What a runtime does by itself. Errors carry errno names. */
export interface Streams {
  /** Everything from descriptor 0. */
  readAll(): Promise<Uint8Array>;
  chunks(): AsyncIterable<Uint8Array>;
  /** Writes at least one byte, waiting for the reader off the main thread. @returns how many */
  write(fd: 1 | 2, bytes: Uint8Array): Promise<number>;
  isTerminal(fd: 0 | 1 | 2): boolean;
}

/** EIO: a terminal that was hung up. EBADF: closed before we began. */
const readerGone = new Set(["EPIPE", "EIO", "EBADF", "ECONNRESET", "ENOTCONN"]);
const signals = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
/** Milliseconds in which a second signal is an echo of the first. */
const echo = 500;

export function processStdio(streams: Streams): Stdio {
  const stdout = outputTo(1, "standard output", streams);
  const stderr = outputTo(2, "standard error", streams);
  return {
    stdin: {
      get isTerminal() {
        return streams.isTerminal(0);
      },
      async read() {
        try {
          return await streams.readAll();
        } catch (thrown) {
          const code = errnoOf(thrown);
          if (code === "EBADF") return new Uint8Array(0);
          throw code === undefined
            ? thrown
            : new FsError(code, "standard input", { cause: thrown });
        }
      },
      chunks: () => streams.chunks(),
    },
    stdout: stdout.output,
    stderr: stderr.output,
    async exit(status) {
      await Promise.all([stdout.settled(), stderr.settled()]);
      return process.exit(status);
    },
    onStop: stopOnSignals,
  };
}

function stopOnSignals(
  listener: (status: StopStatus) => void,
  { lasting } = { lasting: false },
): void {
  let first: number | undefined;
  const heard = new Map<NodeJS.Signals, () => void>();
  for (const [name, status] of Object.entries(signals) as [NodeJS.Signals, StopStatus][]) {
    if (name === "SIGHUP" && isHangUpIgnored()) continue;
    if (lasting) {
      process.on(name, () => listener(status));
      continue;
    }
    heard.set(name, () => {
      const now = performance.now();
      if (first !== undefined) {
        if (now - first < echo) return;
        // A program that no longer listens ends by the third.
        for (const [each, hear] of heard) process.off(each, hear);
      }
      first ??= now;
      listener(status);
    });
  }
  for (const [name, hear] of heard) process.on(name, hear);
}

/** As under nohup, whose wish a handler would undo. Known on Linux only. */
function isHangUpIgnored(): boolean {
  if (process.platform === "win32") return true;
  try {
    const { readFileSync } = process.getBuiltinModule("node:fs");
    const ignored = /^SigIgn:\s*([0-9a-f]+)$/m.exec(readFileSync("/proc/self/status", "latin1"));
    return ignored !== null && (BigInt(`0x${ignored[1]}`) & 1n) === 1n;
  } catch {
    return process.platform !== "linux" && process.platform !== "android";
  }
}

interface Channel {
  readonly output: Output;
  /** When all that was given to it is written, or never will be. */
  settled(): Promise<unknown>;
}

function outputTo(fd: 1 | 2, name: string, streams: Streams): Channel {
  let isGone = false;
  let last: Promise<unknown> = Promise.resolve();

  async function writeAll(bytes: Uint8Array): Promise<boolean> {
    if (isGone) return false;
    try {
      for (let at = 0; at < bytes.length;) at += await streams.write(fd, bytes.subarray(at));
      return true;
    } catch (thrown) {
      const code = errnoOf(thrown);
      if (code === undefined) throw thrown;
      if (!readerGone.has(code)) throw new FsError(code, name, { cause: thrown });
      isGone = true;
      return false;
    }
  }

  return {
    output: {
      get isTerminal() {
        return streams.isTerminal(fd);
      },
      write(data) {
        const bytes = typeof data === "string" ? new TextEncoder().encode(data) : data;
        const written = last.then(() => writeAll(bytes));
        // What one writer was told, the next need not be told again.
        last = written.catch(() => {});
        return written;
      },
    },
    settled: () => last,
  };
}
