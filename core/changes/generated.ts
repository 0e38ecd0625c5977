import { limits } from "../limits.ts";
import type { Bytes } from "../ports/bytes.ts";

export interface GeneratedMarker {
  readonly marker: string;
  /** 1-based. */
  readonly line: number;
}

/** What generators write for people to see; names of tools and files say nothing. */
const marker = /GENERATED -- do not edit|(?<!\w)@generated\b|\bauto-generated\b|\bDO NOT EDIT\b/i;

/** The first marker near the top of a file that says that it is generated (tools.md §9.2). */
export function findGeneratedMarker(
  file: Uint8Array,
  bytes: Pick<Bytes, "latin1">,
): GeneratedMarker | undefined {
  const head = bytes.latin1(file.subarray(0, limits.generatedBytes));
  // Without its NULs, UTF-16 reads the same.
  const lines = head.replaceAll("\0", "").split(/\r\n?|\n/, limits.generatedLines);
  for (const [i, line] of lines.entries()) {
    const found = marker.exec(line)?.[0];
    if (found !== undefined) return { marker: found, line: i + 1 };
  }
  return undefined;
}
