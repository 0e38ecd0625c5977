// MCP over two byte streams: one JSON-RPC message a line (the protocol's stdio binding). Whatever comes in, the connection
// goes on: a line that is no message is answered as one.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

import { limits } from "../limits.ts";
import { linesOf } from "./lines.ts";

export interface Lines {
  readonly input: AsyncIterable<Uint8Array>;
  /** Waits for the reader. False: there is none any more. */
  write(text: string): Promise<boolean>;
  /** Diagnostics. */
  notice(text: string): void;
}

export interface LineTransport extends Transport {
  /** Resolves when the connection is over and everything that was answered has been written. */
  readonly ended: Promise<void>;
}

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;

export function lineTransport({ input, write, notice }: Lines): LineTransport {
  const ended = Promise.withResolvers<void>();
  let isClosed = false;
  // One message after the other, whole.
  let writing: Promise<unknown> = Promise.resolve();

  async function send(message: unknown): Promise<void> {
    const sent = writing.then(() => write(`${JSON.stringify(message)}\n`));
    writing = sent.catch(() => {});
    if (!(await sent)) void transport.close();
  }

  function fault(code: number, message: string): void {
    notice(`MCP: ${message}`);
    void send({ jsonrpc: "2.0", id: null, error: { code, message } }).catch(() => {});
  }

  function receive(line: string): void {
    if (line.trim() === "") return;
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch (thrown) {
      return fault(
        PARSE_ERROR,
        `Parse error: ${thrown instanceof Error ? thrown.message : "no JSON"}`,
      );
    }
    // Batches, as older protocols have them: each message is answered by itself.
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) {
      if (isMessage(message)) transport.onmessage?.(message);
      else fault(INVALID_REQUEST, "Invalid Request: a message is a JSON-RPC 2.0 object");
    }
  }

  async function pump(): Promise<void> {
    try {
      for await (const line of linesOf(input, limits.mcpMessage)) {
        if (isClosed) return;
        if (line === undefined) {
          fault(
            INVALID_REQUEST,
            `Invalid Request: a message is longer than ${limits.mcpMessage} bytes`,
          );
        } else receive(line);
      }
    } catch (thrown) {
      transport.onerror?.(thrown instanceof Error ? thrown : new Error(String(thrown)));
    } finally {
      await transport.close();
    }
  }

  const transport: LineTransport = {
    ended: ended.promise,
    async start() {
      void pump();
    },
    send: (message: JSONRPCMessage) => send(message),
    async close() {
      if (isClosed) return;
      isClosed = true;
      transport.onclose?.();
      await writing;
      ended.resolve();
    },
  };
  return transport;
}

function isMessage(value: unknown): value is JSONRPCMessage {
  return (
    typeof value === "object" &&
    value !== null &&
    !Array.isArray(value) &&
    (value as { jsonrpc?: unknown }).jsonrpc === "2.0"
  );
}
