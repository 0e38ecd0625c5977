// A configuration file as its text: JSON, with comments. Loaded only where there is one.

import * as v from "valibot";

import { FILE } from "../diagnostics/formatter.ts";
import { AtomicError } from "../errors.ts";
import { found, wanted } from "../input-words.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import { languageNamed, languages } from "../syntax/languages.ts";
import { findJsonFault } from "../text/json-position.ts";
import { didYouMean } from "../text/nearest.ts";
import { commandKeys, knownNames } from "./command-keys.ts";
import { mcpKeys, serverKeys as mcpServerKeys } from "./mcp-keys.ts";
import type { ConfigValues, FormatRule, RuleTable, ServerRule } from "./config.ts";

const words = v.pipe(
  v.array(v.pipe(v.string(), v.nonEmpty("must not be an empty word"))),
  v.minLength(1, "must begin with a program"),
);

const seconds = v.pipe(
  v.number(),
  v.minValue(0.1, "must be a number of seconds from 0.1 to 600"),
  v.maxValue(600, "must be a number of seconds from 0.1 to 600"),
);

const command = v.pipe(
  v.strictObject({
    command: words,
    stdin: v.optional(v.boolean(), true),
    timeout: v.optional(seconds),
  }),
  v.check(
    ({ command: list, stdin }) => stdin || list.slice(1).some((word) => word.includes(FILE)),
    `needs ${FILE} in "command" where "stdin" is false`,
  ),
  v.transform(({ command: list, stdin, timeout }): FormatRule => ({
    command: list,
    stdin,
    time: timeOf(timeout),
  })),
);

const server = v.pipe(
  v.strictObject({
    server: words,
    languageId: v.optional(v.pipe(v.string(), v.nonEmpty("must not be empty"))),
    timeout: v.optional(seconds),
  }),
  v.transform(({ server: list, languageId, timeout }): ServerRule => ({
    server: list,
    languageId,
    time: timeOf(timeout),
  })),
);

const off = v.literal(false);

/** The schema for what is meant, so that its faults are the ones that are told. */
function ruleOr(meant: (value: object) => v.GenericSchema<unknown, FormatRule>) {
  return v.lazy((value) => (isObject(value) ? meant(value) : off));
}

const formatRule = ruleOr((value) => ("server" in value ? server : command));
const diagnosticsRule = ruleOr(() => server);

function tableOf(rule: v.GenericSchema<unknown, FormatRule | false>) {
  return v.lazy((value) => (isObject(value) ? v.record(v.string(), rule) : off));
}

const contextLines = v.optional(
  v.pipe(
    v.number(),
    v.integer(`must be a whole number from 0 to ${limits.searchContext}`),
    v.minValue(0, `must be a whole number from 0 to ${limits.searchContext}`),
    v.maxValue(limits.searchContext, `must be a whole number from 0 to ${limits.searchContext}`),
  ),
);

const searchKeys = ["contextBefore", "contextAfter"];

/** Every key there is, and what a workspace may set of it whether trusted or not. */
const keys = {
  format: { schema: tableOf(formatRule), harmless: offOnly },
  diagnostics: { schema: tableOf(diagnosticsRule), harmless: offOnly },
  search: {
    schema: v.strictObject({ contextBefore: contextLines, contextAfter: contextLines }),
    harmless: (value: unknown): unknown => value,
  },
  trustedWorkspaces: {
    schema: v.array(
      v.pipe(
        v.string(),
        v.regex(/^(?:~?\/|[A-Za-z]:[\\/]|\\\\)/, "must be absolute, or begin with ~/"),
      ),
    ),
    harmless: (): undefined => undefined,
  },
  ...commandKeys,
  ...mcpKeys,
} as const;

type Key = keyof typeof keys;

/** To switch something off needs no trust. */
function offOnly(value: unknown): unknown {
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([, rule]) => rule === false));
}

/** @throws AtomicError `config.invalid`, which names the file, the key and, for an unknown one, the nearest */
export function parseConfig(text: string, file: string): ConfigValues {
  const plain = withoutComments(text.replace(/^\ufeff/, ""));
  const fault = findJsonFault(plain);
  if (fault) {
    const { line, column, found: here } = fault;
    throw invalid(file, `is not JSON at line ${line}, column ${column}: found ${here}.`);
  }
  const value: unknown = JSON.parse(plain);
  if (!isObject(value)) throw invalid(file, `must hold an object, but holds ${found(value)}.`);
  const values: Partial<Record<Key, unknown>> = {};
  for (const [key, given] of Object.entries(value)) {
    if (key === "$schema") continue;
    if (!Object.hasOwn(keys, key)) throw unknownKey(file, key, Object.keys(keys));
    values[key as Key] = checked(file, key as Key, given);
  }
  return values as ConfigValues;
}

