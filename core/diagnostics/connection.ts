// JSON-RPC with a running language server.

import { limits } from "../limits.ts";
import type { ProcessEnd, RunningProcess } from "../ports/processes.ts";
import { frame, FrameError, frameReader } from "./frames.ts";
import { endText, gatherText, HelperFailure } from "./helper.ts";

/** The server answered a request with an error. */
export class ResponseError extends HelperFailure {
  readonly code: number;
  readonly data: unknown;
  constructor(method: string, { code, message, data }: ErrorObject) {
    super(`the server answered ${method} with an error: ${message.slice(0, 200)}`);
    this.code = code;
    this.data = data;
  }
}

interface ErrorObject {
  readonly code: number;
  readonly message: string;
  readonly data?: unknown;
}

export interface Handlers {
  /** The result for a request of the server's; undefined: we know no such method. */
  request(method: string, params: unknown): { readonly result: unknown } | undefined;
  notification(method: string, params: unknown): void;
}

export interface Connection {
  /** Rejects with a HelperFailure: an error of the server's, or the end of the connection. */
  request(method: string, params: unknown): Promise<unknown>;
  notify(method: string, params: unknown): void;
  /** Resolves with the reason once no more can come from the server. */
  readonly broken: Promise<HelperFailure>;
}

interface Pending {
  readonly method: string;
  readonly answer: PromiseWithResolvers<unknown>;
}

const METHOD_NOT_FOUND = -32601;

/** Reads all that the server writes, for as long as it runs. */
export function connect(child: RunningProcess, handlers: Handlers): Connection {
  const pending = new Map<number, Pending>();
  const broken = Promise.withResolvers<HelperFailure>();
  const errors = gatherText(child.stderr);
  let failure: HelperFailure | undefined;
  let lastId = 0;
  let sending: Promise<unknown> = Promise.resolve();
  let replies = 0;

  function send(message: object): Promise<unknown> {
    sending = sending.then(() => child.stdin.write(frame({ jsonrpc: "2.0", ...message })));
    return sending;
  }

  /** Reading never waits for it: a server may not listen while it speaks. One that only ever asks is cut off. */
  function reply(message: object): void {
    if (++replies > limits.lspReplies) throw new FrameError("asks and does not listen");
    void send(message).then(() => replies--);
  }

  function fail(reason: HelperFailure): void {
    failure ??= reason;
    broken.resolve(failure);
    for (const { answer } of pending.values()) answer.reject(failure);
    pending.clear();
  }

  async function read(): Promise<void> {
    const reader = frameReader();
    for await (const bytes of child.stdout) {
      for (const message of reader.push(bytes)) take(message);
    }
    const end = await child.ended;
    fail(new HelperFailure(`the server ${endText(end, await errorsOf(end))}`));
  }

  /** A child of the server's may hold its stderr for ever. */
  async function errorsOf({ code }: ProcessEnd): Promise<string> {
    if (code === 0) return "";
    child.kill("SIGKILL");
    return errors;
  }

  function take(message: unknown): void {
    const { id, method, params, result, error } = (message ?? {}) as Record<string, unknown>;
    if (typeof method === "string") {
      if (id === undefined || id === null) return handlers.notification(method, params);
      const answer = handlers.request(method, params) ?? {
        error: { code: METHOD_NOT_FOUND, message: `Unknown method ${method}` },
      };
      reply({ id, ...answer });
      return;
    }
    const asked = typeof id === "number" ? pending.get(id) : undefined;
    if (!asked) return;
    pending.delete(id as number);
    if (error === undefined || error === null) asked.answer.resolve(result);
    else asked.answer.reject(new ResponseError(asked.method, errorObject(error)));
  }

  read().catch((thrown: unknown) => {
    const said = thrown instanceof FrameError ? thrown.message : `failed: ${String(thrown)}`;
    fail(new HelperFailure(`the server ${said}`, { cause: thrown }));
  });
  return {
    async request(method, params) {
      if (failure) throw failure;
      const id = ++lastId;
      const answer = Promise.withResolvers<unknown>();
      pending.set(id, { method, answer });
      void send({ id, method, params });
      return answer.promise;
    },
    notify(method, params) {
      if (!failure) void send({ method, params });
    },
    broken: broken.promise,
  };
}

function errorObject(error: unknown): ErrorObject {
  const { code, message, data } = error as Record<string, unknown>;
  return { code: Number(code), message: String(message), data };
}
