// Messages of the language server protocol on a byte stream: a header with the length, then JSON.

import { limits } from "../limits.ts";

/** The stream is no longer one of messages; nothing after it can be trusted. */
export class FrameError extends Error {
  override readonly name = "FrameError";
}

export function frame(message: object): Uint8Array {
  const body = new TextEncoder().encode(JSON.stringify(message));
  const header = new TextEncoder().encode(`Content-Length: ${body.length}\r\n\r\n`);
  const bytes = new Uint8Array(header.length + body.length);
  bytes.set(header);
  bytes.set(body, header.length);
  return bytes;
}

export interface FrameReader {
  /**
   * The messages that are whole with these bytes, in order.
   * @throws FrameError, and from then on always
   */
  push(bytes: Uint8Array): readonly unknown[];
}

export function frameReader(): FrameReader {
  // A message that comes in many pieces is put together once, when the last is there.
  let pieces: Uint8Array[] = [];
  let held = 0;
  let wanted: number | undefined;
  let fault: FrameError | undefined;

  function take(count: number): Uint8Array {
    const all = joined(pieces, held);
    pieces = [all.subarray(count)];
    held -= count;
    return all.subarray(0, count);
  }

  /** @returns false where the header is not whole yet */
  function readHeader(): boolean {
    const all = joined(pieces, held);
    pieces = [all];
    const end = endOfHeader(all);
    if (end === undefined) {
      if (held > limits.lspHeader) throw new FrameError("sent a header without an end");
      return false;
    }
    wanted = lengthIn(take(end));
    return true;
  }

  function read(messages: unknown[]): void {
    for (;;) {
      if (wanted === undefined && !readHeader()) return;
      if (held < wanted!) return;
      messages.push(parse(take(wanted!)));
      wanted = undefined;
    }
  }

  return {
    push(bytes) {
      if (fault) throw fault;
      pieces.push(bytes);
      held += bytes.length;
      const messages: unknown[] = [];
      try {
        read(messages);
      } catch (thrown) {
        if (thrown instanceof FrameError) fault = thrown;
        // What came whole before it counts; the next call throws.
        if (messages.length === 0) throw thrown;
      }
      return messages;
    },
  };
}

function joined(pieces: readonly Uint8Array[], length: number): Uint8Array {
  if (pieces.length === 1) return pieces[0]!;
  const all = new Uint8Array(length);
  let at = 0;
  for (const piece of pieces) {
    all.set(piece, at);
    at += piece.length;
  }
  return all;
}

/** The offset after the empty line. */
function endOfHeader(bytes: Uint8Array): number | undefined {
  const last = Math.min(bytes.length, limits.lspHeader) - 4;
  for (let at = 0; at <= last; at++) {
    if (bytes[at] !== 13 || bytes[at + 1] !== 10) continue;
    if (bytes[at + 2] === 13 && bytes[at + 3] === 10) return at + 4;
  }
  return undefined;
}

function lengthIn(header: Uint8Array): number {
  const text = new TextDecoder("utf-8").decode(header);
  const digits = /^content-length:[ \t]*([0-9]{1,15})[ \t]*\r$/im.exec(text)?.[1];
  if (digits === undefined) throw new FrameError("sent a message without a length");
  const length = Number(digits);
  if (length > limits.lspMessage) throw new FrameError(`announced a message of ${digits} bytes`);
  return length;
}

function parse(body: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(body));
  } catch (cause) {
    throw new FrameError("sent a message that is no JSON", { cause });
  }
}
