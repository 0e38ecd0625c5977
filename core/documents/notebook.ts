// A Jupyter notebook (nbformat 4) as text with a marker line above each cell, and that text back into the notebook
// (seed 000, "Documents and URLs"; tools.md §3.7). What an edit did not touch stays byte for byte.

import { AtomicError } from "../errors.ts";
import { showName } from "../paths.ts";
import { itemsAt, type Member, memberOf, membersAt, type Span } from "../text/json-spans.ts";
import { formatCount } from "../text/size.ts";

export interface Notebook {
  /** The whole JSON text, without BOM. */
  readonly json: string;
  readonly cells: readonly Cell[];
  /** The projection: rows end with LF, the last one too. Empty for a notebook without cells. */
  readonly text: string;
  /** What the projection leaves out, in sentences. */
  readonly remarks: readonly string[];
}

export interface Cell {
  readonly type: CellType;
  readonly source: string;
  /** First and last row of the projection, from 1. */
  readonly first: number;
  readonly last: number;
  /** Where the cell stands in the JSON text. */
  readonly span: Span;
}

export type CellType = "code" | "markdown" | "raw";

/** What a notebook is told by. */
export function isNotebook(path: string): boolean {
  return /\.ipynb$/i.test(path);
}

/**
 * @param name as messages call the file
 * @throws AtomicError `notebook.invalid`
 */
export function parseNotebook(json: string, name: string): Notebook {
  const root = rootOf(json, name);
  const cells: Cell[] = [];
  const rows: string[] = [];
  const outputs: string[] = [];
  for (const [i, span] of itemsAt(json, root.cells.start).entries()) {
    const fields = fieldsOf(json, span, i, name);
    const first = rows.length + 1;
    rows.push(`# %% [${fields.type}] cell:${i}`, ...rowsOf(fields.source).map(escapeRow));
    cells.push({ ...fields, first, last: rows.length, span });
    if (fields.outputs > 0) outputs.push(`cell:${i} (${fields.outputs})`);
  }
  const text = rows.map((row) => `${row}\n`).join("");
  const remarks =
    outputs.length === 0
      ? []
      : [`[Outputs not shown: ${shortList(outputs)}; :raw gives the notebook's JSON]`];
  return { json, cells, text, remarks };
}

/**
 * The notebook with the cells of an edited projection. Cells are known by their `cell:N`; a marker without one, or with one
 * that was used above, begins a new cell; a cell whose marker is gone is removed.
 * @param newId a fresh cell id, asked for where the notebook's cells have ids
 * @throws AtomicError `notebook.invalid`
 */
export function writeNotebook(
  { json, cells }: Notebook,
  text: string,
  name: string,
  newId: () => string,
): string {
  const taken = new Set<number>();
  const plan = readProjection(text, name).map(({ index, ...cell }) => {
    const known = index !== undefined && index < cells.length && !taken.has(index);
    if (known) taken.add(index);
    return { ...cell, old: known ? index : undefined };
  });
  const style = styleOf(json);
  const { cells: list } = rootOf(json, name);
  const base = cells[0] ? indentAt(json, cells[0].span.start) : indentOfItems(json, list, style);
  const withIds = usesIds(json, cells);
  const pieces = plan.map(({ old, type, source }) =>
    old === undefined
      ? newCell(type, source, style, base, withIds ? newId() : undefined)
      : changedCell(json, cells[old]!, type, source, style),
  );
  if (plan.length === cells.length && plan.every(({ old }, i) => old === i)) {
    const changes = cells.map(({ span }, i) => ({ ...span, text: pieces[i]! }));
    return splice(json, changes);
  }
  if (pieces.length === 0) return splice(json, [{ ...list, text: "[]" }]);
  const blank = cells[0]
    ? blankBefore(json, cells[0].span.start)
    : style.indent === undefined
      ? ""
      : style.newline + base;
  const items = plan.map(
    ({ old }, i) =>
      (old === undefined ? blank : blankBefore(json, cells[old]!.span.start)) + pieces[i]!,
  );
  const tail = cells.at(-1)
    ? json.slice(cells.at(-1)!.span.end, list.end - 1)
    : style.indent === undefined
      ? ""
      : style.newline + indentAt(json, list.start);
  return splice(json, [{ ...list, text: `[${items.join(",")}${tail}]` }]);
}

interface Style {
  /** Undefined: the notebook is one line. */
  readonly indent: string | undefined;
  readonly newline: string;
  /** Every character beyond ASCII is written as \uNNNN. */
  readonly ascii: boolean;
}

const marker = /^# %% \[(code|markdown|raw)\](?: cell:(\d+))?\r?$/;
const escaped = /^# %%(%*) \[(?:code|markdown|raw)\](?: cell:\d+)?\r?$/;

