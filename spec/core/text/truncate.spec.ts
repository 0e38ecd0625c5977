import { expect, test } from "bun:test";

import fc from "fast-check";

import { indexLines } from "../../../core/text/line-index.ts";
import { keepHead } from "../../../core/text/truncate.ts";

const utf8 = (text: string) => new TextEncoder().encode(text);

test("keepHead keeps whole lines while both limits hold", () => {
  const line = fc.string({ unit: fc.constantFrom("a", "é", "日"), maxLength: 6 });
  fc.assert(
    fc.property(
      fc.array(line, { minLength: 1, maxLength: 30 }),
      fc.nat(12),
      fc.nat(40),
      fc.nat(5),
      (texts, maxLines, maxBytes, gap) => {
        const lines = indexLines(utf8(`${texts.join("\n")}\n`));
        const split = Math.max(1, Math.min(texts.length, 1 + Math.floor(texts.length / 2)));
        const second = split + 1 + gap;
        const runs = [{ first: 1, last: split }];
        if (second <= texts.length) runs.push({ first: second, last: texts.length });
        const wanted = texts.filter((_, i) => i < split || i + 1 >= second);
        const kept: string[] = [];
        let bytes = 0;
        let by: "lines" | "bytes" | null = null;
        for (const text of wanted) {
          const more = utf8(text).length + (kept.length > 0 ? 1 : 0);
          if (kept.length === maxLines) by = "lines";
          else if (bytes + more > maxBytes) by = "bytes";
          if (by) break;
          kept.push(text);
          bytes += more;
        }
        const cut = keepHead(runs, lines, { maxLines, maxBytes });
        const shown = cut.runs.flatMap(({ first, last }) => texts.slice(first - 1, last));
        expect(shown).toEqual(kept);
        expect(cut.truncation).toEqual({
          truncated: by !== null,
          truncatedBy: by,
          totalLines: wanted.length,
          totalBytes: utf8(wanted.join("\n")).length,
          outputLines: kept.length,
          outputBytes: utf8(kept.join("\n")).length,
          lastLinePartial: false,
          firstLineExceedsLimit: by === "bytes" && kept.length === 0,
          maxLines,
          maxBytes,
        });
      },
    ),
  );
});
