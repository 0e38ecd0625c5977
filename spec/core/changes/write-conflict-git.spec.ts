// Conflicts as git marks them, resolved by a side, against what git makes of them when it is told the side at once.

import { spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, setDefaultTimeout, test } from "bun:test";
import fc from "fast-check";

import { archiveWorld } from "../../helpers/archive-world.ts";
import { inFolder } from "../../helpers/folder.ts";

setDefaultTimeout(120_000);

const hasGit = Bun.which("git") !== null;

function mergeFile(folder: string, options: readonly string[]): { text: string; marked: boolean } {
  const { status, stdout, stderr } = spawnSync(
    "git",
    ["merge-file", "-p", "-q", ...options, "ours", "base", "theirs"],
    { cwd: folder, encoding: "utf8" },
  );
  if (status === null || status > 127) throw new Error(stderr);
  return { text: stdout, marked: status > 0 };
}

const line = fc.constantFrom("a", "b", "c", "d", "", "=======", "========", "<<<<<<", "  x  ");
const lines = fc.array(line, { minLength: 2, maxLength: 12 });
const edits = fc.array(fc.tuple(fc.nat(11), fc.constantFrom("O", "P", "Q", "R")), { maxLength: 4 });

const merges = fc.record({
  base: lines,
  ours: edits,
  theirs: edits,
  style: fc.constantFrom<readonly string[]>([], ["--diff3"], ["--zdiff3"]),
  ending: fc.constantFrom("\n", "\r\n"),
});

test.skipIf(!hasGit)("sides of git's own conflicts are what git takes for them", async () => {
  await inFolder(async (folder) => {
    let resolved = 0;
    await fc.assert(
      fc.asyncProperty(merges, async ({ base, ours, theirs, style, ending }) => {
        const edited = (changes: readonly (readonly [number, string])[], letter: string) =>
          changes.reduce<readonly string[]>(
            (text, [at, word]) => text.with(at % text.length, `${letter}${word}`),
            base,
          );
        const write = (name: string, text: readonly string[]) =>
          writeFileSync(join(folder, name), text.map((row) => row + ending).join(""));
        write("base", base);
        write("ours", edited(ours, "1"));
        write("theirs", edited(theirs, "2"));
        const { text, marked } = mergeFile(folder, style);
        if (!marked) return;
        for (const [side, option] of [
          ["@ours", "--ours"],
          ["@theirs", "--theirs"],
          ["@both", "--union"],
        ] as const) {
          const it = await archiveWorld({ "f.txt": text });
          if ((await it.read("f.txt:conflicts")).includes("cannot be told")) continue;
          expect(await it.write("conflict://*", side)).toMatch(/^\d+ conflicts? resolved/);
          expect(it.host.fs.text("/work/f.txt")).toBe(mergeFile(folder, [...style, option]).text);
          resolved++;
        }
      }),
      { numRuns: 150 },
    );
    expect(resolved).toBeGreaterThan(60);
  });
});
