// What must hold for every edit script and every file, tried on random ones. Runner-neutral; a failure prints its
// counterexample and seed.

import assert from "node:assert/strict";

import fc from "fast-check";

import { AtomicError, exitStatus, errors } from "../../../core/errors.ts";
import { parseBodies } from "../../../core/hashline/parse.ts";
import { headerPaths, splitScript } from "../../../core/hashline/script.ts";
import { placeSection } from "../../../core/hashline/place.ts";
import { tagOf } from "../../../core/hashline/tag.ts";
import { diffLines, outermostDiffs } from "../../../core/text/diff.ts";
import type { LineMap } from "../../../core/text/line-map.ts";
import { splitLines } from "../../../core/text/lines.ts";
import type { Case } from "../../helpers/cases.ts";
import { openWorld, runEdit, type World } from "./vectors.ts";

export const propertyCases: readonly Case[] = [
  { name: "properties/a patch gives the bytes that a naive model gives", run: patchesAgree },
  { name: "properties/lines replaced by themselves leave the bytes alone", run: noopsAreNoops },
  { name: "properties/no script throws anything but an error of ours", run: scriptsFailCleanly },
  { name: "properties/recovery edits the lines meant, or none", run: recoveryIsExact },
  { name: "properties/recovery never edits the twin of a deleted line", run: twinsAreSafe },
  { name: "properties/a line map leads from the old text to the new", run: mapsReproduce },
  { name: "properties/outermost maps agree on what every shortest edit keeps", run: agreement },
];

// Files

type End = "\n" | "\r\n" | "\r" | "";
type Line = readonly [text: string, end: End];
type Kind = "utf-8" | "utf-8 bom" | "utf-16le" | "utf-16be" | "8-bit";

interface RandomFile {
  readonly kind: Kind;
  readonly lines: readonly Line[];
}

const kinds: readonly Kind[] = ["utf-8", "utf-8", "utf-8 bom", "utf-16le", "utf-16be", "8-bit"];
const words = [
  "alpha",
  "beta",
  "gamma",
  "häuser",
  "漢字",
  "😀 smile",
  "",
  "u\u2028v",
  "nul\0",
  "t  ",
];

const randomFile: fc.Arbitrary<RandomFile> = fc
  .record({
    kind: fc.constantFrom(...kinds),
    lines: fc.array(
      fc.tuple(fc.constantFrom(...words), fc.constantFrom<End>("\n", "\n", "\r\n", "\r")),
      { maxLength: 12 },
    ),
    terminated: fc.boolean(),
  })
  .map(({ kind, lines, terminated }) => {
    const made = lines.map(([word, end], i): Line => [`${word}${i}`, end]);
    // CR and LF of two lines must not meet as one CRLF; no line here is empty, so they cannot.
    if (!terminated && made.length > 0) made.push([made.pop()![0], ""]);
    return { kind, lines: made };
  });

function bytesOf({ kind, lines }: RandomFile): Uint8Array {
  const text = lines.map(([line, end]) => line + end).join("");
  if (kind === "utf-16le" || kind === "utf-16be") {
    return Uint8Array.from(
      [...`\ufeff${text}`].flatMap((char) =>
        char
          .split("")
          .map((unit) => unit.charCodeAt(0))
          .flatMap((unit) =>
            kind === "utf-16le" ? [unit & 0xff, unit >> 8] : [unit >> 8, unit & 0xff],
          ),
      ),
    );
  }
  const encoder = new TextEncoder();
  if (kind !== "8-bit") return encoder.encode(kind === "utf-8 bom" ? `\ufeff${text}` : text);
  // A byte that no UTF-8 text holds, at the end of every line; a file without lines stays empty.
  return Uint8Array.from(
    lines.flatMap(([line, end]) => [...encoder.encode(line), 0xff, 0xc3, ...encoder.encode(end)]),
  );
}

// Patches

type Op =
  | {
      readonly kind: "replace";
      readonly start: number;
      readonly end: number;
      readonly rows: number;
    }
  | { readonly kind: "delete"; readonly start: number; readonly end: number }
  | { readonly kind: "before" | "after"; readonly line: number; readonly rows: number }
  | { readonly kind: "head" | "tail"; readonly rows: number };

interface Hunk {
  readonly op: string;
  readonly at: Op;
  readonly rows: readonly string[];
}

