// Tar (POSIX.1-2017 pax, ustar, GNU, v7): blocks of 512 bytes, a header before each member.

import { limits } from "../limits.ts";
import type { ByteSource } from "../ports/fs.ts";
import { formatSize } from "../text/size.ts";
import {
  type Archive,
  type ArchiveContext,
  archiveError,
  type Member,
  sourceOf,
} from "./archive.ts";
import type { Format } from "./format.ts";
import { BLOCK, hasChecksum, isZero, textAt } from "./tar-header.ts";
import { readLayout, type TarMember } from "./tar-layout.ts";
import { filled, partsInData, type Sparse } from "./tar-sparse.ts";
import { rewriteTar } from "./tar-write.ts";

export const tar: Format = {
  name: "tar",
  suffixes: [".tar"],
  async claims(head) {
    const isEmpty = head.length > 0 && head.length % BLOCK === 0 && isZero(head);
    return isEmpty || looksLikeTar(head);
  },
  open: openTar,
  create: (context) => openTar(sourceOf([new Uint8Array(20 * BLOCK)]), context),
};

export function looksLikeTar(head: Uint8Array): boolean {
  if (head.length < BLOCK) return false;
  return textAt(head, 257, 5) === "ustar" || (hasChecksum(head) && head[0] !== 0);
}

/** @throws AtomicError `archive.bounds`, `archive.checksum`, `archive.too_large` */
export async function openTar(source: ByteSource, context: ArchiveContext): Promise<Archive> {
  const layout = await readLayout(source, context);
  const own = (member: Member) => {
    const found = layout.members.find((one) => one === member);
    if (!found) throw new TypeError("a member of another archive");
    return found;
  };
  return {
    members: layout.members,
    remarks: layout.marked ? [] : ["the end mark is missing, so members may be missing as well"],
    read: (member) => readMember(source, own(member), context),
    write: async (change) =>
      rewriteTar(source, layout, change.member && own(change.member), change),
  };
}

async function readMember(
  source: ByteSource,
  { name: member, kind, size, stored, data, sparse }: TarMember,
  context: ArchiveContext,
): Promise<Uint8Array> {
  if (kind !== "file") throw new TypeError("only a file has content");
  const most = limits.archiveMember;
  if (Math.max(size, stored) > most) {
    throw archiveError(
      "archive.too_large",
      context.name,
      `the member is of ${formatSize(Math.max(size, stored))}, and at most ${formatSize(most)} are read`,
      { member },
    );
  }
  const content = await source.read(data, stored);
  if (content.length !== stored) {
    throw archiveError("archive.bounds", context.name, "the archive became shorter", { member });
  }
  return sparse ? wholeOf(content, sparse, member, context) : content;
}

function wholeOf(
  stored: Uint8Array,
  { size, parts }: Sparse,
  member: string,
  { name }: ArchiveContext,
): Uint8Array {
  const inData = parts ? { parts, length: 0 } : partsInData(stored);
  const whole =
    size === undefined || !inData
      ? undefined
      : filled(stored.subarray(inData.length), inData.parts, size);
  if (whole) return whole;
  throw archiveError(
    "archive.bounds",
    name,
    "the member is stored as a sparse file, and the list of its parts does not fit them",
    { member },
  );
}
