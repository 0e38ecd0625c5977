// Grammars used by the tests themselves, to judge what the resolver said.

import { Language, type Node, Parser, type Tree } from "web-tree-sitter";

import { grammars } from "./fixtures.ts";

export async function parserFor(grammar: string): Promise<Parser> {
  await Parser.init({ wasmBinary: await grammars.runtime() });
  const parser = new Parser();
  return parser.setLanguage(await Language.load((await grammars.load(grammar))!));
}

/** Nodes that are errors or missing. */
export function errorCount(tree: Tree): number {
  const cursor = tree.walk();
  let count = 0;
  const visit = () => {
    const node = cursor.currentNode;
    if (node.isError || node.isMissing) count++;
    if (!node.hasError || !cursor.gotoFirstChild()) return;
    do visit();
    while (cursor.gotoNextSibling());
    cursor.gotoParent();
  };
  visit();
  cursor.delete();
  return count;
}

/** The largest node that begins with the first code of line `start` and ends by line `end`; both from 1. */
export function nodeOf(tree: Tree, lines: readonly string[], start: number, end: number): Node {
  const row = start - 1;
  const column = lines[row]!.search(/\S/);
  let node = tree.rootNode.descendantForPosition({ row, column }, { row, column: column + 1 })!;
  for (
    let parent = node.parent;
    parent &&
    parent.startPosition.row === row &&
    parent.startPosition.column === column &&
    isBy(parent, end);
    parent = node.parent
  ) {
    node = parent;
  }
  return node;
}

/** Some grammars count the blank lines behind a node in. */
function isBy(node: Node, end: number): boolean {
  return node.startPosition.row + node.text.trimEnd().split("\n").length <= end;
}