/** Ranges that do not overlap; inserts anywhere outside them; head and tail. In any order. */
function patchFor(count: number): fc.Arbitrary<readonly Hunk[]> {
  const cut = fc.record({ line: fc.nat(Math.max(0, count - 1)), size: fc.nat(2), what: fc.nat(3) });
  return fc
    .record({
      cuts: fc.array(cut, { maxLength: count === 0 ? 0 : 4 }),
      rows: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 6, maxLength: 6 }),
      head: fc.boolean(),
      tail: fc.boolean(),
      turn: fc.nat(5),
    })
    .map(({ cuts, rows, head, tail, turn }) => {
      const taken = new Set<number>();
      const ops: Op[] = [];
      cuts.forEach(({ line, size, what }, i) => {
        const start = line + 1;
        const end = what < 2 ? Math.min(count, start + size) : start;
        for (let at = start; at <= end; at++) if (taken.has(at)) return;
        for (let at = start; at <= end; at++) taken.add(at);
        if (what === 0) ops.push({ kind: "replace", start, end, rows: rows[i]! });
        else if (what === 1) ops.push({ kind: "delete", start, end });
        else ops.push({ kind: what === 2 ? "before" : "after", line: start, rows: rows[i]! });
      });
      if (head || ops.length === 0) ops.push({ kind: "head", rows: rows[4]! });
      if (tail) ops.push({ kind: "tail", rows: rows[5]! });
      const turned = [...ops.slice(turn % ops.length), ...ops.slice(0, turn % ops.length)];
      return turned.map(hunkOf);
    });
}

/** Rows are words that occur nowhere else, unindented, without brackets: no repair and no other landing can apply. */
function hunkOf(at: Op, index: number): Hunk {
  const count = "rows" in at ? at.rows : 0;
  const rows = Array.from({ length: count }, (_, i) => `new${index}x${i}`);
  if (at.kind === "replace") return { op: `replace ${at.start}..${at.end}:`, at, rows };
  if (at.kind === "delete") return { op: `delete ${at.start}..${at.end}`, at, rows };
  if ("line" in at) return { op: `insert ${at.kind} ${at.line}:`, at, rows };
  return { op: `insert ${at.kind}:`, at, rows };
}

function scriptOf(path: string, tag: string, hunks: readonly Hunk[]): string {
  const body = hunks.flatMap(({ op, rows }) => [op, ...rows.map((row) => `+${row}`)]);
  return [`[${path}#${tag}]`, ...body].join("\n");
}

/**
 * Decision 1 as plainly as it can be said: rows of a replacement take the terminators of the lines they replace, the rest
 * that of the last of them; inserted rows that of the line before them, at the head that of the line after. What has none
 * takes that of the nearest terminated line above, else LF; the last line ends as the last line did.
 */
function naive(lines: readonly Line[], hunks: readonly Hunk[]): readonly Line[] {
  const out: Line[] = [];
  const rowsOf = (want: (at: Op) => boolean) =>
    hunks.filter(({ at }) => want(at)).flatMap(({ rows }) => rows);
  const put = (rows: readonly string[], end: End) => {
    for (const row of rows) out.push([row, end]);
  };
  put(
    rowsOf((at) => at.kind === "head"),
    lines[0]?.[1] ?? "\n",
  );
  lines.forEach((line, i) => {
    const number = i + 1;
    const own = lines[i]![1];
    put(
      rowsOf((at) => at.kind === "before" && at.line === number),
      i > 0 ? lines[i - 1]![1] : own,
    );
    const cut = hunks.find(({ at }) => "start" in at && at.start <= number && number <= at.end);
    if (!cut) out.push(line);
    else if (cut.at.kind === "replace" && cut.at.start === number) {
      const { start, end } = cut.at;
      cut.rows.forEach((row, k) => out.push([row, lines[Math.min(start + k, end) - 1]![1]]));
    }
    put(
      rowsOf((at) => at.kind === "after" && at.line === number),
      own,
    );
  });
  const last: End = lines.length > 0 ? lines[lines.length - 1]![1] : "\n";
  put(
    rowsOf((at) => at.kind === "tail"),
    last,
  );
  const above = lines.findLast(([, end]) => end !== "")?.[1] ?? "\n";
  return out.map(([text, end], i) =>
    i === out.length - 1 && last === "" ? [text, ""] : [text, end === "" ? above : end],
  );
}

async function patchesAgree(): Promise<void> {
  const both = randomFile.chain((file) =>
    fc.record({ file: fc.constant(file), hunks: patchFor(file.lines.length) }),
  );
  await holds(
    fc.asyncProperty(both, async ({ file, hunks }) => {
      const before = bytesOf(file);
      const lines = naive(file.lines, hunks);
      const expected = eightBit(file, lines);
      const { world, tag } = await read(before, file);
      const outcome = await runEdit(world, scriptOf("a.txt", tag, hunks));
      if (!outcome.ok) throw outcome.error;
      assert.deepEqual(live(world), expected);
    }),
    700,
  );
}

