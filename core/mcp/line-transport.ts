// MCP over two byte streams: one JSON-RPC message a line (the protocol's stdio binding). Whatever comes in, the connection
// goes on: a line that is no message is answered as one.

import type { JSONRPCMessage, Transport } from "@modelcontextprotocol/server";

import { limits } from "../limits.ts";
import { linesOf } from "./lines.ts";
import { classify, type Id, INVALID_REQUEST, PARSE_ERROR } from "./message.ts";

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

/** Messages that came in one line, as protocols before 2025-06-18 have it. Their answers go out in one line. */
interface Batch {
  waiting: number;
  readonly answers: unknown[];
}

export function lineTransport({ input, write, notice }: Lines): LineTransport {
  const ended = Promise.withResolvers<void>();
  let isClosed = false;
  // One message after the other, whole.
  let writing: Promise<unknown> = Promise.resolve();
  /** The requests that wait for their answer. */
  const open = new Map<Id, Batch | undefined>();

  async function put(message: unknown): Promise<void> {
    const sent = writing.then(() => write(`${JSON.stringify(message)}\n`));
    writing = sent.catch(() => {});
    if (!(await sent)) void transport.close();
  }

  async function send(message: JSONRPCMessage): Promise<void> {
    const id = "method" in message ? undefined : message.id;
    if (id === undefined || !open.has(id)) return put(message);
    const batch = open.get(id);
    open.delete(id);
    if (!batch) return put(message);
    batch.answers.push(message);
    return settle(batch);
  }

  /** One of the batch's requests needs no further answer. */
  async function settle(batch: Batch): Promise<void> {
    if (--batch.waiting === 0 && batch.answers.length > 0) await put(batch.answers);
  }

  function fault(id: Id | null, code: number, message: string, batch?: Batch): void {
    notice(`MCP: ${message}`);
    const answer = { jsonrpc: "2.0", id, error: { code, message } };
    if (batch) batch.answers.push(answer);
    else void put(answer).catch(() => {});
  }

  function receive(line: string): void {
    if (line.trim() === "") return;
    let parsed: unknown;
    try {
      parsed = JSON.parse(line);
    } catch (thrown) {
      const why = thrown instanceof Error ? thrown.message : "no JSON";
      return fault(null, PARSE_ERROR, `Parse error: ${why}`);
    }
    if (!Array.isArray(parsed)) return take(parsed);
    if (parsed.length === 0) return fault(null, INVALID_REQUEST, "Invalid Request: an empty batch");
    if (parsed.length > limits.mcpBatch) {
      const message = `Invalid Request: a batch of more than ${limits.mcpBatch} messages`;
      return fault(null, INVALID_REQUEST, message);
    }
    // Held back until all of it has been taken in.
    const batch: Batch = { waiting: 1, answers: [] };
    for (const message of parsed) take(message, batch);
    void settle(batch).catch(() => {});
  }

  function take(value: unknown, batch?: Batch): void {
    const message = classify(value);
    switch (message.kind) {
      case "invalid":
        return fault(message.id, INVALID_REQUEST, `Invalid Request: ${message.why}`, batch);
      case "request":
        if (open.has(message.id)) {
          // With the id of the other one it would be taken for that one's answer.
          const why = `Invalid Request: id ${JSON.stringify(message.id)} is that of a request that is not answered yet`;
          return fault(null, INVALID_REQUEST, why, batch);
        }
        open.set(message.id, batch);
        if (batch) batch.waiting++;
        break;
      case "cancellation":
        forget(message.of);
        break;
      case "other":
    }
    transport.onmessage?.(message.message);
  }

  /** What is cancelled is not answered. */
  function forget(id: Id): void {
    if (!open.has(id)) return;
    const batch = open.get(id);
    open.delete(id);
    if (batch) void settle(batch).catch(() => {});
  }

  async function pump(): Promise<void> {
    try {
      for await (const line of linesOf(input, limits.mcpMessage)) {
        if (isClosed) return;
        if (line === undefined) {
          const why = `a message is longer than ${limits.mcpMessage} bytes`;
          fault(null, INVALID_REQUEST, `Invalid Request: ${why}`);
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
    send,
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
