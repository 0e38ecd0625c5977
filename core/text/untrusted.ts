// Text that comes from somebody we do not know: an agent reads it as data, and a terminal or an editor must show all of it
// (seed 004, "MCP tools"; libraries.md §3).

/** How many characters were taken out, by what they do. An escape sequence counts as one. */
export interface Removed {
  readonly control: number;
  readonly bidi: number;
  readonly invisible: number;
}

export interface CleanedText {
  readonly text: string;
  readonly removed: Removed;
}

export const nothingRemoved: Removed = { control: 0, bidi: 0, invisible: 0 };

/** An escape sequence as a whole: CSI; OSC, DCS, SOS, PM and APC with what they hold; two-byte ones. */
const SEQUENCE =
  // oxlint-disable-next-line no-control-regex
  /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[\]P^_X][^\u0007\u001b\u009c]*(?:\u0007|\u001b\\|\u009c)|\u001b[ -/]*[0-~]/g;

// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u0008\u000b\u000c\u000e-\u001f\u007f-\u009f]/g;

const BIDI = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;

/** Scripts in which a word may need a joiner or a non-joiner inside. */
const JOINING =
  "\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gujarati}\\p{Script=Gurmukhi}\\p{Script=Kannada}\\p{Script=Khmer}\\p{Script=Malayalam}\\p{Script=Myanmar}\\p{Script=Oriya}\\p{Script=Sinhala}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Mongolian}";

/** What shows nothing, but where it makes one emoji of two or shapes a letter; then one of them is meant. */
const INVISIBLE = new RegExp(
  [
    "[\\u00ad\\u034f\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f\\u200b\\u2060-\\u2065\\u206a-\\u206f\\u2800\\u3164\\ufe00-\\ufe0d\\ufeff\\uffa0\\ufff0-\\ufffb\\u{1bca0}-\\u{1bca3}\\u{1d173}-\\u{1d17a}\\u{e0000}-\\u{e0fff}]",
    "(?<![\\p{Emoji}\\p{Extended_Pictographic}])[\\ufe0e\\ufe0f]",
    `(?<![${JOINING}])[\\u200c\\u200d](?<!\\p{Extended_Pictographic}[\\ufe0f\\p{Emoji_Modifier}]?\\u200d)`,
    `[\\u200c\\u200d](?![${JOINING}]|\\p{Extended_Pictographic})`,
  ].join("|"),
  "gu",
);

/** Line ends become LF, also the ones that few programs know as such. */
export function cleanUntrusted(text: string): CleanedText {
  if (/^[\t\n -~]*$/.test(text)) return { text, removed: nothingRemoved };
  const count = { control: 0, bidi: 0, invisible: 0 };
  const without = (kind: keyof Removed) => () => {
    count[kind]++;
    return "";
  };
  const cleaned = text
    .toWellFormed()
    .replace(/\r\n?|[\u0085\u2028\u2029]/g, "\n")
    .replace(SEQUENCE, without("control"))
    .replace(CONTROL, without("control"))
    .replace(BIDI, without("bidi"))
    .replace(INVISIBLE, without("invisible"));
  return { text: cleaned, removed: count };
}

export function addRemoved(one: Removed, other: Removed): Removed {
  return {
    control: one.control + other.control,
    bidi: one.bidi + other.bidi,
    invisible: one.invisible + other.invisible,
  };
}

/** "Removed 2 control characters and 1 bidi character.", or undefined where nothing was. */
export function removedText({ control, bidi, invisible }: Removed): string | undefined {
  const parts = [
    [control, "control"] as const,
    [bidi, "bidi"] as const,
    [invisible, "invisible"] as const,
  ].flatMap(([count, kind]) =>
    count === 0 ? [] : [`${count} ${kind} ${count === 1 ? "character" : "characters"}`],
  );
  if (parts.length === 0) return undefined;
  const last = parts.pop()!;
  return `Removed ${parts.length === 0 ? "" : `${parts.join(", ")} and `}${last}.`;
}

/** On one line, and not longer than that; for names and summaries in lists. */
export function cleanLine(text: string, most: number): string {
  const line = cleanUntrusted(text).text.replace(/\s+/g, " ").trim();
  if (line.length <= most) return line;
  return `${line
    .slice(0, most - 1)
    .toWellFormed()
    .replace(/\ufffd$/, "")}…`;
}

const TAG = "untrusted_tool_result";

/**
 * The block that says: data, not instructions. Whatever looks like its tags inside is made plain, so that nothing in it can
 * end it.
 * @param source who wrote it, such as "mcp:github/create_issue"
 * @param text cleaned
 */
export function fenced(source: string, text: string): string {
  const name = source.replace(/[^\w./:@ -]+/g, "_").slice(0, 200);
  const inside = text.replace(
    /[<\uff1c\ufe64](?=\s*(?:[/\uff0f]\s*)?untrusted[\s_-]*tool[\s_-]*result)/gi,
    "&lt;",
  );
  return `<${TAG} source="${name}">\n${inside}${inside.endsWith("\n") ? "" : "\n"}</${TAG}>`;
}
