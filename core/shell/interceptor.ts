// Shell commands for which there is a tool (seed 000, "Bash interception"; tools.md §11.5).

import type { Run } from "./runs.ts";

export interface Interception {
  readonly tool: string;
  /** The rule's name, or a user's pattern. */
  readonly rule: string;
  readonly message: string | undefined;
}

export interface CustomRule {
  readonly pattern: string;
  readonly tool: string;
  readonly message?: string | undefined;
}

/**
 * @param runs of one command; those in substitutions are left alone, since no tool can stand there
 * @param hasTool a rule holds only where its tool can be called
 */
export function intercept(
  runs: readonly Run[],
  custom: readonly CustomRule[],
  hasTool: (name: string) => boolean,
): { readonly run: Run; readonly interception: Interception } | undefined {
  for (const run of runs) {
    if (run.place !== "list" || run.source !== undefined) continue;
    for (const { pattern, tool, message } of custom) {
      if (!hasTool(tool) || !matchesFromStart(pattern, run)) continue;
      return { run, interception: { tool, rule: pattern, message } };
    }
    const tool = builtin(run);
    if (tool === undefined || !hasTool(tool)) continue;
    return { run, interception: { tool, rule: `${programOf(run)} → ${tool}`, message: undefined } };
  }
  return undefined;
}

function matchesFromStart(pattern: string, { words, text }: Run): boolean {
  const expression = new RegExp(`^(?:${pattern})`, "u");
  return expression.test(words.join(" ")) || expression.test(text);
}

function programOf({ words: [first = ""] }: Pick<Run, "words">): string {
  return first.slice(first.lastIndexOf("/") + 1);
}

function builtin(run: Run): string | undefined {
  const { words, redirects } = run;
  const program = programOf(run);
  const args = words.slice(1);
  const writes = redirects.some(
    ({ operator, target }) => />/.test(operator) && isFile(operator, target),
  );
  if (program === "echo" || program === "printf") return writes ? "write" : undefined;
  // What xargs and the like give it, is no file that is named here.
  if (run.through.includes("xargs") || run.through.includes("find")) return undefined;
  switch (program) {
    case "cat":
      if (writes && run.hasInput && operands(args, "").length === 0) return "write";
      return reads(run, operands(args, ""));
    case "head":
    case "tail": {
      const follows = args.some((arg) => /^-[a-zA-Z]*[fF]|^--(?:follow|retry|pid)/.test(arg));
      return follows ? undefined : reads(run, operands(args, "nc", ["lines", "bytes"]));
    }
    case "less":
    case "more":
      return reads(run, operands(args, "bhjkoOpPtTxyz#"));
    case "grep":
    case "egrep":
    case "fgrep":
    case "rg":
    case "ripgrep":
    case "ag":
    case "ack":
      return searches(run, args);
    case "find":
    case "fd":
    case "fdfind":
    case "locate":
      return finds(args);
    case "sed":
      return args.some((arg) => /^-[a-zA-Z]*i|^--in-place/.test(arg)) ? "edit" : undefined;
    case "perl":
      return args.some((arg) => /^-[a-zA-Z0]*i/.test(arg)) ? "edit" : undefined;
    case "awk":
    case "gawk":
      return args.some((arg, at) => /^(?:-i|--include)$/.test(arg) && args[at + 1] === "inplace")
        ? "edit"
        : undefined;
    default:
      return undefined;
  }
}

/** It reads its input, which is another's output. */
function reads({ hasInput }: Run, files: readonly string[]): string | undefined {
  if (files.length === 0) return hasInput ? undefined : "read";
  return files.every((file) => file === "-" || /^\/(?:dev|proc)\//.test(file)) ? undefined : "read";
}

function searches({ hasInput }: Run, args: readonly string[]): string | undefined {
  const hasPattern = args.some((arg) => /^-[a-zA-Z]*[ef]$|^--(?:regexp|file)\b/.test(arg));
  const isDeep = args.some((arg) => /^-[a-zA-Z]*[rR]|^--(?:dereference-)?recursive/.test(arg));
  const files = operands(args, "efABCmdDgtTEjM", [
    "regexp",
    "file",
    "after-context",
    "before-context",
    "context",
    "max-count",
    "glob",
    "type",
  ]).slice(hasPattern ? 0 : 1);
  if (files.length > 0) return files.every((file) => file === "-") ? undefined : "search";
  return hasInput && !isDeep ? undefined : "search";
}

function finds(args: readonly string[]): string | undefined {
  const asks = args.some((arg) =>
    /^-(?:i?name|type|i?path|glob|g|e|t)$|^--(?:type|glob|extension)\b/.test(arg),
  );
  // What the tool cannot do.
  const acts = args.some((arg) =>
    /^-(?:exec|execdir|ok|okdir|delete|fprint\w*|fls|printf|newer\w*|[acm]time|[acm]min|size|perm|user|group|x|X)$|^--exec/.test(
      arg,
    ),
  );
  return asks && !acts ? "find" : undefined;
}

/** @param letters of options that take a value */
function operands(
  args: readonly string[],
  letters: string,
  long: readonly string[] = [],
): readonly string[] {
  const found: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!;
    if (arg === "--") return [...found, ...args.slice(at + 1)];
    if (arg.startsWith("--")) {
      if (long.includes(arg.slice(2))) at++;
    } else if (/^-./.test(arg)) {
      const value = Array.from(arg.slice(1)).findIndex((letter) => letters.includes(letter));
      if (value >= 0 && value === arg.length - 2) at++;
    } else found.push(arg);
  }
  return found;
}

function isFile(operator: string, target: string): boolean {
  if (/^[<>]&$/.test(operator) && /^(?:\d+|-)$/.test(target)) return false;
  return target !== "" && !target.startsWith("/dev/");
}
