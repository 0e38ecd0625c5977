// The head of a zstd frame (RFC 8878, section 3.1.1): read to know what a frame holds before room is made for it.

const MAGIC = 0xfd2fb528;

/**
 * How many bytes a frame holds.
 * @throws RangeError where it is no frame, does not say, or says more than `limit`
 */
export function declaredSize(frame: Uint8Array, limit: number): number {
  const view = new DataView(frame.buffer, frame.byteOffset, frame.length);
  if (frame.length < 6 || view.getUint32(0, true) !== MAGIC)
    throw new RangeError("not a zstd frame");
  const descriptor = frame[4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const width = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  const at = 5 + (isSingleSegment ? 0 : 1) + dictionary;
  if (width === 0 || frame.length < at + width) {
    throw new RangeError("the zstd frame does not say what it holds");
  }
  const size = {
    1: () => frame[at]!,
    2: () => view.getUint16(at, true) + 256,
    4: () => view.getUint32(at, true),
    8: () => Number(view.getBigUint64(at, true)),
  }[width as 1 | 2 | 4 | 8]();
  if (size > limit) throw new RangeError(`the zstd frame holds ${size} bytes, over ${limit}`);
  return size;
}
