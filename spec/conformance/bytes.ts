import assert from "node:assert/strict";

import fc from "fast-check";

import { xxhash32 } from "../../core/hashline/xxhash32.ts";
import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf } from "./body.ts";
import { frames } from "./frames.ts";

const ascii = (text: string) => new TextEncoder().encode(text);
const anyBytes = fc.uint8Array({ maxLength: 300 });

export function bytesSuite(body: Body): readonly Case[] {
  return casesOf(body, {
    async "indexOf finds bytes and runs at or after an offset"({ host: { bytes } }) {
      const haystack = ascii("abcabc\0");
      assert.equal(bytes.indexOf(haystack, 0x61), 0);
      assert.equal(bytes.indexOf(haystack, 0x61, 1), 3);
      assert.equal(bytes.indexOf(haystack, 0x61, 4), -1);
      assert.equal(bytes.indexOf(haystack, 0), 6);
      assert.equal(bytes.indexOf(haystack, 0xff), -1);
      assert.equal(bytes.indexOf(haystack, ascii("bc")), 1);
      assert.equal(bytes.indexOf(haystack, ascii("bc"), 2), 4);
      assert.equal(bytes.indexOf(haystack, ascii("bc"), 5), -1);
      assert.equal(bytes.indexOf(haystack, ascii("abcabc\0\0")), -1);
      assert.equal(bytes.indexOf(haystack, 0x61, 7), -1);
      assert.equal(bytes.indexOf(haystack, 0x61, 99), -1);
      assert.equal(bytes.indexOf(new Uint8Array(0), 0), -1);
    },

    async "indexOf sees a part of a buffer as that part alone"({ host: { bytes } }) {
      const part = ascii("..xyz..").subarray(2, 5);
      assert.equal(bytes.indexOf(part, 0x2e), -1);
      assert.equal(bytes.indexOf(part, ascii("z.")), -1);
      assert.equal(bytes.indexOf(part, ascii("z.").subarray(0, 1)), 2);
    },

    async "indexOf agrees with a plain search"({ host: { bytes } }) {
      const few = fc.uint8Array({ max: 2, maxLength: 40 });
      const needles = fc.uint8Array({ max: 2, minLength: 1, maxLength: 3 });
      fc.assert(
        fc.property(few, needles, fc.nat(45), (haystack, needle, from) => {
          assert.equal(bytes.indexOf(haystack, needle, from), plainIndexOf(haystack, needle, from));
          const first = needle.subarray(0, 1);
          assert.equal(
            bytes.indexOf(haystack, needle[0]!, from),
            plainIndexOf(haystack, first, from),
          );
        }),
      );
    },

    async "isUtf8 takes well-formed UTF-8 only"({ host: { bytes } }) {
      const good = ["", "plain", "é", "\ufeff", "😀", "\0", "\uffff"].map(ascii);
      const bad = [
        [0x80],
        [0xc0, 0x80],
        [0xc3],
        [0xed, 0xa0, 0x80],
        [0xf4, 0x90, 0x80, 0x80],
        [0xff],
      ];
      for (const one of good) assert.equal(bytes.isUtf8(one), true);
      for (const one of bad) assert.equal(bytes.isUtf8(Uint8Array.from(one)), false);
      assert.equal(bytes.isUtf8(ascii("aé").subarray(0, 2)), false);
      fc.assert(fc.property(anyBytes, (one) => bytes.isUtf8(one) === decodes(one)));
    },

    async "latin1 gives each byte its own code unit"({ host: { bytes } }) {
      const all = Uint8Array.from({ length: 256 }, (_, byte) => byte);
      const text = bytes.latin1(all);
      assert.deepEqual(
        Array.from(text, (unit) => unit.charCodeAt(0)),
        Array.from(all),
      );
      assert.equal(bytes.latin1(all.subarray(0x41, 0x44)), "ABC");
    },

    async "xxhash32 gives the published values"({ host: { bytes } }) {
      const known: readonly (readonly [string, number])[] = [
        ["", 0x02cc5d05],
        ["a", 0x550d7456],
        ["abc", 0x32d153ff],
        ["abcdefghijklmnopqrstuvwxyz", 0x63a14d5f],
        ["Nobody inspects the spammish repetition", 0xe2293b2f],
      ];
      for (const [text, hash] of known) {
        assert.equal(bytes.xxhash32(ascii(text)), hash);
        assert.equal(bytes.xxhash32(ascii(`__${text}__`).subarray(2, 2 + text.length)), hash);
      }
    },

    async "xxhash32 is the portable one"({ host: { bytes } }) {
      fc.assert(fc.property(anyBytes, (one) => bytes.xxhash32(one) === xxhash32(one)));
    },

    async "sha1 gives the published values"({ host: { bytes } }) {
      assert.equal(bytes.sha1(new Uint8Array(0)), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
      assert.equal(
        bytes.sha1(ascii("..abc..").subarray(2, 5)),
        "a9993e364706816aba3e25717850c26c9cd0d89d",
      );
    },

    async "sha256 gives the published values"({ host: { bytes } }) {
      assert.equal(
        bytes.sha256(new Uint8Array(0)),
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
      );
      assert.equal(
        bytes.sha256(ascii("..abc..").subarray(2, 5)),
        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
      );
    },

    async "hashing in pieces gives what hashing at once gives"({ host: { bytes } }) {
      const hash = bytes.hashing();
      for (const part of ["some ", "", "text"]) hash.update(ascii(part));
      assert.equal(hash.hex(), bytes.sha256(ascii("some text")));
    },

    async "what is compressed comes back"({ host: { bytes } }) {
      const sizes = [0, 1, 255, 256, 65_791, 65_792, 1_000_000];
      for (const size of sizes) {
        const one = new Uint8Array(size).map((_, at) => (at * at) >>> 3);
        const frame = bytes.compress(one);
        assert.equal(Buffer.compare(bytes.decompress(frame, size), one), 0);
        if (size > 0) assert.throws(() => bytes.decompress(frame, size - 1));
      }
      fc.assert(
        fc.property(anyBytes, (one) => {
          assert.deepEqual([...bytes.decompress(bytes.compress(one), 300)], [...one]);
        }),
      );
    },

    async "frames of every body are read"({ host: { bytes } }) {
      for (const { made, frame, text } of frames) {
        assert.equal(text, new TextDecoder().decode(bytes.decompress(frame, 1000)), made);
      }
    },

    async "a damaged frame is refused"({ host: { bytes } }) {
      const one = ascii("some text, some text, some other text".repeat(9));
      const frame = bytes.compress(one);
      const damaged = [
        new Uint8Array(0),
        ascii("no frame at all"),
        frame.subarray(0, 4),
        frame.subarray(0, 8),
        frame.subarray(0, frame.length - 1),
        frame.subarray(1),
      ];
      for (const bad of damaged) assert.throws(() => bytes.decompress(bad, 10_000));
    },

    async "a frame that does not say its size, or says a huge one, is refused unread"({
      host: { bytes },
    }) {
      const unsaid = Uint8Array.of(
        0x28,
        0xb5,
        0x2f,
        0xfd,
        0x00,
        0x58,
        0x19,
        0,
        0,
        0x61,
        0x62,
        0x63,
      );
      assert.throws(() => bytes.decompress(unsaid, 1000), /does not say/);
      const huge = Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0xe0, 0, 0, 0, 0, 0, 1, 0, 0, 1, 0, 0);
      assert.throws(() => bytes.decompress(huge, 1000), /1099511627776/);
    },

    async "crc32 gives the published values, also in parts"({ host: { bytes } }) {
      assert.equal(bytes.crc32(new Uint8Array(0)), 0);
      assert.equal(bytes.crc32(ascii("123456789")), 0xcbf43926);
      assert.equal(bytes.crc32(ascii("6789"), bytes.crc32(ascii("12345"))), 0xcbf43926);
    },

    async "what is deflated comes back, whole and in pieces"({ host: { bytes } }) {
      for (const size of [0, 1, 300, 200_000]) {
        const one = mixed(size);
        const deflated = bytes.deflate(one);
        assert.equal(Buffer.compare(bytes.inflate(deflated, size), one), 0);
        assert.equal(
          Buffer.compare(bytes.inflate(joined([deflated, ascii("more")]), size), one),
          0,
        );
        const streamed = await gathered(bytes.deflating(pieces(one, 7_001)));
        assert.equal(Buffer.compare(bytes.inflate(streamed, size), one), 0);
        let used = -1;
        const back = await gathered(
          bytes.inflating(
            pieces(joined([deflated, ascii("more")]), 501),
            (taken) => (used = taken),
          ),
        );
        assert.equal(Buffer.compare(back, one), 0);
        assert.equal(used, deflated.length);
      }
    },

    async "inflating refuses what is damaged, cut short or too large"({ host: { bytes } }) {
      const one = mixed(200_000);
      const deflated = bytes.deflate(one);
      const cut = deflated.subarray(0, deflated.length - 3);
      const damaged = Uint8Array.of(0xff, 0xff, 0xff, 0xff);
      for (const bad of [cut, damaged, new Uint8Array(0)]) {
        assert.throws(() => bytes.inflate(bad, one.length), RangeError);
        await assert.rejects(gathered(bytes.inflating(pieces(bad, 999), () => {})), RangeError);
      }
      assert.throws(() => bytes.inflate(deflated, one.length - 1), RangeError);
      assert.throws(() => bytes.inflate(bytes.deflate(Uint8Array.of(1)), 0), RangeError);
    },

    async "an error of the input passes through, and a reader may stop early"({ host: { bytes } }) {
      const fault = new Error("of the input");
      async function* failing() {
        yield bytes.deflate(mixed(100)).subarray(0, 20);
        throw fault;
      }
      for (const stream of [bytes.inflating(failing(), () => {}), bytes.deflating(failing())]) {
        await assert.rejects(gathered(stream), (thrown) => thrown === fault);
      }
      let closed = false;
      async function* endless() {
        try {
          for (;;) yield new Uint8Array(100_000).fill(7);
        } finally {
          closed = true;
        }
      }
      for await (const piece of bytes.deflating(endless())) if (piece.length > 0) break;
      assert.equal(closed, true);
    },

    async "unzstd takes a frame that does not say its size, within its limit"({ host: { bytes } }) {
      const unsaid = Uint8Array.of(
        0x28,
        0xb5,
        0x2f,
        0xfd,
        0x00,
        0x58,
        0x19,
        0,
        0,
        0x61,
        0x62,
        0x63,
      );
      assert.deepEqual([...bytes.unzstd(unsaid, 3)], [0x61, 0x62, 0x63]);
      const one = mixed(200_000);
      const frame = bytes.compress(one);
      assert.equal(Buffer.compare(bytes.unzstd(frame, one.length), one), 0);
      assert.throws(() => bytes.unzstd(frame, one.length - 1), RangeError);
      assert.throws(() => bytes.unzstd(unsaid, 2), RangeError);
      assert.throws(() => bytes.unzstd(ascii("no frame at all"), 1000), RangeError);
      // "abc" with a checksum that is not its own.
      const wrong = Uint8Array.of(
        0x28,
        0xb5,
        0x2f,
        0xfd,
        4,
        0x58,
        0x19,
        0,
        0,
        97,
        98,
        99,
        1,
        2,
        3,
        4,
      );
      assert.throws(() => bytes.unzstd(wrong, 1000), RangeError);
    },

    async "what is returned is no view of what was given"({ host: { bytes } }) {
      const one = ascii("abc".repeat(100));
      const back = bytes.decompress(bytes.compress(one), 1000);
      one.fill(0);
      assert.equal(back[0], 0x61);
    },
  });
}

function mixed(size: number): Uint8Array {
  return new Uint8Array(size).map((_, at) => (at * at) >>> 3);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  return new Uint8Array(Buffer.concat(parts));
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
}

async function gathered(stream: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  for await (const piece of stream) parts.push(piece);
  return joined(parts);
}

function plainIndexOf(haystack: Uint8Array, needle: Uint8Array, from: number): number {
  for (let at = from; at + needle.length <= haystack.length; at++) {
    if (needle.every((byte, i) => haystack[at + i] === byte)) return at;
  }
  return -1;
}

function decodes(bytes: Uint8Array): boolean {
  try {
    new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return true;
  } catch {
    return false;
  }
}
