// Changes as one patch that `git apply` takes: byte for byte, whatever the encoding; what is no text as a binary patch.

import { unifiedPatch } from "../hashline/preview.ts";
import type { Bytes } from "../ports/bytes.ts";
import type { FileImage } from "../session/session.ts";
import { diffLines } from "../text/diff.ts";
import { toStored } from "../text/encoding.ts";
import type { Lines, Terminator } from "../text/lines.ts";

export interface FilePatch {
  /** Relative to the folder that the patch is for, with "/" between segments. */
  readonly path: string;
  /** Undefined: the file is created. */
  readonly before: FileImage | undefined;
  /** Undefined: the file is removed. */
  readonly after: FileImage | undefined;
}

type Ports = Pick<Bytes, "indexOf" | "latin1" | "deflate" | "sha1">;

/** Empty where nothing differs. Of the mode, a patch knows only whether the file is executable. */
export function gitPatch(files: readonly FilePatch[], bytes: Ports): Uint8Array {
  return fromLatin1(files.map((file) => patchOf(file, bytes)).join(""));
}

/** One character for each byte, as everything below. */
function patchOf({ path, before, after }: FilePatch, bytes: Ports): string {
  // Made and removed again.
  if (!before && !after) return "";
  const [old, now] = [before?.bytes ?? nothing, after?.bytes ?? nothing];
  const [oldMode, newMode] = [modeOf(before), modeOf(after)];
  const isSame = old.length === now.length && bytes.latin1(old) === bytes.latin1(now);
  if (before && after && isSame && oldMode === newMode) return "";
  const [from, to] = [quoted(`a/${path}`), quoted(`b/${path}`)];
  const header = [`diff --git ${from} ${to}`];
  if (!before) header.push(`new file mode ${newMode}`);
  else if (!after) header.push(`deleted file mode ${oldMode}`);
  else if (oldMode !== newMode) header.push(`old mode ${oldMode}`, `new mode ${newMode}`);
  if (before && after && isSame) return `${header.join("\n")}\n`;
  const names = `${blobName(before, bytes)}..${blobName(after, bytes)}`;
  header.push(`index ${names}${before && after && oldMode === newMode ? ` ${oldMode}` : ""}`);
  if (isSame) return `${header.join("\n")}\n`;
  if (isBinary(old, bytes) || isBinary(now, bytes)) {
    header.push("GIT binary patch", literal(now, bytes), literal(old, bytes));
    return `${header.join("\n")}\n`;
  }
  header.push(
    `--- ${before ? ended(from) : "/dev/null"}`,
    `+++ ${after ? ended(to) : "/dev/null"}`,
  );
  return `${header.join("\n")}\n${hunks(linesOf(old, bytes), linesOf(now, bytes))}`;
}

const nothing = new Uint8Array(0);

function modeOf(image: FileImage | undefined): string {
  return image && (image.mode & 0o100) !== 0 ? "100755" : "100644";
}

/** As git decides: a NUL among the first bytes. */
function isBinary(file: Uint8Array, bytes: Ports): boolean {
  return bytes.indexOf(file.subarray(0, 8_000), 0) !== -1;
}

function blobName(image: FileImage | undefined, bytes: Ports): string {
  if (!image) return "0".repeat(40);
  const header = new TextEncoder().encode(`blob ${image.bytes.length}\0`);
  const blob = new Uint8Array(header.length + image.bytes.length);
  blob.set(header);
  blob.set(image.bytes, header.length);
  return bytes.sha1(blob);
}

/** Only LF ends a line for git; a CR before it belongs to the line. */
function linesOf(file: Uint8Array, bytes: Ports): Lines {
  const texts = bytes.latin1(file).split("\n");
  const last = texts.at(-1) === "" ? texts.pop() : undefined;
  const ends = texts.map((_, i): Terminator =>
    last === undefined && i === texts.length - 1 ? "" : "\n",
  );
  return { texts, ends };
}

function hunks(before: Lines, after: Lines): string {
  const patch = unifiedPatch("", before, after, diffLines(before.texts, after.texts));
  // Without its two lines of names.
  return patch.slice(patch.indexOf("\n", patch.indexOf("\n") + 1) + 1);
}

/** In the quotes of C where git could not read it otherwise; bytes above ASCII as they are. */
function quoted(path: string): string {
  const name = bytesAsLatin1(path);
  // eslint-disable-next-line no-control-regex -- control characters are what needs the quotes
  if (!/[\x00-\x1f\x7f"\\]/.test(name)) return name;
  // eslint-disable-next-line no-control-regex -- the same
  const escaped = name.replace(/[\x00-\x1f\x7f"\\]/g, (character) => {
    const known = escapes.get(character);
    return known ?? `\\${character.charCodeAt(0).toString(8).padStart(3, "0")}`;
  });
  return `"${escaped}"`;
}

const escapes: ReadonlyMap<string, string> = new Map([
  ["\t", "\\t"],
  ["\n", "\\n"],
  ["\r", "\\r"],
  ['"', '\\"'],
  ["\\", "\\\\"],
]);

/** A tab shows where a name with blanks ends. */
function ended(name: string): string {
  return name.includes(" ") && !name.startsWith('"') ? `${name}\t` : name;
}

/** A whole side of a binary patch: zlib in git's base 85. */
function literal(file: Uint8Array, bytes: Ports): string {
  const packed = zlib(file, bytes);
  const rows: string[] = [`literal ${file.length}`];
  for (let at = 0; at < packed.length; at += 52) {
    const row = packed.subarray(at, at + 52);
    const length = row.length <= 26 ? 64 + row.length : 96 + row.length - 26;
    rows.push(String.fromCharCode(length) + base85(row));
  }
  return `${rows.join("\n")}\n`;
}

const digits =
  "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~";

function base85(row: Uint8Array): string {
  let text = "";
  for (let at = 0; at < row.length; at += 4) {
    let number = 0;
    for (let i = 0; i < 4; i++) number = number * 256 + (row[at + i] ?? 0);
    let group = "";
    for (let i = 0; i < 5; i++) {
      group = digits[number % 85]! + group;
      number = Math.floor(number / 85);
    }
    text += group;
  }
  return text;
}

/** RFC 1950 around raw deflate. */
function zlib(file: Uint8Array, bytes: Ports): Uint8Array {
  const deflated = bytes.deflate(file);
  const packed = new Uint8Array(deflated.length + 6);
  packed.set([0x78, 0x01]);
  packed.set(deflated, 2);
  new DataView(packed.buffer).setUint32(deflated.length + 2, adler32(file));
  return packed;
}

function adler32(file: Uint8Array): number {
  let a = 1;
  let b = 0;
  for (let i = 0; i < file.length; i++) {
    a = (a + file[i]!) % 65_521;
    b = (b + a) % 65_521;
  }
  return b * 65_536 + a;
}

function bytesAsLatin1(text: string): string {
  return Array.from(toStored(text), (byte) => String.fromCharCode(byte)).join("");
}

function fromLatin1(text: string): Uint8Array {
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}
