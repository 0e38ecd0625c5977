import type { Streams } from "../shared/stdio.ts";

/** The streams through Bun's own files: node:fs and node:tty take longer to load than most commands to run. */
export function bunStreams(): Streams {
  return {
    readAll: () => Bun.file(0).bytes(),
    chunks: () => Bun.stdin.stream(),
    write: (fd, bytes) => Bun.write(Bun.file(fd), bytes),
    isTerminal: (fd) => ttyWrap().isTTY(fd),
  };
}

function ttyWrap(): { isTTY(fd: number): boolean } {
  const { binding } = process as unknown as {
    binding(name: "tty_wrap"): { isTTY(fd: number): boolean };
  };
  return binding("tty_wrap");
}
