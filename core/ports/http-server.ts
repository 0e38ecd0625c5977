// Answers HTTP/1.1 requests. Only the MCP server listens, and only when it is told to.

export interface ListenOptions {
  /** An address, or a name that stands for one. */
  readonly host: string;
  /** 0: one that is free. */
  readonly port: number;
  /**
   * A request's `signal` aborts where its client is gone before it has the whole answer, and a body that is a stream is
   * then cancelled; under Deno it aborts after every answer. Where this rejects, the client gets a 500 without a word.
   */
  handle(request: Request): Promise<Response>;
}

export interface HttpServer {
  readonly port: number;
  /** Takes no further requests and cuts off those that are still open. Calling it twice is harmless. */
  close(): Promise<void>;
}

export interface HttpServers {
  /** @throws ListenError where the address cannot be had */
  listen(options: ListenOptions): Promise<HttpServer>;
}

/** Nobody can listen there. */
export class ListenError extends Error {
  override readonly name = "ListenError";
  /** The errno name, such as "EADDRINUSE". */
  readonly code: string;
  constructor(code: string, place: string, options?: ErrorOptions) {
    super(`${code}: ${place}`, options);
    this.code = code;
  }
}
