// The weaknesses that spec/fixtures/vectors/quirks.json records, each held to what this tool does instead: the vectors
// give files, history and calls; what must come of them is written here (hashline.md decisions). Runner-neutral.

import assert from "node:assert/strict";

import type { Outcome } from "../../../core/call.ts";
import type { Case } from "../../helpers/cases.ts";
import { openWorld, readVectors, runEdit, type Recorded, type Vector } from "./vectors.ts";

interface Ours {
  /** Of every call in order, those of one parallel step side by side: the whole text, or the whole error message. */
  readonly answers: readonly Answer[];
  /** What every file holds in the end: its text, or its bytes. */
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  /** In place of the vector's own. */
  readonly recorded?: readonly Recorded[];
  readonly input?: string;
  readonly onDisk?: Readonly<Record<string, string | Uint8Array>>;
}

type Answer = { readonly text: string } | { readonly error: string; readonly code: string };

const noChange =
  "Edits to a.txt parsed and applied cleanly, but produced no change: your body row(s) are byte-identical to the file at the targeted lines. The bug is somewhere else — re-read the file before issuing another edit. Do NOT widen the payload or add lines; verify the anchor first.";
const bareRows =
  "Auto-prefixed bare body row(s) with `+`. Body rows must be `+TEXT` literal lines.";
const recovered =
  "Recovered from a stale file hash using a previous read snapshot (file changed externally between read and edit).";
const batchOfTwo = {
  text: "[a.txt#EA97]\nApplied 2 parallel edit calls as one snapshot-anchored batch.\n-a\n*1:A\n 2:b\n-c\n*3:C",
};

function stale(path: string, tag: string, actual: string, context: string): Answer {
  return {
    code: "edit.stale",
    error: `Edit rejected for ${path}: file changed between read and edit.\nSection is bound to #${tag}, but the current file hashes to #${actual}. If a prior edit in this session modified this file, copy the [path#newhash] header from that edit's response; otherwise re-read the file with \`read\` to refresh the tag before retrying.${context}`,
  };
}

function unknownTag(problem: string, actual: string, context: string): Answer {
  return {
    code: "edit.unknown_tag",
    error: `Edit rejected for ${problem}\nThe current file hashes to #${actual}. Re-read the file with \`read\` to copy a current [path#tag] header — never invent the tag and never reuse one from a prior session.${context}`,
  };
}

function script(error: string): Answer {
  return { code: "edit.script", error };
}

const ab = { "a.txt": "a\nb\n" };
const abc = { "a.txt": "a\nb\nc\n" };

