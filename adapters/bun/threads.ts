// Bun's workers. Their code is an entry of its own (cmd/scan-thread.ts), in the executable or beside this source.

import type { Threads } from "../../core/ports/threads.ts";

import { oneThread } from "../shared/one-thread.ts";

export function bunThreads(): Threads {
  return {
    ...oneThread,
    start() {
      let worker: Worker;
      try {
        worker = Bun.isStandaloneExecutable
          ? new Worker(`${import.meta.dir}/scan-thread.js`)
          : new Worker(new URL("../../cmd/scan-thread.ts", import.meta.url).href);
      } catch {
        // No memory or no threads left: the work is done without one.
        return undefined;
      }
      // It never keeps the program from ending.
      worker.unref();
      let isBroken = false;
      worker.addEventListener("error", (event) => {
        event.preventDefault();
        isBroken = true;
      });
      // oxlint-disable-next-line require-post-message-target-origin -- a thread is no window
      const post = (message: unknown): void => worker.postMessage(message);
      return {
        post,
        get isBroken() {
          return isBroken;
        },
        // Ending it from here would wait for it.
        stop: () => post(undefined),
      };
    },
  };
}