interface ProjectedCell {
  readonly type: CellType;
  readonly index: number | undefined;
  readonly source: string;
}

function readProjection(text: string, name: string): readonly ProjectedCell[] {
  if (text === "") return [];
  const rows = text.replace(/\n$/, "").split("\n");
  const starts = rows.flatMap((row, i) => (marker.test(row) ? [i] : []));
  if (starts[0] !== 0) {
    throw invalid(
      name,
      "the edit would leave text above the first cell marker",
      "Begin with a row such as: # %% [code]",
    );
  }
  return starts.map((start, i) => {
    const [, type, index] = marker.exec(rows[start]!)!;
    const body = rows.slice(start + 1, starts[i + 1]);
    return {
      type: type as CellType,
      index: index === undefined ? undefined : Number(index),
      source: body.map(unescapeRow).join("\n"),
    };
  });
}

function rowsOf(source: string): readonly string[] {
  return source === "" ? [] : source.split("\n");
}

/** A source row that looks like a marker gets one more "%". */
function escapeRow(row: string): string {
  return escaped.test(row) ? row.replace("# %%", "# %%%") : row;
}

function unescapeRow(row: string): string {
  return (escaped.exec(row)?.[1] ?? "") === "" ? row : row.replace("# %%%", "# %%");
}

interface Root {
  readonly cells: Span;
}

function rootOf(json: string, name: string): Root {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw invalid(name, `its JSON does not parse (${reason})`);
  }
  if (!isObject(value)) throw invalid(name, "its JSON is no object");
  const { nbformat, cells } = value;
  if (typeof nbformat === "number" && nbformat !== 4) {
    throw invalid(
      name,
      `it has nbformat ${nbformat}, and only nbformat 4 is understood`,
      "Convert it with: jupyter nbconvert --to notebook",
    );
  }
  if (!Array.isArray(cells)) throw invalid(name, 'it has no list "cells"');
  const start = json.indexOf("{");
  return { cells: memberOf(membersAt(json, start), "cells")!.value };
}

function fieldsOf(json: string, span: Span, index: number, name: string) {
  const cell: unknown = JSON.parse(json.slice(span.start, span.end));
  if (!isObject(cell)) throw invalid(name, `cell ${index} is no object`);
  const { cell_type: type, source = "", outputs } = cell;
  if (type !== "code" && type !== "markdown" && type !== "raw") {
    throw invalid(name, `cell ${index} has the unknown type ${JSON.stringify(type)}`);
  }
  const parts: readonly unknown[] = Array.isArray(source) ? source : [source];
  if (!isStrings(parts)) throw invalid(name, `the source of cell ${index} is no text`);
  const joined = parts.join("");
  if (!joined.isWellFormed()) {
    throw invalid(name, `the source of cell ${index} has half a surrogate pair`);
  }
  const count = Array.isArray(outputs) ? outputs.length : 0;
  return { type, source: joined, outputs: count } as const;
}

function changedCell(
  json: string,
  { span, type: before, source: old }: Cell,
  type: CellType,
  source: string,
  style: Style,
): string {
  const original = json.slice(span.start, span.end);
  if (type === before && source === old) return original;
  let text = original;
  if (source !== old) text = withSource(text, source, style, indentAt(json, span.start));
  if (type !== before) text = withType(text, type, style, indentAt(json, span.start));
  return text;
}

function withSource(cell: string, source: string, style: Style, base: string): string {
  const members = membersAt(cell, 0);
  const member = memberOf(members, "source");
  if (!member) {
    return withMember(cell, "source", sourceList(source, style, base, new Map()), style, base);
  }
  const { start, end } = member.value;
  if (cell[start] !== "[") return splice(cell, [{ start, end, text: quote(source, style) }]);
  // Rows that stay keep their very bytes, also where their escapes are unlike ours.
  const known = new Map(
    itemsAt(cell, start).map((item) => {
      const text = cell.slice(item.start, item.end);
      return [JSON.parse(text) as string, text];
    }),
  );
  const oneLine = !/[\r\n]/.test(cell.slice(start, end)) && known.size > 0;
  const list = sourceList(source, oneLine ? { ...style, indent: undefined } : style, base, known);
  return splice(cell, [{ start, end, text: list }]);
}

function sourceList(
  source: string,
  style: Style,
  base: string,
  known: ReadonlyMap<string, string>,
): string {
  const lines = source.split(/(?<=\n)/).filter((line) => line !== "");
  const items = lines.map((line) => known.get(line) ?? quote(line, style));
  if (items.length === 0) return "[]";
  if (style.indent === undefined) return `[${items.join(", ")}]`;
  const { newline, indent } = style;
  const inner = newline + base + indent + indent;
  return `[${inner}${items.join(`,${inner}`)}${newline}${base}${indent}]`;
}

