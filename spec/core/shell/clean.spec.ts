import { expect, test } from "bun:test";
import fc from "fast-check";

import { createCleaner } from "../../../core/shell/clean.ts";

function clean(...pieces: readonly (string | Uint8Array)[]): string {
  const cleaner = createCleaner();
  const parts = pieces.map((piece) =>
    Buffer.from(cleaner.push(typeof piece === "string" ? Buffer.from(piece) : piece)),
  );
  parts.push(Buffer.from(cleaner.finish()));
  return Buffer.concat(parts).toString("latin1");
}

function utf8(text: string): string {
  return Buffer.from(text).toString("latin1");
}

test.each([
  ["plain text, tabs and line ends stay", "a\tb\n\nc", "a\tb\n\nc"],
  ["characters of every length stay", "é€😀\u00a0Â", utf8("é€😀\u00a0Â")],
  ["colours go", "\u001b[31mred\u001b[0m \u001b[1;38;5;200mx\u001b[m", "red x"],
  ["cursor movements go", "\u001b[2J\u001b[H\u001b[?25lx\u001b[10;20Hy", "xy"],
  ["titles go, whether BEL or ST ends them", "\u001b]0;t\u0007a\u001b]8;;http://x\u001b\\b", "ab"],
  ["a title that is never ended goes up to its line's end", "\u001b]0;title\nnext", "\nnext"],
  ["character sets and keypad modes go", "\u001b(B\u001b=\u001b>x\u001b#8y", "xy"],
  ["device control strings go", "\u001bPq#0;2;0\u001b\\x", "x"],
  ["C1 controls go, also as introducers", "a\u0085b\u009b31mc\u009dtitle\u0007d", "abcd"],
  ["control characters and DEL go", "a\u0000\u0007\u0008\u000b\u000c\u000e\u007fb", "ab"],
  ["CRLF is one line end", "a\r\nb\r\r\nc", "a\nb\nc"],
  ["a lone CR begins a line", "10%\r50%\r100%\n", "10%\n50%\n100%\n"],
  ["a CR at the end counts too", "a\r", "a\n"],
  ["an escape at the end is nothing", "a\u001b", "a"],
  ["two escapes in a row are two", "\u001b\u001b[1mx", "x"],
] as const)("%s", (_, given, expected) => {
  expect(clean(given)).toBe(expected);
});

test("bytes that are no UTF-8 pass as they are, but for what could become a control character", () => {
  expect(clean(Uint8Array.of(0xc2, 0x1b, 0x5b, 0x6d, 0x85))).toBe("\xef\xbf\xbd\x85");
  expect(clean(Uint8Array.of(0xff, 0x41, 0xc2, 0x41, 0xc2, 0xc3, 0xa9, 0xc2))).toBe(
    "\xffA\xef\xbf\xbdA\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd",
  );
});

test("where the pieces are cut changes nothing", () => {
  const byte = fc.oneof(
    fc.constantFrom(0x1b, 0x5b, 0x5d, 0x07, 0x0d, 0x0a, 0xc2, 0x9b, 0x9d, 0x5c, 0x3b, 0x6d, 0x41),
    fc.integer({ min: 0, max: 255 }),
  );
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 60 }), fc.array(fc.nat(60)), (bytes, cuts) => {
      const all = Uint8Array.from(bytes);
      const places = [0, ...cuts.toSorted((a, b) => a - b), all.length];
      const pieces = places.slice(1).map((end, at) => all.subarray(places[at], end));
      const whole = clean(all);
      expect(clean(...pieces)).toBe(whole);
      // oxlint-disable-next-line no-control-regex -- none may be left
      expect(whole).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]|\u00c2[\u0080-\u009f]/);
    }),
    { numRuns: 2_000 },
  );
});
