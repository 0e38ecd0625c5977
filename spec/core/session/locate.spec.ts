import { expect, test } from "bun:test";

import type { Env } from "../../../core/ports/env.ts";
import {
  agentSessions,
  isSessionId,
  locateSession,
  locateState,
} from "../../../core/session/locate.ts";
import { bytes } from "./world.ts";

type Variables = Readonly<Record<string, string>>;

function env(
  variables: Variables,
  platform: Env["platform"] = "linux",
  home: string | undefined = "/home/me",
) {
  return { get: (name: string) => variables[name], platform, home };
}

const places: readonly (readonly [string, Env["platform"], Variables, string, string])[] = [
  ["nothing set", "linux", {}, "/home/me/.local/state/atomic", "default"],
  ["another unix", "other", {}, "/home/me/.local/state/atomic", "default"],
  ["macOS", "macos", {}, "/home/me/Library/Application Support/atomic", "default"],
  ["own variable", "linux", { ATOMIC_HOME: "/s/../t/" }, "/t", "$ATOMIC_HOME"],
  ["own before XDG", "linux", { ATOMIC_HOME: "/t", XDG_STATE_HOME: "/x" }, "/t", "$ATOMIC_HOME"],
  ["XDG", "linux", { XDG_STATE_HOME: "/x" }, "/x/atomic", "$XDG_STATE_HOME"],
  ["XDG on macOS", "macos", { XDG_STATE_HOME: "/x" }, "/x/atomic", "$XDG_STATE_HOME"],
  ["relative XDG", "linux", { XDG_STATE_HOME: "x" }, "/home/me/.local/state/atomic", "default"],
  [
    "empty ones",
    "linux",
    { ATOMIC_HOME: "", XDG_STATE_HOME: "" },
    "/home/me/.local/state/atomic",
    "default",
  ],
  [
    "Windows",
    "windows",
    { LOCALAPPDATA: "C:\\Users\\me\\AppData\\Local" },
    "C:/Users/me/AppData/Local/atomic",
    "default",
  ],
  ["own on Windows", "windows", { ATOMIC_HOME: "D:\\state" }, "D:/state", "$ATOMIC_HOME"],
];
for (const [title, platform, variables, folder, from] of places) {
  test(`the state folder: ${title}`, () => {
    expect(locateState(env(variables, platform))).toEqual({ folder, from });
  });
}

test("Windows without LOCALAPPDATA: the folder it usually names", () => {
  expect(locateState(env({}, "windows", "C:\\Users\\me"))).toEqual({
    folder: "C:/Users/me/AppData/Local/atomic",
    from: "default",
  });
});

test("a relative ATOMIC_HOME is refused, also one that begins with a tilde", () => {
  for (const value of ["state", "./state", "~/state"]) {
    expect(() => locateState(env({ ATOMIC_HOME: value }))).toThrow(
      `ATOMIC_HOME must be an absolute path, but is "${value}".`,
    );
  }
  expect(() => locateState(env({ ATOMIC_HOME: "/state" }, "windows"))).toThrow("absolute");
});

test("a user without a home needs ATOMIC_HOME", () => {
  const homeless = { get: () => undefined, platform: "linux", home: undefined } as const;
  expect(() => locateState(homeless)).toThrow(
    "There is no place for the session's state: this user has no home folder and ATOMIC_HOME is not set.",
  );
});

const choices: readonly (readonly [string, string | undefined, Variables, string, string])[] = [
  ["nothing", undefined, {}, "default", "default"],
  ["the flag first", "f", { ATOMIC_SESSION: "e", CLAUDE_CODE_SESSION_ID: "c" }, "f", "--session"],
  [
    "then our variable",
    undefined,
    { ATOMIC_SESSION: "e", CLAUDE_CODE_SESSION_ID: "c" },
    "e",
    "$ATOMIC_SESSION",
  ],
  ["then an agent's", undefined, { CLAUDE_CODE_SESSION_ID: "c" }, "c", "$CLAUDE_CODE_SESSION_ID"],
  [
    "the first of several agents",
    undefined,
    { CODEX_THREAD_ID: "x", CLAUDE_CODE_SESSION_ID: "c" },
    "c",
    "$CLAUDE_CODE_SESSION_ID",
  ],
  [
    "empty counts as unset",
    undefined,
    { ATOMIC_SESSION: "", CODEX_THREAD_ID: "x" },
    "x",
    "$CODEX_THREAD_ID",
  ],
];
for (const [title, flag, variables, id, from] of choices) {
  test(`the session: ${title}`, () => {
    expect(locateSession(flag, { env: env(variables), bytes })).toEqual({ id, from });
  });
}

test("each known agent host names its session by one variable of its own", () => {
  const variables = agentSessions.map(({ variable }) => variable);
  expect(new Set(variables).size).toBe(variables.length);
  for (const variable of variables) {
    expect(locateSession(undefined, { env: env({ [variable]: "id-1" }), bytes })).toEqual({
      id: "id-1",
      from: `$${variable}`,
    });
  }
});

test("session ids: what is valid", () => {
  for (const id of ["a", "0", "A.b_c-9", "x".repeat(128)]) expect(isSessionId(id)).toBe(true);
  for (const id of ["", ".", "..", "-a", "_a", "a/b", "a b", "é", "a\n", "x".repeat(129)]) {
    expect(isSessionId(id)).toBe(false);
  }
});

test("an invalid id that a person chose is refused", () => {
  expect(() => locateSession("a b", { env: env({}), bytes })).toThrow(
    '--session must be 1 to 128 of the characters A-Z a-z 0-9 . _ -, a letter or digit first, but is "a b".',
  );
  expect(() => locateSession("", { env: env({}), bytes })).toThrow('but is "".');
  expect(() => locateSession(undefined, { env: env({ ATOMIC_SESSION: "../x" }), bytes })).toThrow(
    'ATOMIC_SESSION must be 1 to 128 of the characters A-Z a-z 0-9 . _ -, a letter or digit first, but is "../x".',
  );
});

test("an agent's id of other characters is mapped, different ones apart", () => {
  const mapped = (id: string) =>
    locateSession(undefined, { env: env({ CODEX_THREAD_ID: id }), bytes }).id;
  expect(mapped("a/b")).toMatch(/^a-b-[0-9a-f]{32}$/);
  expect(mapped("äöü")).toMatch(/^session-[0-9a-f]{32}$/);
  const ids = ["a/b", "a b", "/a/b", "\ud800", "\ud801", "x".repeat(129), "x".repeat(130)].map(
    mapped,
  );
  expect(new Set(ids).size).toBe(7);
  for (const id of ids) expect(isSessionId(id)).toBe(true);
});
