import { expect, test } from "bun:test";

import { didYouMean, nearest } from "../../../core/text/nearest.ts";

const known = ["read", "edit", "session", "dry-run", "completions"];

const guesses: readonly (readonly [string, string | undefined])[] = [
  ["raed", "read"],
  ["rea", "read"],
  ["READ", "read"],
  ["edti", "edit"],
  ["sessoin", "session"],
  ["se", "session"],
  ["dry_run", "dry-run"],
  ["dryrun", "dry-run"],
  ["completion", "completions"],
  ["write", undefined],
  ["x", undefined],
  ["", undefined],
];

test.each(guesses)("nearest to %j is %j", (name, guess) => {
  expect(nearest(name, known)).toBe(guess as string);
});

test("nearest of several as near is the first", () => {
  expect(nearest("cat", ["bat", "rat"])).toBe("bat");
});

test("didYouMean is the tail of a message", () => {
  expect(didYouMean("raed", known)).toBe('; did you mean "read"?');
  expect(didYouMean("--raed", ["--read"], "")).toBe("; did you mean --read?");
  expect(didYouMean("zzz", known)).toBe("");
});
