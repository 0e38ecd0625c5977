import { expect, test } from "bun:test";
import fc from "fast-check";

import { type Key, KeyReader } from "../../../core/questions/keys.ts";

const bytes = (text: string) => new TextEncoder().encode(text);

/** As words: a key's name, or its text in quotes. */
function read(text: string): string[] {
  const reader = new KeyReader();
  return [...reader.feed(bytes(text)), ...reader.flush()].map(word);
}

function word({ name, text }: Key): string {
  if (name === "text") return `'${text}'`;
  return name === "paste" ? `paste '${text}'` : name;
}

const table: readonly (readonly [string, readonly string[]])[] = [
  ["a", ["'a'"]],
  ["日本", ["'日本'"]],
  ["\r", ["enter"]],
  ["\n", ["enter"]],
  ["a\rb", ["'a'", "enter", "'b'"]],
  ["\u001b[A\u001b[B\u001b[C\u001b[D", ["up", "down", "right", "left"]],
  ["\u001bOA\u001bOH\u001bOF", ["up", "home", "end"]],
  ["\u001b[1;5A", ["up"]],
  [
    "\u001b[H\u001b[4~\u001b[5~\u001b[6~\u001b[3~",
    ["home", "end", "page-up", "page-down", "delete"],
  ],
  ["\t\u001b[Z", ["tab", "back-tab"]],
  ["\u007f\u0008\u0015\u0017", ["backspace", "backspace", "delete-line", "delete-word"]],
  ["\u0003\u0004", ["interrupt", "end-of-input"]],
  ["\u001b", ["escape"]],
  ["\u001b\u001b", ["escape"]],
  ["\u001bx", []],
  ["\u001b[12;40R", ["report"]],
  ["\u001b[99u\u001b[15~y", ["'y'"]],
  ["\u001b[M", []],
  ["\u001bOM", ["enter"]],
  ["\u0000\u001a\u001c", []],
  ["\u001b[200~one\rtwo\u001b[31m\u001b[201~\r", ["paste 'one\ntwo[31m'", "enter"]],
  ["\u001b[<0;1;1", []],
];

test.each(table)("%j", (text, keys) => {
  expect(read(text)).toEqual(keys as string[]);
});

test("what is cut off waits for the rest, whatever the chunks", () => {
  const piece = fc.constantFrom(
    ...table.map(([text]) => text).filter((text) => !text.endsWith("\u001b")),
  );
  fc.assert(
    fc.property(fc.array(piece), fc.array(fc.nat()), (pieces, cuts) => {
      const all = bytes(pieces.join(""));
      const whole = new KeyReader();
      const parts = new KeyReader();
      const text = (keys: readonly Key[]) => keys.map(word).join("").replaceAll("''", "");
      const places = [0, ...cuts.map((cut) => cut % (all.length + 1)), all.length].sort(
        (a, b) => a - b,
      );
      const fed = places.slice(1).flatMap((to, i) => parts.feed(all.subarray(places[i], to)));
      expect(text(fed)).toBe(text(whole.feed(all)));
      expect(parts.isPending).toBe(whole.isPending);
    }),
  );
});

test("no bytes make it fail, or wait for ever for a key", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (noise) => {
      const reader = new KeyReader();
      reader.feed(noise);
      reader.feed(bytes("\u001b[201~"));
      reader.flush();
      expect(reader.feed(bytes("\r")).map(word)).toEqual(["enter"]);
    }),
  );
});

test("a paste is bounded", () => {
  const reader = new KeyReader();
  const keys = reader.feed(bytes(`\u001b[200~${"x".repeat(100_000)}\u001b[201~`));
  expect(keys[0]!.text.length).toBe(16_384);
});
