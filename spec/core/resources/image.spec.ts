import { expect, test } from "bun:test";

import { describeImage } from "../../../core/resources/image.ts";

const bytes = (...parts: readonly (string | readonly number[])[]) =>
  Uint8Array.from(
    parts.flatMap((part) => (typeof part === "string" ? [...Buffer.from(part, "latin1")] : part)),
  );
const png = (chunk: string) =>
  bytes(
    "\x89PNG\r\n\x1a\n",
    [0, 0, 0, 13],
    "IHDR",
    [0, 0, 1, 2, 0, 0, 0, 3, 8, 6, 0, 0, 0],
    [1, 2, 3, 4],
    [0, 0, 0, 0],
    chunk,
  );

test("describeImage knows the formats and their sizes", () => {
  const right: readonly (readonly [Uint8Array, string, number, number])[] = [
    [png("IDAT"), "image/png", 258, 3],
    [bytes("GIF89a", [2, 1, 3, 0]), "image/gif", 258, 3],
    [bytes("GIF87a", [1, 0, 1, 0]), "image/gif", 1, 1],
    [
      bytes(
        "BM",
        [9, 9, 0, 0, 0, 0, 0, 0, 54, 0, 0, 0, 40, 0, 0, 0, 5, 0, 0, 0, 0xfa, 0xff, 0xff, 0xff],
      ),
      "image/bmp",
      5,
      6,
    ],
    [
      bytes("BM", [9, 9, 0, 0, 0, 0, 0, 0, 26, 0, 0, 0, 12, 0, 0, 0, 5, 0, 6, 0]),
      "image/bmp",
      5,
      6,
    ],
    [
      bytes([
        0xff, 0xd8, 0xff, 0xe0, 0, 4, 0, 0, 0xff, 0xff, 0xc4, 0, 2, 0xff, 0xc2, 0, 11, 8, 0, 3, 1,
        2,
      ]),
      "image/jpeg",
      258,
      3,
    ],
    [
      bytes("RIFF", [9, 0, 0, 0], "WEBPVP8 ", [9, 0, 0, 0, 0, 0, 0, 0x9d, 1, 0x2a, 2, 1, 3, 0]),
      "image/webp",
      258,
      3,
    ],
    [
      bytes("RIFF", [9, 0, 0, 0], "WEBPVP8L", [9, 0, 0, 0, 0x2f, 0x01, 0x81, 0x00, 0x00]),
      "image/webp",
      258,
      3,
    ],
    [
      bytes("RIFF", [9, 0, 0, 0], "WEBPVP8X", [9, 0, 0, 0, 0, 0, 0, 0, 1, 1, 0, 2, 0, 0]),
      "image/webp",
      258,
      3,
    ],
  ];
  for (const [file, mimeType, width, height] of right) {
    expect(describeImage(file)).toEqual({ mimeType, size: { width, height } });
  }
});

test("describeImage passes over everything else, animated PNG included", () => {
  expect(describeImage(png("acTL"))).toBeUndefined();
  for (const text of [
    "",
    "BM",
    "BMW is a maker of cars and more",
    "RIFF....WAVEfmt ",
    "<svg>",
    "\x89PN",
  ]) {
    expect(describeImage(bytes(text))).toBeUndefined();
  }
});

test("describeImage names a damaged image without its size", () => {
  expect(describeImage(bytes("GIF89a", [1]))).toEqual({ mimeType: "image/gif", size: undefined });
  expect(describeImage(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 4]))).toEqual({
    mimeType: "image/jpeg",
    size: undefined,
  });
  expect(describeImage(bytes([0xff, 0xd8, 0xff, 0xe0, 0, 2, 7, 7]))).toEqual({
    mimeType: "image/jpeg",
    size: undefined,
  });
});
