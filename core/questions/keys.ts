// Bytes of a terminal as keys. Pure: what is cut off at a chunk's end waits for the next one.

export type KeyName =
  | "text"
  | "paste"
  | "up"
  | "down"
  | "left"
  | "right"
  | "home"
  | "end"
  | "page-up"
  | "page-down"
  | "enter"
  | "tab"
  | "back-tab"
  | "backspace"
  | "delete"
  | "delete-word"
  | "delete-line"
  | "escape"
  | "interrupt"
  | "end-of-input"
  /** The terminal's answer to where its cursor is. */
  | "report";

export interface Key {
  readonly name: KeyName;
  /** What was typed or pasted, without control characters but line feeds. */
  readonly text: string;
}

const ESC = "\u001b";
const PASTE_END = `${ESC}[201~`;
/** UTF-16 units of one paste; the rest is dropped. */
const PASTE_MOST = 16_384;
/** A sequence that is still open after so many characters is none. */
const SEQUENCE_MOST = 32;

export class KeyReader {
  readonly #decoder = new TextDecoder();
  #rest = "";
  /** Undefined while nothing is being pasted. */
  #pasted: string | undefined;

  /** Something is open that may be a whole key by itself: give it a moment, then `flush`. */
  get isPending(): boolean {
    return this.#rest !== "" && this.#pasted === undefined;
  }

  feed(bytes: Uint8Array): Key[] {
    this.#rest += this.#decoder.decode(bytes, { stream: true });
    const keys: Key[] = [];
    for (;;) {
      const key = this.#pasted === undefined ? this.#next() : this.#paste();
      if (key === undefined) return keys;
      if (key !== null) keys.push(key);
    }
  }

  /** Nothing more came: a lone ESC is the key, another open sequence is dropped. */
  flush(): Key[] {
    if (!this.isPending) return [];
    const isEscape = /^\u001b+$/.test(this.#rest);
    this.#rest = "";
    return isEscape ? [{ name: "escape", text: "" }] : [];
  }

  /** Undefined: more is needed. Null: something that is no key was passed over. */
  #next(): Key | null | undefined {
    if (this.#rest === "") return undefined;
    if (this.#rest[0] === ESC) return this.#sequence();
    const [character] = this.#rest as unknown as [string];
    const plain = /^[^\p{Cc}]+/u.exec(this.#rest);
    if (plain) {
      this.#rest = this.#rest.slice(plain[0].length);
      return { name: "text", text: plain[0] };
    }
    this.#rest = this.#rest.slice(1);
    const name = controls[character];
    return name === undefined ? null : { name, text: "" };
  }

  #sequence(): Key | null | undefined {
    const rest = this.#rest;
    if (rest.length === 1) return undefined;
    // Alt and a key, or ESC twice: the first ESC alone says nothing.
    if (rest[1] !== "[" && rest[1] !== "O") {
      this.#rest = rest.slice(rest[1] === ESC ? 1 : 2);
      return null;
    }
    // oxlint-disable-next-line no-control-regex -- they are what is looked for
    const whole = /^\u001b(?:O([\x40-\x7e])|\[([\x30-\x3f]*)[\x20-\x2f]*([\x40-\x7e]))/.exec(rest);
    if (!whole) {
      // oxlint-disable-next-line no-control-regex -- the same
      const isOpen = /^\u001b(?:O|\[[\x20-\x3f]*)$/.test(rest) && rest.length < SEQUENCE_MOST;
      if (isOpen) return undefined;
      this.#rest = rest.slice(2);
      return null;
    }
    this.#rest = rest.slice(whole[0].length);
    const [, single, parameters = "", last] = whole;
    const [first] = parameters.split(";");
    if (last === "~" && first === "200") {
      this.#pasted = "";
      return null;
    }
    const name =
      single === "M" ? "enter" : last === "~" ? tilde[first!] : finals[(single ?? last)!];
    return name === undefined ? null : { name, text: "" };
  }

  #paste(): Key | undefined {
    const end = this.#rest.indexOf(PASTE_END);
    // The end may be cut off anywhere.
    const take = end < 0 ? Math.max(0, this.#rest.length - PASTE_END.length + 1) : end;
    this.#pasted = (this.#pasted! + this.#rest.slice(0, take)).slice(0, PASTE_MOST);
    this.#rest = this.#rest.slice(end < 0 ? take : end + PASTE_END.length);
    if (end < 0) return undefined;
    const text = this.#pasted.replace(/\r\n?/g, "\n").replaceAll("\t", " ");
    this.#pasted = undefined;
    return { name: "paste", text: text.replace(/(?!\n)\p{Cc}/gu, "") };
  }
}

const controls: Readonly<Record<string, KeyName>> = {
  "\r": "enter",
  "\n": "enter",
  "\t": "tab",
  "\u007f": "backspace",
  "\u0008": "backspace",
  "\u0001": "home",
  "\u0003": "interrupt",
  "\u0004": "end-of-input",
  "\u0005": "end",
  "\u000e": "down",
  "\u0010": "up",
  "\u0015": "delete-line",
  "\u0017": "delete-word",
};

const finals: Readonly<Record<string, KeyName>> = {
  A: "up",
  B: "down",
  C: "right",
  D: "left",
  F: "end",
  H: "home",
  R: "report",
  Z: "back-tab",
};

const tilde: Readonly<Record<string, KeyName>> = {
  "1": "home",
  "3": "delete",
  "4": "end",
  "5": "page-up",
  "6": "page-down",
  "7": "home",
  "8": "end",
};
