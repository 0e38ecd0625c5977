// Blocks by syntax: the resolver that the hashline engine asks.

import type { Language as Grammar, Node, Range, Tree } from "web-tree-sitter";

import type { BlockResolver, BlockSpan, SpanLookup } from "../hashline/blocks.ts";
import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import type { Grammars } from "../ports/grammars.ts";

import { constructAt, type ParsedText } from "./construct.ts";
import { deadline, type Overdue } from "./deadline.ts";
import { spanByLayout } from "./layout.ts";
import {
  languageNamed,
  languageOf,
  type Language,
  type ParsedLanguage,
  type ScannedLanguage,
} from "./languages.ts";
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

interface Part {
  readonly language: Language;
  readonly range: Range;
}

/**
 * Nothing is loaded before the first `open`; a grammar stays loaded for the resolver's life. Trees are freed with the
 * lookups that hold them. From `limits.blockTime` after `open` on, a lookup answers "overdue".
 * Once a grammar has run wild, nothing is parsed any more.
 */
export function createBlockResolver({ grammars, clock }: ResolverHost): BlockResolver {
  const loaded = new Map<string, Promise<Grammar | undefined>>();
  let ready: Promise<void> | undefined;
  let isBroken = false;

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
    overdue: Overdue,
    range?: Range,
  ): Promise<Layer | undefined> {
    if (language.scan !== undefined) {
      const spanAt = scannedPart(text, language, overdue, range);
      return { spanAt, range, tree: undefined };
    }
    const grammar = await grammarOf(language);
    if (grammar === undefined) return undefined;
    const tree = await parseOrBreak(grammar, text, overdue, range);
    if (tree === undefined) return undefined;
    return { spanAt: parsedSpans({ tree, rules: language.rules, lines, overdue }), range, tree };
  }

  /** Scanners of grammars can run over their memory, as on hundreds of nested quotes. What is in it then is in doubt. */
  async function parseOrBreak(...input: Parameters<typeof parse>): Promise<Tree | undefined> {
    if (isBroken) return undefined;
    try {
      return await parse(...input);
    } catch (thrown) {
      if (!(thrown instanceof WebAssembly.RuntimeError)) throw thrown;
      isBroken = true;
      return undefined;
    }
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
    const spanAt = await spansOf(path, text, overdue);
    return (line) => {
      const span = overdue() ? undefined : spanAt(line);
      return overdue() ? "overdue" : span;
    };
  }

  async function spansOf(path: string, text: string, overdue: Overdue): Promise<Layer["spanAt"]> {
    const lines = text.split("\n");
    const language = languageOf(path, lines[0] ?? "");
    if (language === undefined) return (line) => spanByLayout(lines, line - 1);
    const outer = await outerLayer(language, text, lines, overdue);
    if (outer === undefined) return () => undefined;
    const layers: Layer[] = [];
    const embeds = language.scan === undefined ? language.rules.embeds : undefined;
    for (const part of outer.tree && embeds ? embedded(outer.tree, embeds) : []) {
      const inner = overdue()
        ? undefined
        : await layer(part.language, text, lines, overdue, part.range);
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

async function parse(
  grammar: Grammar,
  text: string,
  overdue: Overdue,
  range: Range | undefined,
): Promise<Tree | undefined> {
  const { Parser } = await import("web-tree-sitter");
  const parser = new Parser();
  // The parser asks how things stand only between tokens; the end of the text stops it within one, too.
  const read = (index: number) => (overdue() ? undefined : text.slice(index));
  try {
    parser.setLanguage(grammar);
    const includedRanges = range === undefined ? {} : { includedRanges: [range] };
    const tree = parser.parse(read, null, { progressCallback: overdue, ...includedRanges });
    if (tree === null || !overdue()) return tree ?? undefined;
    tree.delete();
    return undefined;
  } finally {
    parser.delete();
  }
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
