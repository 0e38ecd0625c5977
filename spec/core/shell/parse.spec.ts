import { expect, test } from "bun:test";
import { spawnSync } from "node:child_process";

import fc from "fast-check";

import { expandWords } from "../../../core/shell/expand.ts";
import { parseScript } from "../../../core/shell/parse.ts";
import { Scope } from "../../../core/shell/scope.ts";

const world = { cwd: "/w", home: "/h", variable: () => undefined };

test("any text gives a list of commands", () => {
  const piece = fc.constantFrom(
    ..."a b ; | & \n ( ) { } < > << ' \" \\ $ ` # ! * ? [ ] = if then fi do done case esac in for while function time <( $( ${ $(( (( [[ ]] EOF".split(
      " ",
    ),
    " ",
  );
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 40 }), (pieces) => {
      const { pipelines } = parseScript(pieces.join(""));
      for (const { commands } of pipelines) {
        for (const command of commands) {
          if (command.kind === "simple") expandWords(command.words, new Scope(world));
        }
      }
    }),
    { numRuns: 500 },
  );
});

test("words are those that bash makes of them", () => {
  const piece = fc.constantFrom(
    "a",
    "b",
    " ",
    "  ",
    "'",
    '"',
    "\\",
    "\\\n",
    "$'",
    "\\x41",
    "\\n",
    "{a,b}",
    "{1..3}",
    "{",
    "}",
    ",",
    "=",
    "#",
    "$X",
    "${X}",
    '"$Y"',
    "$Y",
    "${Z:-d e}",
    "${Y:1:2}",
    "$(echo p q)",
    '"$(printf "r\\ns")"',
    "~",
    "/",
  );
  const cases = fc.sample(fc.array(piece, { minLength: 1, maxLength: 8 }), {
    numRuns: 400,
    seed: 7,
  });
  const texts = cases.map((pieces) => pieces.join(""));
  const script = [
    "cd /; HOME=/h; X=one; Y='u  v'; set -f",
    ...texts.map(
      (text) =>
        `(eval ${quoted(`set -- ${text}`)} && printf '%s\\037' ok "$@") 2>/dev/null; printf '\\036'`,
    ),
  ].join("\n");
  const { stdout } = spawnSync("bash", [], { input: script, encoding: "latin1" });
  const answers = stdout.split("\u001e");
  expect(answers.length).toBe(texts.length + 1);
  let compared = 0;
  for (const [at, text] of texts.entries()) {
    // Bash refuses it, or set took something for an option of its own.
    const [state, ...words] = answers[at]!.split("\u001f").slice(0, -1);
    if (state !== "ok") continue;
    const { pipelines, isWhole } = parseScript(`set -- ${text}`);
    const command = pipelines[0]?.commands[0];
    if (!isWhole || command?.kind !== "simple") continue;
    const scope = new Scope(world);
    scope.set("X", "one");
    scope.set("Y", "u  v");
    scope.set("HOME", "/h");
    expect([text, expandWords(command.words, scope).slice(2)]).toEqual([text, words]);
    compared++;
  }
  expect(compared).toBeGreaterThan(150);
});

function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}
