// The construct that begins on a line, read off a syntax tree (hashline.md decision 17).

import type { Node, Point, Tree } from "web-tree-sitter";

import type { BlockSpan } from "../hashline/blocks.ts";

import { askedSeldom, type Overdue } from "./deadline.ts";
import type { Forgives, Pairs, Rules } from "./rules.ts";

interface Step {
  readonly node: Node;
  /** The field of the parent that the node fills. */
  readonly field: string | null;
}

/**
 * Node types that stand by themselves. Only used where the parent is an error, so that the parent's type says nothing
 * about the place of its children.
 */
const standsAlone =
  /(^|_)(statement|declaration|definition|item|directive|element|pair|rule|rule_set|section|table|function|method|class|module|clause|entry|command|assignment)$/;

export interface ParsedText {
  readonly tree: Tree;
  readonly rules: Rules;
  /** Without terminators. */
  readonly lines: readonly string[];
  /** Once it is, answers mean nothing. */
  readonly overdue: Overdue;
}

/** @param row counted from zero. */
export function constructAt(text: ParsedText, row: number): BlockSpan | undefined {
  const { rules, lines } = text;
  const line = lines[row] ?? "";
  let column = line.search(/\S/);
  while (column >= 0) {
    const { steps, isRooted } = pathTo(text, { row, column });
    const at = steps.findIndex(({ node }, depth) => depth > 0 && beginsAt(node, row, column));
    if (at < 0) return undefined;
    let depth = at;
    while (depth < steps.length - 1 && isTransparent(steps[depth]!.node, rules)) depth++;
    const step = steps[depth]!;
    if (!isComment(step.node, rules)) {
      const parent = steps[depth - 1]!.node;
      return spanOf(led(step, rules), { node: parent, isRoot: isRooted && depth === 1 }, text, row);
    }
    const end = endOf(step.node, text);
    const after = end.row === row ? line.slice(end.column).search(/\S/) : -1;
    if (end.row > row && (lines[end.row] ?? "").slice(end.column).trim() !== "") return undefined;
    if (after < 0) return { start: row + 1, end: end.row + 1, continues: false, by: "syntax" };
    // Code behind a comment on one line is what begins there; a comment alone would take the code with it.
    column = end.column + after;
  }
  return undefined;
}

/**
 * From the root down to the token at a point, without the nodes that begin above its row, save the last of them.
 * What lies above can be very deep, and nobody asks for it.
 */
function pathTo({ tree, overdue }: ParsedText, point: Point): { steps: Step[]; isRooted: boolean } {
  const isLate = askedSeldom(overdue);
  const cursor = tree.walk();
  try {
    const steps: Step[] = [];
    let depth = 0;
    let isRooted = false;
    while (!isLate() && cursor.gotoFirstChildForPosition(point)) {
      const { row, column } = cursor.startPosition;
      if (row > point.row || (row === point.row && column > point.column)) break;
      depth++;
      if (row < point.row) continue;
      if (steps.length === 0) {
        cursor.gotoParent();
        steps.push({ node: cursor.currentNode, field: null });
        isRooted = depth === 1;
        cursor.gotoFirstChildForPosition(point);
      }
      steps.push({ node: cursor.currentNode, field: cursor.currentFieldName });
    }
    return { steps, isRooted };
  } finally {
    cursor.delete();
  }
}

interface Parent {
  readonly node: Node;
  readonly isRoot: boolean;
}

function spanOf(step: Step, parent: Parent, text: ParsedText, row: number): BlockSpan | undefined {
  if (!isConstruct(step, parent, text)) return undefined;
  const last = lastOf(step, parent, text);
  if (last === undefined) return undefined;
  const end = withoutRemarks(endOf(last, text), text, row);
  // What ends the statement around a clause is no part of the clause.
  const tail = standsInList(step, parent, text) ? (text.rules.tail ?? /^;/) : /^$/;
  const behind = remainder(text, end, tail);
  if (behind === "a beginning") return undefined;
  return { start: row + 1, end: end.row + 1, continues: behind === "code", by: "syntax" };
}

/** The construct that a leading token such as `|` belongs to, else the step itself. */
function led(step: Step, { leaders }: Rules): Step {
  if (step.node.isNamed || leaders?.includes(step.node.type) !== true) return step;
  const next = step.node.nextNamedSibling;
  return next === null ? step : { node: next, field: null };
}

function isConstruct(step: Step, parent: Parent, text: ParsedText): boolean {
  const { node } = step;
  const { rules } = text;
  if (!node.isNamed || node.isError || node.isMissing || rules.never?.includes(node.type))
    return false;
  if (rules.clauses?.includes(node.type) || rules.folds?.includes(node.type)) return true;
  if (parent.node.isError) return standsAlone.test(node.type);
  return standsInList(step, parent, text);
}

