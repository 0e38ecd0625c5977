// A zlib stream between two async iterables: errors of either side pass on, and whoever stops early leaves nothing open.

import type { Transform } from "node:stream";

interface ZlibStream extends Transform {
  readonly bytesWritten: number;
}

/** @param ended is told how many bytes of the input were taken, once the stream has ended by itself */
export async function* throughZlib(
  open: () => ZlibStream,
  input: AsyncIterable<Uint8Array>,
  ended?: (used: number) => void,
): AsyncGenerator<Uint8Array, void, undefined> {
  const stream = open();
  let fault: { readonly thrown: unknown } | undefined;
  const feeding = feed(stream, input).catch((thrown: unknown) => {
    fault = { thrown };
    stream.destroy();
  });
  try {
    for await (const piece of stream) {
      const bytes: Uint8Array = piece;
      yield new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length);
    }
  } catch (thrown) {
    throw fault ? fault.thrown : asDamage(thrown);
  } finally {
    stream.destroy();
    await feeding;
  }
  if (fault) throw fault.thrown;
  ended?.(stream.bytesWritten);
}

async function feed(stream: ZlibStream, input: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const piece of input) {
    if (stream.destroyed || stream.readableEnded) return;
    if (stream.write(piece)) continue;
    const { promise, resolve } = Promise.withResolvers<void>();
    const events = ["drain", "end", "close", "error"];
    for (const event of events) stream.once(event, resolve);
    await promise;
    for (const event of events) stream.off(event, resolve);
  }
  stream.end();
}

/** What zlib and zstd say of data that is not what it should be; a fault of another kind as it is. */
export function asDamage(thrown: unknown): unknown {
  if (!(thrown instanceof Error)) return thrown;
  const code = "code" in thrown ? String(thrown.code) : "";
  const isDamage =
    /^(?:Z_|ZSTD_|ERR_BUFFER_TOO_LARGE)/.test(code) ||
    // Deno gives it no code.
    thrown.message.startsWith("Zstd decompress error");
  return isDamage ? new RangeError(thrown.message, { cause: thrown }) : thrown;
}
