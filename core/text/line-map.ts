// Which lines of an old text stand where in a new one, as the list of places that differ.

/** `removed` lines at old index `at` (0-based) gave way to `added` new ones. Sorted, disjoint, never both zero. */
export interface LineHunk {
  readonly at: number;
  readonly removed: number;
  readonly added: number;
}

export type LineMap = readonly LineHunk[];
