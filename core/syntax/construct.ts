// The construct that begins on a line, read off a syntax tree (hashline.md decision 17).

import type { Node, Point, Tree } from "web-tree-sitter";

import type { BlockSpan } from "../hashline/blocks.ts";

import type { Rules } from "./rules.ts";

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

/** @param lines the text's lines, without terminators. @param row counted from zero. */
export function constructAt(
  tree: Tree,
  rules: Rules,
  lines: readonly string[],
  row: number,
): BlockSpan | undefined {
  const line = lines[row] ?? "";
  let column = line.search(/\S/);
  while (column >= 0) {
    const path = pathTo(tree, { row, column });
    const at = path.findIndex(({ node }, depth) => depth > 0 && beginsAt(node, row, column));
    if (at < 0) return undefined;
    let depth = at;
    while (depth < path.length - 1 && isTransparent(path[depth]!.node, rules)) depth++;
    const step = path[depth]!;
    if (!isComment(step.node, rules)) {
      return spanOf(led(step, rules), path[depth - 1]!.node, depth === 1, {
        tree,
        rules,
        lines,
        row,
      });
    }
    const end = endOf(step.node, rules);
    const after = end.row === row ? line.slice(end.column).search(/\S/) : -1;
    if (end.row > row && (lines[end.row] ?? "").slice(end.column).trim() !== "") return undefined;
    if (after < 0) return { start: row + 1, end: end.row + 1, continues: false, by: "syntax" };
    // Code behind a comment on one line is what begins there; a comment alone would take the code with it.
    column = end.column + after;
  }
  return undefined;
}

/** From the root down to the token at a point. */
function pathTo(tree: Tree, point: Point): Step[] {
  const cursor = tree.walk();
  try {
    const path: Step[] = [{ node: cursor.currentNode, field: null }];
    while (cursor.gotoFirstChildForPosition(point)) {
      const { row, column } = cursor.startPosition;
      if (row > point.row || (row === point.row && column > point.column)) break;
      path.push({ node: cursor.currentNode, field: cursor.currentFieldName });
    }
    return path;
  } finally {
    cursor.delete();
  }
}

interface Place {
  readonly tree: Tree;
  readonly rules: Rules;
  readonly lines: readonly string[];
  readonly row: number;
}

function spanOf(
  { node, field }: Step,
  parent: Node,
  atRoot: boolean,
  { tree, rules, lines, row }: Place,
): BlockSpan | undefined {
  if (!isConstruct(node, field, parent, atRoot, rules)) return undefined;
  const last = lastOf(node, field, parent, atRoot, rules);
  if (last === undefined) return undefined;
  const end = endOf(last, rules);
  const behind = remainder(tree, rules, lines, end);
  if (behind === "a beginning") return undefined;
  return { start: row + 1, end: end.row + 1, continues: behind === "code", by: "syntax" };
}

/** The construct that a leading token such as `|` belongs to, else the step itself. */
function led(step: Step, { leaders }: Rules): Step {
  if (step.node.isNamed || leaders?.includes(step.node.type) !== true) return step;
  const next = step.node.nextNamedSibling;
  return next === null ? step : { node: next, field: null };
}

function isConstruct(
  node: Node,
  field: string | null,
  parent: Node,
  atRoot: boolean,
  rules: Rules,
): boolean {
  if (!node.isNamed || node.isError || node.isMissing || rules.never?.includes(node.type))
    return false;
  if (rules.clauses?.includes(node.type) || rules.folds?.includes(node.type)) return true;
  if (parent.isError) return standsAlone.test(node.type);
  if (atRoot || isWrapper(parent, rules)) return true;
  if (rules.lists.some((place) => standsIn(place, parent.type, field))) return true;
  return (
    rules.bodies?.some((place) => standsIn(place, parent.type, field)) === true &&
    !node.text.startsWith("{")
  );
}

function standsIn(place: string, parent: string, field: string | null): boolean {
  const mark = place.search(/[.!]/);
  if (mark < 0) return place === parent;
  if (place.slice(0, mark) !== parent) return false;
  return (place.slice(mark + 1) === field) === (place[mark] === ".");
}

