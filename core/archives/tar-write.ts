// A tar with one member replaced or added. Every other member's headers and data are copied as they stand.

import type { ByteSource } from "../ports/fs.ts";
import { concat, type MemberChange, type Splice, spliced } from "./archive.ts";
import type { TarExtra, TarLayout, TarMember } from "./tar-layout.ts";
import {
  BLOCK,
  isZero,
  padded,
  paxRecord,
  paxRecords,
  setChecksum,
  setNumber,
  setText,
} from "./tar-header.ts";

/** Programs write whole records, the last one filled up with zeros. */
const RECORD = 20 * BLOCK;

export async function rewriteTar(
  read: ByteSource,
  layout: TarLayout,
  old: TarMember | undefined,
  change: MemberChange,
): Promise<AsyncIterable<Uint8Array>> {
  const source = upTo(read, layout.end);
  const head = old ? await replacedHeaders(source, old, change) : newHeaders(change);
  const { content } = change;
  const fill = new Uint8Array(padded(content.length) - content.length);
  const at = old?.start ?? layout.end;
  const removed = old ? old.end - old.start : 0;
  const added = [...head, content, fill];
  const grown = added.reduce((sum, part) => sum + part.length, 0) - removed;
  return spliced(source, [{ at, removed, added }, ...(await ending(source, layout, grown))]);
}

/** An archive whose last zeros were cut off has them again. */
function upTo(source: ByteSource, end: number): ByteSource {
  const { size } = source;
  if (end <= size) return source;
  return {
    size: end,
    async read(offset, length) {
      const wanted = Math.max(0, Math.min(length, end - offset));
      const found = await source.read(offset, Math.min(wanted, Math.max(0, size - offset)));
      return found.length === wanted
        ? found
        : concat([found, new Uint8Array(wanted - found.length)]);
    },
  };
}

/** The end mark, filled up to a whole record where it was so before. */
async function ending(
  source: ByteSource,
  { end, marked }: TarLayout,
  grown: number,
): Promise<readonly Splice[]> {
  const rest = source.size - end;
  if (!marked) return [{ at: end, removed: rest, added: [new Uint8Array(2 * BLOCK)] }];
  const isFilled = source.size % RECORD === 0 && rest <= 64 * RECORD;
  if (!isFilled || !isZero(await source.read(end, rest))) return [];
  const total = Math.ceil((end + grown + 2 * BLOCK) / RECORD) * RECORD;
  return [{ at: end, removed: rest, added: [new Uint8Array(total - end - grown)] }];
}

/** Mode, owner and all else that the headers say stays; a hard link becomes a file of its own. */
async function replacedHeaders(
  source: ByteSource,
  old: TarMember,
  { content, now }: MemberChange,
): Promise<readonly Uint8Array[]> {
  const header = (await source.read(old.header, BLOCK)).slice();
  const type = String.fromCharCode(header[156]!);
  if (type !== "0" && type !== "\0" && type !== "7") {
    header[156] = 0x30;
    header.fill(0, 157, 257);
    // Where GNU keeps the parts of a sparse file.
    if (type === "S") header.fill(0, 386, 495);
  }
  setNumber(header, 124, 12, content.length);
  setNumber(header, 136, 12, Math.floor(now / 1000));
  setChecksum(header);
  const isLink = old.target !== undefined;
  const kept = old.before.filter((extra) => !(extra.type === "K" && isLink));
  return [...kept.flatMap((extra) => extraBlocks(extra, now)), header];
}

function extraBlocks({ type, header, content }: TarExtra, now: number): readonly Uint8Array[] {
  const records = type === "x" || type === "X" ? paxRecords(content) : undefined;
  const fresh = records
    ? concat(
        records.flatMap(({ key, value, whole }) => {
          if (key === "size" || key === "linkpath") return [];
          if (key === "mtime") return [paxRecord(key, new TextEncoder().encode(seconds(now)))];
          if (key === "GNU.sparse.name") return [paxRecord("path", value)];
          return key.startsWith("GNU.sparse.") ? [] : [whole];
        }),
      )
    : content;
  const block = header.slice();
  if (fresh.length !== content.length) {
    setNumber(block, 124, 12, fresh.length);
    setChecksum(block);
  }
  return [block, fresh, new Uint8Array(padded(fresh.length) - fresh.length)];
}

function seconds(now: number): string {
  const fraction = now % 1000;
  const whole = String(Math.floor(now / 1000));
  return fraction === 0 ? whole : `${whole}.${String(fraction).padStart(3, "0")}`;
}

/** A regular file with the mode 0644 that belongs to root, as archives without an owner to name do. */
function newHeaders({ name, content, now }: MemberChange): readonly Uint8Array[] {
  const bytes = new TextEncoder().encode(name);
  const cut = cutName(bytes);
  const header = newHeader("0", content.length, now);
  if (cut) {
    header.set(cut.name, 0);
    header.set(cut.prefix, 345);
    setChecksum(header);
    return [header];
  }
  // Who knows no pax sees the name's beginning.
  header.set(bytes.subarray(0, 99), 0);
  setChecksum(header);
  const record = paxRecord("path", bytes);
  const extra = newHeader("x", record.length, now);
  setText(extra, 0, "././@PaxHeader");
  setChecksum(extra);
  return [extra, record, new Uint8Array(padded(record.length) - record.length), header];
}

function newHeader(type: string, size: number, now: number): Uint8Array {
  const header = new Uint8Array(BLOCK);
  setNumber(header, 100, 8, 0o644);
  setNumber(header, 108, 8, 0);
  setNumber(header, 116, 8, 0);
  setNumber(header, 124, 12, size);
  setNumber(header, 136, 12, Math.floor(now / 1000));
  setText(header, 156, type);
  setText(header, 257, "ustar\x0000");
  setNumber(header, 329, 8, 0);
  setNumber(header, 337, 8, 0);
  return header;
}

/** As the two fields of ustar take it; undefined where they are too short. */
function cutName(
  name: Uint8Array,
): { readonly name: Uint8Array; readonly prefix: Uint8Array } | undefined {
  if (name.length <= 100) return { name, prefix: new Uint8Array(0) };
  const slash = name.subarray(0, 156).lastIndexOf(0x2f);
  if (slash < 1 || name.length - slash - 1 > 100) return undefined;
  return { name: name.subarray(slash + 1), prefix: name.subarray(0, slash) };
}
