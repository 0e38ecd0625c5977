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
  /** Lower-case hex, 40 digits: the name that git gives a content, no proof of anything. */
  sha1(bytes: Uint8Array): string;
  /** The same of bytes that come in pieces. */
  hashing(): Hashing;
  /** One zstd frame that carries its content size. Readable by every body. */
  compress(bytes: Uint8Array): Uint8Array;
  /** Undoes `compress`. Throws where the frame is damaged or holds more than `limit` bytes. */
  decompress(frame: Uint8Array, limit: number): Uint8Array;
  /** CRC-32 (IEEE 802.3) as an unsigned number; `previous` is that of the bytes before these. */
  crc32(bytes: Uint8Array, previous?: number): number;
  /** Raw deflate (RFC 1951). */
  deflate(bytes: Uint8Array): Uint8Array;
  /**
   * Undoes raw deflate. What follows the end of the stream is ignored. Throws RangeError where the stream is damaged, does
   * not end, or holds more than `limit` bytes; never makes room for more than that.
   */
  inflate(deflated: Uint8Array, limit: number): Uint8Array;
  /** Raw deflate of pieces as they come. */
  deflating(input: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
  /**
   * Undoes raw deflate piece by piece, keeping little in memory. Throws RangeError where the stream is damaged or does not
   * end; an error of `input` as it is.
   * @param ended is told how many bytes of the input the stream took, once it has ended
   */
  inflating(
    input: AsyncIterable<Uint8Array>,
    ended: (used: number) => void,
  ): AsyncIterable<Uint8Array>;
  /**
   * Undoes one zstd frame that is there to its end, whether or not it says its size, and holds it to its checksum. Throws
   * RangeError where it is damaged or holds more than `limit` bytes; never makes room for much more than that.
   */
  unzstd(frame: Uint8Array, limit: number): Uint8Array;
}

/** SHA-256 under way. */
export interface Hashing {
  update(bytes: Uint8Array): void;
  /** As `sha256` gives it. Ends it. */
  hex(): string;
}
