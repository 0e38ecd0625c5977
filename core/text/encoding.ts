// Bytes to text and back without losing one. What is not valid UTF-8 survives as lone surrogates, one per byte.

import { limits } from "../limits.ts";

/** "8-bit": bytes that are not valid UTF-8 and carry no BOM; byte 0xNN that does not decode stands as U+DCNN. */
export type Encoding = "utf-8" | "utf-16le" | "utf-16be" | "8-bit";

export interface Decoded {
  /** Without the BOM. */
  readonly text: string;
  readonly encoding: Encoding;
  readonly bom: boolean;
}

const ESCAPE = 0xdc00;

/** Decodes so that `encode` gives back exactly the same bytes. `undefined`: UTF-16 that cannot round-trip. */
export function decode(bytes: Uint8Array): Decoded | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return decodeUtf16(bytes.subarray(2), "utf-16le");
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return decodeUtf16(bytes.subarray(2), "utf-16be");
  const bom = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;
  const body = bom ? bytes.subarray(3) : bytes;
  try {
    return {
      text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(body),
      encoding: "utf-8",
      bom,
    };
  } catch {
    return { text: decodeWithEscapes(body), encoding: "8-bit", bom };
  }
}

/** The bytes of a text. `undefined` where the encoding cannot carry it. */
export function encode(text: string, encoding: Encoding, bom: boolean): Uint8Array | undefined {
  if (encoding === "utf-16le" || encoding === "utf-16be") return encodeUtf16(text, encoding);
  if (encoding === "utf-8") {
    if (!text.isWellFormed()) return undefined;
    return new TextEncoder().encode(bom ? `\ufeff${text}` : text);
  }
  return encodeWithEscapes(text, bom);
}

/** A text as the bytes that snapshots keep: UTF-8, escaped bytes as themselves, nothing added or dropped. */
export function toStored(text: string): Uint8Array {
  const bytes = text.isWellFormed()
    ? new TextEncoder().encode(text)
    : encodeWithEscapes(text, false);
  if (!bytes) throw new RangeError("text holds a lone surrogate that stands for no byte");
  return bytes;
}

/** Undoes `toStored`. A leading U+FEFF is text here, not a BOM. */
export function fromStored(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return decodeWithEscapes(bytes);
  }
}

/** The text with every escaped byte written as \xNN, for showing. */
export function showEscapes(text: string): string {
  if (text.isWellFormed()) return text;
  return text.replace(
    /[\ud800-\udbff][\udc00-\udfff]|([\udc80-\udcff])/g,
    (whole, escape: string | undefined) =>
      escape === undefined
        ? whole
        : `\\x${(escape.charCodeAt(0) - ESCAPE).toString(16).toUpperCase()}`,
  );
}

/** The same for a row that only tells which line is meant: cut where it is long, so that a minified file fits. */
export function showShort(text: string): string {
  if (text.length <= limits.shownLine) return showEscapes(text);
  // Not between the halves of a character.
  const end =
    text.codePointAt(limits.shownLine - 1)! > 0xffff ? limits.shownLine - 1 : limits.shownLine;
  return `${showEscapes(text.slice(0, end))}…`;
}

/** How many bytes `showEscapes` would write as \xNN. */
export function countEscapes(bytes: Uint8Array): number {
  let count = 0;
  for (let at = 0; at < bytes.length;) {
    const length = sequenceLength(bytes, at);
    if (length === 0) count++;
    at += length || 1;
  }
  return count;
}

function decodeUtf16(body: Uint8Array, encoding: "utf-16le" | "utf-16be"): Decoded | undefined {
  if (body.length % 2 !== 0) return undefined;
  try {
    return {
      text: new TextDecoder(encoding, { fatal: true, ignoreBOM: true }).decode(body),
      encoding,
      bom: true,
    };
  } catch {
    return undefined;
  }
}

function encodeUtf16(text: string, encoding: "utf-16le" | "utf-16be"): Uint8Array | undefined {
  if (!text.isWellFormed()) return undefined;
  const bytes = new Uint8Array(2 + 2 * text.length);
  const view = new DataView(bytes.buffer);
  const little = encoding === "utf-16le";
  view.setUint16(0, 0xfeff, little);
  for (let i = 0; i < text.length; i++) view.setUint16(2 + 2 * i, text.charCodeAt(i), little);
  return bytes;
}

function decodeWithEscapes(bytes: Uint8Array): string {
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const parts: string[] = [];
  let clean = 0;
  let at = 0;
  while (at < bytes.length) {
    const length = sequenceLength(bytes, at);
    if (length > 0) {
      at += length;
      continue;
    }
    if (at > clean) parts.push(decoder.decode(bytes.subarray(clean, at)));
    parts.push(String.fromCharCode(ESCAPE + bytes[at]!));
    at++;
    clean = at;
  }
  if (at > clean) parts.push(decoder.decode(bytes.subarray(clean, at)));
  return parts.join("");
}

/** Length of the well-formed UTF-8 sequence at an offset; 0 where there is none (Unicode 16, table 3-7). */
function sequenceLength(bytes: Uint8Array, at: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return 1;
  if (lead < 0xc2 || lead > 0xf4) return 0;
  const length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
  if (at + length > bytes.length) return 0;
  const second = bytes[at + 1]!;
  const lowest = lead === 0xe0 ? 0xa0 : lead === 0xf0 ? 0x90 : 0x80;
  const highest = lead === 0xed ? 0x9f : lead === 0xf4 ? 0x8f : 0xbf;
  if (second < lowest || second > highest) return 0;
  for (let i = 2; i < length; i++) if ((bytes[at + i]! & 0xc0) !== 0x80) return 0;
  return length;
}

function encodeWithEscapes(text: string, bom: boolean): Uint8Array | undefined {
  const encoder = new TextEncoder();
  const parts: Uint8Array[] = bom ? [Uint8Array.of(0xef, 0xbb, 0xbf)] : [];
  let clean = 0;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit < 0xd800 || unit > 0xdfff) continue;
    if (unit < 0xdc00) {
      const next = text.charCodeAt(at + 1);
      if (!(next >= 0xdc00 && next <= 0xdfff)) return undefined;
      at++;
      continue;
    }
    if (unit < 0xdc80 || unit > 0xdcff) return undefined;
    if (at > clean) parts.push(encoder.encode(text.slice(clean, at)));
    parts.push(Uint8Array.of(unit - ESCAPE));
    clean = at + 1;
  }
  if (text.length > clean) parts.push(encoder.encode(text.slice(clean)));
  const bytes = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let offset = 0;
  for (const part of parts) {
    bytes.set(part, offset);
    offset += part.length;
  }
  return bytes;
}
