import { expect, test } from "bun:test";

import {
  type Flag,
  type FlagValue,
  mergeFlags,
  parseArguments,
  parseLeading,
} from "../../cmd/args.ts";
import { AtomicError } from "../../core/errors.ts";

const flags: readonly Flag[] = [
  { name: "json", type: "boolean", description: "" },
  { name: "plain", type: "boolean", short: "p", description: "" },
  { name: "gitignore", type: "boolean", default: true, description: "" },
  { name: "session", type: "string", description: "" },
  { name: "limit", type: "number", short: "n", description: "" },
  { name: "env", type: "list", short: "e", description: "" },
  { name: "color", type: "choice", choices: ["auto", "always", "never"], description: "" },
];

const parsed: readonly (readonly [
  string,
  Readonly<Record<string, FlagValue>>,
  readonly string[],
])[] = [
  ["", {}, []],
  ["a b", {}, ["a", "b"]],
  ["--json a", { json: true }, ["a"]],
  ["a --json", { json: true }, ["a"]],
  ["a --json b", { json: true }, ["a", "b"]],
  ["--json --json", { json: true }, []],
  ["--json=true", { json: true }, []],
  ["--json=false", { json: false }, []],
  ["--no-json", { json: false }, []],
  ["--no-gitignore", { gitignore: false }, []],
  ["--session s1", { session: "s1" }, []],
  ["--session=s1", { session: "s1" }, []],
  ["--session=", { session: "" }, []],
  ["--session=--json", { session: "--json" }, []],
  ["--session=a=b", { session: "a=b" }, []],
  ["--session -", { session: "-" }, []],
  ["--limit 3", { limit: 3 }, []],
  ["--limit=-3", { limit: -3 }, []],
  ["--limit -3", { limit: -3 }, []],
  ["--limit .5", { limit: 0.5 }, []],
  ["-n 3", { limit: 3 }, []],
  ["-n3", { limit: 3 }, []],
  ["-n=3", { limit: 3 }, []],
  ["-n-3", { limit: -3 }, []],
  ["-pn3 x", { plain: true, limit: 3 }, ["x"]],
  ["-p=false", { plain: false }, []],
  ["--env A=1 --env B=2", { env: ["A=1", "B=2"] }, []],
  ["-e A=1 x -eB=2", { env: ["A=1", "B=2"] }, ["x"]],
  ["--color never", { color: "never" }, []],
  ["-", {}, ["-"]],
  ["-5", {}, ["-5"]],
  ["-5.25", {}, ["-5.25"]],
  ["--", {}, []],
  ["-- --json", {}, ["--json"]],
  ["a -- -p --", {}, ["a", "-p", "--"]],
  ["--session x -- --session", { session: "x" }, ["--session"]],
];

test.each(parsed)("parseArguments takes %j", (line, values, operands) => {
  expect(parseArguments(words(line), flags, "atomic read")).toEqual({ flags: values, operands });
});

test("parseArguments keeps words as they are, empty ones too", () => {
  const odd = ["", "a b", "\n", "é"];
  expect(parseArguments(odd, flags, "atomic")).toEqual({ flags: {}, operands: odd });
});

test("a digit that is a flag is no number", () => {
  const zero: readonly Flag[] = [{ name: "null", short: "0", type: "boolean", description: "" }];
  expect(parseArguments(["-0", "-1"], zero, "atomic")).toEqual({
    flags: { null: true },
    operands: ["-1"],
  });
});

const refused: readonly (readonly [string, string])[] = [
  ["--plian", "Unknown flag --plian; did you mean --plain?"],
  ["--sess x", "Unknown flag --sess; did you mean --session?"],
  ["--no-plian", "Unknown flag --no-plian; did you mean --no-plain?"],
  ["--no-session", "Unknown flag --no-session; did you mean --no-json?"],
  ["--frobnicate", "Unknown flag --frobnicate."],
  ["--Json", "Unknown flag --Json; did you mean --json?"],
  ["--toString", "Unknown flag --toString."],
  ["-x", "Unknown flag -x."],
  ["-px", 'Unknown flag -x in "-px".'],
  ["--session", "Flag --session needs a value."],
  ["--session --", "Flag --session needs a value."],
  [
    "--session --json",
    'Flag --session needs a value. Write --session=--json if "--json" is the value.',
  ],
  ["-n -p", 'Flag -n needs a value. Write -n-p if "-p" is the value.'],
  ["--session a --session b", "Flag --session was given more than once."],
  ["--session a --session a", "Flag --session was given more than once."],
  ["--limit 1 -n 2", "Flag --limit was given more than once."],
  ["--json --no-json", "Flag --json was given both on and off."],
  ["-p --plain=false", "Flag --plain was given both on and off."],
  ["--json=yes", 'Flag --json is either on or off: expected true or false, but got "yes".'],
  ["--json=", 'Flag --json is either on or off: expected true or false, but got "".'],
  ["--no-json=true", 'Flag --no-json takes no value, but got "true".'],
  ["--limit many", 'Flag --limit needs a number, but got "many".'],
  ["--limit=", 'Flag --limit needs a number, but got "".'],
  ["--limit=1e3", 'Flag --limit needs a number, but got "1e3".'],
  ["--limit=0x10", 'Flag --limit needs a number, but got "0x10".'],
  ["--limit=Infinity", 'Flag --limit needs a number, but got "Infinity".'],
  [
    "--color alway",
    'Flag --color must be one of auto, always, never, but got "alway"; did you mean "always"?',
  ],
  ["--color red", 'Flag --color must be one of auto, always, never, but got "red".'],
];

test.each(refused)("parseArguments refuses %j", (line, message) => {
  const error = failure(() => parseArguments(words(line), flags, "atomic read"));
  expect(error.message).toBe(message);
  expect(error.status).toBe(2);
  expect(error.hint).toBe("See `atomic read --help`.");
});

test("parseLeading stops at the first operand and leaves the rest alone", () => {
  expect(
    parseLeading(["--json", "--session", "s", "read", "--json", "x"], flags, "atomic"),
  ).toEqual({ flags: { json: true, session: "s" }, command: "read", rest: ["--json", "x"] });
  expect(parseLeading(["--json"], flags, "atomic")).toEqual({
    flags: { json: true },
    command: undefined,
    rest: [],
  });
  expect(parseLeading(["--", "--json"], flags, "atomic")).toEqual({
    flags: {},
    command: "--json",
    rest: [],
  });
});

test("mergeFlags holds a flag before and after the command to the same rule", () => {
  expect(mergeFlags({ json: true }, { json: true, limit: 1 }, "atomic")).toEqual({
    json: true,
    limit: 1,
  });
  expect(failure(() => mergeFlags({ json: true }, { json: false }, "atomic")).message).toBe(
    "Flag --json was given both on and off.",
  );
  expect(failure(() => mergeFlags({ session: "a" }, { session: "a" }, "atomic")).message).toBe(
    "Flag --session was given more than once.",
  );
  expect(mergeFlags({ env: ["A=1"] }, { env: ["B=2", "A=1"] }, "atomic")).toEqual({
    env: ["A=1", "B=2", "A=1"],
  });
});

function words(line: string): readonly string[] {
  return line === "" ? [] : line.split(" ");
}

function failure(work: () => unknown): AtomicError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof AtomicError) return thrown;
    throw thrown;
  }
  throw new Error("it did not fail");
}
