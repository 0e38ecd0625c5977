// A local file, read whole, and what its first bytes say it is.

import { aborted } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Bytes } from "../ports/bytes.ts";
import type { Fs, ReadFile } from "../ports/fs.ts";
import { confineOpened } from "./confine.ts";
import { notRegular, readFailure, vanished } from "./file-errors.ts";
import { describeImage, type ImageInfo } from "./image.ts";
import type { Located } from "./resource.ts";

/**
 * Refuses what is not a regular file before opening it; the port refuses it again on the descriptor, so that a swap in
 * between changes nothing.
 * @throws AtomicError `file.not_regular`, `file.not_found`, `file.unreadable`, `file.too_large`, `selector.escape`,
 * `aborted`
 */
export async function loadFile(located: Located, fs: Fs, signal: AbortSignal): Promise<ReadFile> {
  const { kind } = located.stat;
  if (kind !== "file") throw notRegular(located.typed, kind);
  if (signal.aborted) throw aborted(signal.reason);
  let file: ReadFile | undefined;
  try {
    file = await fs.read(located.path, limits.readableFile);
  } catch (thrown) {
    throw readFailure(located.typed, thrown);
  }
  if (signal.aborted) throw aborted(signal.reason);
  if (!file) throw vanished(located.typed);
  const { root, path, typed } = located;
  if (root) await confineOpened(root, path, typed, file.stat, fs);
  return file;
}

export type FileContent =
  | { readonly kind: "text" }
  | { readonly kind: "image"; readonly image: ImageInfo }
  | { readonly kind: "binary" };

/** A BOM makes it text, a NUL near the front binary; bytes that are not valid UTF-8 do not (tools.md §3.10). */
export function classify(file: Uint8Array, bytes: Bytes): FileContent {
  const [a, b, c] = file;
  const bom =
    (a === 0xff && b === 0xfe) ||
    (a === 0xfe && b === 0xff) ||
    (a === 0xef && b === 0xbb && c === 0xbf);
  if (bom) return { kind: "text" };
  const probe = file.subarray(0, limits.binaryProbe);
  const binary = bytes.indexOf(probe, 0) !== -1;
  // Every image has a NUL or a byte above 0x7F near its front; a text about GIF89a has not.
  const image = binary || !bytes.isUtf8(probe) ? describeImage(file) : undefined;
  if (image) return { kind: "image", image };
  return { kind: binary ? "binary" : "text" };
}
