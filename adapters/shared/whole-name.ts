/** A name with each byte that is no UTF-8 as U+DC00 and that byte. */
export function wholeName(bytes: Buffer): string {
  const text = bytes.toString();
  if (!text.includes("\ufffd") || Buffer.from(text).equals(bytes)) return text;
  let name = "";
  for (let at = 0; at < bytes.length;) {
    const length = [1, 2, 3, 4].find(
      (size) => at + size <= bytes.length && isUtf8(bytes.subarray(at, at + size)),
    );
    name += length
      ? bytes.toString("utf8", at, at + length)
      : String.fromCharCode(0xdc00 + bytes[at]!);
    at += length ?? 1;
  }
  return name;
}

function isUtf8(bytes: Buffer): boolean {
  return Buffer.from(bytes.toString()).equals(bytes);
}
