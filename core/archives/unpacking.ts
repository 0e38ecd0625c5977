// What unpackers of whole archives share.

import { limits } from "../limits.ts";
import { formatSize } from "../text/size.ts";
import { type ArchiveContext, archiveError } from "./archive.ts";

export interface Unpacking {
  /** Bytes, unpacked. */
  readonly limit: number;
  /** Lets others have their turn, and ends the work where it is no longer wanted. To be called every few megabytes. */
  readonly pause: () => Promise<void>;
}

export interface Unpacked {
  /** In order. */
  readonly pieces: readonly Uint8Array[];
  /** What was odd and did no harm: sentences. */
  readonly remarks: readonly string[];
}

/** @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.method`, `archive.too_large` */
export type Unpacker = (
  packed: Uint8Array,
  unpacking: Unpacking,
  context: ArchiveContext,
) => Promise<Unpacked>;

/** Bytes that become more, and never more than the limit. */
export class Growing {
  bytes: Uint8Array;
  length = 0;
  readonly #limit: number;
  readonly #context: ArchiveContext;

  constructor(limit: number, first: number, context: ArchiveContext) {
    this.#limit = limit;
    this.#context = context;
    this.bytes = new Uint8Array(Math.min(limit, first));
  }

  /** Sees to it that so many more bytes can be put at `length`. @throws AtomicError `archive.too_large` */
  room(more: number): void {
    const wanted = this.length + more;
    if (wanted <= this.bytes.length) return;
    if (wanted > this.#limit) throw tooLarge(this.#context);
    const grown = new Uint8Array(Math.min(this.#limit, Math.max(wanted, this.bytes.length * 2)));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
  }

  done(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }
}

export function tooLarge({ name }: ArchiveContext) {
  const most = formatSize(limits.archiveUnpacked);
  return archiveError(
    "archive.too_large",
    name,
    `it unpacks to more than the ${most} that are read`,
  );
}
