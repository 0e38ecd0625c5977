// Which nodes of a grammar are constructs: data that languages.ts fills in and construct.ts reads.

/**
 * Where a node stands, by the type of its parent: "arguments" (any child), "import_statement.name" (a child in that
 * field), "case_statement!value" (a child in any place but that field).
 */
export type Place = string;

export interface Rules {
  /** Parents whose children are statements, members, elements, entries or declarations. The root always is one. */
  readonly lists: readonly Place[];
  /** Places of a lone statement, as after `if (a)`. A braced body there is a part of its owner, not a construct. */
  readonly bodies?: readonly Place[];
  /** Nodes without a token of their own that only hold a list: looked through, never a span. They are lists too. */
  readonly wrappers?: readonly string[];
  /** Nodes that are constructs wherever they stand: clauses, annotations, elements of markup. */
  readonly clauses?: readonly string[];
  /** Nodes that are never constructs, even in a list: closing tags, names, running text. */
  readonly never?: readonly string[];
  /** Decorators that the grammar puts before their construct as siblings: the first of a run takes the construct in. */
  readonly folds?: readonly string[];
  /**
   * Parts that the grammar keeps apart: a node of the first type ("*": any) goes on into a next sibling (a node or
   * a token) of the second types.
   */
  readonly joins?: Readonly<Record<string, readonly string[]>>;
  /** Parts that only their text tells: a node of the type goes on into a next sibling that begins so. */
  readonly continues?: Readonly<Record<string, RegExp>>;
  /** Nodes that are a construct only with what they go on into. */
  readonly halves?: readonly string[];
  /** Places of a key whose value is the next sibling. */
  readonly keys?: readonly Place[];
  /** Tokens that may open a line before the construct they belong to, such as the bar of a case. */
  readonly leaders?: readonly string[];
  /** Texts that begin on the line after the construct that opens them, as nodes of their own. */
  readonly heredoc?: { readonly opening: string; readonly body: string };
  /** Comment node types; default "comment". */
  readonly comments?: readonly string[];
  /**
   * Nodes without an end of their own, which the grammar lets run over what comes next: they end with their last
   * child that is neither a comment nor in `never`, nor in `detached` behind a blank line, and before a clause that is
   * open-ended too, if they are one.
   */
  readonly openEnded?: readonly string[];
  readonly detached?: readonly string[];
  /** Halves of a construct that the grammar takes for nodes of their own. */
  readonly pairs?: Pairs;
  /** Headings, each with all that follows up to the next of its rank or a higher one. */
  readonly sections?: Sections;
  /** What may stand after a construct on its last line and go with it, besides comments; default: a `;`. */
  readonly tail?: RegExp;
  /** Errors that are legal in practice. */
  readonly forgives?: Forgives;
  /** Nodes whose raw text is in another language. */
  readonly embeds?: readonly Embed[];
}

export interface Pairs {
  readonly node: string;
  /** Of the node's text. */
  readonly open: RegExp;
  readonly close: RegExp;
}

export interface Sections {
  /** Nodes that hold headings and what follows them. Headings elsewhere head nothing. */
  readonly within: readonly string[];
  readonly headings: readonly string[];
  /** Types of the marks in headings, and the rank they give; 1 is the highest. */
  readonly ranks: Readonly<Record<string, number>>;
}

export interface Forgives {
  /** Parents of such an error. */
  readonly within: readonly string[];
  /** Of the error, or of what stands before a missing token: the last comma of JSONC. */
  readonly text: RegExp;
}

export interface Embed {
  /** The node that holds an opening tag and raw text. */
  readonly node: string;
  /** The raw text's type. */
  readonly text: string;
  /** Where the opening tag names nothing. */
  readonly language: string;
}
