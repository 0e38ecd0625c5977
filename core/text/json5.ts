// JSON5 (https://spec.json5.org), read such that nothing is lost: integers of any size stay exact, members keep their order.

/** A whole number that was written as one, or that no double holds, is a bigint; every other number a number. */
export type Json5Value =
  string | number | bigint | boolean | null | readonly Json5Value[] | Json5Object;

export interface Json5Object {
  /** In the order in which they are written; a name may repeat. */
  readonly members: readonly { readonly name: string; readonly value: Json5Value }[];
}

export class Json5Error extends Error {
  override readonly name = "Json5Error";
  /** UTF-16 units from the start of the text. */
  readonly at: number;
  constructor(message: string, at: number) {
    super(message);
    this.at = at;
  }
}

/** Values within values; more than any row of a table has use for. */
const DEEPEST = 100;

/** @throws Json5Error */
export function parseJson5(text: string): Json5Value {
  const parser = new Parser(text);
  parser.skip();
  const value = parser.value(0);
  parser.skip();
  parser.end();
  return value;
}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  end(): void {
    if (this.#at < this.#text.length) throw this.#unexpected();
  }

  /** White space and comments. */
  skip(): void {
    for (;;) {
      if (this.#take(/[\s\ufeff]+/y) !== undefined) continue;
      if (this.#take(/\/\/[^\n\r\u2028\u2029]*/y) !== undefined) continue;
      if (!this.#text.startsWith("/*", this.#at)) return;
      const end = this.#text.indexOf("*/", this.#at + 2);
      if (end === -1) throw new Json5Error("a comment is not closed", this.#at);
      this.#at = end + 2;
    }
  }

  value(depth: number): Json5Value {
    if (depth > DEEPEST) throw new Json5Error("values are nested too deeply", this.#at);
    const next = this.#text[this.#at];
    if (next === "{") return this.#object(depth);
    if (next === "[") return this.#array(depth);
    if (next === '"' || next === "'") return this.#string();
    const word = this.#take(/(?:true|false|null)(?![\w$\u0080-\uffff\\])/y);
    if (word !== undefined) return words.get(word)!;
    return this.#number();
  }

  #object(depth: number): Json5Object {
    const members: { readonly name: string; readonly value: Json5Value }[] = [];
    this.#list("}", () => {
      const next = this.#text[this.#at];
      const name = next === '"' || next === "'" ? this.#string() : this.#identifier();
      this.skip();
      this.#expect(":");
      this.skip();
      members.push({ name, value: this.value(depth + 1) });
    });
    return { members };
  }

  #array(depth: number): readonly Json5Value[] {
    const elements: Json5Value[] = [];
    this.#list("]", () => void elements.push(this.value(depth + 1)));
    return elements;
  }

  /** With a comma after the last element or without one. */
  #list(close: string, element: () => void): void {
    this.#at++;
    this.skip();
    while (this.#text[this.#at] !== close) {
      element();
      this.skip();
      if (this.#text[this.#at] === close) break;
      this.#expect(",");
      this.skip();
    }
    this.#at++;
  }

  #string(): string {
    const start = this.#at;
    const quote = this.#text[this.#at++]!;
    const plain = quote === '"' ? /[^"\\\n\r]+/y : /[^'\\\n\r]+/y;
    let value = "";
    for (;;) {
      value += this.#take(plain) ?? "";
      const next = this.#text[this.#at];
      if (next === quote) {
        this.#at++;
        return value;
      }
      if (next !== "\\") throw new Json5Error("a string is not closed", start);
      value += this.#escape();
    }
  }

  #escape(): string {
    const start = this.#at++;
    // A line of the text that goes on in the next.
    if (this.#take(/\r\n|[\n\r\u2028\u2029]/y) !== undefined) return "";
    const code = this.#take(/x[\da-f]{2}|u[\da-f]{4}/iy);
    if (code !== undefined) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    if (this.#take(/0(?!\d)/y) !== undefined) return "\0";
    const other = this.#take(/[^\dxu]/uy);
    if (other === undefined) throw new Json5Error("a wrong escape in a string", start);
    return escapes[other] ?? other;
  }

  #identifier(): string {
    const start = this.#at;
    const written = this.#take(
      /(?:[\p{ID_Start}$_]|\\u[\da-f]{4})(?:[\p{ID_Continue}$\u200c\u200d]|\\u[\da-f]{4})*/iuy,
    );
    if (written === undefined) throw this.#unexpected();
    const name = written.replace(/\\u(.{4})/g, (_, hex: string) =>
      String.fromCharCode(Number.parseInt(hex, 16)),
    );
    if (/^[\p{ID_Start}$_][\p{ID_Continue}$\u200c\u200d]*$/u.test(name)) return name;
    throw new Json5Error(`${JSON.stringify(name)} is no name`, start);
  }

  #number(): number | bigint {
    const start = this.#at;
    const written = this.#take(
      /[+-]?(?:Infinity|NaN|0x[\da-f]+|(?:(?:0|[1-9]\d*)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?)(?![\w$.\u0080-\uffff\\])/iy,
    );
    if (written === undefined) throw this.#unexpected();
    const negative = written.startsWith("-");
    const bare = written.replace(/^[+-]/, "");
    if (/^(?:\d+|0x[\da-f]+)$/i.test(bare)) return negative ? -BigInt(bare) : BigInt(bare);
    const value = wordNumbers.get(bare) ?? (/^[a-z]/i.test(bare) ? undefined : Number(bare));
    if (value === undefined) throw new Json5Error(`${bare} is no number`, start);
    if (value === Infinity && bare !== "Infinity") {
      throw new Json5Error(`${bare} is larger than any number`, start);
    }
    const exact = largeInteger(bare, value);
    if (exact === null) throw new Json5Error(`${bare} cannot be held exactly`, start);
    if (exact !== undefined) return negative ? -exact : exact;
    return negative ? -value : value;
  }

  #expect(mark: string): void {
    if (this.#text[this.#at] !== mark)
      throw this.#unexpected(`${JSON.stringify(mark)} was expected`);
    this.#at++;
  }

  #take(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #unexpected(wanted?: string): Json5Error {
    const next = this.#text[this.#at];
    const what = next === undefined ? "the text ends" : `${JSON.stringify(next)} stands`;
    return new Json5Error(
      wanted === undefined ? `${what} where a value or name should` : `${what} where ${wanted}`,
      this.#at,
    );
  }
}

/**
 * Reals as large as 64-bit integers are no longer told apart: one that a double would round.
 * @returns undefined where the double is exact, or the number out of that range; null where it is no whole number
 */
function largeInteger(bare: string, value: number): bigint | null | undefined {
  if (!(value >= 2 ** 53 && value < 2 ** 64)) return undefined;
  const [, whole = "", fraction = "", power = "0"] = /^(\d*)\.?(\d*)(?:e(.+))?$/i.exec(bare) ?? [];
  const digits = (whole + fraction).replace(/0+$/, "");
  const zeros = Number(power) - fraction.length + (whole.length + fraction.length - digits.length);
  if (zeros < 0) return null;
  const exact = BigInt(digits + "0".repeat(zeros));
  return exact === BigInt(value) ? undefined : exact;
}

const words = new Map<string, boolean | null>([
  ["true", true],
  ["false", false],
  ["null", null],
]);
const wordNumbers = new Map([
  ["Infinity", Infinity],
  ["NaN", NaN],
]);
const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  v: "\v",
};
