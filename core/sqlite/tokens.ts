// SQL as SQLite's own tokenizer sees it (https://sqlite.org/lang_keywords.html, "tokenize.c" in prose), so that a guard judges
// what the engine will.

export interface SqlToken {
  /**
   * word: a keyword or a bare name; quoted: a name in "", `` or []; string: in ''; broken: a quote or comment that is not closed;
   * mark: one character of punctuation.
   */
  readonly kind:
    "word" | "quoted" | "string" | "blob" | "number" | "parameter" | "comment" | "mark" | "broken";
  /** Without quotes; doubled quotes are one. */
  readonly value: string;
}

/** White space is left out. A NUL, at which the engine would stop, is broken. */
export function* sqlTokens(sql: string): Generator<SqlToken> {
  let at = 0;
  while (at < sql.length) {
    patterns.lastIndex = at;
    const match = patterns.exec(sql);
    if (!match) {
      yield { kind: sql[at] === "\0" ? "broken" : "mark", value: sql[at]! };
      at++;
      continue;
    }
    at = patterns.lastIndex;
    const [text] = match;
    const kind = kinds.find((name) => match.groups![name] !== undefined);
    if (kind === "space") continue;
    if (kind === "open") {
      yield { kind: "broken", value: text };
      return;
    }
    yield { kind: kind ?? "mark", value: valueOf(kind, text) };
  }
}

const kinds = [
  "space",
  "comment",
  "blob",
  "string",
  "quoted",
  "number",
  "parameter",
  "word",
  "open",
] as const;

/** Every character beyond ASCII may be part of a name. An unclosed block comment reaches to the end, as it does for SQLite. */
const patterns =
  /(?<space>[ \t\n\f\r]+)|(?<comment>--[^\n]*|\/\*[^]*?(?:\*\/|$))|(?<blob>[xX]'[^']*')|(?<string>'(?:[^']|'')*')|(?<quoted>"(?:[^"]|"")*"|`(?:[^`]|``)*`|\[[^\]]*\])|(?<number>(?:\d[\w.]*|\.\d\w*)(?:(?<=[eE])[+-]\d+)?)|(?<parameter>\?\d*|[:@$#][\w$\u0080-\uffff]+)|(?<word>[A-Za-z_\u0080-\uffff][\w$\u0080-\uffff]*)|(?<open>['"`[])/y;

function valueOf(kind: (typeof kinds)[number] | undefined, text: string): string {
  if (kind === "string") return text.slice(1, -1).replaceAll("''", "'");
  if (kind !== "quoted") return text;
  const quote = text[0]!;
  const inner = text.slice(1, -1);
  return quote === "[" ? inner : inner.replaceAll(quote + quote, quote);
}
