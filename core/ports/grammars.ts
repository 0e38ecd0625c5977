// Compiled tree-sitter grammars. They come with the program: nothing is ever fetched.

export interface Grammars {
  /** WebAssembly of the parser itself, as web-tree-sitter wants it. */
  runtime(): Promise<Uint8Array>;
  /**
   * WebAssembly of one grammar, uncompressed. Nothing is kept: callers cache what they made of it.
   * @param name as in core/syntax/languages.ts; undefined where this build has no such grammar
   */
  load(name: string): Promise<Uint8Array | undefined>;
}
