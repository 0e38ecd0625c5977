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
  /** Bytes of output in the log, and what the system said where it took no more. */
  readonly logBytes: number;
  readonly logFault: string | undefined;
}

export interface Capture {
  /** Opens the log, whatever will be in it. */
  open(): Promise<void>;
  push(bytes: Uint8Array): Promise<void>;
  /** @param lastLine for the log */
  finish(lastLine?: string): Promise<Captured>;
}

/**
 * @param openLog called once, when the text would not be all; where it fails, there is no log
 * @param live is given the clean text as it comes; without it, no text is made of what is not shown
 */
export function createCapture(
  openLog: () => Promise<SpillFile>,
  live?: (text: string) => void | Promise<void>,
): Capture {
  const cleaner = createCleaner();
  const tail = createTail({ maxLines: limits.bashLines, maxBytes: limits.bashBytes });
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  /** Undefined once they are in the log, or there can be none. */
  let waiting: Uint8Array[] | undefined = [];
  let waitingBytes = 0;
  let log: SpillFile | undefined;
  let logBytes = 0;
  let logFault: string | undefined;

  /** Never fatal: the answer then says so, or names no log. */
  async function logging(work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      if (!(thrown instanceof FsError) && !(thrown instanceof UnsafePlace)) throw thrown;
      logFault = thrown instanceof FsError ? thrown.code : thrown.message;
      await log?.finish().catch(() => {});
      logBytes = log?.kept ?? 0;
      log = undefined;
      waiting = undefined;
    }
  }

  async function keep(bytes: Uint8Array): Promise<void> {
    if (log) return log.write(bytes);
    if (!waiting) return;
    // Whoever gave them may use their memory again.
    waiting.push(bytes.slice());
    waitingBytes += bytes.length;
    if (!tail.exceedsLimits && waitingBytes <= limits.bashReplay) return;
    await begin();
  }

  async function begin(): Promise<void> {
    const first = waiting ?? [];
    waiting = undefined;
    log = await openLog();
    for (const piece of first) await log.write(piece);
  }

  async function take(clean: Uint8Array): Promise<void> {
    if (clean.length === 0) return;
    tail.push(clean);
    await live?.(decoder.decode(clean, { stream: true }));
  }

  return {
    open: () => logging(begin),
    async push(bytes) {
      await take(cleaner.push(bytes));
      await logging(() => keep(bytes));
    },
    async finish(lastLine) {
      await take(cleaner.finish());
      const rest = decoder.decode();
      if (rest !== "") await live?.(rest);
      await logging(async () => {
        await log?.finish(lastLine);
        logBytes = log?.kept ?? logBytes;
      });
      const { text, truncation, lastLineBytes } = tail.tail();
      const footer = truncation.truncated
        ? truncationFooter({ truncation, lastLineBytes }, log)
        : undefined;
      return { text, truncation, footer, logPath: log?.path, logBytes, logFault };
    },
  };
}
