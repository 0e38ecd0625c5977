import { expect, test } from "bun:test";
import fc from "fast-check";

import { frame, FrameError, frameReader } from "../../../core/diagnostics/frames.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

test("a frame counts bytes, not characters", () => {
  expect(new TextDecoder().decode(frame({ a: "é😀" }))).toBe(
    'Content-Length: 14\r\n\r\n{"a":"é😀"}',
  );
});

test("however the bytes are cut, the messages come out whole and in order", () => {
  const messages = [{ id: 1 }, { text: "é😀\r\n\r\n" }, [], { deep: { list: [1, 2] } }];
  const all = Buffer.concat(messages.map((message) => frame(message)));
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 }), (sizes) => {
      const reader = frameReader();
      const got: unknown[] = [];
      for (let at = 0, i = 0; at < all.length; i++) {
        const size = sizes[i % sizes.length]!;
        got.push(...reader.push(all.subarray(at, at + size)));
        at += size;
      }
      expect(got).toEqual(messages);
    }),
  );
});

test.each([
  "Content-Length: 2\r\nContent-Type: application/vscode-jsonrpc; charset=utf-8\r\n\r\n{}",
  "Content-Type: x\r\ncontent-length:2 \r\n\r\n{}",
])("%j is a message", (text) => {
  expect(frameReader().push(bytes(text))).toEqual([{}]);
});

test.each([
  ["Starting up...\nlistening on stdio\r\n\r\n", "sent a message without a length"],
  ["Content-Length: -1\r\n\r\n", "sent a message without a length"],
  ["Content-Length: 2e1\r\n\r\n", "sent a message without a length"],
  ["Content-Length: 99999999999\r\n\r\n", "announced a message of 99999999999 bytes"],
  ["Content-Length: 2\r\n\r\n{x", "sent a message that is no JSON"],
  ["Content-Length: 0\r\n\r\n", "sent a message that is no JSON"],
  [`${"x".repeat(5000)}`, "sent a header without an end"],
])("%j is none", (text, problem) => {
  const reader = frameReader();
  expect(() => reader.push(bytes(text))).toThrow(new FrameError(problem));
  expect(() => reader.push(frame({}))).toThrow(new FrameError(problem));
});

test("what came whole before the fault counts", () => {
  const reader = frameReader();
  expect(reader.push(Buffer.concat([frame({ id: 7 }), bytes("garbage\r\n\r\n")]))).toEqual([
    { id: 7 },
  ]);
  expect(() => reader.push(bytes("x"))).toThrow("sent a message without a length");
});

test("invalid UTF-8 in a body is a fault", () => {
  const body = Uint8Array.of(...bytes("Content-Length: 3\r\n\r\n"), 0x22, 0xff, 0x22);
  expect(() => frameReader().push(body)).toThrow("sent a message that is no JSON");
});
