// One member out of a large archive, and its list: only the directory and the member may be read.

import { closeSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { crc32, deflateRawSync } from "node:zlib";

import type { BenchCase, Place } from "../bench-case.ts";
import { expectOutput } from "../files.ts";

const members = 20_000;
const size = 200 * 1024 * 1024;
const wanted = 12_345;

export const archiveMember: BenchCase = {
  name: "member",
  title: "one member of a zip of 200 MiB with 20,000 entries",
  runs: 31,
  target: 3,
  open(place) {
    const path = writeZip(place);
    const name = memberName(wanted);
    const verify = (stdout: string) => expectOutput(stdout, contentOf(wanted).slice(0, 50));
    return {
      ours: {
        name: "`read a.zip:MEMBER:raw`",
        command: [place.atomic, "read", `${path}:${name}:raw`],
        verify,
      },
      peer: { name: "`unzip -p`", command: ["unzip", "-p", path, name], verify },
    };
  },
};

export const archiveList: BenchCase = {
  name: "list",
  title: "list a zip of 200 MiB with 20,000 entries",
  runs: 31,
  target: 3,
  open(place) {
    const path = writeZip(place);
    return {
      ours: {
        name: "`read a.zip:`",
        command: [place.atomic, "read", `${path}:`],
        verify: (stdout) => expectOutput(stdout, "d000/", "d199/"),
      },
      peer: {
        name: "`unzip -l`",
        command: ["unzip", "-l", path],
        verify: (stdout) => expectOutput(stdout, memberName(0), `${members} files`),
      },
    };
  },
};

function memberName(index: number): string {
  return `d${String(index % 200).padStart(3, "0")}/file${index}.txt`;
}

function contentOf(index: number): string {
  return `member ${index} ${String(index * 7919).repeat(3)}\n`.repeat(20);
}

/** Most members are small; every hundredth is stored and large, so that the sum is right. */
function writeZip({ folder }: Place): string {
  const path = join(folder, "a.zip");
  const file = openSync(path, "w");
  const filler = Buffer.alloc(size / (members / 100));
  for (let i = 0; i < filler.length; i++) filler[i] = (i * 2654435761) >>> 24;
  const fillerCrc = crc32(filler);
  const records: Buffer[] = [];
  let at = 0;
  for (let index = 0; index < members; index++) {
    const name = Buffer.from(memberName(index));
    const isLarge = index % 100 === 99;
    const content = isLarge ? filler : Buffer.from(contentOf(index));
    const data = isLarge ? filler : deflateRawSync(content);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(isLarge ? 0 : 8, 4);
    common.writeUInt32LE(0x58221884, 6);
    common.writeUInt32LE(isLarge ? fillerCrc : crc32(content), 10);
    common.writeUInt32LE(data.length, 14);
    common.writeUInt32LE(content.length, 18);
    common.writeUInt16LE(name.length, 22);
    for (const part of [Buffer.from("PK\x03\x04"), common, name, data]) writeSync(file, part);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(at, 10);
    records.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x03"), common, place, name]));
    at += 30 + name.length + data.length;
  }
  const directory = Buffer.concat(records);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06");
  end.writeUInt16LE(members, 8);
  end.writeUInt16LE(members, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  writeSync(file, directory);
  writeSync(file, end);
  closeSync(file);
  return path;
}
