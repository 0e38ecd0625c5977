import { badByte } from "./char-set.ts";

/** The symbol at an offset and the bytes it takes, as symbol * 8 + length: no object for each. */
export function symbolAt(bytes: Uint8Array, at: number, end: number): number {
  const lead = bytes[at]!;
  if (lead < 0x80) return lead * 8 + 1;
  const bad = (badByte + lead) * 8 + 1;
  if (lead < 0xc2 || lead > 0xf4) return bad;
  const second = at + 1 < end ? bytes[at + 1]! : 0;
  if ((second & 0xc0) !== 0x80) return bad;
  if (lead < 0xe0) return (((lead & 0x1f) << 6) | (second & 0x3f)) * 8 + 2;
  const third = at + 2 < end ? bytes[at + 2]! : 0;
  if ((third & 0xc0) !== 0x80) return bad;
  if (lead < 0xf0) {
    const symbol = ((lead & 0x0f) << 12) | ((second & 0x3f) << 6) | (third & 0x3f);
    if (symbol < 0x800 || (symbol >= 0xd800 && symbol < 0xe000)) return bad;
    return symbol * 8 + 3;
  }
  const fourth = at + 3 < end ? bytes[at + 3]! : 0;
  if ((fourth & 0xc0) !== 0x80) return bad;
  const symbol =
    ((lead & 0x07) << 18) | ((second & 0x3f) << 12) | ((third & 0x3f) << 6) | (fourth & 0x3f);
  return symbol < 0x10000 || symbol > 0x10ffff ? bad : symbol * 8 + 4;
}
