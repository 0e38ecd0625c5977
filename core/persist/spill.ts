// A private file that takes output of any length and keeps the first 64 MB of it (seed 000, "Persisted tool output").

import { limits } from "../limits.ts";
import type { Fs, GrowingFile } from "../ports/fs.ts";
import { PRIVATE_FILE } from "./private-tree.ts";

/** Stands in place of what is beyond the cap, on a line of its own. */
export const CAP_MARKER = `[Output truncated: persisted-output cap of ${limits.persistedBytes} bytes reached]`;

export interface SpillFile {
  readonly path: string;
  /** Bytes given so far, whether kept or not. */
  readonly given: number;
  /** Whether something was left out. */
  readonly isCut: boolean;
  /** Bytes of it in the file once it is finished: with the marker, without the last line. */
  readonly kept: number;
  /** Resolves once the bytes are in the file, but for a few at its end. Throws FsError. */
  write(bytes: Uint8Array): Promise<void>;
  /** Writes what was held back, then the last line, which starts a line of its own. Calling it twice is harmless. */
  finish(lastLine?: string): Promise<void>;
}

/**
 * @param path a name that is not taken, in a private folder
 * @param reserve bytes to leave free below the cap for the last line
 * @throws FsError
 */
export async function openSpill(path: string, fs: Fs, reserve = 0): Promise<SpillFile> {
  return new Spill(
    path,
    await fs.grow(path, { mode: PRIVATE_FILE }),
    limits.persistedBytes - reserve,
  );
}

class Spill implements SpillFile {
  readonly path: string;
  readonly #file: GrowingFile;
  readonly #cap: number;
  readonly #marker: Uint8Array;
  /** Up to here bytes are written as they come; from here to the cap they wait, since the marker may need their place. */
  readonly #room: number;
  #held: Uint8Array[] = [];
  #heldBytes = 0;
  #written = 0;
  #last = 0x0a;
  #isFinished = false;
  given = 0;
  kept = 0;
  isCut = false;

  constructor(path: string, file: GrowingFile, cap: number) {
    this.path = path;
    this.#file = file;
    this.#cap = cap;
    this.#marker = new TextEncoder().encode(`\n${CAP_MARKER}\n`);
    // Three bytes less, so that a character that is cut there can be left out whole.
    this.#room = cap - this.#marker.length - 3;
  }

  async write(bytes: Uint8Array): Promise<void> {
    this.given += bytes.length;
    if (this.isCut || bytes.length === 0) return;
    const direct = Math.max(0, Math.min(bytes.length, this.#room - this.#written));
    if (direct > 0) await this.#put(bytes.subarray(0, direct));
    if (direct === bytes.length) return;
    const rest = bytes.subarray(direct);
    if (this.#written + this.#heldBytes + rest.length <= this.#cap) return this.#hold(rest);
    this.isCut = true;
    // The first bytes past the room tell whether a character was cut there, and complete it.
    this.#hold(rest.subarray(0, 3));
    const pending = concat(this.#held);
    await this.#put(pending.subarray(0, continuation(pending)));
    await this.#put(this.#marker);
    this.#held = [];
  }

  async finish(lastLine?: string): Promise<void> {
    if (this.#isFinished) return;
    this.#isFinished = true;
    try {
      if (!this.isCut) for (const bytes of this.#held) await this.#put(bytes);
      this.kept = this.#written;
      if (lastLine !== undefined) {
        const gap = this.#last === 0x0a ? "" : "\n";
        await this.#put(new TextEncoder().encode(`${gap}${lastLine}\n`));
      }
    } finally {
      await this.#file.close();
    }
  }

  #hold(bytes: Uint8Array): void {
    this.#held.push(bytes.slice());
    this.#heldBytes += bytes.length;
  }

  async #put(bytes: Uint8Array): Promise<void> {
    if (bytes.length === 0) return;
    this.#written += bytes.length;
    this.#last = bytes.at(-1)!;
    await this.#file.write(bytes);
  }
}

/** How many bytes at the start, at most three, go on with a character that was begun before. */
function continuation(bytes: Uint8Array): number {
  let count = 0;
  while (count < Math.min(3, bytes.length) && (bytes[count]! & 0xc0) === 0x80) count++;
  return count;
}

function concat(parts: readonly Uint8Array[]): Uint8Array {
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
