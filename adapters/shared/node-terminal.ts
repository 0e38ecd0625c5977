import { systemClock } from "./clock.ts";
import { errnoOf } from "./errno.ts";
import type { OpenTerminal, Terminal, TerminalUse } from "../../core/ports/terminal.ts";

/** Keys from standard input where that is a terminal, else from the one that the process belongs to. */
export function nodeTerminal(): Terminal {
  return {
    async open(use) {
      const streams = (held ??= openStreams());
      if (streams === undefined) return undefined;
      const { input, output } = streams;
      const key = (chunk: Uint8Array) => use.key(chunk);
      const end = () => use.end();
      input.on("data", key).on("end", end).on("error", end);
      const opened = heldTerminal(use, {
        raw: (isOn) => void input.setRawMode(isOn),
        size() {
          const { columns, rows } = output;
          return { columns, rows };
        },
        // Not destroyed: that would close the descriptor, and with it standard input.
        close() {
          input.off("data", key).off("end", end).off("error", end);
          input.pause();
        },
      });
      input.resume();
      return opened;
    },
  };
}

interface TtyStreams {
  readonly input: import("node:tty").ReadStream;
  /** The one whose size follows the terminal's. */
  readonly output: NodeJS.WriteStream;
}

/** One pair for the process, however often something is asked. */
let held: TtyStreams | undefined;

function openStreams(): TtyStreams | undefined {
  const tty = process.getBuiltinModule("node:tty");
  if (!tty.isatty(2)) return undefined;
  const fd = tty.isatty(0) ? 0 : openOwn();
  if (fd === undefined) return undefined;
  return { input: new tty.ReadStream(fd), output: process.stderr };
}

function openOwn(): number | undefined {
  if (process.platform === "win32") return undefined;
  const fs = process.getBuiltinModule("node:fs");
  try {
    return fs.openSync("/dev/tty", fs.constants.O_RDONLY | fs.constants.O_NOCTTY);
  } catch {
    return undefined;
  }
}

/** What a runtime does by itself. */
export interface RawTerminal {
  raw(isOn: boolean): void;
  size(): ReturnType<OpenTerminal["size"]>;
  close(): void;
}

/** Signals that end a process without a word. Those that ask it to stop are met elsewhere. */
const endings = ["SIGQUIT"] as const;

export function heldTerminal(use: TerminalUse, terminal: RawTerminal): OpenTerminal {
  const fs = process.getBuiltinModule("node:fs");
  let isHeld = true;
  function restore(): void {
    if (!isHeld) return;
    isHeld = false;
    attempt(() => void fs.writeSync(2, use.leave));
    attempt(() => terminal.raw(false));
  }
  const ended = (signal: NodeJS.Signals) => {
    restore();
    process.kill(process.pid, signal);
  };
  // Somebody stopped us and let us go on: the shell has had the terminal in between.
  const resumed = () => {
    attempt(() => terminal.raw(true));
    use.resize();
  };
  const others = process.platform === "win32" ? [] : endings;
  process.on("exit", restore);
  process.on("SIGWINCH", use.resize);
  if (others.length > 0) process.on("SIGCONT", resumed);
  for (const signal of others) process.once(signal, ended);
  terminal.raw(true);
  return {
    size: () => terminal.size(),
    async write(text) {
      const bytes = new TextEncoder().encode(text);
      for (let at = 0; at < bytes.length;) {
        try {
          at += fs.writeSync(2, bytes, at);
        } catch (thrown) {
          if (errnoOf(thrown) !== "EAGAIN") throw thrown;
          await systemClock.sleep(5);
        }
      }
    },
    async close() {
      process.off("exit", restore);
      process.off("SIGWINCH", use.resize);
      if (others.length > 0) process.off("SIGCONT", resumed);
      for (const signal of others) process.off(signal, ended);
      restore();
      attempt(() => terminal.close());
    },
  };
}

/** Whatever fails, the rest is still put back. */
function attempt(work: () => void): void {
  try {
    work();
  } catch {
    // The terminal is gone.
  }
}
