// Blocks in minified files of 2 MB: resolved, or refused in the seed's words, but never for ever.

import { expect, setDefaultTimeout, test } from "bun:test";

import { inEditPlace } from "./edit-place.ts";

// The deadline of a lookup is 4 s; what is told apart here is an answer from none.
setDefaultTimeout(120_000);

const size = 2_000_000;
const repeat = (text: string) => text.repeat(Math.ceil(size / text.length));

const files: Readonly<Record<string, string>> = {
  "app.min.js": repeat(
    "function f(a,b){if(a>b){return a.map(function(c){return c+1})}else{return[b]}}",
  ),
  "app.min.css": repeat(".a>.b:hover{color:red;margin:0 auto}@media (min-width:1px){.c{top:0}}"),
  "app.scss": repeat(".a{.b{color:red}&:hover{top:0}}"),
  "dump.sql": repeat("INSERT INTO t VALUES (1,'a;b',\"c\");"),
  "deep.json": `${"[".repeat(200_000)}${"]".repeat(200_000)}`,
  "brackets.ts": repeat("(((((((((("),
  "page.html": repeat("<div><p>a</p>"),
};

const refusal =
  /^line 1: (?:`delete block 2` could not resolve a syntactic block beginning on line 2 \(unsupported language, blank\/closer line, or parse error\)\. Use `delete 2\.\.M` with explicit lines\.|finding the block of `delete block 2` took longer than 4 seconds and was stopped\. Use `delete N\.\.M` with explicit lines\.)\n\n 1:\n\*2:/;

for (const [name, text] of Object.entries(files)) {
  test(`delete block in ${name} ends with an answer`, async () => {
    // A first line that can be shown, so that there is a tag.
    const content = `\n${text}\nrest\n`;
    await inEditPlace({ [name]: content }, async (place) => {
      const ran = await place.edit(await place.header(name), "delete block 2");
      if (ran.status === 0) {
        expect(ran.stdout.text).toContain("delete block 2 → resolved lines 2-2 (1 lines)");
        expect(place.bytes(name)).toBe("\nrest\n");
        expect(ran.stdout.text.length).toBeLessThan(2_000);
        return;
      }
      expect(ran.status).toBe(2);
      expect(ran.stderr.text).toMatch(refusal);
      // The context shows the line's beginning only.
      expect(ran.stderr.text.length).toBeLessThan(2_000);
      expect(place.bytes(name)).toBe(content);
    });
  });
}
