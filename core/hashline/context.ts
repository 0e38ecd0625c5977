// The lines around an edit's anchors, for errors (hashline.md §10).

import { limits } from "../limits.ts";
import { showShort } from "../text/encoding.ts";
import type { Hunk } from "./hunk.ts";

/** Begins with a blank line; empty where no anchor lies in the text. Anchors are marked `*`. */
export function anchorContext(hunks: readonly Hunk[], texts: readonly string[]): string {
  const anchors = new Set<number>();
  const shown = new Set<number>();
  for (const hunk of hunks) {
    const [first, last] = anchorLines(hunk);
    for (let line = first; line <= Math.min(last, texts.length); line++) {
      anchors.add(line);
      const from = Math.max(1, line - limits.anchorContext);
      const to = Math.min(texts.length, line + limits.anchorContext);
      for (let near = from; near <= to; near++) shown.add(near);
    }
  }
  if (shown.size === 0) return "";
  const rows: string[] = [""];
  let previous = 0;
  for (const line of [...shown].sort((a, b) => a - b)) {
    if (previous > 0 && line > previous + 1) rows.push("...");
    rows.push(`${anchors.has(line) ? "*" : " "}${line}:${showShort(texts[line - 1]!)}`);
    previous = line;
  }
  return `\n${rows.join("\n")}`;
}

function anchorLines(hunk: Hunk): [number, number] {
  if ("end" in hunk) return [hunk.start, hunk.end];
  return "anchor" in hunk ? [hunk.anchor, hunk.anchor] : [1, 0];
}
