import { expect, test } from "bun:test";

import type { FlagValue } from "../../cmd/args.ts";
import { settingsOf } from "../../cmd/settings.ts";
import type { Stdio } from "../../core/ports/stdio.ts";

const stdio = {
  stdout: { isTerminal: true },
  stderr: { isTerminal: false },
} as unknown as Stdio;

function settings(flags: Record<string, FlagValue>, env: Record<string, string>) {
  const { json, session, readOnly, plan, debug, color } = settingsOf(
    flags,
    { get: (name) => env[name] },
    stdio,
  );
  return { json, session, readOnly, plan, debug, out: color.out, err: color.err };
}

const plain = {
  json: false,
  session: undefined,
  readOnly: undefined,
  plan: undefined,
  debug: false,
};

const table: readonly (readonly [Record<string, FlagValue>, Record<string, string>, object])[] = [
  [{}, {}, { out: true, err: false }],
  [{}, { NO_COLOR: "1" }, { out: false, err: false }],
  [{}, { NO_COLOR: "" }, { out: true, err: false }],
  [{}, { TERM: "dumb" }, { out: false, err: false }],
  [{}, { FORCE_COLOR: "1" }, { out: true, err: true }],
  [{}, { FORCE_COLOR: "1", NO_COLOR: "1" }, { out: true, err: true }],
  [{}, { FORCE_COLOR: "0" }, { out: false, err: false }],
  [{ color: "never" }, { FORCE_COLOR: "1" }, { out: false, err: false }],
  [{ color: "always" }, { NO_COLOR: "1" }, { out: true, err: true }],
  [{ color: "auto" }, { NO_COLOR: "1" }, { out: false, err: false }],
  [{ json: true, session: "s" }, {}, { json: true, session: "s", out: true, err: false }],
  [{}, { ATOMIC_DEBUG: "1" }, { debug: true, out: true, err: false }],
  [{}, { ATOMIC_DEBUG: "false" }, { out: true, err: false }],
  [{ "read-only": true }, {}, { readOnly: true, out: true, err: false }],
  [
    { "read-only": false, plan: ["a"] },
    {},
    { readOnly: false, plan: ["a"], out: true, err: false },
  ],
];

test.each(table)("settingsOf(%j, %j)", (flags, env, expected) => {
  expect(settings(flags, env)).toEqual({ ...plain, ...expected } as never);
});
