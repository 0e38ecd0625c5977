// What every archive format offers: its members in the order of the archive, their bytes, and a new state of the whole.

import { AtomicError, type ErrorCode } from "../errors.ts";
import { showName } from "../paths.ts";
import type { Bytes } from "../ports/bytes.ts";
import type { ByteSource } from "../ports/fs.ts";

export type MemberKind =
  | "file"
  | "directory"
  | "symlink"
  | "hard link"
  | "character device"
  | "block device"
  | "fifo"
  /** Something that only some programs know. */
  | "unknown";

export interface Member {
  /** As the archive spells it, decoded. */
  readonly name: string;
  readonly kind: MemberKind;
  /** Bytes of its own content, unpacked, as the archive claims. */
  readonly size: number;
  /** What a link leads to, where the archive's directory says so. */
  readonly target?: string | undefined;
}

export interface Archive {
  /** In the order of the archive; a name may occur more than once. */
  readonly members: readonly Member[];
  /**
   * What a plain name stands for, found without a look at the other names: the last member that is spelled so, and how many
   * are; a folder that has no member of its own. Undefined: it cannot be told so, and `members` must be asked. It saves most
   * of the time where there are thousands.
   */
  readonly look?: (
    name: string,
  ) => { readonly member: Member; readonly copies: number } | "folder" | "absent" | undefined;
  /** What was odd about the archive and did not hinder reading it: sentences. */
  readonly remarks: readonly string[];
  /**
   * The content of a member of this archive, held to its checksum where the format has one. Of a symbolic link of a zip:
   * what it leads to.
   * @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.method`, `archive.encrypted`, `archive.too_large`
   */
  read(member: Member): Promise<Uint8Array>;
  /** Undefined: archives of this kind are only read. */
  readonly write?: (change: MemberChange) => Promise<AsyncIterable<Uint8Array>>;
}

/** One member that gets new content. All else of the archive stays as it is, byte for byte. */
export interface MemberChange {
  /** The member that is replaced; undefined: one of this name is added at the end. */
  readonly member: Member | undefined;
  readonly name: string;
  readonly content: Uint8Array;
  /** The member's new time, in milliseconds since the epoch. */
  readonly now: number;
}

export interface ArchiveContext {
  readonly bytes: Bytes;
  /** How messages call the archive. */
  readonly name: string;
  readonly signal: AbortSignal;
}

/** Bytes of the source that are replaced by others. */
export interface Splice {
  readonly at: number;
  readonly removed: number;
  readonly added: readonly Uint8Array[];
}

const PIECE = 1024 * 1024;

/** The source with splices, which are in order and do not overlap. Whoever reads it keeps no more than a piece. */
export async function* spliced(
  source: ByteSource,
  splices: readonly Splice[],
): AsyncGenerator<Uint8Array, void, undefined> {
  let at = 0;
  for (const splice of splices) {
    yield* piecesOf(source, at, splice.at);
    yield* splice.added;
    at = splice.at + splice.removed;
  }
  yield* piecesOf(source, at, source.size);
}

/** @param end exclusive */
export async function* piecesOf(
  source: ByteSource,
  start: number,
  end: number,
  size = PIECE,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = start; at < end;) {
    const piece = await source.read(at, Math.min(size, end - at));
    // It has become shorter since it was opened.
    if (piece.length === 0) throw new RangeError("the archive was cut short while it was read");
    yield piece;
    at += piece.length;
  }
}

/** Bytes in memory as a source. The pieces are those of one whole, in order. */
export function sourceOf(pieces: readonly Uint8Array[]): ByteSource {
  const starts: number[] = [];
  let size = 0;
  for (const piece of pieces) {
    starts.push(size);
    size += piece.length;
  }
  return {
    size,
    async read(offset, length) {
      const end = Math.min(size, offset + Math.max(0, length));
      let index = lastAtMost(starts, offset);
      const first = pieces[index];
      if (first && end <= starts[index]! + first.length) {
        return first.subarray(offset - starts[index]!, Math.max(0, end - starts[index]!));
      }
      const out = new Uint8Array(Math.max(0, end - offset));
      for (let at = offset; at < end; index++) {
        const part = pieces[index]!.subarray(at - starts[index]!, end - starts[index]!);
        out.set(part, at - offset);
        at += part.length;
      }
      return out;
    },
  };
}

/** The index of the last number that is not above the limit; 0 where all are. */
function lastAtMost(numbers: readonly number[], limit: number): number {
  let low = 0;
  let high = numbers.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (numbers[middle]! <= limit) low = middle;
    else high = middle - 1;
  }
  return low;
}

export async function gather(pieces: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  const all: Uint8Array[] = [];
  for await (const piece of pieces) all.push(piece);
  return concat(all);
}

export function concat(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!;
  const out = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    out.set(part, at);
    at += part.length;
  }
  return out;
}

/** @param why a sentence without its full stop */
export function archiveError(
  code: ErrorCode & `archive.${string}`,
  archive: string,
  why: string,
  options: { readonly member?: string; readonly cause?: unknown; readonly hint?: string } = {},
): AtomicError {
  const { member, cause, hint } = options;
  const where = member === undefined ? showName(archive) : showName(`${archive}:${member}`);
  return new AtomicError(code, `Cannot read ${where}: ${why}.`, {
    cause,
    ...(hint !== undefined && { hint }),
    data: { archive, ...(member !== undefined && { member }) },
  });
}
