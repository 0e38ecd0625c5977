// JSON.parse says where a text is wrong in words that differ between engines, or not at all. This finds the place.

export interface JsonFault {
  /** 1-based; columns count UTF-16 units. */
  readonly line: number;
  readonly column: number;
  /** What stands there: one character, quoted, or "the end of the text". */
  readonly found: string;
}

/** The first place at which the text stops being JSON; undefined where JSON.parse takes it. */
export function findJsonFault(text: string): JsonFault | undefined {
  const at = scan(text);
  if (at < 0) return undefined;
  const before = text.slice(0, at).split("\n");
  const here = text.codePointAt(at);
  return {
    line: before.length,
    column: before.at(-1)!.length + 1,
    found: here === undefined ? "the end of the text" : JSON.stringify(String.fromCodePoint(here)),
  };
}

const scalar = {
  string: /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,
  number: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,
  word: /true|false|null/y,
};

type Expect = "value" | "first" | "key" | "colon" | "next" | "end";

function after(open: readonly unknown[]): "end" | "next" {
  return open.length === 0 ? "end" : "next";
}

/** Without recursion, so that depth costs nothing. @returns -1 where all is well, else the offset */
function scan(text: string): number {
  let at = 0;
  const open: ("[" | "{")[] = [];
  let expect: Expect = "value";
  const skip = () => {
    while (at < text.length && " \t\n\r".includes(text[at]!)) at++;
  };
  const take = (pattern: RegExp) => {
    pattern.lastIndex = at;
    if (!pattern.test(text)) return false;
    at = pattern.lastIndex;
    return true;
  };
  for (;;) {
    skip();
    const here = text[at];
    if (expect === "end") return here === undefined ? -1 : at;
    if (here === undefined) return at;
    const inside = open.at(-1);
    if (expect === "first" && here === (inside === "{" ? "}" : "]")) {
      open.pop();
      at++;
      expect = after(open);
    } else if (expect === "key" || (expect === "first" && inside === "{")) {
      if (!take(scalar.string)) return fault(text, at);
      expect = "colon";
    } else if (expect === "colon") {
      if (here !== ":") return at;
      at++;
      expect = "value";
    } else if (expect === "next") {
      at++;
      if (here === ",") expect = inside === "{" ? "key" : "value";
      else if (here === (inside === "{" ? "}" : "]")) {
        open.pop();
        expect = after(open);
      } else return at - 1;
    } else if (here === "[" || here === "{") {
      open.push(here);
      at++;
      expect = "first";
    } else if (take(scalar.string) || take(scalar.number) || take(scalar.word))
      expect = after(open);
    else return fault(text, at);
  }
}

/** Inside a string or a word the fault lies further on than where it began. */
function fault(text: string, start: number): number {
  if (text[start] === '"') {
    const good = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*/y;
    good.lastIndex = start;
    good.test(text);
    return good.lastIndex;
  }
  for (const word of ["true", "false", "null"]) {
    let same = 0;
    while (same < word.length && text[start + same] === word[same]) same++;
    if (same > 0) return start + same;
  }
  return text[start] === "-" ? start + 1 : start;
}
