/** How many of the first `most` bytes of a UTF-8 text end with a whole character. */
export function cutBytes(bytes: Uint8Array, most: number): number {
  let end = Math.min(most, bytes.length);
  while (end > 0 && end < bytes.length && (bytes[end]! & 0xc0) === 0x80) end--;
  return end;
}
