// Our patches against the program they are made for.

import { expect, test } from "bun:test";
import fc from "fast-check";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

import { nodeBytes } from "../../../adapters/shared/bytes.ts";
import { type FilePatch, gitPatch } from "../../../core/changes/git-patch.ts";
import { inFolder } from "../../helpers/folder.ts";

const bytes = nodeBytes();

async function git(folder: string, ...args: string[]): Promise<{ status: number; err: string }> {
  const child = Bun.spawn(["git", ...args], { cwd: folder, stdout: "ignore", stderr: "pipe" });
  return { status: await child.exited, err: await new Response(child.stderr).text() };
}

type Image = FilePatch["before"];

function put(folder: string, path: string, image: Image): void {
  const full = join(folder, path);
  if (!image) return rmSync(full, { force: true });
  mkdirSync(dirname(full), { recursive: true });
  writeFileSync(full, image.bytes);
  chmodSync(full, image.mode);
}

function found(folder: string, path: string): Image {
  const full = join(folder, path);
  if (!existsSync(full)) return undefined;
  const isExecutable = (statSync(full).mode & 0o100) !== 0;
  return { bytes: new Uint8Array(readFileSync(full)), mode: isExecutable ? 0o755 : 0o644 };
}

const row = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.constantFrom("a", "b", "", "  x", "--- a", "+++ b", "@@ -1 +1 @@", "\\ x"),
  },
  { weight: 1, arbitrary: fc.constantFrom("\r", "é", "tab\t", "\u2028") },
);
const text = fc
  .tuple(fc.array(fc.tuple(row, fc.constantFrom("\n", "\r\n", "\n", "\n")), { maxLength: 30 }), row)
  .map(([rows, last]) => new TextEncoder().encode(rows.flat().join("") + last));
const content = fc.oneof(
  { weight: 5, arbitrary: text },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 300 }) },
  { weight: 1, arbitrary: fc.constant(Uint8Array.of(0, 1, 2)) },
);
const image: fc.Arbitrary<Image> = fc.option(
  fc.record({ bytes: content, mode: fc.constantFrom(0o644, 0o755) }),
  { nil: undefined, freq: 5 },
);
const names = [
  "plain",
  "with blank",
  "d/e/f",
  'q"uote',
  "back\\slash",
  "tab\there",
  "new\nline",
  "ünï",
  " lead",
];

test("git apply makes of the old files the new ones, and -R the old ones again", async () => {
  const changes = fc.dictionary(fc.constantFrom(...names), fc.tuple(image, image), {
    minKeys: 1,
    maxKeys: 4,
  });
  await fc.assert(
    fc.asyncProperty(changes, async (all) => {
      const files = Object.entries(all).flatMap(([path, [before, after]]) =>
        before || after ? [{ path, before, after }] : [],
      );
      await inFolder(async (folder) => {
        for (const { path, before } of files) put(folder, path, before);
        const patch = gitPatch(files, bytes);
        if (patch.length === 0) return;
        const file = join(folder, ".patch");
        writeFileSync(file, patch);
        expect(await git(folder, "apply", "--whitespace=nowarn", file)).toEqual({
          status: 0,
          err: "",
        });
        for (const { path, after } of files)
          expect([path, found(folder, path)]).toEqual([path, after]);
        expect(await git(folder, "apply", "-R", "--whitespace=nowarn", file)).toEqual({
          status: 0,
          err: "",
        });
        for (const { path, before } of files) {
          expect([path, found(folder, path)]).toEqual([path, before]);
        }
      });
    }),
    { numRuns: 60 },
  );
}, 120_000);

test("a patch is what git itself would write", () => {
  const encode = (text: string) => new TextEncoder().encode(text);
  const patch = gitPatch(
    [
      {
        path: "a b.txt",
        before: { bytes: encode("1\n2\n"), mode: 0o644 },
        after: { bytes: encode("1\n2\n3"), mode: 0o755 },
      },
      { path: "gone", before: { bytes: encode(""), mode: 0o600 }, after: undefined },
      {
        path: "mode",
        before: { bytes: encode("x"), mode: 0o644 },
        after: { bytes: encode("x"), mode: 0o744 },
      },
      {
        path: "same",
        before: { bytes: encode("x"), mode: 0o644 },
        after: { bytes: encode("x"), mode: 0o640 },
      },
    ],
    bytes,
  );
  expect(new TextDecoder().decode(patch)).toBe(`diff --git a/a b.txt b/a b.txt
old mode 100644
new mode 100755
index 1191247b6d9a206f6ba3d8ac79e26d041dd86941..5f5fbe759f10b9807b18f3898afd7505dbbfcbd2
--- a/a b.txt\t
+++ b/a b.txt\t
@@ -1,2 +1,3 @@
 1
 2
+3
\\ No newline at end of file
diff --git a/gone b/gone
deleted file mode 100644
index e69de29bb2d1d6434b8b29ae775ad8c2e48c5391..0000000000000000000000000000000000000000
diff --git a/mode b/mode
old mode 100644
new mode 100755
`);
});
