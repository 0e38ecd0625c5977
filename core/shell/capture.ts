// The output of one command: its end as text, and all of it in a log where the text is not all.

import { limits } from "../limits.ts";
import { FsError } from "../ports/fs.ts";
import type { SpillFile } from "../persist/spill.ts";
import { UnsafePlace } from "../persist/private-tree.ts";
import type { Truncation } from "../text/truncate.ts";
import { createCleaner } from "./clean.ts";
import { createTail, truncationFooter } from "./tail.ts";

export interface Captured {
  /** Without control characters; the end, where it is not all. */
  readonly text: string;
  readonly truncation: Truncation;
  /** What is to be said about the part that is missing; undefined where none is. */
  readonly footer: string | undefined;
  /** The log, where there is one: every byte, up to the cap. */
  readonly logPath: string | undefined;
}

export interface Capture {
  push(bytes: Uint8Array): Promise<void>;
  finish(): Promise<Captured>;
}

/**
 * @param openLog called once, when the text would not be all; where it fails, there is no log
 * @param live is given the clean text as it comes
 */
export function createCapture(
  openLog: () => Promise<SpillFile>,
  live: (text: string) => void | Promise<void> = () => {},
): Capture {
  const cleaner = createCleaner();
  const tail = createTail({ maxLines: limits.bashLines, maxBytes: limits.bashBytes });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Undefined once they are in the log, or there can be none. */
  let waiting: Uint8Array[] | undefined = [];
  let waitingBytes = 0;
  let log: SpillFile | undefined;

  async function keep(bytes: Uint8Array): Promise<void> {
    try {
      if (log) return await log.write(bytes);
      if (!waiting) return;
      // Whoever gave them may use their memory again.
      waiting.push(bytes.slice());
      waitingBytes += bytes.length;
      if (!tail.exceedsLimits && waitingBytes <= limits.bashReplay) return;
      const first = waiting;
      waiting = undefined;
      log = await openLog();
      for (const piece of first) await log.write(piece);
    } catch (thrown) {
      if (!(thrown instanceof FsError) && !(thrown instanceof UnsafePlace)) throw thrown;
      // Never fatal: the answer then names no log.
      await log?.finish().catch(() => {});
      log = undefined;
      waiting = undefined;
    }
  }

  async function take(clean: Uint8Array): Promise<void> {
    if (clean.length === 0) return;
    tail.push(clean);
    await live(decoder.decode(clean, { stream: true }));
  }

  return {
    async push(bytes) {
      await take(cleaner.push(bytes));
      await keep(bytes);
    },
    async finish() {
      await take(cleaner.finish());
      const rest = decoder.decode();
      if (rest !== "") await live(rest);
      await log?.finish().catch((thrown: unknown) => {
        if (!(thrown instanceof FsError)) throw thrown;
        log = undefined;
      });
      const { text, truncation, lastLineBytes } = tail.tail();
      const footer = truncation.truncated
        ? truncationFooter({ truncation, lastLineBytes }, log)
        : undefined;
      return { text, truncation, footer, logPath: log?.path };
    },
  };
}
