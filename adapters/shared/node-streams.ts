import { systemClock } from "./clock.ts";
import { errnoOf } from "./errno.ts";
import type { Streams } from "./stdio.ts";

const FIRST = 64 * 1024;

/** The streams through node:fs, whose calls wait in a thread of their own. */
export function nodeStreams(): Streams {
  const fs = process.getBuiltinModule("node:fs");
  return {
    async readAll() {
      let buffer = new Uint8Array(FIRST);
      let length = 0;
      for (;;) {
        const at = length;
        const got = await patiently(() =>
          called((done) => fs.read(0, buffer, at, buffer.length - at, null, done)),
        );
        if (got === 0) return buffer.subarray(0, length);
        length += got;
        if (length < buffer.length) continue;
        const larger = new Uint8Array(2 * buffer.length);
        larger.set(buffer);
        buffer = larger;
      }
    },
    async *chunks() {
      for (;;) {
        const buffer = new Uint8Array(FIRST);
        const got = await patiently(() =>
          called((done) => fs.read(0, buffer, 0, buffer.length, null, done)),
        );
        if (got === 0) return;
        yield buffer.subarray(0, got);
      }
    },
    write: (fd, bytes) =>
      patiently(() => called((done) => fs.write(fd, bytes, 0, bytes.length, null, done))),
    isTerminal: (fd) => process.getBuiltinModule("node:tty").isatty(fd),
  };
}

/** A pipe that somebody made non-blocking says EAGAIN instead of waiting. */
async function patiently(attempt: () => Promise<number>): Promise<number> {
  for (let pause = 1; ; pause = Math.min(2 * pause, 20)) {
    try {
      return await attempt();
    } catch (thrown) {
      if (errnoOf(thrown) !== "EAGAIN") throw thrown;
    }
    await systemClock.sleep(pause);
  }
}

function called(
  call: (done: (error: Error | null, count: number) => void) => void,
): Promise<number> {
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  call((error, count) => (error ? reject(error) : resolve(count)));
  return promise;
}