const ours: Readonly<Record<string, Ours>> = {
  "header-only-patch-succeeds-silently": {
    answers: [script("Patch input did not produce any sections.")],
    files: ab,
  },
  "bare-bracket-row-becomes-header-and-range-is-deleted": {
    answers: [
      script(
        'Input header must be [PATH] or [PATH#TAG] with a 4-hex content-hash tag; got "[1, 2, 3]".',
      ),
    ],
    files: abc,
  },
  "unknown-tag-head-insert-applied": {
    answers: [unknownTag("a.txt: hash #FFFF is not from this session.", "9A46", "")],
    files: ab,
  },
  "unknown-tag-tail-insert-applied": {
    answers: [unknownTag("a.txt: hash #FFFF is not from this session.", "9A46", "")],
    files: ab,
  },
  "recovery-slides-to-duplicate-block": {
    answers: [stale("a.txt", "7C18", "163C", "\n\n 2:2\n 3:X\n*4:T\n 5:4\n 6:5")],
    files: { "a.txt": "1\n2\nX\nT\n4\n5\n6\nm\nm\n1\n2\n3\nT\n4\n5\n6\n" },
  },
  "recovery-edits-twin-of-deleted-target": {
    answers: [stale("a.txt", "E19C", "31E3", "\n\n 2:1\n 3:2\n*4:3\n 5:T\n 6:4")],
    files: { "a.txt": "m\n1\n2\n3\nT\n4\n5\n6\nz\n" },
  },
  "stale-tail-insert-lands-before-appended-lines": {
    answers: [
      {
        text: `[a.txt#30CB]\n${recovered}\n 1:line 1\n-line 2\n*2:TWO\n 3:line 3\n 4:line 4\n…\n 10:line 10\n 11:line 11\n*12:t`,
      },
    ],
    files: {
      "a.txt":
        "line 1\nTWO\nline 3\nline 4\nline 5\nline 6\nline 7\nline 8\nline 9\nline 10\nline 11\nt\n",
    },
  },
  // The blanks came within three lines of the target, so decision 9 asks for a new read.
  "trailing-whitespace-drift-has-equal-tags": {
    answers: [stale("a.txt", "9A46", "9A46", "\n\n 1:a  \n*2:b")],
    files: { "a.txt": "a  \nb\n" },
  },
  "mixed-line-endings-normalised": {
    answers: [{ text: "[a.txt#A963]\n-a\n*1:A\n 2:b\n 3:c" }],
    files: { "a.txt": "A\r\nb\nc\r\nd\re\n" },
  },
  // A read of these bytes records them as they are, so the tag is that of the bytes and not of two U+FFFD.
  "non-utf8-bytes-destroyed": {
    recorded: [{ path: "a.txt", content: "a\udcff\udcfe\nb\n" }],
    input: "[a.txt#555D]\nreplace 2..2:\n+B",
    answers: [{ text: "[a.txt#B4C3]\n 1:a\\xFF\\xFE\n-b\n*2:B" }],
    files: { "a.txt": Uint8Array.of(0x61, 0xff, 0xfe, 0x0a, 0x42, 0x0a) },
  },
  "symlink-alias-deadlocks": {
    answers: [
      script(
        "Multiple hashline sections resolve to the same file (a.txt and l.txt). Merge their ops under one header before applying.",
      ),
    ],
    files: { "a.txt": "a\nb\n", "l.txt": "a\nb\n" },
  },
  "block-overlapping-line-range-accepted": {
    answers: [
      script(
        "line 3: anchor line 2 is already targeted by another hunk on line 1. Issue ONE hunk per range; payload is only the final desired content, never a before/after pair.",
      ),
    ],
    files: { "a.ts": "function f() {\n  a();\n  b();\n}\nz();\n" },
  },
  "nested-blocks-accepted": {
    answers: [
      script(
        "line 2: anchor line 2 is already targeted by another hunk on line 1. Issue ONE hunk per range; payload is only the final desired content, never a before/after pair.",
      ),
    ],
    files: { "a.ts": "function f() {\n  if (a) {\n    b();\n  }\n}\nz();\n" },
  },
  "insert-after-phantom-line-breaks-final-newline": {
    answers: [{ text: "[a.txt#E83D]\n 1:a\n 2:b\n*3:x" }],
    files: { "a.txt": "a\nb\nx\n" },
  },
  "line-count-in-bounds-error-includes-phantom": {
    answers: [{ code: "edit.line", error: "Line 9 does not exist (file has 2 lines)" }],
    files: ab,
  },
  "comment-in-second-merged-section-is-written": {
    answers: [{ text: "[a.txt#0787]\n-a\n*1:A\n 2:b\n-c" }],
    files: { "a.txt": "A\nb\n" },
  },
  "delete-block-with-colon-inside-body-is-text": {
    answers: [
      script("line 3: `delete N..M` has no colon and no body. Remove the colon and body rows."),
    ],
    files: { "a.ts": "a();\nif (b) {\n  c();\n}\n" },
  },
  "uniform-times-lose-their-hours": {
    answers: [{ text: `[a.txt#37B9]\n${bareRows}\n-a\n-b\n*1:12:30 lunch\n*2:14:00 review` }],
    files: { "a.txt": "12:30 lunch\n14:00 review\n" },
  },
  "json-member-comma-lost": {
    answers: [
      {
        text: '[a.json#1872]\n`replace block 2`: line 4 goes on past the block (such as with a comma); the operation took the whole line, so the body must restate what follows.\nreplace block 2 → resolved lines 2-4 (3 lines)\n 1:{\n-  "a": {\n-    "b": 1\n-  },\n*2:  "a": {}\n 3:  "c": 2\n 4:}',
      },
    ],
    files: { "a.json": '{\n  "a": {}\n  "c": 2\n}\n' },
  },
  "python-first-statement-deletes-whole-body": {
    answers: [
      {
        text: "[a.py#84C6]\ndelete block 2 → resolved lines 2-2 (1 lines)\n 1:def f():\n-    a = 1\n 2:    b = 2\n 3:    return a + b",
      },
    ],
    files: { "a.py": "def f():\n    b = 2\n    return a + b\n" },
  },
  "jsx-closing-tag-resolves-alone": {
    answers: [
      {
        code: "edit.block",
        error:
          "line 1: `delete block 4` could not resolve a syntactic block beginning on line 4 (unsupported language, blank/closer line, or parse error). Use `delete 4..M` with explicit lines.\n\n 2:  <ul>\n 3:    <li>x</li>\n*4:  </ul>\n 5:);",
      },
    ],
    files: { "a.jsx": "const e = (\n  <ul>\n    <li>x</li>\n  </ul>\n);\n" },
  },
  "java-method-under-annotation-resolves-return-type": {
    answers: [
      {
        code: "edit.block",
        error:
          "line 1: `delete block 3` could not resolve a syntactic block beginning on line 3 (unsupported language, blank/closer line, or parse error). Use `delete 3..M` with explicit lines.\n\n 1:class A {\n 2:  @Override\n*3:  int m() {\n 4:    return 1;\n 5:  }",
      },
    ],
    files: { "A.java": "class A {\n  @Override\n  int m() {\n    return 1;\n  }\n}\n" },
  },
  "interior-cr-in-body-row": {
    answers: [
      script(
        "line 2: a body row cannot hold a carriage return (CR) before its end; it would become a line break. Split the row, or leave the CR out.",
      ),
    ],
    files: ab,
  },
  "dotdot-named-file-shown-absolute": {
    answers: [{ text: "[..cfg#0608]\n-a\n 1:b" }],
    files: { "..cfg": "b\n" },
  },
  "three-different-noop-payloads-stop": {
    answers: [{ text: noChange }, { text: noChange }, { text: noChange }],
    files: abc,
  },
  "rejected-tag-works-on-blind-retry": {
    answers: [
      stale("a.txt", "9A46", "9A46", "\n\n 1:a  \n*2:b"),
      stale("a.txt", "9A46", "9A46", "\n\n 1:a  \n*2:b"),
    ],
    files: { "a.txt": "a  \nb\n" },
  },
  "mismatch-message-tag-usable-without-read": {
    answers: [
      unknownTag("a.txt: hash #0001 is not from this session.", "9A46", "\n\n 1:a\n*2:b"),
      unknownTag("a.txt: hash #9A46 is not from this session.", "9A46", "\n\n 1:a\n*2:b"),
    ],
    files: ab,
  },
  "parallel-end-patch-drops-sibling": {
    answers: [batchOfTwo, batchOfTwo],
    files: { "a.txt": "A\nb\nC\n" },
  },
  "parallel-no-newline-body-joins": {
    answers: [batchOfTwo, batchOfTwo],
    files: { "a.txt": "A\nb\nC\n" },
  },
  "collision-three-way-says-not-from-session": {
    answers: [
      unknownTag(
        "c.txt: hash #A0C9 is ambiguous; this session saw different contents of the file under it.",
        "036D",
        "\n\n 1:other\n*2:shared\n 3:last",
      ),
    ],
    files: { "c.txt": "other\nshared\nlast\n" },
  },
  "empty-file-insert-leaves-no-final-newline": {
    answers: [{ text: "[a.txt#9585]\n*1:a" }],
    files: { "a.txt": "a\n" },
  },
  "first-diff-row-loses-its-leading-space": {
    answers: [{ text: "[a.txt#D941]\n 1:a\n-b\n*2:B" }],
    files: { "a.txt": "a\nB\n" },
  },
  "preview-context-uses-old-line-numbers": {
    answers: [{ text: "[a.txt#3ECC]\n*1:x\n*2:y\n 3:a\n 4:b" }],
    files: { "a.txt": "x\ny\na\nb\nc\n" },
  },
};

