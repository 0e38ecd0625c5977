// Which of many files a pattern is in, and in how many lines: several files in one buffer, searched as one text.

import type { Bytes } from "../ports/bytes.ts";
import type { Fs } from "../ports/fs.ts";
import { limits } from "../limits.ts";
import { decode } from "../text/encoding.ts";
import { type LineMatcher, PatternTooSlow } from "./match-lines.ts";

/** In place of a number of lines; below `readProblem`'s own. */
export const fileOutcome = { tooLarge: -10, binary: -11, tooSlow: -12 } as const;

export interface ScanPorts {
  readonly fs: Pick<Fs, "readInto">;
  readonly bytes: Bytes;
}

/** The text of files whose bytes are not that, such as notebooks. */
export interface Convert {
  /** Whether it may have anything to say of a file, by its name. */
  concerns(path: string): boolean;
  /** @returns undefined where the bytes stand for themselves */
  text(path: string, file: Uint8Array): Uint8Array | undefined;
}

/** Every file's bytes are its text. */
export const noConversion: Convert = { concerns: () => false, text: () => undefined };

/** Bytes that are gathered before they are searched. */
const BATCH = 256 * 1024;
const LF = 0x0a;

export class FileScanner {
  readonly #matcher: LineMatcher;
  readonly #ports: ScanPorts;
  readonly #convert: Convert;
  #buffer = new Uint8Array(2 * BATCH);

  constructor(matcher: LineMatcher, ports: ScanPorts, convert: Convert) {
    this.#matcher = matcher;
    this.#ports = ports;
    this.#convert = convert;
  }

  /**
   * @param outcomes gets, from `first` on, the number of lines of each file, or why there is none: `readProblem`,
   * `fileOutcome`
   */
  scan(paths: readonly string[], outcomes: Int32Array, first: number): void {
    const isAlone = this.#matcher.spansLines;
    let length = 0;
    let batch: Placed[] = [];
    for (let i = 0; i < paths.length; i++) {
      const end = this.#place(paths[i]!, length);
      if (end < 0) {
        outcomes[first + i] = end;
        continue;
      }
      outcomes[first + i] = 0;
      batch.push({ index: first + i, start: length, end });
      length = this.#closed(length, end);
      if (length < BATCH && !isAlone) continue;
      this.#search(this.#buffer.subarray(0, length), batch, outcomes);
      batch = [];
      length = 0;
    }
    if (batch.length > 0) this.#search(this.#buffer.subarray(0, length), batch, outcomes);
  }

  /** Puts a file's text at an offset of the buffer. @returns its end, or why there is none */
  #place(path: string, offset: number): number {
    const { fs } = this.#ports;
    const most = limits.searchedFile;
    // Most files are small, so that the room is most often enough; else it is made and the file read again.
    let room = this.#buffer.length - offset - 2;
    let length = fs.readInto(path, this.#buffer, offset, Math.min(room, most + 1));
    if (length === room && room <= most) {
      this.#makeRoom(offset + most + 3);
      room = most + 1;
      length = fs.readInto(path, this.#buffer, offset, room);
    }
    if (length < 0) return length;
    if (length > most) return fileOutcome.tooLarge;
    // Most files are what they are: no view of them is made.
    if (this.#buffer[offset]! < 0xef && !this.#convert.concerns(path)) return offset + length;
    const file = this.#buffer.subarray(offset, offset + length);
    const text = textOf(path, file, this.#convert);
    if (text === file) return offset + length;
    if (text === undefined) return fileOutcome.binary;
    if (text.buffer === file.buffer) {
      this.#buffer.copyWithin(offset, text.byteOffset, text.byteOffset + text.length);
    } else {
      this.#makeRoom(offset + text.length + 3);
      this.#buffer.set(text, offset);
    }
    return offset + text.length;
  }

  #makeRoom(size: number): void {
    if (size <= this.#buffer.length) return;
    const larger = new Uint8Array(size);
    larger.set(this.#buffer);
    this.#buffer = larger;
  }

  /** Ends the last line, so that the next file begins one. */
  #closed(start: number, end: number): number {
    if (end === start || this.#buffer[end - 1] === LF) return end;
    // After a CR too, which must not make one terminator with an LF that the next file begins with.
    this.#buffer[end] = LF;
    return end + 1;
  }

  #search(text: Uint8Array, batch: readonly Placed[], outcomes: Int32Array): void {
    try {
      this.#count(text, batch, outcomes);
    } catch (thrown) {
      if (!(thrown instanceof PatternTooSlow)) throw thrown;
      for (const placed of batch) {
        outcomes[placed.index] = 0;
        try {
          const alone = { ...placed, start: 0, end: placed.end - placed.start };
          this.#count(text.subarray(placed.start, placed.end), [alone], outcomes);
        } catch (again) {
          if (!(again instanceof PatternTooSlow)) throw again;
          outcomes[placed.index] = fileOutcome.tooSlow;
        }
      }
    }
  }

  #count(text: Uint8Array, batch: readonly Placed[], outcomes: Int32Array): void {
    let at = 0;
    this.#matcher.lines(batch.length === 1 ? text.subarray(0, batch[0]!.end) : text, (start) => {
      while (at + 1 < batch.length && start >= batch[at + 1]!.start) at++;
      const { index } = batch[at]!;
      outcomes[index] = outcomes[index]! + 1;
      return true;
    });
    // Only what matches need be looked at for what is no text.
    for (let i = 0; i < batch.length; i++) {
      const { index, start, end } = batch[i]!;
      if (outcomes[index]! > 0 && isBinary(text.subarray(start, end), this.#ports.bytes)) {
        outcomes[index] = fileOutcome.binary;
      }
    }
  }
}

interface Placed {
  readonly index: number;
  readonly start: number;
  readonly end: number;
}

/** @param text as from `textOf` */
export function isBinary(text: Uint8Array, bytes: Pick<Bytes, "indexOf">): boolean {
  return bytes.indexOf(text, 0) !== -1;
}

/**
 * What of a file is searched: UTF-8 without its mark, or bytes that are no UTF-8 as they are. Lines keep their numbers.
 * @returns undefined for UTF-16 that is none
 */
export function textOf(path: string, file: Uint8Array, convert: Convert): Uint8Array | undefined {
  // By index: taking it apart as a list costs more than all the rest.
  const a = file[0];
  const b = file[1];
  const c = file[2];
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff)) {
    const decoded = decode(file);
    return decoded && new TextEncoder().encode(decoded.text);
  }
  const body = a === 0xef && b === 0xbb && c === 0xbf ? file.subarray(3) : file;
  return convert.text(path, file) ?? body;
}
