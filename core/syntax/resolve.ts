// Blocks by syntax: the resolver that the hashline engine asks.

import type { Language as Grammar, Node, Range, Tree } from "web-tree-sitter";

import type { BlockResolver, SpanLookup } from "../hashline/blocks.ts";
import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Grammars } from "../ports/grammars.ts";

import { constructAt } from "./construct.ts";
import { spanByLayout } from "./layout.ts";
import { languageNamed, languageOf, type Language, type ParsedLanguage } from "./languages.ts";
import type { Embed } from "./rules.ts";
import { scannedSpans } from "./scanned.ts";

interface ResolverHost {
  readonly grammars: Grammars;
  readonly clock: Clock;
}

/** What one language says about a text, or about a part of it. */
interface Layer {
  readonly spanAt: SpanLookup;
  readonly range: Range | undefined;
  /** Parts in other languages. */
  readonly parts: readonly Part[];
  /** Places that do not parse. */
  readonly errors: number;
}

interface Part {
  readonly language: Language;
  readonly range: Range;
}

/**
 * Nothing is loaded before the first `open`; a grammar stays loaded for the resolver's life. Trees are freed with the
 * lookups that hold them. A text whose parse takes longer than `limits.blockParse` resolves nothing.
 */
export function createBlockResolver({ grammars, clock }: ResolverHost): BlockResolver {
  const loaded = new Map<string, Promise<Grammar | undefined>>();
  let ready: Promise<void> | undefined;

  async function start(): Promise<void> {
    const [wasmBinary, { Parser }] = await Promise.all([
      grammars.runtime(),
      import("web-tree-sitter"),
    ]);
    await Parser.init({ wasmBinary });
  }

  async function load(name: string): Promise<Grammar | undefined> {
    ready ??= start();
    const [bytes] = await Promise.all([grammars.load(name), ready]);
    if (bytes === undefined) return undefined;
    const { Language: GrammarLoader } = await import("web-tree-sitter");
    return GrammarLoader.load(bytes);
  }

  function grammarOf({ grammar }: ParsedLanguage): Promise<Grammar | undefined> {
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
    lines: readonly string[],
    overdue: () => boolean,
    range?: Range,
  ): Promise<Layer | undefined> {
    if (language.scan !== undefined) {
      const { scan } = language;
      const part = range === undefined ? text : blankOutside(text, range);
      return { spanAt: scannedSpans(part.split("\n"), scan), range, parts: [], errors: 0 };
    }
    const grammar = await grammarOf(language);
    if (grammar === undefined) return undefined;
    const tree = await parse(grammar, text, overdue, range);
    if (tree === undefined) return undefined;
    const { rules } = language;
    const spanAt: SpanLookup = (line) => constructAt(tree, rules, lines, line - 1);
    const errors = tree.rootNode.hasError ? tree.rootNode.descendantsOfType("ERROR").length : 0;
    return { spanAt, range, parts: embedded(tree, rules.embeds ?? []), errors };
  }

  async function open(path: string, text: string): Promise<SpanLookup> {
    const lines = text.split("\n");
    const language = languageOf(path, lines[0] ?? "");
    if (language === undefined) return (line) => spanByLayout(lines, line - 1);
    const started = clock.now();
    const overdue = () => clock.now() - started > limits.blockParse;
    const first = await layer(language, text, lines, overdue);
    if (first === undefined) return () => undefined;
    const rival =
      first.errors > 0 && !language.scan ? languageNamed(language.rival ?? "") : undefined;
    const second = rival && (await layer(rival, text, lines, overdue));
    const outer = second !== undefined && second.errors < first.errors ? second : first;
    const layers: Layer[] = [];
    for (const part of outer.parts) {
      const inner = await layer(part.language, text, lines, overdue, part.range);
      if (inner !== undefined) layers.push(inner);
    }
    layers.push(outer);
    return (line) => {
      const row = line - 1;
      const column = (lines[row] ?? "").search(/\S/);
      if (column < 0) return undefined;
      return layers
        .find(({ range }) => range === undefined || holds(range, row, column))
        ?.spanAt(line);
    };
  }

  return { open };
}

/** The same lines, empty where the part is not. */
function blankOutside(text: string, { startIndex, endIndex }: Range): string {
  return text.slice(0, startIndex).replace(/[^\n]/g, " ") + text.slice(startIndex, endIndex);
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
