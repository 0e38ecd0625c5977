// Blocks by syntax: the resolver that the hashline engine asks.

import type { Node, Range, Tree } from "web-tree-sitter";

import type { BlockSpan, ClosableResolver, SpanLookup } from "../hashline/blocks.ts";
import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Grammars } from "../ports/grammars.ts";

import { constructAt, type ParsedText } from "./construct.ts";
import { deadline, type Overdue } from "./deadline.ts";
import { freeTree, hasFailed, loadGrammar, parseText } from "./grammar-memory.ts";
import { spanByLayout } from "./layout.ts";
import { languageNamed, languageOf, type Language, type ScannedLanguage } from "./languages.ts";
import type { Embed } from "./rules.ts";
import { scannedSpans } from "./scanned.ts";
import { sectionsOf } from "./sections.ts";

interface ResolverHost {
  readonly grammars: Grammars;
  readonly clock: Clock;
}

/** What one language says about a text, or about a part of it. */
interface Layer {
  readonly spanAt: (line: number) => BlockSpan | undefined;
  readonly range: Range | undefined;
  /** Where there is one. */
  readonly tree: Tree | undefined;
}

interface Spans {
  readonly spanAt: Layer["spanAt"];
  readonly needsGrammar: boolean;
}

interface Part {
  readonly language: Language;
  readonly range: Range;
}

/**
 * Nothing is loaded before the first `open`; a grammar stays loaded for the life of the process. From `limits.blockTime`
 * after `open` on, a lookup answers "overdue". Once a grammar has run wild, lookups of the process that need one answer
 * "failed".
 */
export function createBlockResolver({ grammars, clock }: ResolverHost): ClosableResolver {
  const trees: Tree[] = [];

  async function layer(
    language: Language,
    text: string,
    lines: readonly string[],
    overdue: Overdue,
    range?: Range,
  ): Promise<Layer | undefined> {
    if (language.scan !== undefined) {
      const spanAt = scannedPart(text, language, overdue, range);
      return { spanAt, range, tree: undefined };
    }
    const grammar = await loadGrammar(grammars, language.grammar);
    if (grammar === undefined) return undefined;
    const tree = await parseText(grammar, text, overdue, range);
    if (tree === undefined) return undefined;
    trees.push(tree);
    return { spanAt: parsedSpans({ tree, rules: language.rules, lines, overdue }), range, tree };
  }

  /** The layer of the language itself, or of its rival where that fits better. */
  async function outerLayer(
    language: Language,
    text: string,
    lines: readonly string[],
    overdue: Overdue,
  ): Promise<Layer | undefined> {
    const own = await layer(language, text, lines, overdue);
    const rival = language.scan === undefined ? languageNamed(language.rival ?? "") : undefined;
    if (own?.tree?.rootNode.hasError !== true || rival === undefined) return own;
    const other = await layer(rival, text, lines, overdue);
    return other?.tree && errorsIn(other.tree) < errorsIn(own.tree) ? other : own;
  }

  async function open(path: string, text: string): Promise<SpanLookup> {
    const overdue = deadline(clock, limits.blockTime);
    const { spanAt, needsGrammar } = await spansOf(path, text, overdue);
    return (line) => {
      if (needsGrammar && hasFailed()) return "failed";
      const span = overdue() ? undefined : spanAt(line);
      return overdue() ? "overdue" : span;
    };
  }

  async function spansOf(path: string, text: string, overdue: Overdue): Promise<Spans> {
    const lines = text.split("\n");
    const language = languageOf(path, lines[0] ?? "");
    if (language === undefined) {
      return { spanAt: (line) => spanByLayout(lines, line - 1), needsGrammar: false };
    }
    const needsGrammar = language.scan === undefined;
    const outer = await outerLayer(language, text, lines, overdue);
    if (outer === undefined) return { spanAt: () => undefined, needsGrammar };
    const layers: Layer[] = [];
    const embeds = language.scan === undefined ? language.rules.embeds : undefined;
    for (const part of outer.tree && embeds ? embedded(outer.tree, embeds) : []) {
      const inner = overdue()
        ? undefined
        : await layer(part.language, text, lines, overdue, part.range);
      if (inner !== undefined) layers.push(inner);
    }
    layers.push(outer);
    function spanAt(line: number): BlockSpan | undefined {
      const row = line - 1;
      const column = (lines[row] ?? "").search(/\S/);
      if (column < 0) return undefined;
      return layers
        .find(({ range }) => range === undefined || holds(range, row, column))
        ?.spanAt(line);
    }
    return { spanAt, needsGrammar };
  }

  return {
    open,
    close() {
      for (const tree of trees.splice(0)) freeTree(tree);
    },
  };
}

function parsedSpans(text: ParsedText): Layer["spanAt"] {
  const { tree, rules, lines, overdue } = text;
  if (rules.sections === undefined) return (line) => constructAt(text, line - 1);
  const { sections } = rules;
  let ends: ReadonlyMap<number, number> | undefined;
  return (line) => {
    const end = (ends ??= sectionsOf(tree, sections, lines, overdue)).get(line - 1);
    return end === undefined
      ? constructAt(text, line - 1)
      : { start: line, end: end + 1, continues: false, by: "syntax" };
  };
}

function scannedPart(
  text: string,
  { scan }: ScannedLanguage,
  overdue: Overdue,
  range: Range | undefined,
): Layer["spanAt"] {
  if (range === undefined) return scannedSpans(text, scan, overdue);
  const { row, column } = range.startPosition;
  const part = " ".repeat(column) + text.slice(range.startIndex, range.endIndex);
  const spanAt = scannedSpans(part, scan, overdue);
  return (line) => {
    const span = spanAt(line - row);
    return span && { ...span, start: span.start + row, end: span.end + row };
  };
}

function errorsIn(tree: Tree): number {
  return tree.rootNode.descendantsOfType("ERROR").length;
}

function holds({ startPosition: a, endPosition: b }: Range, row: number, column: number): boolean {
  return (
    (row > a.row || (row === a.row && column >= a.column)) &&
    (row < b.row || (row === b.row && column < b.column))
  );
}

/** Raw texts in other languages, such as a component's script. */
function embedded(tree: Tree, embeds: readonly Embed[]): Part[] {
  return embeds.flatMap((embed) =>
    tree.rootNode.descendantsOfType(embed.node).flatMap((node) => {
      const text = node.namedChildren.find((child) => child.type === embed.text);
      const language = embeddedLanguage(embed, node);
      if (text === undefined || language === undefined) return [];
      const { startPosition, endPosition, startIndex, endIndex } = text;
      return [{ language, range: { startPosition, endPosition, startIndex, endIndex } }];
    }),
  );
}

/** By the opening tag's `lang` or `type`: "ts", "text/typescript", "module" (the default), "application/ld+json". */
function embeddedLanguage(embed: Embed, node: Node): Language | undefined {
  const tag = node.firstNamedChild?.text ?? "";
  const named = /\s(?:lang|type)\s*=\s*["']?([\w/+.-]+)/.exec(tag)?.[1]?.toLowerCase();
  if (named === undefined || named === "module") return languageNamed(embed.language);
  return languageNamed(named.replace(/^.*[/+]/, "").replace(/^x-/, ""));
}
