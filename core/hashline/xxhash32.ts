// xxHash32 with seed 0 in plain arithmetic, for hosts and texts without a native one.

const PRIME1 = 0x9e3779b1;
const PRIME2 = 0x85ebca77;
const PRIME3 = 0xc2b2ae3d;
const PRIME4 = 0x27d4eb2f;
const PRIME5 = 0x165667b1;

/** As an unsigned number. */
export function xxhash32(bytes: Uint8Array): number {
  const { length } = bytes;
  const view = new DataView(bytes.buffer, bytes.byteOffset, length);
  let at = 0;
  let hash = PRIME5;
  if (length >= 16) {
    let a = (PRIME1 + PRIME2) | 0;
    let b = PRIME2 | 0;
    let c = 0;
    let d = -PRIME1 | 0;
    for (const last = length - 16; at <= last; at += 16) {
      a = round(a, view.getUint32(at, true));
      b = round(b, view.getUint32(at + 4, true));
      c = round(c, view.getUint32(at + 8, true));
      d = round(d, view.getUint32(at + 12, true));
    }
    hash = rotate(a, 1) + rotate(b, 7) + rotate(c, 12) + rotate(d, 18);
  }
  hash = (hash + length) | 0;
  for (; at + 4 <= length; at += 4) {
    hash = (hash + Math.imul(view.getUint32(at, true), PRIME3)) | 0;
    hash = Math.imul(rotate(hash, 17), PRIME4);
  }
  for (; at < length; at++) {
    hash = (hash + Math.imul(bytes[at]!, PRIME5)) | 0;
    hash = Math.imul(rotate(hash, 11), PRIME1);
  }
  hash = Math.imul(hash ^ (hash >>> 15), PRIME2);
  hash = Math.imul(hash ^ (hash >>> 13), PRIME3);
  return (hash ^ (hash >>> 16)) >>> 0;
}

function round(lane: number, input: number): number {
  return Math.imul(rotate((lane + Math.imul(input, PRIME2)) | 0, 13), PRIME1);
}

function rotate(value: number, bits: number): number {
  return (value << bits) | (value >>> (32 - bits));
}
