// What a call may do to the world. Decided here for every tool, and for the subcommands that write without being one.

import { AtomicError } from "./errors.ts";
import { displayPath, showName } from "./paths.ts";
import { FsError, type Fs } from "./ports/fs.ts";
import { landingOf } from "./resources/landing.ts";
import type { AnyTool, Call } from "./tool.ts";

export interface Policy {
  /** Nothing but reading; wins over a plan. */
  readonly readOnly: boolean;
  /** The only files, and folders with all that is in them, that may be written; absolute. Undefined: no such limit. */
  readonly plan?: readonly string[] | undefined;
}

/**
 * Puts a call under the policy: refuses it at once where the policy forbids the tool as a whole, else gives the check
 * that must pass before each write. A dry run writes nothing, so it passes both. Neither mode is about the network.
 * @param tool a subcommand that is no tool gives its name and effect
 * @param where `cwd`, absolute, is what messages show paths relative to
 * @throws AtomicError `policy.read_only`, `policy.plan`; the check it returns throws the same
 */
export function guardWrites(
  tool: Pick<AnyTool, "name" | "effect" | "deed">,
  { readOnly, plan }: Policy,
  where: { readonly fs: Fs; readonly cwd: string; readonly dryRun: boolean },
): Call["allowWrite"] {
  if (where.dryRun) return async () => {};
  const { name, effect } = tool;
  const changes = effect === "write" || effect === "execute";
  if (readOnly) {
    if (changes) throw readOnlyRefusal(tool);
    return async () => {
      throw readOnlyRefusal({ name, effect: "write" });
    };
  }
  if (plan === undefined) return async () => {};
  if (effect === "execute") {
    throw planRefusal(name, tool.deed ?? "run commands, which may write anywhere", {
      plan,
      cwd: where.cwd,
    });
  }
  const { fs, cwd } = where;
  let allowed: Promise<readonly Place[]> | undefined;
  return async (path, shown = displayPath(path, cwd)) => {
    allowed ??= Promise.all(plan.map((entry) => placeOf(entry, fs)));
    const target = await placeOf(path, fs);
    const refusal = refusalOf(target, await allowed, { shown: showName(shown), cwd });
    if (refusal === undefined) return;
    throw planRefusal(name, `write ${refusal}`, { plan, cwd, path, real: target.real });
  };
}

/** Where a path leads in the end. */
interface Place {
  /** Links resolved, also those to what does not exist; undefined where the system does not say. */
  readonly real: string | undefined;
  /** Why it does not. */
  readonly failure?: string;
  /** Names of the file that exists there. */
  readonly links: number;
}

async function placeOf(path: string, fs: Fs): Promise<Place> {
  try {
    const real = (await landingOf(path, fs)).path;
    const stat = await fs.stat(real);
    return { real, links: stat?.kind === "file" ? stat.links : 1 };
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    return { real: undefined, failure: thrown.code, links: 1 };
  }
}

/** What is wrong with the target, as the end of "it would write"; undefined where it is allowed. */
function refusalOf(
  { real, failure, links }: Place,
  allowed: readonly Place[],
  { shown, cwd }: { readonly shown: string; readonly cwd: string },
): string | undefined {
  if (real === undefined) return `${shown}, and where that leads cannot be told (${failure})`;
  const covering = allowed.filter((entry) => entry.real !== undefined && covers(entry.real, real));
  if (covering.length === 0) {
    const place = showName(displayPath(real, cwd));
    const leads = place === shown || real === shown ? "" : `, which leads to ${place}`;
    return `${shown}${leads}, outside the allowed paths`;
  }
  // The content of such a file is reached by names that may lie anywhere; the one that is named itself is meant.
  if (links > 1 && !covering.some((entry) => entry.real === real)) {
    return `${shown}, which has ${links} hard links, so that it may be a file outside the allowed paths`;
  }
  return undefined;
}

function covers(entry: string, path: string): boolean {
  return path === entry || path.startsWith(entry.endsWith("/") ? entry : `${entry}/`);
}

function readOnlyRefusal({
  name,
  effect,
  deed = effect === "execute" ? "run commands" : "write files",
}: Pick<AnyTool, "name" | "effect" | "deed">): AtomicError {
  return new AtomicError(
    "policy.read_only",
    `Read-only mode: ${name} was refused, since it would ${deed}. Nothing was written.`,
    { data: { tool: name, effect } },
  );
}

/** How many allowed paths a message names. */
const SHOWN_PATHS = 10;

function planRefusal(
  name: string,
  deed: string,
  facts: {
    readonly plan: readonly string[];
    readonly cwd: string;
    readonly path?: string;
    readonly real?: string | undefined;
  },
): AtomicError {
  const { plan, cwd, path, real } = facts;
  const paths = plan.slice(0, SHOWN_PATHS).map((entry) => showName(displayPath(entry, cwd)));
  if (plan.length > SHOWN_PATHS) paths.push(`and ${plan.length - SHOWN_PATHS} more`);
  return new AtomicError(
    "policy.plan",
    `Plan mode: ${name} was refused, since it would ${deed}. Allowed: ${paths.join(", ")}. Nothing was written.`,
    {
      data: {
        tool: name,
        allowed: plan,
        ...(path !== undefined && { path }),
        ...(real !== undefined && { real }),
      },
    },
  );
}
