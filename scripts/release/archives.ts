// Archives whose bytes depend on nothing but their content: sorted, one time, no owner.

import { zipSync, type Zippable } from "fflate";
import { gzipSync } from "node:zlib";

export interface Member {
  /** With "/" between folders. */
  readonly path: string;
  readonly bytes: Uint8Array;
  readonly executable: boolean;
}

const block = 512;

/** A tar of ustar headers, compressed. @param time seconds since the epoch */
export function tarGz(members: readonly Member[], time: number): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const member of sorted(members)) {
    parts.push(tarHeader(member, time), member.bytes);
    const rest = member.bytes.length % block;
    if (rest > 0) parts.push(new Uint8Array(block - rest));
  }
  parts.push(new Uint8Array(2 * block));
  // Node writes no time and no name, and "unknown" for the system, so that the same input gives the same bytes.
  return gzipSync(Buffer.concat(parts), { level: 9 });
}

function tarHeader({ path, bytes, executable }: Member, time: number): Uint8Array {
  const header = Buffer.alloc(block);
  if (Buffer.byteLength(path) > 100) throw new Error(`"${path}" is too long a name for a header.`);
  const octal = (value: number, length: number) =>
    `${value.toString(8).padStart(length - 1, "0")}\0`;
  header.write(path, 0);
  header.write(octal(executable ? 0o755 : 0o644, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  header.write(octal(bytes.length, 12), 124);
  header.write(octal(time, 12), 136);
  header.write("        ", 148);
  header.write("0", 156);
  header.write("ustar\x0000", 257);
  const sum = header.reduce((total, byte) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
  return header;
}

/** @param time seconds since the epoch; zip knows even seconds from 1980 on */
export function zip(members: readonly Member[], time: number): Uint8Array {
  const files: Zippable = {};
  for (const { path, bytes, executable } of sorted(members)) {
    files[path] = [
      bytes,
      {
        level: 9,
        // fflate takes local time: the same fields wherever it runs.
        mtime: localOf(time),
        os: 3,
        attrs: ((executable ? 0o100755 : 0o100644) << 16) >>> 0,
      },
    ];
  }
  return zipSync(files);
}

function localOf(time: number): Date {
  const utc = new Date(time * 1000);
  return new Date(
    utc.getUTCFullYear(),
    utc.getUTCMonth(),
    utc.getUTCDate(),
    utc.getUTCHours(),
    utc.getUTCMinutes(),
    utc.getUTCSeconds(),
  );
}

function sorted(members: readonly Member[]): readonly Member[] {
  return members.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}
