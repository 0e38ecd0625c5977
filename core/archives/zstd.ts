// Zstandard (RFC 8878) frames, told apart by their block headers, so that one that is cut short is known as such.

import { type ArchiveContext, archiveError } from "./archive.ts";
import type { Unpacked, Unpacking } from "./unpacking.ts";

const MAGIC = 0xfd2fb528;

export function isZstd(head: Uint8Array): boolean {
  return head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd;
}

/** @throws AtomicError `archive.bounds`, `archive.too_large` */
export async function unpackZstd(
  packed: Uint8Array,
  { limit, pause }: Unpacking,
  context: ArchiveContext,
): Promise<Unpacked> {
  const pieces: Uint8Array[] = [];
  let left = limit;
  for (let at = 0; at < packed.length;) {
    const frame = frameAt(packed, at);
    if (!frame) {
      throw archiveError(
        "archive.bounds",
        context.name,
        `bad zstd frame at byte ${at}: it is cut short or damaged`,
      );
    }
    if (frame.holds) {
      const piece = unpack(packed.subarray(at, frame.end), left, at, context);
      left -= piece.length;
      pieces.push(piece);
      await pause();
    }
    at = frame.end;
  }
  return { pieces, remarks: [] };
}

function unpack(
  frame: Uint8Array,
  left: number,
  at: number,
  { bytes, name }: ArchiveContext,
): Uint8Array {
  try {
    return bytes.unzstd(frame, left);
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown;
    throw archiveError(
      "archive.bounds",
      name,
      `bad zstd frame at byte ${at}: it is damaged, or the archive unpacks to more than is read`,
      { cause: thrown },
    );
  }
}

/** @returns where the frame ends, and whether it holds content; undefined where it is none, or not there to its end */
function frameAt(
  packed: Uint8Array,
  start: number,
): { readonly end: number; readonly holds: boolean } | undefined {
  const view = new DataView(packed.buffer, packed.byteOffset, packed.length);
  if (start + 8 > packed.length) return undefined;
  const magic = view.getUint32(start, true);
  if ((magic & 0xfffffff0) >>> 0 === 0x184d2a50) {
    const end = start + 8 + view.getUint32(start + 4, true);
    return end <= packed.length ? { end, holds: false } : undefined;
  }
  if (magic !== MAGIC) return undefined;
  const descriptor = packed[start + 4]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionary = [0, 1, 2, 4][descriptor & 3]!;
  const width = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6]!;
  let at = start + 5 + (isSingleSegment ? 0 : 1) + dictionary + width;
  for (let isLast = false; !isLast;) {
    if (at + 3 > packed.length) return undefined;
    const header = packed[at]! | (packed[at + 1]! << 8) | (packed[at + 2]! << 16);
    isLast = (header & 1) === 1;
    const type = (header >> 1) & 3;
    if (type === 3) return undefined;
    at += 3 + (type === 1 ? 1 : header >> 3);
  }
  if ((descriptor & 4) !== 0) at += 4;
  return at <= packed.length ? { end: at, holds: true } : undefined;
}