/** Outputs and the execution count belong to code cells, and to no others. */
function withType(cell: string, type: CellType, style: Style, base: string): string {
  let text = cell;
  const { start, end } = memberOf(membersAt(text, 0), "cell_type")!.value;
  text = splice(text, [{ start, end, text: JSON.stringify(type) }]);
  for (const [key, value] of Object.entries({ execution_count: "null", outputs: "[]" })) {
    const member = memberOf(membersAt(text, 0), key);
    if (type === "code" && !member) text = withMember(text, key, value, style, base);
    if (type !== "code" && member) text = withoutMember(text, key);
  }
  return text;
}

function withMember(
  object: string,
  key: string,
  value: string,
  { indent, newline }: Style,
  base: string,
): string {
  const members = membersAt(object, 0);
  const blank = indent === undefined ? " " : newline + base + indent;
  const member = `${JSON.stringify(key)}: ${value}`;
  // Keys stand in order of their names in what Jupyter writes.
  const next = members.find((other) => other.key > key);
  if (next) {
    return splice(object, [{ start: next.start, end: next.start, text: `${member},${blank}` }]);
  }
  const last: Member | undefined = members.at(-1);
  const end = last?.end ?? 1;
  return splice(object, [{ start: end, end, text: `${last ? "," : ""}${blank}${member}` }]);
}

function withoutMember(object: string, key: string): string {
  const members = membersAt(object, 0);
  const i = members.findLastIndex((member) => member.key === key);
  const { start, end } = members[i]!;
  const span =
    i + 1 < members.length
      ? { start, end: members[i + 1]!.start }
      : { start: members[i - 1]?.end ?? start, end };
  return splice(object, [{ ...span, text: "" }]);
}

/** Keys in the order in which Jupyter writes them. */
function newCell(
  type: CellType,
  source: string,
  style: Style,
  base: string,
  id: string | undefined,
): string {
  const members = [`"cell_type": "${type}"`];
  if (type === "code") members.push('"execution_count": null');
  if (id !== undefined) members.push(`"id": ${JSON.stringify(id)}`);
  members.push('"metadata": {}');
  if (type === "code") members.push('"outputs": []');
  members.push(`"source": ${sourceList(source, style, base, new Map())}`);
  if (style.indent === undefined) return `{${members.join(", ")}}`;
  const inner = style.newline + base + style.indent;
  return `{${inner}${members.join(`,${inner}`)}${style.newline}${base}}`;
}

/** Ids came with nbformat 4.5. */
function usesIds(json: string, cells: readonly Cell[]): boolean {
  const { nbformat_minor: minor } = JSON.parse(json) as { readonly nbformat_minor?: unknown };
  if (typeof minor === "number") return minor >= 5;
  return cells.some(({ span }) => memberOf(membersAt(json, span.start), "id"));
}

function styleOf(json: string): Style {
  const [, newline, indent] = /^\s*\{[ \t]*(\r?\n)([ \t]*)/.exec(json) ?? [];
  // eslint-disable-next-line no-control-regex -- ASCII is a range of code units
  const ascii = /\\u[\da-f]{4}/i.test(json) && !/[^\x00-\x7f]/.test(json);
  return { indent: newline === undefined ? undefined : indent!, newline: newline ?? "\n", ascii };
}

function indentOfItems(json: string, list: Span, { indent }: Style): string {
  return indentAt(json, list.start) + (indent ?? "");
}

/** The blanks at the beginning of the line on which an offset stands. */
function indentAt(json: string, at: number): string {
  return /^[ \t]*/.exec(json.slice(json.lastIndexOf("\n", at - 1) + 1, at))![0];
}

function blankBefore(json: string, at: number): string {
  return /[ \t\r\n]*$/.exec(json.slice(Math.max(0, at - 200), at))![0];
}

function quote(text: string, { ascii }: Style): string {
  const quoted = JSON.stringify(text);
  if (!ascii) return quoted;
  return quoted.replace(
    /[\u0080-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Replaces spans that do not overlap and come in order. */
function splice(text: string, changes: readonly (Span & { readonly text: string })[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const change of changes) {
    parts.push(text.slice(at, change.start), change.text);
    at = change.end;
  }
  parts.push(text.slice(at));
  return parts.join("");
}

function shortList(items: readonly string[]): string {
  const shown = items.slice(0, 10).join(", ");
  return items.length <= 10
    ? shown
    : `${shown} and ${formatCount(items.length - 10, "more cell", "more cells")}`;
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isStrings(values: readonly unknown[]): values is readonly string[] {
  return values.every((value) => typeof value === "string");
}

function invalid(name: string, reason: string, hint = READ_RAW): AtomicError {
  return new AtomicError("notebook.invalid", `Notebook ${showName(name)}: ${reason}.`, {
    hint,
    data: { path: name },
  });
}

const READ_RAW = "Read it with :raw to see its JSON.";
