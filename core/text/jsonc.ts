// JSON as people keep it in settings (comments, commas behind the last item) with the place of every part, so that one can
// be changed and every other byte stays.

export interface JsoncNode {
  readonly kind: "object" | "array" | "scalar";
  /** Offsets of the first code unit, and behind the last one. */
  readonly start: number;
  readonly end: number;
  /** What it stands for; of several members of one name the last counts. */
  readonly value: unknown;
  /** Of an object, in order, duplicates included. */
  readonly members: readonly JsoncMember[];
}

export interface JsoncMember {
  readonly key: string;
  readonly start: number;
  readonly node: JsoncNode;
  /** Offset of the comma behind it; undefined where there is none. */
  readonly comma: number | undefined;
}

export class JsoncError extends Error {
  override readonly name = "JsoncError";
  /** 1-based; columns count UTF-16 units. */
  readonly line: number;
  readonly column: number;
  constructor(text: string, at: number, what: string) {
    const before = text.slice(0, at).split(/\r\n|\r|\n/);
    const line = before.length;
    const column = before.at(-1)!.length + 1;
    super(`line ${line}, column ${column}: ${what}`);
    this.line = line;
    this.column = column;
  }
}

/** Values within values. */
const DEEPEST = 200;

/**
 * @param isStrict as JSON.parse: no comments, no comma behind the last item
 * @throws JsoncError
 */
export function parseJsonc(text: string, isStrict: boolean): JsoncNode {
  return new Parser(text, isStrict).whole();
}

/** The offset of the next code unit that belongs to the data. The text must have been parsed. */
export function skipTrivia(text: string, from: number): number {
  trivia.lastIndex = from;
  trivia.exec(text);
  return trivia.lastIndex;
}

const trivia = /(?:[ \t\r\n]|\/\/[^\r\n]*|\/\*[^]*?\*\/)*/y;

const scalars = {
  string: /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y,
  number: /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y,
  word: /(?:true|false|null)(?![A-Za-z0-9_$])/y,
};

class Parser {
  readonly #text: string;
  readonly #isStrict: boolean;
  #at = 0;

  constructor(text: string, isStrict: boolean) {
    this.#text = text;
    this.#isStrict = isStrict;
  }

  whole(): JsoncNode {
    this.#skip();
    const node = this.#value(0);
    this.#skip();
    if (this.#at < this.#text.length) throw this.#unexpected();
    return node;
  }

  #skip(): void {
    const text = this.#text;
    for (;;) {
      while (/[ \t\r\n]/.test(text[this.#at] ?? "")) this.#at++;
      const two = text.slice(this.#at, this.#at + 2);
      if (two !== "//" && two !== "/*") return;
      if (this.#isStrict) throw this.#error(this.#at, "a comment, which this file cannot have");
      const start = this.#at;
      if (two === "//") {
        while (this.#at < text.length && !"\r\n".includes(text[this.#at]!)) this.#at++;
        continue;
      }
      const end = text.indexOf("*/", start + 2);
      if (end < 0) throw this.#error(start, "a comment that does not end");
      this.#at = end + 2;
    }
  }

  #value(depth: number): JsoncNode {
    if (depth > DEEPEST) throw this.#error(this.#at, `values more than ${DEEPEST} deep`);
    const first = this.#text[this.#at];
    if (first === "{") return this.#object(depth);
    if (first === "[") return this.#array(depth);
    const start = this.#at;
    const pattern =
      first === '"' ? scalars.string : /[-0-9]/.test(first ?? "") ? scalars.number : scalars.word;
    const literal = this.#match(pattern);
    if (literal === undefined)
      throw this.#unexpected(first === '"' ? "a broken string" : undefined);
    return { kind: "scalar", start, end: this.#at, value: JSON.parse(literal), members: [] };
  }

  #object(depth: number): JsoncNode {
    const start = this.#at++;
    const members: JsoncMember[] = [];
    const value: Record<string, unknown> = {};
    this.#skip();
    while (this.#text[this.#at] !== "}") {
      const at = this.#at;
      const literal = this.#match(scalars.string);
      if (literal === undefined) throw this.#unexpected();
      const key = JSON.parse(literal) as string;
      this.#skip();
      if (this.#text[this.#at] !== ":") throw this.#unexpected();
      this.#at++;
      this.#skip();
      const node = this.#value(depth + 1);
      members.push({ key, start: at, node, comma: this.#separator("}") });
      // Also for names such as "__proto__".
      Object.defineProperty(value, key, {
        value: node.value,
        enumerable: true,
        configurable: true,
        writable: true,
      });
    }
    this.#at++;
    return { kind: "object", start, end: this.#at, value, members };
  }

  #array(depth: number): JsoncNode {
    const start = this.#at++;
    const value: unknown[] = [];
    this.#skip();
    while (this.#text[this.#at] !== "]") {
      value.push(this.#value(depth + 1).value);
      this.#separator("]");
    }
    this.#at++;
    return { kind: "array", start, end: this.#at, value, members: [] };
  }

  /** Up to the next item, or to the end. @returns where the comma was */
  #separator(close: string): number | undefined {
    this.#skip();
    if (this.#text[this.#at] === close) return undefined;
    if (this.#text[this.#at] !== ",") throw this.#unexpected();
    const comma = this.#at++;
    this.#skip();
    if (this.#isStrict && this.#text[this.#at] === close) throw this.#unexpected();
    return comma;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #unexpected(what?: string): JsoncError {
    const point = this.#text.codePointAt(this.#at);
    const found =
      point === undefined ? "the end of the text" : JSON.stringify(String.fromCodePoint(point));
    return this.#error(this.#at, `unexpected ${what ?? found}`);
  }

  #error(at: number, what: string): JsoncError {
    return new JsoncError(this.#text, at, what);
  }
}
