import type { Threads } from "../../core/ports/threads.ts";

/** For runtimes that start no second thread here. */
export const oneThread: Threads = {
  start: () => undefined,
  turn() {
    const { promise, resolve } = Promise.withResolvers<void>();
    setImmediate(resolve);
    return promise;
  },
};
