import type { Terminal } from "../../core/ports/terminal.ts";
import { heldTerminal } from "../shared/node-terminal.ts";

interface Input {
  setRaw(isOn: boolean): void;
  isTerminal(): boolean;
  read(into: Uint8Array): Promise<number | null>;
}

declare const Deno: {
  readonly stdin: Input;
  readonly stderr: { isTerminal(): boolean };
  openSync(path: string, options: { readonly read: true; readonly write: true }): Input;
  consoleSize(): { readonly columns: number; readonly rows: number };
};

/** As `nodeTerminal`. A read that has begun cannot be taken back, so there is one for the process, and it goes on. */
export function denoTerminal(): Terminal {
  return {
    async open(use) {
      const input = Deno.stdin.isTerminal() ? Deno.stdin : own();
      if (input === undefined || !Deno.stderr.isTerminal()) return undefined;
      let isOpen = true;
      const opened = heldTerminal(use, {
        raw: (isOn) => input.setRaw(isOn),
        size: () => Deno.consoleSize(),
        close: () => void (isOpen = false),
      });
      const read = async () => {
        while (isOpen) {
          const bytes = await next(input);
          // What came after the end is for whoever asks next.
          if (!isOpen) return void (waiting = Promise.resolve(bytes));
          if (bytes === null) return use.end();
          use.key(bytes);
        }
      };
      void read();
      return opened;
    },
  };
}

let waiting: Promise<Uint8Array | null> | undefined;

async function next(input: Input): Promise<Uint8Array | null> {
  waiting ??= (async () => {
    const buffer = new Uint8Array(4096);
    try {
      const count = await input.read(buffer);
      return count === null ? null : buffer.subarray(0, count);
    } catch {
      return null;
    }
  })();
  const bytes = await waiting;
  waiting = undefined;
  return bytes;
}

let ownTerminal: Input | undefined;

function own(): Input | undefined {
  try {
    return (ownTerminal ??= Deno.openSync("/dev/tty", { read: true, write: true }));
  } catch {
    return undefined;
  }
}
