// The search that ignores case, against the plain one on lower-cased text.

import { expect, test } from "bun:test";
import fc from "fast-check";

import { FoldedFinder } from "../../../core/scan/folded-finder.ts";
import { planPattern } from "../../../core/scan/plan.ts";

function runOf(pattern: string): string | undefined {
  const run = planPattern(pattern, { ignoreCase: true }).folded;
  return run && String.fromCharCode(...run.map(({ byte }) => byte));
}

function places(word: string, text: string): readonly number[] {
  const finder = FoldedFinder.for(planPattern(word, { ignoreCase: true }).folded!)!;
  finder.open(new TextEncoder().encode(text));
  const found: number[] = [];
  for (let at = finder.next(0); at !== -1; at = finder.next(at + 1)) found.push(at);
  return found;
}

test("the run is what every match contains in either case", () => {
  expect(runOf("Marmot_Threat")).toBe("marmot_threat");
  // The Kelvin sign is a k, the long s an s: they may be of another length than the letter.
  expect(runOf("marmot_threshold")).toBe("marmot_thre");
  expect(runOf("kkss")).toBeUndefined();
  expect(runOf("(?:before)?after")).toBe("after");
  expect(runOf("(?:one)+two")).toBe("one");
  expect(runOf("\\bword\\b")).toBe("word");
  expect(runOf("one|two")).toBeUndefined();
});

test("it finds what a search of lower-cased text finds", () => {
  const piece = fc.constantFrom("a", "B", "c", "ab", "AbC", "aBcD", "abcde", "\n", "_", "@", "`");
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 60 }), (pieces) => {
      const text = pieces.join("");
      const low = text.toLowerCase();
      const expected: number[] = [];
      for (let at = low.indexOf("abcde"); at !== -1; at = low.indexOf("abcde", at + 1)) {
        expected.push(at);
      }
      expect(places("ABCDE", text)).toEqual(expected);
    }),
    { numRuns: 500 },
  );
});

test("runs across and at the ends of its windows are found", () => {
  const window = 128 * 1024;
  for (const at of [0, window - 5, window - 3, window - 1, window, 2 * window - 2, 3 * window]) {
    const text = `${"-".repeat(at)}NeEdLe`;
    expect(places("needle", text)).toEqual([at]);
    expect(places("needle", `${text}${"+".repeat(window)}`)).toEqual([at]);
  }
});
