// What a word comes to, and what a pipeline writes, as far as that can be told without running anything.

import { expandBraces } from "./braces.ts";
import {
  DEFAULT,
  parseWord,
  type Pipeline,
  type Script,
  type ShellCommand,
  type Word,
  type WordPart,
} from "./parse.ts";
import { outputOfProgram } from "./producers.ts";
import { type Scope, UNKNOWN } from "./scope.ts";

/** Words that one word may become, and characters of one of them. */
const MOST_FIELDS = 4_096;
const MOST_TEXT = 256 * 1024;

/** The words that the shell makes of one: none, one or several. */
export function expandWord(word: Word, scope: Scope): readonly string[] {
  const hasBraces = word.parts.some(
    (part) => part.kind === "text" && !part.quoted && part.text.includes("{"),
  );
  if (!hasBraces) return fieldsOf(word, scope);
  return expandBraces(word.raw).flatMap((raw) => fieldsOf(parseWord(raw), scope));
}

/** The word as one text: nothing is split, as in an assignment. */
export function expandText(word: Word, scope: Scope): string {
  return fieldsOf(word, scope, false).join("");
}

export function expandWords(words: readonly Word[], scope: Scope): readonly string[] {
  const fields: string[] = [];
  for (const word of words) {
    fields.push(...expandWord(word, scope));
    if (fields.length > MOST_FIELDS) break;
  }
  return fields;
}

function fieldsOf({ parts }: Word, scope: Scope, isSplit = true): readonly string[] {
  const fields: string[] = [];
  let current: string | undefined;
  function add(text: string) {
    const sum = (current ?? "") + text;
    current = sum.length > MOST_TEXT ? UNKNOWN : sum;
  }
  function end() {
    if (current !== undefined && fields.length < MOST_FIELDS) fields.push(current);
    current = undefined;
  }
  for (const [index, part] of parts.entries()) {
    if (part.kind === "text") {
      if (part.text !== "" || part.quoted) {
        add(
          index === 0 && !part.quoted ? withHome(part.text, parts.length === 1, scope) : part.text,
        );
      }
      continue;
    }
    if (part.kind === "variable" && part.name === "@" && part.rest === "" && scope.arguments) {
      for (const [at, argument] of scope.arguments.entries()) {
        if (at > 0) end();
        add(argument);
      }
      continue;
    }
    const value = valueOf(part, scope);
    if (part.quoted || !isSplit) {
      add(value);
      continue;
    }
    const [first = "", ...others] = split(value, scope);
    if (first !== "") add(first);
    for (const other of others) {
      end();
      if (other !== "") add(other);
    }
  }
  end();
  return fields;
}

/** An empty first or last piece: a separator stood there. */
function split(value: string, scope: Scope): readonly string[] {
  const separators = scope.get("IFS") || " \t\n";
  if (separators.includes(UNKNOWN)) return value.split(/\s+/);
  const set = new Set(separators);
  const pieces: string[] = [];
  let from = 0;
  for (let at = 0; at <= value.length; at++) {
    if (at < value.length && !set.has(value[at]!)) continue;
    const piece = value.slice(from, at);
    if (piece !== "" || at === value.length || from === 0) pieces.push(piece);
    from = at + 1;
  }
  return pieces;
}

/** @param isWhole nothing follows the text in its word */
function withHome(text: string, isWhole: boolean, { home }: Scope): string {
  const found = (isWhole ? /^~([\w.-]*)(?=\/|$)/ : /^~([\w.-]*)(?=\/)/).exec(text);
  if (!found) return text;
  const [all, user = ""] = found;
  const folder = user === "root" ? "/root" : user === "" ? (home ?? UNKNOWN) : `/home/${user}`;
  return folder + text.slice(all.length);
}

function valueOf(part: Exclude<WordPart, { readonly kind: "text" }>, scope: Scope): string {
  if (part.kind === "unknown") return UNKNOWN;
  if (part.kind === "commands") {
    const output = outputOfScript(part.script, scope);
    if (part.isFile) {
      const path = `/dev/fd/${64 + scope.files.size}`;
      scope.files.set(path, output);
      return path;
    }
    return output === undefined ? UNKNOWN : output.replace(/\n+$/, "");
  }
  const { name, rest, inner } = part;
  const joined = scope.arguments?.join(" ");
  const value = (name === "@" || name === "*") && joined !== undefined ? joined : scope.get(name);
  if (rest === "") return value;
  const operator = DEFAULT.exec(rest)?.[0];
  if (operator !== undefined) {
    const other = () => (inner ? expandText(inner, scope) : "");
    if (value.includes(UNKNOWN)) return UNKNOWN;
    if (operator.endsWith("+")) return value === "" ? "" : other();
    return value === "" ? other() : value;
  }
  const cut = /^:(\d{1,6})(?::(\d{1,6}))?$/.exec(rest);
  if (cut && !value.includes(UNKNOWN)) {
    const from = Number(cut[1]);
    return value.slice(from, cut[2] === undefined ? undefined : from + Number(cut[2]));
  }
  return UNKNOWN;
}

/** Undefined where only running it would tell. */
export function outputOfScript({ pipelines, isWhole }: Script, scope: Scope): string | undefined {
  if (!isWhole) return undefined;
  let all = "";
  for (const pipeline of pipelines) {
    const output = outputOfPipeline(pipeline, scope);
    if (output === undefined) return undefined;
    all += output;
    if (all.length > MOST_TEXT) return undefined;
  }
  return all;
}

function outputOfPipeline({ commands }: Pipeline, scope: Scope): string | undefined {
  let flow: string | undefined = "";
  for (const command of commands) {
    flow = outputOf(command, scope, flow);
    if (flow === undefined) return undefined;
  }
  return flow;
}

/**
 * @param input what it reads; undefined where that is not known
 * @param isAll also what it writes into a file instead
 */
export function outputOf(
  command: ShellCommand,
  scope: Scope,
  input: string | undefined,
  isAll = false,
): string | undefined {
  if (command.kind === "compound") {
    const isPlain = ["(", "{"].includes(command.keyword) && command.redirects.length === 0;
    return isPlain ? outputOfScript(command.body, scope) : undefined;
  }
  const read = inputOf(command, scope) ?? input;
  if (
    !isAll &&
    command.redirects.some(({ operator, descriptor }) => />/.test(operator) && descriptor !== "2")
  ) {
    return undefined;
  }
  const [program, ...args] = expandWords(command.words, scope);
  if (program === undefined) return "";
  const name = program.slice(program.lastIndexOf("/") + 1);
  return outputOfProgram(name, args, read);
}

/** From a here-document or a here-string. */
export function inputOf(
  { redirects }: Pick<ShellCommand, "redirects">,
  scope: Scope,
): string | undefined {
  const redirect = redirects.findLast(({ operator }) => operator === "<<" || operator === "<<<");
  if (!redirect) return undefined;
  if (redirect.operator === "<<<") return `${expandText(redirect.target, scope)}\n`;
  return redirect.body ? expandText(redirect.body, scope) : "";
}
