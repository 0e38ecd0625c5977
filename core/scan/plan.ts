// A pattern made ready for search: what is looked for first, what decides, and what had to be repaired to read it.

import { Automaton, compileNode, type Node, ProgramTooLarge, type Step } from "./automaton.ts";
import { type FoldedRun, foldedRun } from "./folded-run.ts";
import { type Literals, requiredLiterals } from "./literals.ts";
import { type ParsedPattern, parsePattern, PatternError } from "./pattern-parse.ts";

export interface Plan {
  readonly automaton: Automaton;
  readonly node: Node;
  /** It is matched against whole texts; else line by line. */
  readonly spansLines: boolean;
  /** As it was given, so that another thread may make the same. */
  readonly source: { readonly pattern: string; readonly ignoreCase: boolean };
  readonly literals: Literals | undefined;
  /** What every match contains in either case, where that tells more than the literals. */
  readonly folded: FoldedRun | undefined;
  /** What was not taken as it stands, in sentences. */
  readonly repairs: readonly string[];
}

export interface PlanOptions {
  readonly ignoreCase: boolean;
}

/** @throws PatternError */
export function planPattern(text: string, options: PlanOptions): Plan {
  const repairs: string[] = [];
  const { node, spansLines, literalBraces, literalDollars } = parseOrRepair(text, options, repairs);
  if (literalDollars) repairs.push("${ was taken literally, not as the end of a line");
  else if (literalBraces) repairs.push("A { that begins no repetition was taken literally");
  try {
    const automaton = new Automaton(node, { search: true });
    const source = { pattern: text, ignoreCase: options.ignoreCase };
    const literals = requiredLiterals(node);
    const isWeak = !literals || literals.texts.some((literal) => literal.length < 3);
    const folded = isWeak ? foldedRun(node) : undefined;
    return { automaton, node, spansLines, source, literals, folded, repairs };
  } catch (thrown) {
    if (!(thrown instanceof ProgramTooLarge)) throw thrown;
    throw new PatternError("its repetitions make it too large");
  }
}

/** The steps of a plan's pattern, for finding where a match begins and ends. */
export function stepsOf({ node }: Plan): {
  readonly steps: readonly Step[];
  readonly first: number;
} {
  return compileNode(node);
}

function parseOrRepair(text: string, options: PlanOptions, repairs: string[]): ParsedPattern {
  try {
    return parsePattern(text, options);
  } catch (thrown) {
    if (!(thrown instanceof PatternError) || thrown.kind !== "group") throw thrown;
    const escaped = withLiteralParentheses(text);
    let parsed: ParsedPattern;
    try {
      parsed = parsePattern(escaped, options);
    } catch {
      throw thrown;
    }
    repairs.push("The parentheses are not balanced, so all of them were taken literally");
    return parsed;
  }
}

function withLiteralParentheses(text: string): string {
  let result = "";
  let isInClass = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\\") {
      result += char + (text[++i] ?? "");
      continue;
    }
    if (char === "[") isInClass = true;
    else if (char === "]") isInClass = false;
    result += !isInClass && (char === "(" || char === ")") ? `\\${char}` : char;
  }
  return result;
}
