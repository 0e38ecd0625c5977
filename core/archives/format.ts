import type { ByteSource } from "../ports/fs.ts";
import type { Archive, ArchiveContext } from "./archive.ts";

export interface Format {
  readonly name: string;
  /** Of files of this format, with their dot, in lower case. */
  readonly suffixes: readonly string[];
  /**
   * Whether a file of such a name looks like an archive, maybe a damaged one; else it is read as what it is.
   * @param head its first bytes, at least 512 where it has so many
   */
  claims(head: Uint8Array, source: ByteSource, context: ArchiveContext): Promise<boolean>;
  /** @throws AtomicError `archive.*` */
  open(source: ByteSource, context: ArchiveContext): Promise<Archive>;
  /** One without members; undefined where archives of this kind are only read. */
  create?(context: ArchiveContext): Promise<Archive>;
}
