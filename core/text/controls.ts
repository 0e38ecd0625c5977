// What a text may not do to a terminal.

import { showEscapes } from "./encoding.ts";

/**
 * Control characters as escapes, so that a file cannot drive the terminal or hide what it says: C0 but for tab and
 * line feed, DEL, C1, and the marks that turn the direction of text.
 */
export function showControls(text: string): string {
  return showEscapes(text).replace(controls, escaped);
}

// oxlint-disable-next-line no-control-regex -- they are what is looked for
const controls =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Also what takes no room and shows nothing, and lone halves of characters; line ends become plain ones, tabs blanks. */
export function showHidden(text: string): string {
  return showControls(text.replace(/\r\n?/g, "\n").replaceAll("\t", "  ")).replace(hidden, escaped);
}

const hidden =
  /\u034f|\u17b4|\u17b5|\u180b|\u180c|\u180d|[\u00ad\u115f\u1160\u180e\u200b\u2028\u2029\u2060-\u2064\u206a-\u206f\u3164\ufeff\uffa0\ufff9-\ufffb]|[\u{e0000}-\u{e0fff}]|\p{Surrogate}/gu;

function escaped(control: string): string {
  const point = control.codePointAt(0)!;
  const code = point.toString(16);
  if (point < 0x100) return `\\x${code.padStart(2, "0")}`;
  return point < 0x10000 ? `\\u${code.padStart(4, "0")}` : `\\u{${code}}`;
}