/** The node with which the construct ends; undefined where a part of it is missing or does not parse. */
function lastOf(
  node: Node,
  field: string | null,
  parent: Node,
  atRoot: boolean,
  rules: Rules,
): Node | undefined {
  const parts = [node];
  if (rules.folds?.includes(node.type) && !follows(node, rules)) {
    let next: Node | null = node;
    do next = next.nextNamedSibling;
    while (next !== null && (rules.folds.includes(next.type) || isComment(next, rules)));
    if (next === null || !isConstruct(next, null, parent, atRoot, rules)) return undefined;
    parts.push(next);
  } else if (rules.keys?.some((place) => standsIn(place, parent.type, field))) {
    const value = node.nextNamedSibling;
    if (value === null) return undefined;
    parts.push(value);
  }
  for (;;) {
    const last: Node = parts.at(-1)!;
    const next = last.nextSibling;
    if (next === null || !goesInto(last, next, rules)) break;
    parts.push(next);
  }
  if (rules.halves?.includes(parts.at(-1)!.type)) return undefined;
  if (!takeHeredocs(parts, rules) || parts.some((part) => isDoubtful(part, rules)))
    return undefined;
  return parts.every((part) => parses(part, rules)) ? parts.at(-1) : undefined;
}

function isDoubtful(node: Node, { doubts }: Rules): boolean {
  const type = doubts?.[node.type];
  if (type === undefined) return false;
  const own = node.firstNamedChild?.type === type ? 1 : 0;
  return node.descendantsOfType(type).length > own;
}

function goesInto(node: Node, next: Node, rules: Rules): boolean {
  const into = [...(rules.joins?.[node.type] ?? []), ...(rules.joins?.["*"] ?? [])];
  return into.includes(next.type);
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
function follows(node: Node, rules: Rules): boolean {
  let before = node.previousNamedSibling;
  while (before !== null && isComment(before, rules)) before = before.previousNamedSibling;
  return before !== null && rules.folds?.includes(before.type) === true;
}

function parses(node: Node, rules: Rules): boolean {
  if (!node.hasError) return true;
  const { forgives } = rules;
  if (forgives === undefined) return false;
  if (node.isMissing) return forgives.test(node.previousSibling?.text ?? "");
  if (node.isError) return forgives.test(node.text);
  return node.children.every((child) => parses(child, rules));
}

function isTransparent(node: Node, rules: Rules): boolean {
  return node.isError || isWrapper(node, rules);
}

function isWrapper(node: Node, rules: Rules): boolean {
  if (rules.wrappers?.includes(node.type)) return true;
  const heads = rules.headed?.[node.type];
  return heads !== undefined && !heads.includes(node.firstNamedChild?.type ?? "");
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
function endOf(node: Node, rules: Rules): Point {
  let last = node;
  while (rules.openEnded?.includes(last.type)) {
    const inner = last.namedChildren.findLast((child) => !isLoose(child, rules));
    if (inner === undefined) break;
    last = inner;
  }
  const { row, column } = last.endPosition;
  const text = last.text;
  const kept = text.trimEnd();
  const lost = text.slice(kept.length).split("\n").length - 1;
  if (lost === 0) return { row, column: column - (text.length - kept.length) };
  const lineStart = kept.lastIndexOf("\n");
  const before = lineStart < 0 ? last.startPosition.column : 0;
  return { row: row - lost, column: before + kept.length - (lineStart + 1) };
}

/** Whether an open-ended node's child is no part of it when it comes last. */
function isLoose(child: Node, rules: Rules): boolean {
  if (isComment(child, rules) || rules.never?.includes(child.type)) return true;
  if (rules.detached?.includes(child.type) !== true) return false;
  const before = child.previousNamedSibling;
  return before !== null && endOf(before, rules).row + 1 < child.startPosition.row;
}

/**
 * What the last line holds behind the construct, and would lose with it: nothing (also a `;` or a comment), code, or
 * the beginning of something that ends further down and would be torn.
 */
function remainder(
  tree: Tree,
  rules: Rules,
  lines: readonly string[],
  { row, column }: Point,
): "nothing" | "code" | "a beginning" {
  const line = (lines[row] ?? "").trimEnd();
  const rest = line
    .slice(column)
    .trimStart()
    .replace(rules.tail ?? /^;/, "")
    .trimStart();
  if (rest === "") return "nothing";
  const from = line.length - rest.length;
  const first = pathTo(tree, { row, column: from });
  const last = pathTo(tree, { row, column: line.length - 1 });
  const isBehind = ({ node }: Step) =>
    node.startPosition.row === row && node.startPosition.column >= from;
  // What does not parse may belong to the construct: nobody can say where it ends.
  const isBroken = (step: Step) => step.node.isError && isBehind(step) && !parses(step.node, rules);
  if (first.some(isBroken) || last.some(isBroken)) return "a beginning";
  // Whatever begins behind the construct and goes on below holds the line's last character.
  if (last.some((step) => isBehind(step) && endOf(step.node, rules).row > row))
    return "a beginning";
  const remark = first.find((step) => isBehind(step) && isComment(step.node, rules));
  if (remark === undefined) return "code";
  return endOf(remark.node, rules).column < line.length ? "code" : "nothing";
}
