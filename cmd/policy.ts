// What the command line and the environment allow. A value that cannot be understood is an error: a guard that is
// silently off is worse than none.

import { AtomicError } from "../core/errors.ts";
import { resolvePath } from "../core/paths.ts";
import type { Policy } from "../core/policy.ts";
import type { Env } from "../core/ports/env.ts";
import type { Settings } from "./settings.ts";

export interface PolicyChoice extends Policy {
  /** What decided: a flag, or a variable's name with "$"; undefined where nothing is forbidden. */
  readonly from: string | undefined;
}

/**
 * A flag comes before its variable. Relative paths of a plan start at the working folder; a leading "~" is the home folder.
 * @throws AtomicError `usage.command`
 */
export function policyOf(
  flags: Pick<Settings, "readOnly" | "plan">,
  env: Pick<Env, "get" | "cwd" | "home" | "platform">,
): PolicyChoice {
  const readOnly = flags.readOnly ?? readOnlyVariable(env);
  const plan = flags.plan ?? planVariable(env);
  const absolute = plan?.map((path) => resolvePath(fromHome(path, env.home), env.cwd));
  let from: string | undefined;
  if (readOnly) from = flags.readOnly === undefined ? "$ATOMIC_READ_ONLY" : "--read-only";
  else if (plan) from = flags.plan === undefined ? "$ATOMIC_PLAN" : "--plan";
  if (flags.plan?.includes("")) {
    throw wrong("Flag --plan needs the path of a file or folder, but got an empty one.");
  }
  return { readOnly, plan: absolute, from };
}

function readOnlyVariable({ get }: Pick<Env, "get">): boolean {
  const value = get("ATOMIC_READ_ONLY") ?? "";
  const word = value.toLowerCase();
  if (["1", "true", "yes", "on"].includes(word)) return true;
  if (["", "0", "false", "no", "off"].includes(word)) return false;
  throw wrong(
    `ATOMIC_READ_ONLY is either on or off: expected 1 or 0, but got ${JSON.stringify(value)}.`,
  );
}

function planVariable({
  get,
  platform,
}: Pick<Env, "get" | "platform">): readonly string[] | undefined {
  const value = get("ATOMIC_PLAN");
  if (value === undefined) return undefined;
  const delimiter = platform === "windows" ? ";" : ":";
  const paths = value.split(delimiter);
  if (!paths.includes("")) return paths;
  const hint = "Unset it to allow every write.";
  if (value === "") throw wrong("ATOMIC_PLAN is empty, so it names no path.", hint);
  throw wrong(
    `ATOMIC_PLAN must be paths with "${delimiter}" between them, but ${JSON.stringify(value)} has an empty one.`,
    hint,
  );
}

function fromHome(path: string, home: string | undefined): string {
  return home === undefined ? path : path.replace(/^~(?=$|[/\\])/, () => home);
}

function wrong(message: string, hint = "See `atomic help env`."): AtomicError {
  return new AtomicError("usage.command", message, { hint });
}
