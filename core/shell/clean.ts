// What a program writes as text for a reader who is no terminal: without escape sequences and control characters.
// Works on bytes as they come, so that neither a sequence nor a character is lost between two pieces.

/** 1: begins something that is to be looked at: a control character, DEL, or 0xC2, which may begin a C1 control. */
const special = new Uint8Array(256);
for (let byte = 0; byte < 0x20; byte++) special[byte] = 1;
special[0x09] = 0;
special[0x0a] = 0;
special[0x7f] = 1;
special[0xc2] = 1;

const ESC = 0x1b;
const BEL = 0x07;
const CR = 0x0d;
const LF = 0x0a;
/** U+FFFD */
const REPLACEMENT = [0xef, 0xbf, 0xbd];

/** What the bytes up to here leave open. */
type State =
  | "text"
  /** After CR: a line feed makes one line end of the two. */
  | "return"
  /** After 0xC2. */
  | "c2"
  | "escape"
  /** ESC and an intermediate byte: the next one ends it. */
  | "charset"
  /** CSI: parameters, then a letter. */
  | "csi"
  /** OSC, DCS, APC, PM, SOS: text up to BEL or ESC \. A line feed ends it too, or a stray one would swallow all. */
  | "string"
  /** ESC within such a text. */
  | "string escape";

export interface Cleaner {
  /** The text of these bytes; it may lack what the next ones decide. The result is valid until the next call. */
  push(bytes: Uint8Array): Uint8Array;
  /** How many of the last bytes mean nothing yet: the next ones decide. */
  readonly pending: number;
  /** What was still undecided. */
  finish(): Uint8Array;
}

/** A lone CR starts a new line, so that the states of a progress bar do not run into each other. */
export function createCleaner(): Cleaner {
  let state: State = "text";
  let out = new Uint8Array(0);
  let length = 0;
  /** Bytes before those of this call; where what is open begins; whether it has just begun. */
  let base = 0;
  let openAt = 0;
  let opens = false;

  function step(byte: number): void {
    switch (state) {
      case "return":
        state = "text";
        if (byte === CR) return void (state = "return");
        out[length++] = LF;
        if (byte === LF) return;
        return step(byte);
      case "c2":
        state = "text";
        if (byte === 0x9b) return void (state = "csi");
        if (byte === 0x9d || byte === 0x90 || (byte >= 0x98 && byte <= 0x9f && byte !== 0x9a)) {
          return void (state = "string");
        }
        if (byte >= 0x80 && byte <= 0x9f) return;
        if (byte >= 0xa0 && byte <= 0xbf) {
          out[length++] = 0xc2;
          return void (out[length++] = byte);
        }
        // Kept as it is, it could make a control of what follows when something in between has gone.
        for (const part of REPLACEMENT) out[length++] = part;
        return step(byte);
      case "escape":
        state = "text";
        if (byte === 0x5b) return void (state = "csi");
        if (byte === 0x5d || byte === 0x50 || byte === 0x58 || byte === 0x5e || byte === 0x5f) {
          return void (state = "string");
        }
        if (byte >= 0x20 && byte <= 0x2f) return void (state = "charset");
        if (byte >= 0x30 && byte <= 0x7e) return;
        return step(byte);
      case "charset":
        if (byte >= 0x20 && byte <= 0x2f) return;
        state = "text";
        if (byte >= 0x30 && byte <= 0x7e) return;
        return step(byte);
      case "csi":
        if (byte >= 0x20 && byte <= 0x3f) return;
        state = "text";
        if (byte >= 0x40 && byte <= 0x7e) return;
        return step(byte);
      case "string":
        if (byte === ESC) return void (state = "string escape");
        if (byte === BEL) return void (state = "text");
        if (byte !== LF) return;
        state = "text";
        return step(byte);
      case "string escape":
        state = "text";
        if (byte === 0x5c) return;
        state = "escape";
        return step(byte);
      case "text":
        opens = byte === ESC || byte === CR || byte === 0xc2;
        if (byte === ESC) state = "escape";
        else if (byte === CR) state = "return";
        else if (byte === 0xc2) state = "c2";
        else if (special[byte] === 0) out[length++] = byte;
    }
  }

  return {
    get pending() {
      return state === "text" ? 0 : base - openAt;
    },
    push(bytes) {
      let at = 0;
      if (state === "text") {
        while (at < bytes.length && special[bytes[at]!] === 0) at++;
        if (at === bytes.length) {
          base += bytes.length;
          return bytes;
        }
      }
      // At most every byte becomes a replacement, and one that was open before.
      const most = REPLACEMENT.length * (bytes.length - at + 1) + at;
      if (out.length < most) out = new Uint8Array(most);
      length = at;
      out.set(bytes.subarray(0, at));
      for (; at < bytes.length; at++) {
        const byte = bytes[at]!;
        if (state === "text" && special[byte] === 0) out[length++] = byte;
        else {
          opens = false;
          step(byte);
          if (opens) openAt = base + at;
        }
      }
      base += bytes.length;
      return out.subarray(0, length);
    },
    finish() {
      const left = state === "return" ? [LF] : state === "c2" ? REPLACEMENT : [];
      state = "text";
      return Uint8Array.from(left);
    },
  };
}
