// The same lines of the same files as ripgrep, for 500 patterns on a mixed tree. What differs on purpose is in the README.

import { expect, setDefaultTimeout, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import { nodeBytes } from "../../../adapters/shared/bytes.ts";
import { hitLines } from "../../../core/scan/hits.ts";
import { LineMatcher } from "../../../core/scan/match-lines.ts";
import { PatternError } from "../../../core/scan/pattern-parse.ts";
import { planPattern } from "../../../core/scan/plan.ts";
import { noConversion, textOf } from "../../../core/scan/scan-files.ts";
import { inFolder } from "../../helpers/folder.ts";

setDefaultTimeout(240_000);

const bytes = nodeBytes();
const tree: Readonly<Record<string, string | Uint8Array>> = {
  "code.ts":
    "import { a } from './a';\nexport class Foo extends Bar {\n  #x = 1;\n\n  get x() { return this.#x; }\n}\n// TODO: foo_bar, fooBar\nconst re = /[a-z]+(\\d)/g;\n",
  "plain.txt":
    "the quick brown fox\njumps over the lazy dog\nTHE END\n\n\ta tab\nfoo foo foo\nab abab ababab\naaa\naa\na\n",
  "no-end": "last line has no end\nneedle",
  "unicode.txt":
    "naïve café\nΣίσυφος και ΣΊΣΥΦΟΣ\n日本語 テキスト\nпривет мир\nstraße STRASSE ſ K Å\n٣٤٥ ৩\n😀 emoji ok\nnbsp\u00a0here\u2003em\ncombining e\u0301\n",
  "latin1.txt": Uint8Array.from(
    Buffer.from("caf\u00e9 \u00fcber\nplain ascii\n\u00ff\u00fe end\n", "latin1"),
  ),
  empty: "",
  blank: "\n\n\n",
  "numbers.csv": "1,22,333\n4444;5\n-6.7e8\n0xFF 0b11\n2024-01-31\n192.168.0.1\n",
  "long.txt": `${"x".repeat(3000)} needle ${"y".repeat(3000)}\n${"ab".repeat(500)}\n`,
  "symbols.txt":
    "a.b*c+d?e\n(f) [g] {h} <i>\nj|k ^l $m \\n\n\"quoted\" 'single' `tick`\n#hash @at %p &amp; ~t\n",
};

const chosen: readonly string[] = [
  "needle",
  "^needle$",
  "needle$",
  "^$",
  "^\\s*$",
  "\\s+$",
  "foo",
  "foo.bar",
  "fo+",
  "(foo ){2}",
  "a{2}",
  "a{2,}",
  "^a{1,2}$",
  "(ab)+",
  "(?:ab){2,3}\\b",
  "\\bfoo\\b",
  "\\Bo",
  "o\\B",
  "\\bthe\\b",
  "(?i)\\bthe\\b",
  "(?i)the end",
  "[A-Z]{3}",
  "[^a-z]+$",
  "\\d+",
  "\\d{3,}",
  "\\D+$",
  "\\w+@",
  "\\w+\\s\\w+",
  "^\\w+$",
  "\\W{2}",
  "^\\S+$",
  "\\x41",
  "\\x{3a3}",
  "\\u03a3",
  "\\u{1F600}",
  "(?i)σίσυφος",
  "(?i)strasse",
  "(?i)straße",
  "(?i)k",
  "(?i)s",
  "(?i)å",
  "café",
  "caf.",
  "caf..",
  "na.ve",
  "\\p{L}+",
  "\\pL\\pN",
  "\\p{Greek}",
  "\\p{Cyrillic}+",
  "\\P{ASCII}",
  "\\p{Lu}\\p{Ll}",
  "\\p{Nd}",
  "\\p{Emoji}",
  "[\\p{Han}\\p{Katakana}]+",
  "[[:alpha:]]+",
  "[[:^alpha:]]",
  "[[:digit:][:space:]]{2}",
  "[a-c&&b-d]",
  "[\\w--\\d]",
  "[a-z~~m-z]+",
  "[^\\w\\s]",
  "[-a]",
  "[a-]",
  "[]x]",
  "[^]]",
  "[\\]]",
  "\\.",
  "\\*",
  "\\(f\\)",
  "[.]",
  "\\{h\\}",
  "\\$m",
  "\\\\n",
  "\\^l",
  "j\\|k",
  "a|b|c",
  "(a|b)c",
  "fox|dog",
  "quick.*dog",
  "^.*fox$",
  "^[^ ]* [^ ]*$",
  "x{100}",
  "(x+x+)+y",
  "(a+)+$",
  "(a|aa)+$",
  "^(a?){20}a{2}",
  "(?x) foo # comment\n",
  "(?x)f o o",
  "(?x)a\\ tab",
  "(?-i)THE",
  "(?i:the)",
  "(?i:T)he",
  "(?U)a+",
  "a+?",
  "(?s).",
  "(?m)^foo",
  "^|foo",
  "$",
  "^",
  "",
  "()",
  "(|a)b",
  "a||b",
  "(?P<n>foo)",
  "(?<n>foo)",
  "\\t",
  "\\a|needle",
  "[\\t]",
  "\u00a0",
  "\\s",
  "[^\\S\\n]",
  "\\bстр",
  "\\bмир\\b",
  "мир\\b",
  "\\w+$",
  "[0-9]+(?:\\.[0-9]+){3}",
  "\\b\\d{4}-\\d\\d-\\d\\d\\b",
  "-6",
  "--",
  "\\-6",
  "e\u0301",
  "e.",
  "😀",
  "^.{9}$",
  "^.{3} ",
  "[😀-😂]",
  "(?-u)\\w+",
  "(?-u:\\b)the",
  "(?-u)[a-z]+",
  "\\x7f",
  "[[:word:]]+",
  "\\b",
  "\\B",
  "foo\\nbar|needle",
  "a\\nb",
];

/** ripgrep 13 finds nothing where "^" follows what matches the empty text; its own engine says otherwise since. */
const known: readonly string[] = ["$^", "(\\b){1,3}^"];

/** mulberry32 */
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

const atoms = [
  "a",
  "b",
  "e",
  "o",
  "x",
  "foo",
  "the",
  "é",
  "и",
  "日",
  " ",
  ".",
  "\\w",
  "\\d",
  "\\s",
  "\\S",
  "\\W",
  "[a-m]",
  "[^a-m]",
  "[xyz]",
  "\\b",
  "^",
  "$",
  "[é-я]",
  "\\p{L}",
  "\\P{L}",
  "[[:upper:]]",
  "needle",
  "\\.",
  ",",
  "1",
];
const suffixes = ["", "", "", "", "*", "+", "?", "{2}", "{1,3}", "+?", "{2,}"];

function made(count: number): readonly string[] {
  const next = random(7);
  const pick = <T>(list: readonly T[]): T => list[Math.floor(next() * list.length)]!;
  function sequence(depth: number): string {
    let text = "";
    for (let i = 1 + Math.floor(next() * 3); i > 0; i--) {
      const atom = depth > 0 && next() < 0.25 ? `(${sequence(depth - 1)})` : pick(atoms);
      text += atom + (/^(?:\^|\$|\\b)$/.test(atom) ? "" : pick(suffixes));
    }
    return next() < 0.2 ? `${text}|${pick(atoms)}` : text;
  }
  const flags = ["", "", "", "(?i)", "(?x)"];
  return Array.from({ length: count }, () => pick(flags) + sequence(2));
}

const patterns = [...new Set([...chosen, ...made(700)])]
  .filter((pattern) => !known.includes(pattern))
  .slice(0, 640);

function ours(pattern: string): readonly string[] | string {
  try {
    const matcher = new LineMatcher(planPattern(pattern, { ignoreCase: false }), bytes);
    return Object.entries(tree).flatMap(([name, content]) => {
      const file = typeof content === "string" ? new TextEncoder().encode(content) : content;
      const text = textOf(name, file, noConversion)!;
      return hitLines(matcher, text).map((line) => `${name}:${line}`);
    });
  } catch (thrown) {
    if (thrown instanceof PatternError) return "refused";
    throw thrown;
  }
}

test.skipIf(Bun.which("rg") === null)(
  "500 patterns are in the lines that ripgrep says",
  async () => {
    await inFolder(async (root) => {
      for (const [name, content] of Object.entries(tree)) {
        mkdirSync(dirname(join(root, name)), { recursive: true });
        writeFileSync(join(root, name), content);
      }
      let compared = 0;
      const differing: unknown[] = [];
      for (const pattern of patterns) {
        const isMultiline = /\(\?s\)|\\n/.test(
          pattern.replaceAll("\\\\", "").replace(/\[[^\]]*\]/g, ""),
        );
        const { stdout, status } = spawnSync(
          "rg",
          [
            "--no-config",
            "-uuu",
            "--no-heading",
            "-n",
            "--color=never",
            "--no-context-separator",
            "--encoding=none",
            ...(isMultiline ? ["-U"] : []),
            "-e",
            pattern,
            ".",
          ],
          { cwd: root, encoding: "latin1", maxBuffer: 1 << 26 },
        );
        const theirs =
          status === 2
            ? "refused"
            : [...stdout.matchAll(/^\.\/([\w.-]+):(\d+):/gm)]
                .map(([, name, line]) => `${name}:${line}`)
                .toSorted();
        const found = ours(pattern);
        const mine = typeof found === "string" ? found : found.toSorted();
        compared++;
        if (theirs !== "refused" && JSON.stringify(mine) !== JSON.stringify(theirs)) {
          differing.push({
            pattern,
            mine: typeof mine === "string" ? mine : mine.filter((one) => !theirs.includes(one)),
            theirs:
              typeof mine === "string"
                ? theirs.length
                : theirs.filter((one) => !mine.includes(one)),
          });
        }
      }
      expect(differing).toEqual([]);
      expect(compared).toBeGreaterThanOrEqual(500);
    });
  },
);
