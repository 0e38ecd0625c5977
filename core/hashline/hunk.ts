// One operation of an edit script with its body. `line` is the section line of its header.

export interface Row {
  readonly text: string;
  /** Written without `+`, so that a pasted `N:` prefix may have to go (hashline.md decision 14). */
  readonly bare: boolean;
}

/** Acts on lines alone. */
export type LineHunk =
  | {
      readonly kind: "replace";
      readonly start: number;
      readonly end: number;
      readonly line: number;
      readonly rows: readonly Row[];
    }
  | { readonly kind: "delete"; readonly start: number; readonly end: number; readonly line: number }
  | {
      readonly kind: "insert";
      readonly place: "before" | "after";
      readonly anchor: number;
      readonly line: number;
      readonly rows: readonly Row[];
      /** Set where it was `insert after block`: the resolved construct. */
      readonly block?: { readonly asked: number; readonly start: number; readonly end: number };
    }
  | {
      readonly kind: "insert edge";
      readonly place: "head" | "tail";
      readonly line: number;
      readonly rows: readonly Row[];
    };

/** Needs a syntax tree first. */
export type BlockHunk =
  | {
      readonly kind: "replace block" | "insert after block";
      readonly anchor: number;
      readonly line: number;
      readonly rows: readonly Row[];
    }
  | { readonly kind: "delete block"; readonly anchor: number; readonly line: number };

export type Hunk = LineHunk | BlockHunk;

export function isBlockHunk(hunk: Hunk): hunk is BlockHunk {
  return hunk.kind.endsWith("block");
}