/** In an 8-bit file the old lines end in their odd bytes; new rows are ASCII. */
function eightBit(file: RandomFile, lines: readonly Line[]): Uint8Array {
  if (file.kind !== "8-bit") return bytesOf({ kind: file.kind, lines });
  return Uint8Array.from(
    lines.flatMap(([text, end]) => [
      ...new TextEncoder().encode(text),
      ...(text.startsWith("new") ? [] : [0xff, 0xc3]),
      ...new TextEncoder().encode(end),
    ]),
  );
}

async function read(
  bytes: Uint8Array,
  { kind, lines }: RandomFile,
): Promise<{ world: World; tag: string }> {
  const odd = kind === "8-bit" ? "\udcff\udcc3" : "";
  const content = lines.map(([line, end]) => line + odd + end).join("");
  const world = await openWorld({ recorded: [{ path: "a.txt", content }] });
  world.host.fs.put("/work/a.txt", bytes);
  return { world, tag: tagOf(content.replace(/\r\n?/g, "\n")) };
}

function live(world: World): Uint8Array {
  return world.host.fs.bytesOf("/work/a.txt")!;
}

async function noopsAreNoops(): Promise<void> {
  const filled = randomFile.filter(({ lines, kind }) => lines.length > 0 && kind !== "8-bit");
  await holds(
    fc.asyncProperty(filled, fc.nat(11), fc.nat(3), async (file, from, size) => {
      const start = (from % file.lines.length) + 1;
      const end = Math.min(file.lines.length, start + size);
      const rows = file.lines.slice(start - 1, end).map(([text]) => text);
      const before = bytesOf(file);
      const { world, tag } = await read(before, file);
      const hunk = hunkOf({ kind: "replace", start, end, rows: 0 }, 0);
      const outcome = await runEdit(world, scriptOf("a.txt", tag, [{ ...hunk, rows }]));
      if (!outcome.ok) throw outcome.error;
      assert.ok("text" in outcome.rendered);
      assert.equal(
        outcome.rendered.text,
        "Edits to a.txt parsed and applied cleanly, but produced no change: your body row(s) are byte-identical to the file at the targeted lines. The bug is somewhere else — re-read the file before issuing another edit. Do NOT widen the payload or add lines; verify the anchor first.",
      );
      assert.deepEqual(live(world), before);
    }),
    250,
  );
}

// Scripts

const pieces = [
  "[a.txt#9A46]",
  "[b.ts#0000]",
  "[a.txt]",
  "[1, 2]",
  "replace 1..2:",
  "replace 2:",
  "replace block 1:",
  "delete 1..3",
  "delete block 2",
  "delete block 2:",
  "insert before 1:",
  "insert after 9:",
  "insert after block 1:",
  "insert head:",
  "insert tail:",
  "replace 99999999999999999999..1:",
  "replace 3..1:",
  "+text",
  "+",
  "+  }",
  "bare",
  "1:a",
  "12:30 lunch",
  "# comment",
  "-minus",
  "@@ -1,2 +1,2 @@",
  "@@ x",
  "*** Begin Patch",
  "*** End Patch",
  "*** Update File: x",
  "",
  "  ",
  "x\ry",
  "\ufeff",
  "7",
  "1-2",
];

const looseScript = fc
  .array(
    fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...pieces) }, fc.string({ unit: "binary" })),
    {
      maxLength: 10,
    },
  )
  .map((lines) => lines.join("\n"));

const mutatedScript = fc
  .record({
    script: fc.array(fc.constantFrom(...pieces.slice(4)), { minLength: 1, maxLength: 8 }),
    at: fc.nat(),
    cut: fc.nat(4),
    paste: fc.oneof(
      fc.string({ unit: "binary", maxLength: 4 }),
      fc.constantFrom("\n", "[", "+", "]"),
    ),
  })
  .map(({ script, at, cut, paste }) => {
    const text = `[a.txt#9A46]\n${script.join("\n")}`;
    const from = at % (text.length + 1);
    return text.slice(0, from) + paste + text.slice(from + cut);
  });

