// Sets of symbols. A symbol is a code point, or, for a byte that is no part of valid UTF-8, `badByte` plus that byte.

/** The first symbol that is no code point. */
export const badByte = 0x110000;

export interface CharSet {
  has(symbol: number): boolean;
  /** Its only symbol, where it has no more and that is known. */
  readonly only?: number;
  /** It is both cases of this lower-case letter of ASCII and nothing else. */
  readonly letter?: number;
}

export const anySymbol: CharSet = { has: () => true };
export const noSymbol: CharSet = { has: () => false };

export function one(symbol: number): CharSet {
  return { has: (other) => other === symbol, only: symbol };
}

/** @param pairs both ends of each range, inclusive */
export function ranges(pairs: readonly (readonly [number, number])[]): CharSet {
  return { has: (symbol) => pairs.some(([first, last]) => symbol >= first && symbol <= last) };
}

/**
 * The code points that a class of the built-in engine means: its tables are those of Unicode.
 * @param source such as "\\p{L}" or "[a-z]"
 * @throws SyntaxError for a class that it does not know
 */
export function unicodeClass(source: string, ignoreCase = false): CharSet {
  const pattern = new RegExp(`^${source}$`, ignoreCase ? "iu" : "u");
  return {
    has: (symbol) =>
      symbol < badByte &&
      !(symbol >= 0xd800 && symbol < 0xe000) &&
      pattern.test(String.fromCodePoint(symbol)),
  };
}

export function except(from: CharSet, less: CharSet): CharSet {
  return { has: (symbol) => from.has(symbol) && !less.has(symbol) };
}

export function union(sets: readonly CharSet[]): CharSet {
  const [only] = sets;
  if (only && sets.length === 1) return only;
  return { has: (symbol) => sets.some((set) => set.has(symbol)) };
}

export function intersection(a: CharSet, b: CharSet): CharSet {
  return { has: (symbol) => a.has(symbol) && b.has(symbol) };
}

export function symmetricDifference(a: CharSet, b: CharSet): CharSet {
  return { has: (symbol) => a.has(symbol) !== b.has(symbol) };
}

/** All but what stands for a byte that is no UTF-8. */
export const codePoints: CharSet = { has: (symbol) => symbol < badByte };
