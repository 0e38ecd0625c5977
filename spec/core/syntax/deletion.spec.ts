// Blocks of real sources, deleted one at a time: what stood in a list of statements, members or declarations leaves a file
// that parses as well as before. What may break is told by the tree, never by a list of places.

import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import type { Node } from "web-tree-sitter";

import { languageOf, languages } from "../../../core/syntax/languages.ts";
import { inTime, resolver } from "./fixtures.ts";
import { errorCount, nodeOf, parserFor } from "./parsing.ts";

const elementReason = "an element or entry";

/** Why a block is more than a line of a list, so that its place cannot do without it. */
const reasons: Readonly<Record<string, (node: Node) => boolean>> = {
  // The comma warning speaks of these: the comma before the last one belongs to its neighbour.
  [elementReason]: (node) => elementLists.has(node.parent?.type ?? ""),
  "the operand of brackets": (node) => brackets.has(node.parent?.type ?? ""),
  "what its decorators decorate": (node) =>
    node.parent?.type === "decorated_definition" ||
    /decorator|annotation|metadata/.test(previousOf(node)?.type ?? ""),
  "all that its place holds": (node) => isAlone(node),
  "the value of a sequence": (node) =>
    node.parent?.type === "sequence_expression" && !node.nextNamedSibling,
};

const elementLists: ReadonlySet<string> = new Set([
  "annotation_argument_list",
  "argument_list",
  "arguments",
  "array",
  "namespace_use_group",
  "object",
  "parameter_list",
  "record",
]);

const brackets: ReadonlySet<string> = new Set([
  "command_substitution",
  "parenthesized_expression",
  "script_block_expression",
]);

function previousOf(node: Node): Node | undefined {
  let previous = node.previousNamedSibling;
  while (previous && /comment/.test(previous.type)) previous = previous.previousNamedSibling;
  return previous ?? undefined;
}

/** Of its parent's children, or of those in its field, the only one that is code. */
function isAlone(node: Node): boolean {
  const { parent } = node;
  if (!parent?.parent) return false;
  const siblings = parent.namedChildren.filter(
    (child): child is Node => child !== null && !/comment/.test(child.type),
  );
  const at = siblings.findIndex(({ id }) => id === node.id);
  if (siblings.length === 1) return at === 0;
  const fields = siblings.map((child) => fieldOf(parent, child));
  const field = fields[at];
  // A clause such as a body has its own field; in a list every member has the same, or none.
  if (field !== undefined) return fields.filter((other) => other === field).length === 1;
  return bodyHolders.has(parent.type) && at === siblings.length - 1;
}

/** Nodes that end with a body for which their grammar has no field. */
const bodyHolders: ReadonlySet<string> = new Set([
  "else_clause",
  "if_statement",
  "labeled_statement",
  "let_expression",
  "constructor_declaration",
  "let_binding",
  "match_case",
  "switch_entry",
]);

function fieldOf(parent: Node, child: Node): string | undefined {
  for (let i = 0; i < parent.childCount; i++) {
    if (parent.child(i)?.id === child.id) return parent.fieldNameForChild(i) ?? undefined;
  }
  return undefined;
}

interface Source {
  readonly language: string;
  readonly file: string;
  readonly text: string;
}

const root = new URL("../../fixtures/sources/", import.meta.url);

const sources: readonly Source[] = readdirSync(root)
  .sort()
  .flatMap((language) =>
    readdirSync(new URL(`${encodeURIComponent(language)}/`, root))
      .sort()
      .map((file) => ({
        language,
        file,
        text: readFileSync(new URL(`${encodeURIComponent(language)}/${file}`, root), "utf8"),
      })),
  );

test("every language has three sources", () => {
  const counts = languages.map(({ name }) => [
    name,
    sources.filter(({ language }) => language === name).length >= 3,
  ]);
  expect(counts.filter(([, enough]) => !enough)).toEqual([]);
});

for (const { name } of languages) {
  const own = sources.filter(({ language }) => language === name);
  test(`deleting a block of ${name} leaves a file that parses`, async () => {
    let checked = 0;
    let excused = 0;
    for (const { file, text } of own) {
      const lines = text.replace(/\n$/, "").split("\n");
      const language = languageOf(file, lines[0]!)!;
      expect([file, language.name]).toEqual([file, name]);
      const spanAt = await resolver.open(file, text);
      const spans = new Map(
        lines.flatMap((_, i) => {
          const span = inTime(spanAt(i + 1));
          return span && !span.continues ? [[`${span.start}-${span.end}`, span] as const] : [];
        }),
      );
      if (language.scan !== undefined) {
        // No grammar judges these: what remains must resolve as before, less what is gone.
        for (const { start, end } of spans.values()) {
          const kept = [...lines.slice(0, start - 1), ...lines.slice(end)];
          const again = await resolver.open(file, `${kept.join("\n")}\n`);
          for (let line = 1; line < start; line++) {
            const before = inTime(spanAt(line));
            if (!before || before.end >= start || before.continues) continue;
            expect([file, start, line, inTime(again(line))?.end]).toEqual([
              file,
              start,
              line,
              before.end,
            ]);
          }
          checked++;
        }
        continue;
      }
      const parser = await parserFor(language.grammar);
      const tree = parser.parse(text)!;
      const before = errorCount(tree);
      for (const { start, end } of spans.values()) {
        const kept = [...lines.slice(0, start - 1), ...lines.slice(end)];
        const after = parser.parse(`${kept.join("\n")}\n`)!;
        checked++;
        if (errorCount(after) > before) {
          const node = nodeOf(tree, lines, start, end);
          const reason = Object.keys(reasons).find((why) => reasons[why]!(node));
          if (reason === undefined) {
            throw new Error(
              `${file}:${start}-${end} breaks: ${node.type} in ${node.parent?.type}: ${lines[start - 1]}`,
            );
          }
          if (reason !== elementReason) excused++;
        }
        after.delete();
      }
      tree.delete();
      parser.delete();
    }
    // Else an empty fixture, or excuses for everything, would pass.
    expect(checked).toBeGreaterThan(25);
    expect(excused).toBeLessThan(checked / 4);
  });
}
