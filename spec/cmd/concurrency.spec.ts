// Many processes edit one file at once, in one session, all under the tag of one read.

import { expect, test } from "bun:test";
import { readdirSync } from "node:fs";

import { inEditPlace } from "./edit-place.ts";

const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`);
const processes = 64;

/** Lines next to each other and lines far apart: 1 to 32, then every second one. */
const targets = Array.from({ length: processes }, (_, i) => (i < 32 ? i + 1 : 2 * i - 30));

test("of 64 edits at once each is in the file or says why it is not", async () => {
  await inEditPlace({ "shared.txt": `${lines.join("\n")}\n` }, async (place) => {
    const header = await place.header("shared.txt");
    let ended = false;
    const seen: string[] = [];
    const watched = (async () => {
      while (!ended) {
        seen.push(place.bytes("shared.txt"));
        await Bun.sleep(1);
      }
    })();
    const edits = await Promise.all(
      targets.map(async (line) => {
        const ran = await place.edit(header, `replace ${line}..${line}:`, `+new ${line}`);
        return { line, ran };
      }),
    );
    ended = true;
    await watched;

    const done = edits.filter(({ ran }) => ran.status === 0);
    const refused = edits.filter(({ ran }) => ran.status !== 0);
    for (const { ran } of refused) {
      expect(ran).toMatchObject({ status: 3, stdout: { text: "" } });
      expect(ran.stderr.text).toMatch(
        /^(?:Edit rejected for|Stale hashline tag for|Could not lock) shared\.txt/,
      );
      expect(ran.stderr.text).toContain("Nothing was written.");
    }
    const expected = lines.map((text, i) =>
      done.some(({ line }) => line === i + 1) ? `new ${i + 1}` : text,
    );
    expect(place.bytes("shared.txt")).toBe(`${expected.join("\n")}\n`);
    // Every line is its own, so the lines' histories leave no room for a conflict.
    expect({ done: done.length, refused: refused.length }).toEqual({ done: processes, refused: 0 });

    for (const content of new Set(seen)) {
      const rows = content.split("\n");
      expect(rows.pop()).toBe("");
      expect(rows).toHaveLength(100);
      rows.forEach((row, i) => expect([lines[i]!, `new ${i + 1}`]).toContain(row));
    }
    expect(readdirSync(place.folder)).toEqual(["shared.txt"]);
  });
}, 60_000);
