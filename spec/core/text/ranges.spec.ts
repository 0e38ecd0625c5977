import { expect, test } from "bun:test";

import fc from "fast-check";

import { AtomicError } from "../../../core/errors.ts";
import {
  formatRange,
  grepRange,
  isBareLine,
  looksLikeRanges,
  parseRanges,
  selectLines,
} from "../../../core/text/ranges.ts";

test("parseRanges understands every form", () => {
  const forms: Readonly<Record<string, readonly (readonly [number, number | undefined])[]>> = {
    "5": [[5, undefined]],
    L5: [[5, undefined]],
    "5-": [[5, undefined]],
    "5..": [[5, undefined]],
    "5-9": [[5, 9]],
    "5..9": [[5, 9]],
    "l5-L9": [[5, 9]],
    "5-5": [[5, 5]],
    "5+1": [[5, 5]],
    "5+3": [[5, 7]],
    "5,7": [
      [5, 5],
      [7, 7],
    ],
    "9-10, 5-,2+2": [
      [9, 10],
      [5, undefined],
      [2, 3],
    ],
    "9007199254740991": [[9007199254740991, undefined]],
    "9007199254740991+1": [[9007199254740991, 9007199254740991]],
  };
  for (const [text, ranges] of Object.entries(forms)) {
    expect([text, parseRanges(text)]).toEqual([
      text,
      ranges.map(([first, last]) => ({ first, last })),
    ]);
  }
});

test("parseRanges throws our own error or gives valid ranges, whatever the text", () => {
  const text = fc.string({ unit: fc.constantFrom(..."0123456789lL.,+- "), maxLength: 24 });
  fc.assert(
    fc.property(text, (candidate) => {
      let ranges;
      try {
        ranges = parseRanges(candidate);
      } catch (thrown) {
        expect(thrown).toBeInstanceOf(AtomicError);
        expect((thrown as AtomicError).code).toBe("selector.line");
        return;
      }
      for (const { first, last } of ranges) {
        expect(Number.isSafeInteger(first) && first >= 1).toBe(true);
        expect(last === undefined || (Number.isSafeInteger(last) && last >= first)).toBe(true);
      }
      expect(looksLikeRanges(candidate.trim())).toBe(true);
    }),
  );
});

test("looksLikeRanges tells selectors from parts of names", () => {
  for (const text of ["5", "L5", "5.6", "5+", "5-6,", "0"])
    expect([text, looksLikeRanges(text)]).toEqual([text, true]);
  for (const text of ["", "-5", "foo", ",5", "5x", "L", "5\n", "0x10"]) {
    expect([text, looksLikeRanges(text)]).toEqual([text, false]);
  }
  expect([isBareLine("L5"), isBareLine("5-"), isBareLine("5")]).toEqual([true, false, true]);
});

test("grepRange reads two lines, or a line and a column", () => {
  expect(grepRange("10", "12")).toEqual({ first: 10, last: 12 });
  expect(grepRange("10", "10")).toEqual({ first: 10, last: 10 });
  expect(grepRange("10", "3")).toEqual({ first: 10, last: undefined });
  expect(grepRange("L10", "0")).toEqual({ first: 10, last: undefined });
  expect(() => grepRange("0", "3")).toThrow('Bad line selector ":0:3": lines start at 1.');
  expect(() => grepRange("1", "9007199254740992")).toThrow("line numbers end at 9007199254740991");
});

test("formatRange writes what parseRanges reads", () => {
  for (const text of ["5-9", "100-"]) expect(formatRange(parseRanges(text)[0]!)).toBe(text);
  expect(formatRange({ first: 7, last: 7 })).toBe("7");
});

test("selectLines equals a set of line numbers", () => {
  const range = fc
    .tuple(fc.integer({ min: 1, max: 40 }), fc.option(fc.nat(12), { nil: undefined }))
    .map(([first, more]) => ({ first, last: more === undefined ? undefined : first + more }));
  fc.assert(
    fc.property(fc.array(range, { minLength: 1, maxLength: 6 }), fc.nat(30), (ranges, count) => {
      const { runs, beyond } = selectLines(ranges, count, { before: 1, after: 3 });
      const wanted = new Set<number>();
      for (const { first, last } of ranges) {
        if (first > count) continue;
        const from = last === undefined ? first : first - 1;
        const to = last === undefined ? count : last + 3;
        for (let line = Math.max(1, from); line <= Math.min(count, to); line++) wanted.add(line);
      }
      const shown = runs.flatMap(({ first, last }) =>
        Array.from({ length: last - first + 1 }, (_, i) => first + i),
      );
      expect(shown).toEqual([...wanted].sort((a, b) => a - b));
      for (let i = 1; i < runs.length; i++) {
        expect(runs[i]!.first).toBeGreaterThan(runs[i - 1]!.last + 1);
      }
      expect(beyond).toEqual(ranges.filter(({ first }) => first > count));
    }),
  );
});
