// The fields of every tool that runs commands.

import * as v from "valibot";

import { limits } from "../limits.ts";

const timeoutWords = `must be finite, greater than zero, and no more than ${limits.bashTimeoutMost}`;

export const commandFields = {
  command: v.pipe(
    v.string(),
    v.regex(/\S/, "must not be empty"),
    v.description("The command, as the shell reads it"),
  ),
  cwd: v.optional(
    v.pipe(v.string(), v.description("Folder to run it in; relative to the working folder")),
  ),
  env: v.optional(
    v.pipe(v.record(v.string(), v.string()), v.description("Variables on top of the environment")),
  ),
  timeout: v.optional(
    v.pipe(
      v.number(timeoutWords),
      v.gtValue(0, timeoutWords),
      v.maxValue(limits.bashTimeoutMost, timeoutWords),
      v.description(
        `Seconds after which it ends with all that it started, at most ${limits.bashTimeoutMost}; fractions round down, but not below 1`,
      ),
    ),
    limits.bashTimeout,
  ),
  pty: v.optional(
    v.pipe(
      v.boolean(),
      v.description(
        `Run it on a terminal of ${limits.ptyColumns} columns and ${limits.ptyRows} rows; with pipes where there can be none`,
      ),
    ),
    false,
  ),
} as const;
