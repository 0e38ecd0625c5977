// Words of strangers where people read or copy them.

/** Whatever a terminal or an editor would not show is shown as its number. */
export function visible(text: string): string {
  return text.replace(
    /[^\p{L}\p{M}\p{N}\p{P}\p{S} ]|\u034f|\u115f|\u1160|\u2800|\u3164|[\ufe00-\ufe0f]|\uffa0|[\u{e0100}-\u{e01ef}]/gu,
    (character) => `\\u{${character.codePointAt(0)!.toString(16)}}`,
  );
}

/** For a line that a person may copy into a shell. */
export function shellWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
