// What of a caller's SQL may run (tools.md §4). The engine's own judgement is the guard; the words here are what makes its
// refusals understood, and the guard itself where an engine gives none.

import { AtomicError, type ErrorCode } from "../errors.ts";
import type { SqlAction } from "../ports/databases.ts";
import { type SqlToken, sqlTokens } from "./tokens.ts";

/** One column to sort by. */
export interface Ordering {
  readonly column: string;
  readonly descending: boolean;
}

/**
 * @param canJudge whether the engine will judge as well, so that words that only may be harmful can be left to it
 * @returns the statement without the semicolon at its end
 * @throws AtomicError `sqlite.query`
 */
export function checkQuery(sql: string, canJudge: boolean): string {
  const tokens = [...sqlTokens(sql)];
  const refuse = (reason: string) => refusal("sqlite.query", "q", reason);
  checkForm(tokens, refuse);
  while (isSemicolon(tokens.at(-1))) tokens.pop();
  const [first] = tokens;
  if (!first) throw refuse("it is empty");
  if (tokens.some(isSemicolon)) throw refuse("only one statement is accepted");
  if (first.kind !== "word" || !/^(?:select|with)$/i.test(first.value)) {
    throw refuse(`only SELECT is accepted, and it begins with ${JSON.stringify(first.value)}`);
  }
  checkNames(tokens, canJudge, refuse);
  if (!canJudge) {
    const word = forbiddenWord(tokens);
    if (word !== undefined) throw refuse(`only SELECT is accepted, and it has ${word}`);
  }
  return sql.replace(/[;\s]+$/, "");
}

/** @throws AtomicError `sqlite.where` */
export function checkWhere(condition: string, canJudge: boolean): string {
  const tokens = [...sqlTokens(condition)];
  const refuse = (reason: string) => refusal("sqlite.where", "where", reason);
  checkForm(tokens, refuse);
  if (tokens.length === 0) throw refuse("it is empty");
  if (tokens.some(isSemicolon)) throw refuse('";" is not accepted');
  let depth = 0;
  for (const { kind, value } of tokens) {
    if (kind !== "mark") continue;
    if (value === "(") depth++;
    if (value === ")" && --depth < 0) break;
  }
  if (depth !== 0) throw refuse("its parentheses do not match");
  checkNames(tokens, canJudge, refuse);
  for (const { kind, value } of tokens) {
    if (kind !== "word" && kind !== "quoted") continue;
    const word = value.match(/\w+/g)?.find((each) => conditionWords.has(each.toLowerCase()));
    if (word !== undefined) throw refuse(`${word} is not accepted`);
  }
  return condition;
}

/** "name, age:desc". @throws AtomicError `sqlite.order` */
export function parseOrder(text: string): readonly Ordering[] {
  return text.split(",").map((each) => {
    const match = /^\s*([A-Za-z_][\w$]*)\s*(?::\s*(asc|desc)\s*)?$/i.exec(each);
    if (!match || /^(?:sqlite|pragma)_/i.test(match[1]!)) {
      throw refusal(
        "sqlite.order",
        "order",
        `${JSON.stringify(each.trim())} is no column, COLUMN:asc or COLUMN:desc`,
      );
    }
    return { column: match[1]!, descending: /^desc$/i.test(match[2] ?? "") };
  });
}

/** The engine's question, answered: reading only, and nothing of the engine's own tables. */
export function allowsReading({ kind, name }: SqlAction): boolean {
  switch (kind) {
    case "select":
    case "recursive":
      return true;
    case "read":
      return !isInternal(name);
    case "function":
      return !harmfulFunctions.has(name.toLowerCase());
    case "pragma":
      // Full-text tables ask by it whether somebody else wrote.
      return name.toLowerCase() === "data_version";
    default:
      return false;
  }
}

/** Why the engine refused a query that passed `checkQuery`, as far as its words tell. */
export function engineRefusal(sql: string): AtomicError {
  const tokens = [...sqlTokens(sql)];
  const word = forbiddenWord(tokens);
  const name = tokens.find(({ kind, value }) => kind === "string" && isInternal(value))?.value;
  const reason =
    word !== undefined
      ? `only SELECT is accepted, and it has ${word}`
      : name !== undefined
        ? `${name} is internal to SQLite`
        : "it would do more than read tables and views";
  return refusal("sqlite.query", "q", reason);
}

const conditionWords = new Set(
  "limit offset union intersect except attach detach pragma select load_extension".split(" "),
);
const statementWords = new Set(
  "attach detach pragma insert update delete drop alter create replace vacuum reindex load_extension writefile".split(
    " ",
  ),
);
const harmfulFunctions = new Set(
  "load_extension readfile writefile edit fts3_tokenizer sqlite_log".split(" "),
);

type Refuse = (reason: string) => AtomicError;

function checkForm(tokens: readonly SqlToken[], refuse: Refuse): void {
  for (const { kind, value } of tokens) {
    if (kind === "broken") {
      throw refuse(value === "\0" ? "it holds a NUL" : `a quote (${value[0]}) is not closed`);
    }
    if (kind === "comment") throw refuse("comments (-- and /* */) are not accepted");
    if (kind === "mark" && value === "*") continue;
    if (kind === "parameter") {
      throw refuse(`${value} is a placeholder, and there are no values for it`);
    }
  }
}

function checkNames(tokens: readonly SqlToken[], canJudge: boolean, refuse: Refuse): void {
  for (const { kind, value } of tokens) {
    // A table may be named in single quotes too; whether it is one, only the engine knows.
    const isName = kind === "word" || kind === "quoted" || (kind === "string" && !canJudge);
    if (isName && isInternal(value)) throw refuse(`${value} is internal to SQLite`);
  }
}

function forbiddenWord(tokens: readonly SqlToken[]): string | undefined {
  return tokens.find(({ kind, value }, i) => {
    if (kind !== "word" || !statementWords.has(value.toLowerCase())) return false;
    // replace(a, b, c) is a function.
    return !(/^replace$/i.test(value) && tokens[i + 1]?.value === "(");
  })?.value;
}

function isSemicolon(token: SqlToken | undefined): boolean {
  return token?.kind === "mark" && token.value === ";";
}

function isInternal(name: string): boolean {
  return /^(?:sqlite|pragma)_/i.test(name);
}

function refusal(code: ErrorCode, parameter: string, reason: string): AtomicError {
  return new AtomicError(code, `Bad ${parameter}=: ${reason}.`, { data: { parameter } });
}