/** What a quirk shows only in part. */
const more: readonly (Ours & { readonly name: string })[] = [
  {
    name: "quirks/trailing-whitespace-drift-far-away-is-recovered",
    recorded: [{ path: "a.txt", content: "a\nb\nc\nd\ne\n" }],
    onDisk: { "a.txt": "a  \nb\nc\nd\ne\n" },
    input: "[a.txt#25F0]\nreplace 5..5:\n+E",
    answers: [{ text: `[a.txt#5990]\n${recovered}\n 3:c\n 4:d\n-e\n*5:E` }],
    files: { "a.txt": "a  \nb\nc\nd\nE\n" },
  },
  // One block of two stayed; which, the text cannot tell: the second may have been deleted with the lines between.
  {
    name: "quirks/recovery-does-not-guess-which-of-two-trailing-twins-stayed",
    recorded: [{ path: "a.txt", content: "x\n1\n2\n3\nT\n4\n5\n6\nm\n1\n2\n3\nT\n4\n5\n6\n" }],
    onDisk: { "a.txt": "1\n2\n3\nT\n4\n5\n6\n" },
    input: "[a.txt#A47D]\nreplace 13..13:\n+CHANGED",
    answers: [stale("a.txt", "A47D", "FC33", "")],
    files: { "a.txt": "1\n2\n3\nT\n4\n5\n6\n" },
  },
  {
    name: "quirks/recovery-does-not-guess-which-of-two-leading-twins-stayed",
    recorded: [{ path: "a.txt", content: "1\n2\n3\nT\n4\n5\n6\nm\n1\n2\n3\nT\n4\n5\n6\nx\n" }],
    onDisk: { "a.txt": "1\n2\n3\nT\n4\n5\n6\n" },
    input: "[a.txt#CD0A]\nreplace 4..4:\n+CHANGED",
    answers: [stale("a.txt", "CD0A", "FC33", "\n\n 2:2\n 3:3\n*4:T\n 5:4\n 6:5")],
    files: { "a.txt": "1\n2\n3\nT\n4\n5\n6\n" },
  },
  {
    name: "quirks/wide-row-in-a-file-that-is-not-utf8-is-refused",
    recorded: [{ path: "a.txt", content: "a\udcff\nb\n" }],
    onDisk: { "a.txt": Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0x0a) },
    input: "[a.txt#5E20]\nreplace 2..2:\n+é",
    answers: [
      {
        code: "edit.encoding",
        error:
          "Could not edit file: a.txt. The new row at line 2 holds characters that the file's encoding (not UTF-8) is not certain to carry. Use ASCII rows only, or convert the file to UTF-8 first.",
      },
    ],
    files: { "a.txt": Uint8Array.of(0x61, 0xff, 0x0a, 0x62, 0x0a) },
  },
];

