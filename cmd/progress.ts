// How far long work has come: one line on the terminal that standard error is, gone when there is an answer.

import type { Stdio } from "../core/ports/stdio.ts";
import { showControls } from "../core/text/controls.ts";

export interface Progress {
  show(text: () => string): void;
  /** Takes the line away. */
  clear(): void;
}

/** Milliseconds before the first line, and between two. */
const PATIENCE = 1_000;
const INTERVAL = 100;

/** @param now by any clock, in milliseconds */
export function showProgress(
  { stderr }: Pick<Stdio, "stderr">,
  now: () => number = () => performance.now(),
): Progress {
  const start = now();
  let last = start;
  let isShown = false;
  let asked = 0;
  return {
    show(text) {
      // Asking the time costs as much as looking at several names.
      if (++asked % 16 !== 0) return;
      const time = now();
      if (time - start < PATIENCE || (isShown && time - last < INTERVAL)) return;
      // Asked for late: looking for a terminal costs more than most commands.
      if (!stderr.isTerminal) return;
      last = time;
      isShown = true;
      void stderr.write(`\r\u001b[K${showControls(text()).slice(0, 78)}`);
    },
    clear() {
      if (!isShown) return;
      isShown = false;
      void stderr.write("\r\u001b[K");
    },
  };
}