function standsInList(
  { node, field }: Step,
  { node: parent, isRoot }: Parent,
  { rules, lines }: ParsedText,
): boolean {
  if (isRoot || isWrapper(parent, rules)) return true;
  if (rules.lists.some((place) => standsIn(place, parent.type, field))) return true;
  const { row, column } = node.startPosition;
  return (
    rules.bodies?.some((place) => standsIn(place, parent.type, field)) === true &&
    lines[row]?.[column] !== "{"
  );
}

function standsIn(place: string, parent: string, field: string | null): boolean {
  const mark = place.search(/[.!]/);
  if (mark < 0) return place === parent;
  if (place.slice(0, mark) !== parent) return false;
  return (place.slice(mark + 1) === field) === (place[mark] === ".");
}

/** The node with which the construct ends; undefined where a part of it is missing or does not parse. */
function lastOf({ node, field }: Step, parent: Parent, text: ParsedText): Node | undefined {
  const { rules, overdue } = text;
  const isLate = askedSeldom(overdue);
  const parts = [node];
  if (rules.folds?.includes(node.type) && !follows(node, text)) {
    let next: Node | null = node;
    do next = next.nextNamedSibling;
    while (
      next !== null &&
      (rules.folds.includes(next.type) || isComment(next, rules)) &&
      !isLate()
    );
    if (next === null || !isConstruct({ node: next, field: null }, parent, text)) return undefined;
    parts.push(next);
  } else if (rules.keys?.some((place) => standsIn(place, parent.node.type, field))) {
    const value = node.nextNamedSibling;
    if (value === null) return undefined;
    parts.push(value);
  } else if (rules.pairs?.node === node.type) {
    if (rules.pairs.close.test(node.text)) return undefined;
    if (rules.pairs.open.test(node.text) && !takePair(parts, rules.pairs, isLate)) return undefined;
  }
  for (;;) {
    const last: Node = parts.at(-1)!;
    const next = last.nextSibling;
    if (next === null || !goesInto(last, next, rules)) break;
    parts.push(next);
  }
  if (rules.halves?.includes(parts.at(-1)!.type)) return undefined;
  if (!takeHeredocs(parts, rules)) return undefined;
  return parts.every((part) => parses(part, text)) ? parts.at(-1) : undefined;
}

/** Adds what follows the opening half of a pair, up to the closing one. False where there is none. */
function takePair(parts: Node[], { node, open, close }: Pairs, isLate: Overdue): boolean {
  let depth = 1;
  while (depth > 0) {
    const next: Node | null = parts.at(-1)!.nextSibling;
    if (next === null || isLate()) return false;
    parts.push(next);
    if (next.type === node) depth += open.test(next.text) ? 1 : close.test(next.text) ? -1 : 0;
  }
  return true;
}

function goesInto(node: Node, next: Node, rules: Rules): boolean {
  const into = [...(rules.joins?.[node.type] ?? []), ...(rules.joins?.["*"] ?? [])];
  return into.includes(next.type) || rules.continues?.[node.type]?.test(next.text) === true;
}

/** Adds the texts that the parts open and that stand behind them. False where one is not found. */
function takeHeredocs(parts: Node[], { heredoc }: Rules): boolean {
  if (heredoc === undefined) return true;
  const count = (type: string) =>
    parts.reduce((sum, part) => sum + part.descendantsOfType(type).length, 0);
  let open = count(heredoc.opening) - count(heredoc.body);
  while (open > 0) {
    const next: Node | null = parts.at(-1)!.nextNamedSibling;
    if (next?.type !== heredoc.body) return false;
    parts.push(next);
    open--;
  }
  return true;
}

/** Whether a decorator stands behind another one, which takes the construct in. */
function follows(node: Node, { rules, overdue }: ParsedText): boolean {
  const isLate = askedSeldom(overdue);
  let before = node.previousNamedSibling;
  while (before !== null && isComment(before, rules) && !isLate())
    before = before.previousNamedSibling;
  return before !== null && rules.folds?.includes(before.type) === true;
}

function parses(node: Node, { rules, overdue }: ParsedText): boolean {
  if (!node.hasError) return true;
  if (rules.forgives === undefined) return false;
  const isLate = askedSeldom(overdue);
  const doubtful = [node];
  for (let next = doubtful.pop(); next !== undefined; next = doubtful.pop()) {
    if (isLate()) return false;
    if (next.isMissing || next.isError) {
      if (!isForgiven(next, rules.forgives)) return false;
    } else doubtful.push(...next.children.filter((child) => child.hasError));
  }
  return true;
}

function isForgiven(node: Node, { within, text }: Forgives): boolean {
  const { parent } = node;
  if (parent === null) return false;
  if (node.isError) return within.includes(parent.type) && text.test(node.text);
  // A missing token stands alone, or in a node that holds nothing else.
  if (within.includes(parent.type)) return text.test(node.previousSibling?.text ?? "");
  return (
    parent.childCount === 1 &&
    within.includes(parent.parent?.type ?? "") &&
    text.test(parent.previousSibling?.text ?? "")
  );
}

