// Small archives, right or wrong on purpose, written out by hand so that no reader and writer share a mistake.

import { crc32 } from "node:zlib";

export interface ZipMember {
  readonly content?: string | Uint8Array;
  /** Deflated bytes that stand for the content. */
  readonly packed?: Uint8Array;
  readonly size?: number;
  readonly crc?: number;
  readonly method?: number;
  readonly flags?: number;
  /** As the directory says it. */
  readonly offset?: number;
  readonly comment?: string;
  /** External attributes; a Unix mode is in the upper 16 bits. */
  readonly attributes?: number;
}

export function zipOf(
  members: Readonly<Record<string, string | Uint8Array | ZipMember>>,
): Uint8Array {
  const locals: Uint8Array[] = [];
  const records: Uint8Array[] = [];
  let at = 0;
  for (const [name, given] of Object.entries(members)) {
    const member: ZipMember =
      typeof given === "string" || given instanceof Uint8Array ? { content: given } : given;
    const content = Buffer.from(member.content ?? "");
    const data = Buffer.from(member.packed ?? content);
    const raw = Buffer.from(name);
    const comment = Buffer.from(member.comment ?? "");
    const flags = (member.flags ?? 0) | (raw.some((byte) => byte > 127) ? 0x800 : 0);
    const common = Buffer.alloc(24);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(flags, 2);
    common.writeUInt16LE(member.method ?? (member.packed ? 8 : 0), 4);
    common.writeUInt32LE(0x58221884, 6);
    common.writeUInt32LE(member.crc ?? crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(member.size ?? content.length, 18);
    common.writeUInt16LE(raw.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04"), common, Buffer.alloc(2), raw, data]);
    const record = Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, Buffer.alloc(16)]);
    record.writeUInt16LE(comment.length, 32);
    record.writeUInt32LE(member.attributes ?? 0, 38);
    record.writeUInt32LE(member.offset ?? at, 42);
    locals.push(local);
    records.push(record, raw, comment);
    at += local.length;
  }
  const size = records.reduce((sum, part) => sum + part.length, 0);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(Object.keys(members).length, 8);
  end.writeUInt16LE(Object.keys(members).length, 10);
  end.writeUInt32LE(size, 12);
  end.writeUInt32LE(at, 16);
  return new Uint8Array(Buffer.concat([...locals, ...records, end]));
}

export interface TarFile {
  readonly name: string;
  readonly type?: string;
  readonly content?: string | Uint8Array;
  readonly link?: string;
  readonly mode?: number;
  readonly checksum?: number;
}

export function tarOf(files: readonly TarFile[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (const { name, type = "0", content = "", link = "", mode = 0o644, checksum } of files) {
    const data = Buffer.from(content);
    const header = Buffer.alloc(512);
    header.write(name, 0);
    header.write(`${mode.toString(8).padStart(7, "0")}\0`, 100);
    header.write("0001750\x000001750\0", 108);
    header.write(`${data.length.toString(8).padStart(11, "0")}\x0014371573600\0`, 124);
    header.write(`        ${type}${link}`, 148);
    header.write("ustar\x0000me", 257);
    const sum = checksum ?? header.reduce((total, byte) => total + byte, 0);
    header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148);
    parts.push(header, data, Buffer.alloc((512 - (data.length % 512)) % 512));
  }
  return new Uint8Array(Buffer.concat([...parts, Buffer.alloc(1024)]));
}
