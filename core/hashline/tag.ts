// The four-hex name of a text (hashline.md §2), from a text or straight from a file's bytes. It is a name, never an identity.

import type { Bytes } from "../ports/bytes.ts";
import { decode, type Encoding, toStored } from "../text/encoding.ts";
import { indexLines, type LineIndex } from "../text/line-index.ts";
import { normalizeTerminators } from "../text/lines.ts";
import { xxhash32 } from "./xxhash32.ts";

/** What a text file holds, scanned once. */
export interface ScannedText {
  /**
   * The normalised text as `toStored` bytes: BOM off, every terminator an LF. A view of the file's own memory where
   * nothing had to change.
   */
  readonly content: Uint8Array;
  readonly tag: string;
  readonly lines: LineIndex;
  readonly encoding: Encoding;
  readonly bom: boolean;
  readonly endsWithTerminator: boolean;
}

const LF = 0x0a;
const CR = 0x0d;
const SPACE = 0x20;
const TAB = 0x09;
const SPACE_LF = Uint8Array.of(SPACE, LF);
const TAB_LF = Uint8Array.of(TAB, LF);

/** The tag of a normalised text (LF, no BOM), as decoded by `decode`. */
export function tagOf(text: string): string {
  const content = text.isWellFormed() ? new TextEncoder().encode(text) : toStored(text);
  return format(xxhash32(withoutTrailingBlanks(content)));
}

/** The tag of a normalised text as stored bytes: what `tagOf` gives for the decoded text, faster. */
export function tagOfContent(content: Uint8Array, bytes: Bytes): string {
  return format(
    bytes.xxhash32(
      mayHaveTrailingBlanks(content, bytes) ? withoutTrailingBlanks(content) : content,
    ),
  );
}

/**
 * Scans a file's bytes without decoding them, except for UTF-16. Bytes that are not valid UTF-8 stay as they are in the
 * content and in the tag, so two files that differ only there have different names.
 * @returns undefined for UTF-16 that cannot round-trip
 */
export function scanText(file: Uint8Array, bytes: Bytes): ScannedText | undefined {
  const utf16 = (file[0] === 0xff && file[1] === 0xfe) || (file[0] === 0xfe && file[1] === 0xff);
  if (utf16) {
    const decoded = decode(file);
    if (!decoded) return undefined;
    const content = toStored(normalizeTerminators(decoded.text));
    return describe(content, decoded.encoding, true, bytes);
  }
  const bom = file[0] === 0xef && file[1] === 0xbb && file[2] === 0xbf;
  const body = bom ? file.subarray(3) : file;
  const content = bytes.indexOf(body, CR) === -1 ? body : withLfOnly(body);
  return describe(content, bytes.isUtf8(body) ? "utf-8" : "8-bit", bom, bytes);
}

function describe(
  content: Uint8Array,
  encoding: Encoding,
  bom: boolean,
  bytes: Bytes,
): ScannedText {
  return {
    content,
    tag: tagOfContent(content, bytes),
    lines: indexLines(content),
    encoding,
    bom,
    endsWithTerminator: content[content.length - 1] === LF,
  };
}

/** Writes every byte and steps on where it counts: several times faster than branching per byte. */
function withLfOnly(body: Uint8Array): Uint8Array {
  const out = new Uint8Array(body.length);
  let length = 0;
  let previous = 0;
  for (let i = 0; i < body.length; i++) {
    const byte = body[i]!;
    out[length] = byte === CR ? LF : byte;
    length += byte === LF && previous === CR ? 0 : 1;
    previous = byte;
  }
  return out.subarray(0, length);
}

function mayHaveTrailingBlanks(content: Uint8Array, bytes: Bytes): boolean {
  return (
    isBlank(content[content.length - 1]) ||
    bytes.indexOf(content, SPACE_LF) !== -1 ||
    bytes.indexOf(content, TAB_LF) !== -1
  );
}

/** Blanks before an LF or at the end dropped: the bytes that are hashed. */
function withoutTrailingBlanks(content: Uint8Array): Uint8Array {
  const out = new Uint8Array(content.length);
  let length = 0;
  let lineStart = 0;
  for (let i = 0; i < content.length; i++) {
    const byte = content[i]!;
    if (byte === LF) {
      while (length > lineStart && isBlank(out[length - 1])) length--;
      lineStart = length + 1;
    }
    out[length++] = byte;
  }
  while (length > lineStart && isBlank(out[length - 1])) length--;
  return out.subarray(0, length);
}

/** A CR cannot stand here: the content's terminators are LF. */
function isBlank(byte: number | undefined): boolean {
  return byte === SPACE || byte === TAB;
}

function format(hash: number): string {
  return (hash & 0xffff).toString(16).toUpperCase().padStart(4, "0");
}
