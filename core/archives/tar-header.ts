// The fields of a tar header, and pax records.

export const BLOCK = 512;

/** With the zeros that fill the last block. */
export function padded(size: number): number {
  return Math.ceil(size / BLOCK) * BLOCK;
}

export function isZero(bytes: Uint8Array): boolean {
  for (const byte of bytes) if (byte !== 0) return false;
  return true;
}

/** Latin-1, with its NULs. */
export function textAt(header: Uint8Array, at: number, length: number): string {
  let text = "";
  for (const byte of header.subarray(at, at + length)) text += String.fromCharCode(byte);
  return text;
}

/** Octal, or binary as GNU writes what octal cannot hold. Undefined: no number, or none that fits. */
export function numberAt(header: Uint8Array, at: number, length: number): number | undefined {
  const field = header.subarray(at, at + length);
  if ((field[0]! & 0x80) !== 0) {
    if (field[0] !== 0x80) return undefined;
    let value = 0;
    for (const byte of field.subarray(1)) value = value * 256 + byte;
    return Number.isSafeInteger(value) ? value : undefined;
  }
  const text = textAt(field, 0, length)
    .replace(/\0[^]*$/, "")
    .trim();
  if (text === "") return 0;
  return /^[0-7]+$/.test(text) ? Number.parseInt(text, 8) : undefined;
}

/** The sum over the header with its own field as blanks. Old programs added bytes as signed ones. */
export function hasChecksum(header: Uint8Array): boolean {
  const stated = numberAt(header, 148, 8);
  if (stated === undefined) return false;
  let unsigned = 8 * 0x20;
  let signed = unsigned;
  for (let i = 0; i < BLOCK; i++) {
    if (i >= 148 && i < 156) continue;
    const byte = header[i]!;
    unsigned += byte;
    signed += byte < 128 ? byte : byte - 256;
  }
  return stated === unsigned || stated === signed;
}

export function setChecksum(header: Uint8Array): void {
  header.fill(0x20, 148, 156);
  let sum = 0;
  for (const byte of header) sum += byte;
  setText(header, 148, `${sum.toString(8).padStart(6, "0")}\0 `);
}

/** ASCII. */
export function setText(header: Uint8Array, at: number, text: string): void {
  for (let i = 0; i < text.length; i++) header[at + i] = text.charCodeAt(i);
}

/** @param length of the field, whose last byte becomes NUL; the number fits */
export function setNumber(header: Uint8Array, at: number, length: number, value: number): void {
  setText(header, at, `${value.toString(8).padStart(length - 1, "0")}\0`);
}

export interface PaxRecord {
  readonly key: string;
  readonly value: Uint8Array;
  /** As it stands, with its length and line end. */
  readonly whole: Uint8Array;
}

/** Undefined where they are malformed. */
export function paxRecords(content: Uint8Array): readonly PaxRecord[] | undefined {
  const records: PaxRecord[] = [];
  for (let at = 0; at < content.length;) {
    // Some programs fill up with NULs.
    if (content[at] === 0) return records;
    const blank = content.indexOf(0x20, at);
    const digits = blank === -1 ? "" : textAt(content, at, Math.min(blank - at, 20));
    const length = /^\d+$/.test(digits) ? Number(digits) : 0;
    const whole = content.subarray(at, at + length);
    const equals = whole.indexOf(0x3d);
    if (whole.length !== length || equals < digits.length + 2 || whole[length - 1] !== 0x0a) {
      return undefined;
    }
    const key = textAt(whole, digits.length + 1, equals - digits.length - 1);
    records.push({ key, value: whole.subarray(equals + 1, length - 1), whole });
    at += length;
  }
  return records;
}

export function paxRecord(key: string, value: Uint8Array): Uint8Array {
  const head = new TextEncoder().encode(` ${key}=`);
  const rest = head.length + value.length + 1;
  let length = rest + 1;
  // The length counts its own digits.
  while (String(length).length + rest !== length) length = String(length).length + rest;
  const record = new Uint8Array(length);
  setText(record, 0, String(length));
  record.set(head, length - rest);
  record.set(value, length - rest + head.length);
  record[length - 1] = 0x0a;
  return record;
}