async function scriptsFailCleanly(): Promise<void> {
  const lines = splitLines("a\nb\n");
  const live = { lines, hash: "h", tag: "9A46" };
  await holds(
    fc.asyncProperty(
      fc.oneof(looseScript, mutatedScript, fc.string({ unit: "binary", maxLength: 60 })),
      fc.boolean(),
      async (script, drifted) => {
        try {
          for (const { authored, body } of splitScript(script)) {
            headerPaths(authored);
            const { hunks } = parseBodies([body]);
            await placeSection({
              path: "a.txt",
              tag: "9A46",
              hunks,
              live,
              tagged: [
                { hash: drifted ? "o" : "h", text: drifted ? "a\nc\nb\n" : "a\nb\n", newest: true },
              ],
              expired: false,
              resolver: undefined,
              ownEdits: async () => undefined,
            });
          }
        } catch (thrown) {
          if (!(thrown instanceof AtomicError)) throw thrown;
          assert.notEqual(thrown.message, "");
        }
      },
    ),
    4000,
  );
}

// Recovery

interface Drift {
  /** Old index of each line that stayed; -1 for a new one. */
  readonly origins: readonly number[];
  readonly texts: readonly string[];
}

/** Known line operations: every old line is kept, changed or dropped, and new lines may stand before it. */
function drift(before: readonly string[], moves: readonly number[]): Drift {
  const origins: number[] = [];
  const texts: string[] = [];
  const fresh = () => {
    origins.push(-1);
    texts.push(`fresh${texts.length}`);
  };
  before.forEach((text, i) => {
    const move = moves[i] ?? 0;
    if (move === 1 || move === 2) fresh();
    if (move === 2) fresh();
    if (move === 3) fresh();
    if (move !== 3 && move !== 4) {
      origins.push(i);
      texts.push(text);
    }
  });
  return { origins, texts };
}

/** Mostly 0, so that most lines stay. */
function movesFor(count: number): fc.Arbitrary<number[]> {
  const move = fc.oneof({ weight: 9, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 4 }));
  return fc.array(move, { minLength: count, maxLength: count });
}

interface Scene {
  readonly before: readonly string[];
  readonly moves: readonly number[];
  readonly hunks: readonly Hunk[];
}

function sceneOf(texts: fc.Arbitrary<string[]>): fc.Arbitrary<Scene> {
  return texts.chain((before) =>
    fc.record({
      before: fc.constant(before),
      moves: movesFor(before.length),
      hunks: patchFor(before.length),
    }),
  );
}

/** The hunks at the true new places of their lines; undefined where one of them is gone. */
function translated(hunks: readonly Hunk[], { origins }: Drift): readonly Hunk[] | undefined {
  const now = (line: number) => origins.indexOf(line - 1) + 1;
  const moved: Hunk[] = [];
  for (const hunk of hunks) {
    const { at } = hunk;
    if ("start" in at) {
      const [start, end] = [now(at.start), now(at.end)];
      for (let line = at.start; line <= at.end; line++)
        if (now(line) !== start + line - at.start || start === 0) return undefined;
      moved.push({ ...hunk, at: { ...at, start, end } });
    } else if ("line" in at) {
      if (now(at.line) === 0) return undefined;
      moved.push({ ...hunk, at: { ...at, line: now(at.line) } });
    } else moved.push(hunk);
  }
  return moved;
}

async function checkRecovery({ before, moves, hunks }: Scene): Promise<boolean> {
  const changed = drift(before, moves);
  const old = before.map((text) => `${text}\n`).join("");
  const now = changed.texts.map((text) => `${text}\n`).join("");
  const world = await openWorld({
    files: { "a.txt": now },
    recorded: [{ path: "a.txt", content: old }],
  });
  const outcome = await runEdit(world, scriptOf("a.txt", tagOf(old), hunks));
  const after = world.host.fs.text("/work/a.txt");
  if (!outcome.ok) {
    assert.equal(exitStatus[errors[outcome.error.code].exit], 3, outcome.error.message);
    assert.equal(after, now);
    return false;
  }
  const meant = translated(hunks, changed);
  assert.ok(meant, "an edit of lines that are gone was accepted");
  const lines = naive(
    changed.texts.map((text): Line => [text, "\n"]),
    meant,
  );
  assert.equal(after, lines.map(([text, end]) => text + end).join(""));
  return now !== old;
}

const unique = fc
  .integer({ min: 1, max: 30 })
  .map((count) => Array.from({ length: count }, (_, i) => `line${i}`));

async function recoveryIsExact(): Promise<void> {
  let recovered = 0;
  await holds(
    fc.asyncProperty(sceneOf(unique), async (scene) => {
      if (await checkRecovery(scene)) recovered++;
    }),
    700,
  );
  assert.ok(recovered > 20, `only ${recovered} edits were carried over; the property says little`);
}