/** What an untrusted workspace may not set, left out and named. */
export function withoutGuarded(values: ConfigValues): {
  readonly values: ConfigValues;
  readonly guarded: readonly string[];
} {
  const guarded: string[] = [];
  const kept: Partial<Record<Key, unknown>> = {};
  for (const [key, value] of Object.entries(values) as [Key, unknown][]) {
    kept[key] = keys[key].harmless(value);
    if (!isObject(value)) {
      if (kept[key] === undefined) guarded.push(key);
      continue;
    }
    const left = (kept[key] ?? {}) as object;
    for (const name of Object.keys(value)) {
      if (!Object.hasOwn(left, name)) guarded.push(`${key}.${name}`);
    }
  }
  return { values: kept as ConfigValues, guarded };
}

function checked(file: string, key: Key, given: unknown): unknown {
  const isTable = key === "format" || key === "diagnostics";
  if (isTable && isObject(given)) {
    for (const name of Object.keys(given)) checkName(file, key, name);
  }
  const result = v.safeParse(keys[key].schema, given, { abortPipeEarly: true });
  if (!result.success) throw problem(file, key, result.issues);
  if (!isTable || !isObject(result.output)) return result.output;
  return withCanonicalNames(file, key, result.output as RuleTable<FormatRule>);
}

/** A name with a character that no language's has is a glob. */
function checkName(file: string, key: Key, name: string): void {
  if (isGlob(name) || languageNamed(name)) return;
  const known = languages.map((language) => language.name);
  const guess = didYouMean(name, known);
  throw invalid(
    file,
    `has the key "${key}.${name}", which is neither a language nor a glob such as "*.${name.toLowerCase()}"${guess || "."}`,
    `${key}.${name}`,
  );
}

export function isGlob(name: string): boolean {
  return /[*?./[\]{}!]/.test(name);
}

function withCanonicalNames(
  file: string,
  key: Key,
  table: RuleTable<FormatRule>,
): RuleTable<FormatRule> {
  const named = new Map<string, FormatRule | false>();
  for (const [name, rule] of Object.entries(table)) {
    const canonical = isGlob(name) ? name : languageNamed(name)!.name;
    if (named.has(canonical)) {
      throw invalid(file, `names ${canonical} twice under "${key}".`, `${key}.${name}`);
    }
    named.set(canonical, rule);
  }
  return Object.fromEntries(named);
}

type Issues = readonly [v.BaseIssue<unknown>, ...v.BaseIssue<unknown>[]];

function problem(file: string, key: Key, issues: Issues): AtomicError {
  // A misspelt key is missing under its own name as well; the misspelling is what helps.
  const issue = issues.find((each) => each.expected === "never") ?? issues[0];
  const path = [key, ...(issue.path ?? []).map((item) => item.key as string | number)];
  const name = path.reduce<string>(
    (text, part) =>
      typeof part === "number" ? `${text}[${part}]` : text === "" ? `${part}` : `${text}.${part}`,
    "",
  );
  if (issue.type === "strict_object" && issue.expected === "never") {
    const rule = (issue.path?.at(-1) as { readonly input?: object } | undefined)?.input ?? {};
    const isListed = path.some((part) => typeof part === "number");
    const others =
      knownNames(key, isListed) ??
      (key === "mcpServers" ? mcpServerKeys : undefined) ??
      (key === "search"
        ? searchKeys
        : "server" in rule || key === "diagnostics"
          ? serverKeys
          : formatKeys);
    return unknownKey(file, name, others, String(path.at(-1)));
  }
  if (issue.type === "strict_object" && issue.received === "undefined") {
    return invalid(file, `lacks the key "${name}".`, name);
  }
  const said = issue.message.startsWith("Invalid ")
    ? `must be ${issue.type === "literal" ? "an object or false" : wanted(issue)}, but is ${found(issue.input)}`
    : issue.message;
  return invalid(file, `has a wrong value: "${name}" ${said}.`, name);
}

const formatKeys = ["command", "stdin", "timeout", "server"];
const serverKeys = ["server", "languageId", "timeout"];

function unknownKey(
  file: string,
  name: string,
  known: readonly string[],
  last: string = name,
): AtomicError {
  const guess = didYouMean(last, known);
  const tail = guess || `; the keys here are ${known.join(", ")}.`;
  return invalid(file, `has the unknown key "${name}"${tail}`, name);
}

function invalid(file: string, problem: string, key?: string): AtomicError {
  return new AtomicError("config.invalid", `The configuration ${showName(file)} ${problem}`, {
    data: { file, ...(key !== undefined && { key }) },
  });
}

/** Blanks for comments, so that places stay what they are. */
function withoutComments(text: string): string {
  return text.replace(
    /("(?:[^"\\\n]|\\.)*")|\/\/[^\n]*|\/\*[\s\S]*?\*\//g,
    (match, literal: string | undefined) => literal ?? match.replace(/[^\n]/g, " "),
  );
}

function timeOf(timeout: number | undefined): number {
  return timeout === undefined ? limits.helperTime : Math.round(timeout * 1000);
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
