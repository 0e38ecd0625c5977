// Which rule of the configuration a file falls under.

import picomatch from "picomatch";

import { displayPath } from "../paths.ts";
import { languageOf } from "../syntax/languages.ts";
import type { Config, FormatRule, RuleTable, ServerRule } from "./config.ts";
import { isGlob } from "./parse.ts";

export interface Ruled<Rule> {
  readonly rule: Rule;
  /** Our name of the file's language; undefined where we know none. */
  readonly language: string | undefined;
}

interface Rules {
  readonly format: FormatRule;
  readonly diagnostics: ServerRule;
}

/**
 * The nearest file of configuration that speaks of this file decides; in it a glob comes before a language. A glob
 * without "/" is about the name, one with it about the path from the folder that the configuration is for.
 * @param path absolute
 * @param firstLine decides where the name says nothing
 */
export function ruleFor<Key extends keyof Rules>(
  { layers }: Config,
  key: Key,
  path: string,
  firstLine: string,
): Ruled<Rules[Key]> | undefined {
  const language = languageOf(path, firstLine)?.name;
  for (const { folder, values } of layers) {
    const table = values[key] as RuleTable<Rules[Key]> | false | undefined;
    if (table === false) return undefined;
    if (table === undefined) continue;
    const glob = Object.keys(table).find((name) => isGlob(name) && matches(name, path, folder));
    const name =
      glob ?? (language !== undefined && Object.hasOwn(table, language) ? language : undefined);
    if (name === undefined) continue;
    const rule = table[name]!;
    return rule === false ? undefined : { rule, language };
  }
  return undefined;
}

function matches(glob: string, path: string, folder: string): boolean {
  const subject = glob.includes("/")
    ? displayPath(path, folder)
    : path.slice(path.lastIndexOf("/") + 1);
  return picomatch.isMatch(subject, glob, { dot: true });
}