/** Blocks that repeat with other lines between, as code does. */
const repeated = fc
  .array(fc.constantFrom("abcdefgh", "abcdefgh", "x", "{}", "abcd", "aaaa", "}"), {
    minLength: 1,
    maxLength: 6,
  })
  .map((blocks) => [...blocks.join("")].map((char) => `word ${char}`));

async function twinsAreSafe(): Promise<void> {
  // New lines are fresh and old ones only go: the true alignment keeps the most lines, so that it can be told.
  const scene = sceneOf(repeated).chain((made) =>
    fc.record({
      before: fc.constant(made.before),
      hunks: fc.constant(made.hunks),
      gone: fc.array(fc.tuple(fc.nat(made.before.length), fc.nat(12)), { maxLength: 2 }),
      moves: fc.constant(made.moves),
      calm: fc.boolean(),
    }),
  );
  let recovered = 0;
  await holds(
    fc.asyncProperty(scene, async ({ before, hunks, gone, moves, calm }) => {
      const isGone = (i: number) => gone.some(([from, size]) => i >= from && i < from + size);
      const all = before.map((_, i) => (isGone(i) ? 4 : calm ? 0 : moves[i]!));
      if (await checkRecovery({ before, moves: all, hunks })) recovered++;
    }),
    700,
  );
  assert.ok(recovered > 20, `only ${recovered} edits were carried over; the property says little`);
}

// Diffs

async function mapsReproduce(): Promise<void> {
  const letters = fc.array(fc.constantFrom("a", "b", "c", "d", "}"), { maxLength: 40 });
  await holds(
    fc.asyncProperty(letters, letters, async (before, after) => {
      for (const map of [diffLines(before, after), ...outermostDiffs(before, after)]) {
        assert.deepEqual(reproduce(before, after, map), after);
      }
    }),
    2000,
  );
}

/** Against the definition: a pair of lines is certain when every edit without it is longer. */
async function agreement(): Promise<void> {
  const letters = fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 9 });
  await holds(
    fc.asyncProperty(letters, letters, async (before, after) => {
      const maps = outermostDiffs(before, after);
      const [earliest, latest] = maps.map((map) => keptPairs(before.length, map));
      const shortest = distance(before, after);
      for (const map of maps)
        assert.equal(
          map.reduce((sum, { removed, added }) => sum + removed + added, 0),
          shortest,
        );
      const certain = before.flatMap((_, i) =>
        after.flatMap((_, j) => (distance(before, after, [i, j]) > shortest ? [`${i} ${j}`] : [])),
      );
      assert.deepEqual(
        earliest!.filter((pair) => latest!.includes(pair)),
        certain,
      );
    }),
    400,
  );
}

function keptPairs(count: number, map: LineMap): string[] {
  const pairs: string[] = [];
  let line = 0;
  let shift = 0;
  for (const { at, removed, added } of [...map, { at: count, removed: 0, added: 0 }]) {
    for (; line < at; line++) pairs.push(`${line} ${line + shift}`);
    line += removed;
    shift += added - removed;
  }
  return pairs;
}

/** Lines removed and added by the shortest edit that does not keep the forbidden pair. */
function distance(
  before: readonly string[],
  after: readonly string[],
  forbidden?: readonly [number, number],
): number {
  let row = Array.from({ length: after.length + 1 }, (_, j) => j);
  before.forEach((text, i) => {
    const next = [i + 1];
    after.forEach((other, j) => {
      const same = text === other && !(forbidden?.[0] === i && forbidden[1] === j);
      next.push(Math.min(next[j]! + 1, row[j + 1]! + 1, same ? row[j]! : Infinity));
    });
    row = next;
  });
  return row[after.length]!;
}

/** The old lines outside the hunks, the new lines inside them. */
function reproduce(before: readonly string[], after: readonly string[], map: LineMap): string[] {
  const out: string[] = [];
  let line = 0;
  for (const { at, removed, added } of map) {
    assert.ok(at >= line && removed + added > 0, "hunks are out of order or empty");
    out.push(...before.slice(line, at));
    out.push(...after.slice(out.length, out.length + added));
    line = at + removed;
  }
  return [...out, ...before.slice(line)];
}

async function holds<T extends unknown[]>(
  property: fc.IAsyncProperty<T>,
  numRuns: number,
): Promise<void> {
  await fc.assert(property, { numRuns });
}
