// Work on bytes that a host does faster than portable code, or that portable code cannot do.

export interface Bytes {
  /** Offset of the first `needle` (one byte, or a non-empty run) at or after `from`; -1 if there is none. */
  indexOf(haystack: Uint8Array, needle: number | Uint8Array, from?: number): number;
  /** Whether the bytes are well-formed UTF-8. */
  isUtf8(bytes: Uint8Array): boolean;
  /** Each byte as the code unit of the same number. */
  latin1(bytes: Uint8Array): string;
  /** xxHash32 with seed 0, as an unsigned number. */
  xxhash32(bytes: Uint8Array): number;
  /** Lower-case hex, 64 digits. */
  sha256(bytes: Uint8Array): string;
  /** One zstd frame that carries its content size. Readable by every body. */
  compress(bytes: Uint8Array): Uint8Array;
  /** Undoes `compress`. Throws where the frame is damaged or holds more than `limit` bytes. */
  decompress(frame: Uint8Array, limit: number): Uint8Array;
}
