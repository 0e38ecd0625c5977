// The grammars' memory, of which a process has one. Scanners of grammars can run over it, as on hundreds of nested quotes;
// what is in it then is in doubt, so that nothing in it may be asked, or even freed, any more.

import type { Language as Grammar, Parser as GrammarParser, Range, Tree } from "web-tree-sitter";

import type { Grammars } from "../ports/grammars.ts";

import type { Overdue } from "./deadline.ts";

let isBroken = false;

/** Once true, always true. */
export function hasFailed(): boolean {
  return isBroken;
}

interface Loaded {
  readonly ready: Promise<void>;
  readonly byName: Map<string, Promise<Grammar | undefined>>;
}

/** Nothing frees a grammar, so each is loaded once. */
const loaded = new WeakMap<Grammars, Loaded>();

/** Undefined where there is no such grammar, or none may be used any more. */
export async function loadGrammar(grammars: Grammars, name: string): Promise<Grammar | undefined> {
  let own = loaded.get(grammars);
  if (own === undefined) {
    own = { ready: start(grammars), byName: new Map() };
    loaded.set(grammars, own);
    own.ready.catch(() => loaded.delete(grammars));
  }
  const { ready, byName } = own;
  let promise = byName.get(name);
  if (promise === undefined) {
    promise = load(grammars, name, ready);
    byName.set(name, promise);
    promise.catch(() => byName.delete(name));
  }
  const grammar = await promise;
  return isBroken ? undefined : grammar;
}

/** Initialised once: a second time, addresses would mean another memory. */
let memory: Promise<Memory> | undefined;

/** What the library makes of the options that it is given. */
interface Memory {
  readonly wasmBinary: Uint8Array;
  /** Replaced when the memory grows. */
  readonly HEAPU32?: Uint32Array;
}

async function start(grammars: Grammars): Promise<void> {
  const [wasmBinary, { Parser }] = await Promise.all([
    grammars.runtime(),
    import("web-tree-sitter"),
  ]);
  memory ??= initialise(Parser, { wasmBinary });
  memory.catch(() => (memory = undefined));
  await memory;
}

async function initialise(library: typeof GrammarParser, options: Memory): Promise<Memory> {
  await library.init(options);
  return options;
}

async function load(
  grammars: Grammars,
  name: string,
  ready: Promise<void>,
): Promise<Grammar | undefined> {
  const [bytes] = await Promise.all([grammars.load(name), ready]);
  if (bytes === undefined || isBroken) return undefined;
  const { Language } = await import("web-tree-sitter");
  return Language.load(bytes);
}

/** Undefined where it is overdue, or the parser broke down. Who gets a tree frees it. */
export async function parseText(
  grammar: Grammar,
  text: string,
  overdue: Overdue,
  range: Range | undefined,
): Promise<Tree | undefined> {
  const { Parser } = await import("web-tree-sitter");
  const heap = await memory;
  if (isBroken || heap === undefined) return undefined;
  const parser = new Parser();
  // The parser asks how things stand only between tokens; the end of the text stops it within one, too.
  const read = (index: number) => (overdue() ? undefined : text.slice(index));
  try {
    parser.setLanguage(grammar);
    const isWhole = guard(parser, grammar, heap);
    const includedRanges = range === undefined ? {} : { includedRanges: [range] };
    const tree = parser.parse(read, null, { progressCallback: overdue, ...includedRanges });
    isBroken = !isWhole();
    if (tree === null) return undefined;
    if (!isBroken && !overdue()) return tree;
    freeTree(tree);
    return undefined;
  } catch {
    // A trap, an abort, or a call of something that is not there: all that comes from in there is such a breakdown.
    isBroken = true;
    return undefined;
  } finally {
    free(parser);
  }
}

/** What a parser is made of up to its pool of trees, in words: the buffer that scanners keep their state in comes before. */
const POOL = 6;
const BUFFER = 1024 / 4;
const LARGEST_PARSER = 4096 / 4;

/**
 * A scanner that keeps more state than its buffer holds writes over what comes next in the parser: the address of its
 * stack, its pool of trees, the address of its language. Not all such garbage makes the parser stumble.
 * @returns whether those addresses are still what they were
 */
function guard(parser: GrammarParser, grammar: Grammar, heap: Memory): () => boolean {
  const words = heap.HEAPU32;
  if (words === undefined) return () => true;
  const start = addressOf(parser) / 4 + BUFFER;
  const at = words.subarray(start, start + LARGEST_PARSER).indexOf(addressOf(grammar));
  if (at < 0) return () => true;
  const language = start + at;
  const stack = language - POOL - 1;
  const [stackWas, languageWas] = [words[stack], words[language]];
  return () => heap.HEAPU32?.[stack] === stackWas && heap.HEAPU32?.[language] === languageWas;
}

function addressOf(owner: GrammarParser | Grammar): number {
  return (owner as unknown as { readonly 0: number })[0];
}

export function freeTree(tree: Tree): void {
  free(tree);
}

/** Addresses in the grammars' memory. */
type Handle = (Tree | GrammarParser) & { 0: number; 1?: number };

function free(owner: Tree | GrammarParser): void {
  const handle = owner as Handle;
  if (isBroken) {
    // Its finalizer goes with it, and freeing nothing touches nothing.
    handle[0] = 0;
    if (handle[1] !== undefined) handle[1] = 0;
  }
  owner.delete();
}
