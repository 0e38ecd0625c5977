import { scanText, tagOfContent } from "../hashline/tag.ts";
import type { Bytes } from "../ports/bytes.ts";

/** What a session remembers of something that has no file of its own, be it text or not. */
export function sightOf(path: string, whole: Uint8Array, bytes: Bytes) {
  const text = scanText(whole, bytes);
  const content = text?.content ?? whole;
  const tag = text?.tag ?? tagOfContent(content, bytes);
  return { path, tag, content, bytesHash: bytes.sha256(whole) };
}