function isTransparent(node: Node, rules: Rules): boolean {
  return node.isError || isWrapper(node, rules);
}

function isWrapper(node: Node, rules: Rules): boolean {
  return rules.wrappers?.includes(node.type) === true;
}

function isComment(node: Node, rules: Rules): boolean {
  return (rules.comments ?? ["comment"]).includes(node.type);
}

/** Some grammars count the indentation in. */
function beginsAt(node: Node, row: number, column: number): boolean {
  const start = node.startPosition;
  return start.row === row && start.column <= column && node.endIndex > node.startIndex;
}

/** Just behind the last character that is not blank. Grammars differ in whether a node owns the line end after it. */
function endOf(node: Node, text: ParsedText): Point {
  let last = node;
  while (text.rules.openEnded?.includes(last.type)) {
    const children = last.namedChildren;
    const nested = children.findIndex((child) => isNestedClause(child, last, text.rules));
    const own = nested < 0 ? children : children.slice(0, nested);
    const inner =
      own.findLast((child) => !isLoose(child, last, text)) ?? (nested < 0 ? undefined : own.at(-1));
    if (inner === undefined) break;
    last = inner;
  }
  const start = last.startPosition;
  let { row, column } = last.endPosition;
  for (;;) {
    const kept = (text.lines[row] ?? "").slice(0, column).trimEnd().length;
    if (row === start.row) return { row, column: Math.max(kept, start.column) };
    if (kept > 0) return { row, column: kept };
    row--;
    column = Infinity;
  }
}

/**
 * Where indentation ends a construct, grammars put comments behind it into it, although these stand no deeper than
 * its first line and speak of what follows.
 */
function withoutRemarks(end: Point, { tree, rules, lines }: ParsedText, row: number): Point {
  const indent = lines[row]!.search(/\S/);
  let last = end;
  while (last.row > row) {
    const point = { row: last.row, column: lines[last.row]!.search(/\S/) };
    const found = tree.rootNode.namedDescendantForPosition(point);
    if (found === null || !isComment(found, rules)) return last;
    const start = found.startPosition;
    if (start.column > indent || lines[start.row]!.search(/\S/) !== start.column) return last;
    let above = start.row - 1;
    while (above > row && lines[above]!.trim() === "") above--;
    last = { row: above, column: lines[above]!.trimEnd().length };
  }
  return last;
}

/** Some grammars put the next clause into the one before it. */
function isNestedClause(child: Node, parent: Node, { clauses, openEnded }: Rules): boolean {
  const isOpenClause = ({ type }: Node) => clauses?.includes(type) && openEnded?.includes(type);
  return isOpenClause(child) === true && isOpenClause(parent) === true;
}

/** Whether an open-ended node's child is no part of it when it comes last. A remark belongs to what it is indented under. */
function isLoose(child: Node, parent: Node, text: ParsedText): boolean {
  const { rules } = text;
  if (isComment(child, rules)) return child.startPosition.column <= parent.startPosition.column;
  if (rules.never?.includes(child.type)) return true;
  if (rules.detached?.includes(child.type) !== true) return false;
  let before = child.previousNamedSibling;
  while (before !== null && isComment(before, rules)) before = before.previousNamedSibling;
  return (
    before !== null && hasBlankLine(text, endOf(before, text).row + 1, child.startPosition.row)
  );
}

function hasBlankLine({ lines }: ParsedText, from: number, to: number): boolean {
  return lines.slice(from, to).some((line) => line.trim() === "");
}

/**
 * What the last line holds behind the construct, and would lose with it: nothing (also a `;` or a comment), code, or
 * the beginning of something that ends further down and would be torn.
 */
function remainder(
  text: ParsedText,
  { row, column }: Point,
  tail: RegExp,
): "nothing" | "code" | "a beginning" {
  const { rules, lines } = text;
  const line = (lines[row] ?? "").trimEnd();
  const rest = line.slice(column).trimStart().replace(tail, "").trimStart();
  if (rest === "") return "nothing";
  const from = line.length - rest.length;
  const first = pathTo(text, { row, column: from }).steps;
  const last = pathTo(text, { row, column: line.length - 1 }).steps;
  const isBehind = ({ node }: Step) =>
    node.startPosition.row === row && node.startPosition.column >= from;
  // What does not parse may belong to the construct: nobody can say where it ends. It may begin with what is missing.
  const isBroken = ({ node }: Step) =>
    node.startPosition.row === row && node.startPosition.column >= column && !parses(node, text);
  if (first.some(isBroken) || last.some(isBroken)) return "a beginning";
  // Whatever begins behind the construct and goes on below holds the line's last character.
  if (last.some((step) => isBehind(step) && endOf(step.node, text).row > row)) return "a beginning";
  const remark = first.find((step) => isBehind(step) && isComment(step.node, rules));
  if (remark === undefined) return "code";
  return endOf(remark.node, text).column < line.length ? "code" : "nothing";
}
