// Damaged archives and odd targets: an answer or a refusal by name, never a crash, a hang or a look outside. The counts are
// small unless ATOMIC_FUZZ gives another one; ATOMIC_FUZZ_SEED begins elsewhere.

import { readdirSync, readFileSync } from "node:fs";
import { deflateRawSync, gzipSync, zstdCompressSync } from "node:zlib";

import { expect, test } from "bun:test";

import { archiveSuffix } from "../../../core/archives/suffixes.ts";
import { type ArchiveWorld, archiveWorld } from "../../helpers/archive-world.ts";
import { tarOf, zipOf } from "../../helpers/archive-files.ts";
import { databaseOf } from "../../helpers/database.ts";

const rounds = Number(process.env["ATOMIC_FUZZ"] ?? 1_500);
const firstSeed = Number(process.env["ATOMIC_FUZZ_SEED"] ?? 1);
const TIME = Math.max(120_000, rounds * 20);

/** Mulberry32: whole numbers below a limit, the same ones for the same seed. */
function numbers(seed: number): (limit: number) => number {
  let state = seed >>> 0;
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % limit;
  };
}

function fixtures(folder: string): readonly (readonly [string, Uint8Array])[] {
  const at = new URL(`../../fixtures/${folder}/`, import.meta.url);
  return readdirSync(at).map((name) => [name, new Uint8Array(readFileSync(new URL(name, at)))]);
}

const text = "line of a member\n".repeat(40);
const tar = tarOf([
  { name: "a.txt", content: text },
  { name: "dir/", type: "5" },
  { name: "dir/b.txt", content: "b\n" },
  { name: "link", type: "2", link: "dir/b.txt" },
  { name: "hard", type: "1", link: "a.txt" },
]);
const zip = zipOf({
  "a.txt": { packed: deflateRawSync(text), size: text.length, content: text },
  "dir/b.txt": "b\n",
  "é.txt": { content: "e", comment: "c" },
  link: { content: "dir/b.txt", attributes: 0xa1ff0000 },
});
const files: readonly (readonly [string, Uint8Array])[] = [
  ["a.zip", zip],
  ["a.tar", tar],
  ["a.tgz", new Uint8Array(gzipSync(tar))],
  ["a.txt.gz", new Uint8Array(gzipSync(text))],
  ["a.tar.zst", new Uint8Array(zstdCompressSync(tar))],
  ...["B030", "B032", "B034", "B036"].flatMap((name) => fixtures(`cases/${name}`)),
  ...fixtures("packed"),
];
const bases = files.filter(([name]) => archiveSuffix(name) !== undefined);

const odd = [0, 1, 0x7f, 0x80, 0xff];

/** A few changes of the kinds that damage and malice make. */
function mutated(base: Uint8Array, below: (limit: number) => number): Uint8Array {
  let bytes: Uint8Array = base.slice();
  for (let left = 1 + below(4); left > 0; left--) {
    const at = below(bytes.length + 1);
    const length = 1 + below(below(8) === 0 ? 600 : 8);
    const kind = below(7);
    if (kind === 0 && at < bytes.length) bytes[at] = bytes[at]! ^ (1 << below(8));
    else if (kind === 1) bytes.fill(odd[below(odd.length)]!, at, at + length);
    else if (kind === 2) bytes = bytes.subarray(0, at).slice();
    else if (kind === 3) bytes = cut(bytes, at, length, new Uint8Array(0));
    else if (kind === 4) {
      bytes = cut(
        bytes,
        at,
        0,
        Uint8Array.from({ length }, () => below(256)),
      );
    } else if (kind === 5) {
      const from = below(bytes.length + 1);
      bytes = cut(bytes, at, 0, bytes.slice(from, from + length));
    } else {
      // A number that is larger than it should be, where a number may stand.
      for (let i = 0; i < 4 && at + i < bytes.length; i++)
        bytes[at + i] = [0xff, 0x7f, 0x30][below(3)]!;
    }
  }
  return bytes;
}

function cut(bytes: Uint8Array, at: number, removed: number, added: Uint8Array): Uint8Array {
  return new Uint8Array(
    Buffer.concat([bytes.subarray(0, at), added, bytes.subarray(at + removed)]),
  );
}

const refusal = /^(?:archive|file|selector|read|session|sqlite|conflict|notebook)\.[a-z_]+: /;

function crashed(answer: string): boolean {
  return /^(?:internal|aborted): /.test(answer) || answer.includes("Internal error");
}

