import type { Program } from "./command.ts";
import type { Settings } from "./settings.ts";

/** Set when the program is compiled. */
declare const ATOMIC_COMMIT: string | undefined;
declare const ATOMIC_DATE: string | undefined;

/** As in package.json; spec/cmd/version.spec.ts holds them equal. */
export const version = "0.1.0";

/** What this was built from; undefined when it runs from source. */
export const commit = typeof ATOMIC_COMMIT === "string" ? ATOMIC_COMMIT : undefined;

/** When that was committed, YYYY-MM-DD; undefined when it runs from source. */
export const buildDate = typeof ATOMIC_DATE === "string" ? ATOMIC_DATE : undefined;

export async function printVersion(
  { stdio, runtime }: Pick<Program, "stdio" | "runtime">,
  settings?: Settings,
): Promise<number> {
  const text = `atomic ${version}`;
  // Nothing else is loaded for it: this is what start-up is measured by.
  if (!settings?.json) {
    await stdio.stdout.write(`${text}\n`);
    return 0;
  }
  const { printAnswer } = await import("./output.ts");
  const details = {
    version,
    commit: commit ?? null,
    [runtime.name]: runtime.version,
    target: runtime.target,
  };
  return printAnswer(text, details, { stdio, settings });
}
