import { nodeStreams } from "../shared/node-streams.ts";
import type { Streams } from "../shared/stdio.ts";

interface Writer {
  write(bytes: Uint8Array): Promise<number>;
}

declare const Deno: { readonly stdout: Writer; readonly stderr: Writer };

/**
 * Where a pipe was made non-blocking, Deno's writers fail with EAGAIN after they have written nobody knows how much. Going
 * on would write some of it twice, so it stays an error.
 */
export function denoStreams(): Streams {
  return {
    ...nodeStreams(),
    write: (fd, bytes) => (fd === 1 ? Deno.stdout : Deno.stderr).write(bytes),
  };
}