const vectors = readVectors("quirks");

export const quirkCases: readonly Case[] = [
  {
    name: "quirks/every recorded weakness has an answer of ours",
    async run() {
      const names = vectors.map(({ name }) => name.replace("quirks/", ""));
      assert.deepEqual(Object.keys(ours).toSorted(), names.toSorted());
    },
  },
  ...vectors.map((vector) => ({
    name: vector.name,
    run: () => runQuirk(vector, ours[vector.name.replace("quirks/", "")]!),
  })),
  ...more.map((quirk) => ({
    name: quirk.name,
    run: () => runQuirk({}, quirk),
  })),
];

type Situation = Partial<Vector>;

async function runQuirk(vector: Situation, expected: Ours): Promise<void> {
  const world = await openWorld({
    ...vector,
    recorded: expected.recorded ?? vector.recorded ?? filesAsRead(vector),
  });
  for (const [path, content] of Object.entries(expected.onDisk ?? {}))
    world.host.fs.put(`/work/${path}`, content);
  const calls = vector.steps?.map(({ input, inputs }) => inputs ?? [input!]) ?? [
    [expected.input ?? vector.input!],
  ];
  const answers: Answer[] = [];
  for (const inputs of calls) {
    const outcomes = await Promise.all(inputs.map((input) => runEdit(world, input)));
    answers.push(...outcomes.map(answerOf));
  }
  assert.deepEqual(answers, expected.answers);
  const found = world.host.fs
    .paths()
    .filter((path) => path.startsWith("/work/"))
    .map((path): [string, readonly number[]] => [
      path.slice("/work/".length),
      [...world.host.fs.bytesOf(path)!],
    ]);
  assert.deepEqual(
    Object.fromEntries(found),
    Object.fromEntries(
      Object.entries(expected.files).map(([path, content]) => [
        path,
        [...(typeof content === "string" ? new TextEncoder().encode(content) : content)],
      ]),
    ),
  );
}

function filesAsRead({ files = {} }: Situation): Recorded[] {
  return Object.entries(files).map(([path, content]) => ({ path, content }));
}

function answerOf(outcome: Outcome): Answer {
  if (!outcome.ok) return { code: outcome.error.code, error: outcome.error.message };
  assert.ok("text" in outcome.rendered);
  return { text: outcome.rendered.text };
}
