// Language servers that do what a test says, in memory.

import type { MemoryProgram, MemoryProgramIo } from "../../../adapters/memory/processes.ts";
import { frame, frameReader } from "../../../core/diagnostics/frames.ts";

export interface Peer {
  readonly io: MemoryProgramIo;
  send(message: object): Promise<boolean>;
  respond(id: unknown, result: unknown): Promise<boolean>;
  notify(method: string, params: unknown): Promise<boolean>;
}

export interface Message {
  readonly id?: number;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number };
}

type Handler = (peer: Peer, message: Message) => unknown;

/** Answers initialize and shutdown, ends at exit; everything else as the handlers say. Handlers may replace those. */
export function fakeServer(
  capabilities: object,
  handlers: Readonly<Record<string, Handler>>,
  log: Message[] = [],
): MemoryProgram {
  const all: Readonly<Record<string, Handler>> = {
    initialize: (peer, { id }) => peer.respond(id, { capabilities }),
    shutdown: (peer, { id }) => peer.respond(id, null),
    ...handlers,
  };
  return async (io) => {
    const send = (message: object) => io.out(frame({ jsonrpc: "2.0", ...message }));
    const peer: Peer = {
      io,
      send,
      respond: (id, result) => send({ id, result }),
      notify: (method, params) => send({ method, params }),
    };
    const reader = frameReader();
    for await (const bytes of io.stdin) {
      for (const message of reader.push(bytes) as Message[]) {
        log.push(message);
        if (message.method === "exit") return 0;
        await all[message.method ?? "response"]?.(peer, message);
      }
    }
    return 1;
  };
}

/** Never ends by itself. */
export function forever(): Promise<never> {
  return new Promise(() => {});
}
