// Files that a tar stores with their holes left out: GNU's old way, with a map in the header, and three that use pax records.

import { limits } from "../limits.ts";
import { textAt, numberAt, BLOCK } from "./tar-header.ts";

/** What is stored of a file: bytes at `offset`, one part after the other. The rest is zeros. */
export interface SparsePart {
  readonly offset: number;
  readonly length: number;
}

export interface Sparse {
  /** Of the whole file. Undefined where the headers do not say it in a way that is known. */
  readonly size: number | undefined;
  /** Undefined: the map stands in front of the data. */
  readonly parts: readonly SparsePart[] | undefined;
}

/** What pax records say, in their order. */
export class SparseRecords {
  #size: number | undefined;
  #isInData = false;
  #isKnown = true;
  readonly #numbers: number[] = [];

  /** @param key of a record that begins with "GNU.sparse." */
  add(key: string, value: string): void {
    if (key === "GNU.sparse.size" || key === "GNU.sparse.realsize") this.#size = numberOf(value);
    else if (key === "GNU.sparse.major") this.#isInData = value !== "0";
    else if (key === "GNU.sparse.map") {
      if (value !== "") this.#numbers.push(...value.split(",").map(numberOf));
    } else if (key === "GNU.sparse.offset" || key === "GNU.sparse.numbytes") {
      // They come in turns.
      if ((key === "GNU.sparse.offset") !== (this.#numbers.length % 2 === 0)) this.#isKnown = false;
      this.#numbers.push(numberOf(value));
    }
  }

  get whole(): Sparse {
    const size = this.#isKnown && !Number.isNaN(this.#size) ? this.#size : undefined;
    return { size, parts: this.#isInData ? undefined : partsOf(this.#numbers) };
  }
}

/** Four parts stand in the header of a member of type S, twenty-one in each block that goes on. */
export function oldParts(block: Uint8Array, isHeader: boolean): readonly SparsePart[] {
  const parts: SparsePart[] = [];
  const [start, most] = isHeader ? [386, 4] : [0, 21];
  for (let i = 0; i < most; i++) {
    const at = start + i * 24;
    if (block[at] === 0) break;
    parts.push({
      offset: numberAt(block, at, 12) ?? Number.NaN,
      length: numberAt(block, at + 12, 12) ?? Number.NaN,
    });
  }
  return parts;
}

/**
 * The map in front of the data: decimal numbers, a line each, filled up to whole blocks.
 * @returns undefined where it is malformed or too long
 */
export function partsInData(
  data: Uint8Array,
): { readonly parts: readonly SparsePart[]; readonly length: number } | undefined {
  let at = 0;
  const next = () => {
    const end = data.indexOf(0x0a, at);
    if (end === -1 || end - at > 20) return Number.NaN;
    const value = numberOf(textAt(data, at, end - at));
    at = end + 1;
    return value;
  };
  const count = next();
  if (!(count <= limits.archiveHeader / 4)) return undefined;
  const numbers: number[] = [];
  for (let i = 0; i < count * 2; i++) {
    const number = next();
    if (Number.isNaN(number)) return undefined;
    numbers.push(number);
  }
  return { parts: partsOf(numbers), length: Math.ceil(at / BLOCK) * BLOCK };
}

/**
 * The file with its holes.
 * @param stored the parts' bytes
 * @returns undefined where the parts do not fit the bytes or the size
 */
export function filled(
  stored: Uint8Array,
  parts: readonly SparsePart[],
  size: number,
): Uint8Array | undefined {
  const content = new Uint8Array(size);
  let from = 0;
  let end = 0;
  for (const { offset, length } of parts) {
    if (!(offset >= end && length >= 0 && offset + length <= size)) return undefined;
    if (from + length > stored.length) return undefined;
    content.set(stored.subarray(from, from + length), offset);
    from += length;
    end = offset + length;
  }
  return from === stored.length ? content : undefined;
}

function partsOf(numbers: readonly number[]): readonly SparsePart[] {
  const parts: SparsePart[] = [];
  for (let i = 0; i < numbers.length; i += 2) {
    parts.push({ offset: numbers[i]!, length: numbers[i + 1] ?? Number.NaN });
  }
  return parts;
}

function numberOf(text: string): number {
  const value = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  return Number.isSafeInteger(value) ? value : Number.NaN;
}
