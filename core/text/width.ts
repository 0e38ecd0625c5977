// How many columns of a terminal a text takes. Terminals differ on joined emoji; ours is the most that any of them uses,
// so that a line never runs over.

/** @param text without control characters */
export function columnsOf(text: string): number {
  let columns = 0;
  for (const character of text) columns += widthOf(character.codePointAt(0)!);
  return columns;
}

/** The beginning that fits; where something is left out, it ends in "~". */
export function cutColumns(text: string, room: number): string {
  if (columnsOf(text) <= room) return text;
  return `${split(text, Math.max(0, room - 1))[0]}~`.slice(0, Math.max(0, room));
}

/** Lines that fit, broken at blanks where there are any; line feeds break too. At least one. */
export function wrapColumns(text: string, room: number): string[] {
  const lines: string[] = [];
  for (const paragraph of text.split("\n")) {
    let line = "";
    let used = 0;
    for (const word of paragraph.split(/(?<=\s)(?=\S)/)) {
      let rest = word;
      if (used > 0 && used + columnsOf(rest.trimEnd()) > room) {
        lines.push(line.trimEnd());
        line = "";
        used = 0;
      }
      while (columnsOf(rest.trimEnd()) > room) {
        const [head, tail] = split(rest, room);
        // Not even one character fits; there is no better place for it.
        if (head === "") break;
        lines.push(head);
        rest = tail;
      }
      line += rest;
      used += columnsOf(rest);
    }
    lines.push(line.trimEnd());
  }
  return lines;
}

function split(text: string, room: number): readonly [string, string] {
  let columns = 0;
  let at = 0;
  for (const character of text) {
    columns += widthOf(character.codePointAt(0)!);
    if (columns > room) break;
    at += character.length;
  }
  return [text.slice(0, at), text.slice(at)];
}

function widthOf(point: number): number {
  if (point < 0x300) return 1;
  const character = String.fromCodePoint(point);
  // The mark for emoji presentation makes the character before it wide.
  if (point === 0xfe0f) return 1;
  if (/[\p{Mn}\p{Me}\p{Cf}]/u.test(character)) return 0;
  return isWide(point) || /\p{Emoji_Presentation}/u.test(character) ? 2 : 1;
}

/** East Asian Width W and F, in blocks. */
const wide: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x231a, 0x231b],
  [0x2329, 0x232a],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe10, 0xfe19],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x16fe0, 0x18d08],
  [0x1aff0, 0x1b2fb],
  [0x1d300, 0x1d376],
  [0x1f000, 0x1faff],
  [0x20000, 0x3fffd],
];

function isWide(point: number): boolean {
  return wide.some(([first, last]) => point >= first && point <= last);
}
