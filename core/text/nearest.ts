/**
 * The known name that an unknown one was most likely meant as: one it is the beginning of, else the one that takes the
 * fewest single-letter slips to reach. Undefined where none is near enough to be worth a guess.
 */
export function nearest(name: string, known: readonly string[]): string | undefined {
  const wanted = fold(name);
  if (wanted === "") return undefined;
  const begun = known.find((candidate) => wanted.length > 1 && fold(candidate).startsWith(wanted));
  if (begun !== undefined) return begun;
  let best: string | undefined;
  let fewest = Math.max(1, Math.floor(wanted.length / 3)) + 1;
  for (const candidate of known) {
    const slips = distance(wanted, fold(candidate));
    if (slips < fewest) [best, fewest] = [candidate, slips];
  }
  return best;
}

/** " (did you mean "x"?)", or nothing: the tail of a message about an unknown name. */
export function didYouMean(name: string, known: readonly string[], quote = '"'): string {
  const guess = nearest(name, known);
  return guess === undefined ? "" : `; did you mean ${quote}${guess}${quote}?`;
}

function fold(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment). */
export function distance(from: string, to: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const same = from[i - 1] === to[j - 1];
      let cost = Math.min(last[j]! + 1, row[j - 1]! + 1, last[j - 1]! + (same ? 0 : 1));
      const swapped = i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1];
      if (swapped) cost = Math.min(cost, beforeLast[j - 2]! + 1);
      row.push(cost);
    }
    [beforeLast, last] = [last, row];
  }
  return last[to.length]!;
}
