// Where the lines of a normalised text lie, in bytes, at four bytes of memory per block instead of per line.

/** Of a text whose only terminator is LF. A final LF ends the last line and starts no new one. */
export interface LineIndex {
  /** Real lines: 2 for "a\nb" and "a\nb\n", 0 for "". */
  readonly count: number;
  /**
   * Bytes of the lines `first` to `last` (1-based, inclusive, both within the text), without the last one's terminator.
   * @returns `end` is exclusive
   */
  bytesOf(first: number, last: number): { readonly start: number; readonly end: number };
}

const BLOCK = 64 * 1024;
const LF = 0x0a;

/** One pass over the bytes; any later question reads at most two blocks. */
export function indexLines(content: Uint8Array): LineIndex {
  const blocks = Math.ceil(content.length / BLOCK);
  /** At index i: how many LFs stand before block i. */
  const before = new Uint32Array(blocks + 1);
  let total = 0;
  for (let block = 0; block < blocks; block++) {
    before[block] = total;
    total += countLf(content, block * BLOCK, Math.min((block + 1) * BLOCK, content.length));
  }
  before[blocks] = total;
  const open = content.length > 0 && content[content.length - 1] !== LF;
  const count = open ? total + 1 : total;

  /** Offset of the nth LF, 1-based; the text's end for the terminator that an open last line lacks. */
  function terminator(n: number): number {
    if (n > total) return content.length;
    let low = 0;
    let high = blocks - 1;
    while (low < high) {
      const middle = (low + high + 1) >>> 1;
      if (before[middle]! < n) low = middle;
      else high = middle - 1;
    }
    let at = low * BLOCK - 1;
    for (let left = n - before[low]!; left > 0; left--) at = content.indexOf(LF, at + 1);
    return at;
  }

  return {
    count,
    bytesOf(first, last) {
      if (!(first >= 1 && first <= last && last <= count)) {
        throw new RangeError(`lines ${first} to ${last} of ${count}`);
      }
      return { start: first === 1 ? 0 : terminator(first - 1) + 1, end: terminator(last) };
    },
  };
}

function countLf(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i] === LF) count++;
  return count;
}