test(
  "a mutated archive is read, written or refused, and nothing else changes",
  async () => {
    let it: ArchiveWorld | undefined;
    for (let round = 0; round < rounds; round++) {
      const seed = firstSeed + round;
      const below = numbers(seed);
      const [name, base] = bases[below(bases.length)]!;
      const bytes = mutated(base, below);
      if (round % 200 === 0) it = await archiveWorld({ "keep.txt": "kept\n" });
      const { host, read, write } = it!;
      const path = `/work/${name}`;
      host.fs.put(path, bytes);
      const listed = await read(name);
      const members = [...listed.matchAll(/^(\S[^\n]*?)(?: \(.*\)| -> .*|\/)$/gm)].map(
        (m) => m[1]!,
      );
      const targets = ["a.txt", "dir", "link", ...members.slice(0, 3)];
      for (const answer of [listed, ...(await all(targets, (one) => read(`${name}:${one}`)))]) {
        if (crashed(answer)) throw new Error(`seed ${seed}, ${name}: ${answer.slice(0, 500)}`);
      }
      if (round % 3 === 0) {
        const member = targets[below(targets.length)]!;
        const answer = await write(`${name}:${member}`, `written ${seed}\n`, { force: true });
        const now = host.fs.bytesOf(path)!;
        if (crashed(answer)) throw new Error(`seed ${seed}, ${name}: ${answer.slice(0, 500)}`);
        if (answer.startsWith("Successfully")) {
          const back = await read(`${name}:${member}:raw`);
          if (back !== `written ${seed}\n`) {
            throw new Error(`seed ${seed}, ${name}:${member} holds ${back.slice(0, 300)}`);
          }
        } else {
          expect([seed, refusal.test(answer)]).toEqual([seed, true]);
          expect(Buffer.compare(now, bytes)).toBe(0);
        }
      }
      const others = host.fs.paths().filter((one) => one.startsWith("/work"));
      expect([seed, others]).toEqual([seed, ["/work/keep.txt", path].toSorted()]);
      host.fs.drop(path);
    }
  },
  TIME,
);

async function all<T, R>(values: readonly T[], work: (value: T) => Promise<R>): Promise<R[]> {
  const results: R[] = [];
  for (const value of values) results.push(await work(value));
  return results;
}

const pieces = [
  ..."local:// skill:// conflict:// artifact:// file:// http:// foo:// : :: / // .. ../ ./ ~ @ * ?".split(
    " ",
  ),
  ..."raw conflicts 1 L1 1-2 5..9 5+3 0 -5 5-6,9 cell:0 99999999999999999999 1-100001".split(" "),
  ..."in.zip in.db nb.ipynb a.txt dir link out.zip s out leave.zip leave.db x.tar a b/c t u:v 1/ours".split(
    " ",
  ),
  ..."/out/out.zip /out/secret.txt ../out/secret.txt /work /out t?limit=2 ?q=SELECT where= & %2e%2e%2f %2F %3A %00".split(
    " ",
  ),
  "\0",
  "\n",
  " ",
  "\u00a0",
  "é",
  "\ud800",
  "'",
  '"',
  "\\",
  "C:\\",
  "[",
  "]",
  "{",
  "#1A2B",
];

test(
  "an odd target is answered or refused, and no confined one leads out",
  async () => {
    const secret = "TOP-SECRET\n";
    const hidden = zipOf({
      s: { packed: deflateRawSync(secret), size: secret.length, content: secret },
    });
    let it: ArchiveWorld | undefined;
    for (let round = 0; round < rounds; round++) {
      const seed = firstSeed + round;
      const below = numbers(seed ^ 0x5eed);
      if (round % 500 === 0) {
        it = await archiveWorld({
          "a.txt": "one\ntwo\n",
          "dir/a.txt": "three\n",
          "in.zip": zipOf({ a: "in zip\n", "b/c": "deeper\n", raw: "named raw\n" }),
          "in.db": databaseOf(
            "CREATE TABLE t(id INTEGER PRIMARY KEY, v); INSERT INTO t VALUES(1,'x')",
          ),
          "nb.ipynb": `{"cells":[],"metadata":{},"nbformat":4,"nbformat_minor":5}`,
          "leave.zip": { link: "/out/out.zip" },
          out: { link: "/out" },
          "/out/out.zip": hidden,
          "/out/secret.txt": secret,
          ".agents/skills/s/SKILL.md": "skill\n",
          ".agents/skills/s/link": { link: "/out/secret.txt" },
        });
      }
      let target = "";
      for (let left = 1 + below(6); left > 0; left--) target += pieces[below(pieces.length)]!;
      const before = it!.host.fs.paths();
      const answer = await it!.read(target);
      const shown = JSON.stringify(target);
      if (crashed(answer)) throw new Error(`seed ${seed}, ${shown}: ${answer.slice(0, 500)}`);
      const isPlain =
        !/^(?:local|skill|conflict|artifact):/i.test(target) && /secret\.txt/.test(target);
      if (answer.includes("TOP-SECRET") && !isPlain)
        throw new Error(`seed ${seed}: ${shown} leads out`);
      expect([shown, it!.host.fs.paths()]).toEqual([shown, before]);
    }
  },
  TIME,
);
