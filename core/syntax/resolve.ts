// Blocks by syntax: the resolver that the hashline engine asks.

import type { Language as Grammar, Node, Range, Tree } from "web-tree-sitter";

import type { BlockResolver, BlockSpan, SpanLookup } from "../hashline/blocks.ts";
import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Grammars } from "../ports/grammars.ts";

import { constructAt } from "./construct.ts";
import { spanByLayout } from "./layout.ts";
import { languageNamed, languageOf, type Language } from "./languages.ts";
import type { Embed } from "./rules.ts";
import { sqlSpans } from "./sql.ts";

interface ResolverHost {
  readonly grammars: Grammars;
  readonly clock: Clock;
}

interface Layer {
  readonly language: Language;
  readonly tree: Tree;
  /** The part of the text that the tree speaks for. */
  readonly range: Pick<Range, "startPosition" | "endPosition"> | undefined;
}

/**
 * Nothing is loaded before the first `open`; a grammar stays loaded for the resolver's life. Trees are freed with the
 * lookups that hold them. A text whose parse takes longer than `limits.blockParse` resolves nothing.
 */
export function createBlockResolver({ grammars, clock }: ResolverHost): BlockResolver {
  const loaded = new Map<string, Promise<Grammar | undefined>>();
  let ready: Promise<void> | undefined;

  async function load(name: string): Promise<Grammar | undefined> {
    const [bytes, { Language: GrammarLoader, Parser }] = await Promise.all([
      grammars.load(name),
      import("web-tree-sitter"),
    ]);
    if (bytes === undefined) return undefined;
    ready ??= grammars.runtime().then((wasmBinary) => Parser.init({ wasmBinary }));
    await ready;
    return GrammarLoader.load(bytes);
  }

  function grammarOf(language: Language): Promise<Grammar | undefined> {
    const { grammar } = language;
    let promise = loaded.get(grammar);
    if (promise === undefined) {
      promise = load(grammar);
      loaded.set(grammar, promise);
    }
    return promise;
  }

  async function layer(
    language: Language,
    text: string,
    overdue: () => boolean,
    range?: Range,
  ): Promise<Layer | undefined> {
    const grammar = await grammarOf(language);
    if (grammar === undefined) return undefined;
    const tree = await parse(grammar, text, overdue, range);
    return tree && { language, tree, range };
  }

  async function open(path: string, text: string): Promise<SpanLookup> {
    const lines = text.split("\n");
    const language = languageOf(path, lines[0] ?? "");
    if (language === undefined) return (line) => spanByLayout(lines, line - 1);
    if (language.name === "SQL") return sqlSpans(lines);
    const started = clock.now();
    const overdue = () => clock.now() - started > limits.blockParse;
    const outer = await layer(language, text, overdue);
    if (outer === undefined) return () => undefined;
    const layers: Layer[] = [];
    for (const part of embedded(outer)) {
      const inner = await layer(part.language, text, overdue, part.range);
      if (inner !== undefined) layers.push(inner);
    }
    layers.push(outer);
    return (line) => lookUp(layers, lines, line - 1);
  }

  return { open };
}

async function parse(
  grammar: Grammar,
  text: string,
  overdue: () => boolean,
  range: Range | undefined,
): Promise<Tree | undefined> {
  const { Parser } = await import("web-tree-sitter");
  const parser = new Parser();
  try {
    parser.setLanguage(grammar);
    const includedRanges = range === undefined ? {} : { includedRanges: [range] };
    return parser.parse(text, null, { progressCallback: overdue, ...includedRanges }) ?? undefined;
  } finally {
    parser.delete();
  }
}

function lookUp(
  layers: readonly Layer[],
  lines: readonly string[],
  row: number,
): BlockSpan | undefined {
  const column = (lines[row] ?? "").search(/\S/);
  if (column < 0) return undefined;
  const layer = layers.find(({ range }) => range === undefined || holds(range, row, column));
  return layer && constructAt(layer.tree, layer.language.rules, lines, row);
}

function holds(
  { startPosition: a, endPosition: b }: Pick<Range, "startPosition" | "endPosition">,
  row: number,
  column: number,
) {
  return (
    (row > a.row || (row === a.row && column >= a.column)) &&
    (row < b.row || (row === b.row && column < b.column))
  );
}

/** Raw texts in other languages, such as a component's script. */
function embedded({ tree, language }: Layer): { language: Language; range: Range }[] {
  const parts: { language: Language; range: Range }[] = [];
  for (const embed of language.rules.embeds ?? []) {
    for (const node of tree.rootNode.descendantsOfType(embed.node)) {
      const text = node.namedChildren.find((child) => child.type === embed.text);
      const inner = embeddedLanguage(embed, node);
      if (text === undefined || inner === undefined) continue;
      const { startPosition, endPosition, startIndex, endIndex } = text;
      parts.push({ language: inner, range: { startPosition, endPosition, startIndex, endIndex } });
    }
  }
  return parts;
}

/** By the opening tag's `lang` or `type`: "ts", "text/typescript", "module" (the default), "application/ld+json". */
function embeddedLanguage(embed: Embed, node: Node): Language | undefined {
  const tag = node.firstNamedChild?.text ?? "";
  const named = /\s(?:lang|type)\s*=\s*["']?([\w/+.-]+)/.exec(tag)?.[1]?.toLowerCase();
  if (named === undefined || named === "module") return languageNamed(embed.language);
  return languageNamed(named.replace(/^.*[/+]/, "").replace(/^x-/, ""));
}
