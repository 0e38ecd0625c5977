import { expect, test } from "bun:test";
import { isUtf8 } from "node:buffer";

import fc from "fast-check";

import { scanText, tagOf, tagOfContent } from "../../../core/hashline/tag.ts";
import { xxhash32 } from "../../../core/hashline/xxhash32.ts";
import { decode, toStored } from "../../../core/text/encoding.ts";
import { normalizeTerminators } from "../../../core/text/lines.ts";
import vectors from "../../fixtures/vectors/tags.json";

const bytes = {
  indexOf: (haystack: Uint8Array, needle: number | Uint8Array, from?: number) =>
    Buffer.from(haystack.buffer, haystack.byteOffset, haystack.length).indexOf(needle, from),
  isUtf8: (text: Uint8Array) => isUtf8(text),
  xxhash32,
};
const port = bytes as unknown as Parameters<typeof scanText>[1];
const utf8 = (text: string) => new TextEncoder().encode(text);

const known: readonly (readonly [string, string])[] = [
  ["", "5D05"],
  ["\n", "D352"],
  ["a", "7456"],
  ["a\n", "9585"],
  ["a\nb", "6540"],
  ["a\nb\n", "9A46"],
  ["a  \nb\t\n", "9A46"],
  ["a\nb\nc\n", "D988"],
  ["hello\n", "5BF9"],
  ["é\n", "1941"],
];

test("tagOf gives the check values", () => {
  for (const [text, tag] of known) expect([text, tagOf(text)]).toEqual([text, tag]);
});

test("scanText gives the same tag whatever the terminators, the BOM and trailing blanks", () => {
  const spellings = [
    "a\nb\n",
    "a\r\nb\r\n",
    "a\rb\r",
    "a  \r\nb\t\r\n",
    "\ufeffa \t \nb\n",
    "a\r\nb\r",
  ];
  for (const text of spellings) expect(scanText(utf8(text), port)?.tag).toBe("9A46");
});

test("scanText agrees with every tag vector", () => {
  for (const { name, content, expect: right } of vectors) {
    const scanned = scanText(utf8(content), port);
    expect([name, scanned?.tag]).toEqual([name, right.tag]);
    const text = normalizeTerminators(decode(utf8(content))!.text);
    expect([name, tagOf(text)]).toEqual([name, right.tag]);
  }
});

test("scanText keeps the file's own memory where nothing had to change", () => {
  const file = utf8("\ufeffone  \ntwo\n");
  const scanned = scanText(file, port)!;
  expect(scanned.content.buffer).toBe(file.buffer);
  expect(new TextDecoder().decode(scanned.content)).toBe("one  \ntwo\n");
  expect(scanned).toMatchObject({ encoding: "utf-8", bom: true, endsWithTerminator: true });
  expect(scanned.lines.count).toBe(2);
});

test("scanText decodes UTF-16 and refuses what cannot round-trip", () => {
  const scanned = scanText(Uint8Array.of(0xff, 0xfe, 0xe9, 0, 0x0d, 0, 0x0a, 0), port)!;
  expect(scanned).toMatchObject({ tag: "1941", encoding: "utf-16le", bom: true });
  expect([...scanned.content]).toEqual([0xc3, 0xa9, 0x0a]);
  expect(scanText(Uint8Array.of(0xfe, 0xff, 0, 0x41), port)).toMatchObject({
    encoding: "utf-16be",
  });
  expect(scanText(Uint8Array.of(0xff, 0xfe, 0x41), port)).toBeUndefined();
  expect(scanText(Uint8Array.of(0xff, 0xfe, 0x00, 0xd8), port)).toBeUndefined();
});

test("scanText tells files apart that differ in an invalid byte only", () => {
  const first = scanText(Uint8Array.of(0x61, 0xf1, 0x0a), port)!;
  const second = scanText(Uint8Array.of(0x61, 0xf2, 0x0a), port)!;
  expect(first.encoding).toBe("8-bit");
  expect(first.tag).not.toBe(second.tag);
});

test("scanText equals the definition on random bytes", () => {
  const piece = fc.constantFrom(
    ..."a, ,\t,\n,\r,\r\n, \n,\t\r\n,é,\ufeff,\u2028,\u00a0,日本"
      .split(",")
      .map((text) => utf8(text)),
    Uint8Array.of(0xff),
    Uint8Array.of(0xfe, 0xff),
    Uint8Array.of(0xed, 0xa0, 0x80),
    Uint8Array.of(0xc3),
    Uint8Array.of(0),
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const file = new Uint8Array(Buffer.concat(pieces));
      const scanned = scanText(file, port);
      const decoded = decode(file);
      expect(scanned === undefined).toBe(decoded === undefined);
      if (!scanned || !decoded) return;
      const text = normalizeTerminators(decoded.text);
      const stripped = toStored(text.replace(/[ \t]+(?=\n|$)/g, ""));
      const hash = Bun.hash.xxHash32(stripped, 0) & 0xffff;
      const tag = hash.toString(16).toUpperCase().padStart(4, "0");
      expect([scanned.tag, tagOf(text), tagOfContent(scanned.content, port)]).toEqual([
        tag,
        tag,
        tag,
      ]);
      expect([...scanned.content]).toEqual([...toStored(text)]);
      expect([scanned.encoding, scanned.bom]).toEqual([decoded.encoding, decoded.bom]);
      const lines = text.split("\n");
      if (lines.at(-1) === "") lines.pop();
      expect(scanned.lines.count).toBe(lines.length);
      expect(scanned.endsWithTerminator).toBe(text.endsWith("\n"));
    }),
    { numRuns: 2000 },
  );
});
