// A value of a database as JSON that says what it is (tools.md §4): integers exact, reals as reals, bytes as bytes.

import { limits } from "../limits.ts";
import type { SqlValue } from "../ports/databases.ts";
import { fromStored, showEscapes } from "../text/encoding.ts";

/** How a database stores text. */
export type TextEncodingOf = "utf-8" | "utf-16le" | "utf-16be";

/** What was shown otherwise than it is; each is said once below the rows. */
export type CellRemark = "invalid text" | "left out";

/** Always doubled quotes, so that no name is anything but a name. */
export function quoteName(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/**
 * The column such that its value comes out whole and tells its kind, in every runtime: text as its bytes (a NUL would end it,
 * bytes that are no text would change), bytes as a text that begins with "blob:". A value over the limit is not even loaded.
 */
export function cellExpression(column: string): string {
  const most = limits.sqliteValue;
  const shown = limits.sqliteBlob;
  return `CASE typeof(${column}) WHEN 'text' THEN CASE WHEN octet_length(${column})>${most} THEN 'text:'||octet_length(${column}) ELSE CAST(${column} AS BLOB) END WHEN 'blob' THEN CASE WHEN octet_length(${column})>${most} THEN 'blob:'||octet_length(${column}) ELSE 'blob:'||octet_length(${column})||':'||hex(substr(${column},1,${shown})) END ELSE ${column} END`;
}

/** What a `cellExpression` gave, as JSON. */
export function packedCell(
  value: SqlValue,
  encoding: TextEncodingOf,
  remarks: Set<CellRemark>,
): string {
  if (value instanceof Uint8Array) return storedText(value, encoding, remarks);
  if (typeof value !== "string") return numberText(value);
  const [kind, length, hex] = value.split(":");
  if (hex !== undefined) return blobText(fromHex(hex), Number(length));
  remarks.add("left out");
  return kind === "text"
    ? `{"$text":"","bytes":${length}}`
    : blobText(new Uint8Array(0), Number(length));
}

/** A value as the engine gave it, as JSON. */
export function plainCell(value: SqlValue): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (!(value instanceof Uint8Array)) return numberText(value);
  return blobText(value.subarray(0, limits.sqliteBlob), value.length);
}

/** One object; a name that repeats gets a number, since no reader keeps both. */
export function rowText(names: readonly string[], cells: readonly string[]): string {
  const members = names.map((name, i) => `${JSON.stringify(name)}:${cells[i]}`);
  return `{${members.join(",")}}`;
}

/** "a", "a:1", "a:2" for columns that are all called "a". */
export function distinctNames(columns: readonly string[]): readonly string[] {
  const taken = new Set<string>(columns);
  const seen = new Set<string>();
  return columns.map((name) => {
    let own = name;
    for (let number = 1; seen.has(own); number++) {
      const next = `${name}:${number}`;
      own = taken.has(next) ? own : next;
    }
    seen.add(own);
    return own;
  });
}

function storedText(bytes: Uint8Array, encoding: TextEncodingOf, remarks: Set<CellRemark>): string {
  try {
    const decoder = new TextDecoder(encoding, { fatal: true, ignoreBOM: true });
    return JSON.stringify(decoder.decode(bytes));
  } catch {
    remarks.add("invalid text");
    const text =
      encoding === "utf-8"
        ? showEscapes(fromStored(bytes))
        : new TextDecoder(encoding, { ignoreBOM: true }).decode(bytes);
    return `{"$text":${JSON.stringify(text)},"bytes":${bytes.length}}`;
  }
}

function numberText(value: number | bigint | null): string {
  if (value === null) return "null";
  if (typeof value === "bigint") {
    const isExact = BigInt.asIntN(54, value) === value && value !== -(2n ** 53n);
    return isExact ? String(value) : `"${value}"`;
  }
  if (!Number.isFinite(value)) return `"${value}"`;
  if (Object.is(value, -0)) return "-0.0";
  const text = String(value);
  return /^-?\d+$/.test(text) ? `${text}.0` : text;
}

function blobText(shown: Uint8Array, length: number): string {
  return `{"$blob":"${btoa(String.fromCharCode(...shown))}","bytes":${length}}`;
}

function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}
