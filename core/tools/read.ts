import * as v from "valibot";

import { settleBeforeReading } from "../changes/settle-pending.ts";
import { aborted, asAtomicError, AtomicError } from "../errors.ts";
import { scanText, type ScannedText } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { displayPath, headerLine, resolvePath, shellPath, showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { classify, loadFile } from "../resources/file.ts";
import type { ImageInfo } from "../resources/image.ts";
import { listTree } from "../resources/directory.ts";
import { isNotebook, type NotebookFile, openNotebook } from "../resources/notebook.ts";
import { type Block, blocksOfText } from "../resources/conflict-blocks.ts";
import { sightOf } from "../resources/sight.ts";
import { locate } from "../resources/open.ts";
import type { Located, Part, TargetPorts } from "../resources/resource.ts";
import { cutRaw, selectRaw } from "../resources/raw-view.ts";
import { textOfRun, viewText } from "../resources/text-view.ts";
import type { Session } from "../session/session.ts";
import { type Modifiers, parseSelector, readModifiers } from "../selectors/parse.ts";
import { countEscapes, type Encoding } from "../text/encoding.ts";
import type { LineRange, LineRun } from "../text/ranges.ts";
import { fileRanges } from "../text/raw-lines.ts";
import { formatCount, formatSize } from "../text/size.ts";
import type { Truncation } from "../text/truncate.ts";
import { type Call, defineTool, type Rendered } from "../tool.ts";

const input = v.strictObject({
  path: v.pipe(
    v.string(),
    v.nonEmpty("A path must not be empty."),
    v.description(
      "File or folder to read, absolute or relative to the working folder; on the command line - is standard input. Lines may follow a colon: :5 (to the end), :5-16, :5+3, :5-16,960-973; :raw gives the exact bytes.",
    ),
  ),
  plain: v.pipe(
    v.optional(v.boolean(), false),
    v.description("Show the rows without the [path#TAG] header."),
  ),
  raw: v.pipe(
    v.optional(v.boolean(), false),
    v.description("The exact bytes, as :raw gives them: no header, no line numbers, no context."),
  ),
});

type Input = v.InferOutput<typeof input>;
type Ports = TargetPorts & Pick<Host, "locks" | "clock">;

/** A file's rows, its bytes, or a remark about it in their place. */
type ReadData =
  | {
      readonly kind: "rows";
      /** Undefined where the rows cannot be edited by their tag, or were asked for without it. */
      readonly header: string | undefined;
      readonly remarks: readonly string[];
      readonly runs: readonly { readonly first: number; readonly lines: readonly string[] }[];
      /** False: the rows are a listing of ours, and stand without numbers. */
      readonly numbered: boolean;
      /** What stands between two runs; undefined: nothing. */
      readonly gap: string | undefined;
      readonly footers: readonly string[];
      readonly details: Details;
    }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array; readonly details: Details }
  | { readonly kind: "remark"; readonly text: string; readonly details: Details };

interface Details {
  readonly meta: {
    /** "file", "standard input", "directory", or the kind of what has no file of its own, such as "archive". */
    readonly source: string;
    /** Absolute, links not resolved; "-" for standard input; for a part of a file, with what names the part. */
    readonly sourcePath: string;
    /** Of a listing that leaves out entries. */
    readonly limits?: { readonly perDirLimit: number; readonly totalLines: number };
    readonly truncation?: Truncation;
  };
  readonly tag?: string;
  readonly encoding?: Encoding;
  readonly totalLines?: number;
  /** The lines shown, context included. */
  readonly lines?: readonly LineRun[];
  /** Only where something was cut. */
  readonly truncation?: Truncation;
  /** The conflicts shown, with the numbers that conflict:// knows them by. */
  readonly conflicts?: readonly NumberedSpan[];
  /** Of a notebook. */
  readonly totalCells?: number;
  readonly isDirectory?: true;
  readonly resolvedPath?: string;
  readonly mimeType?: string;
  readonly width?: number;
  readonly height?: number;
  readonly bytes?: number;
}

interface NumberedSpan {
  readonly id: number;
  readonly first: number;
  readonly last: number;
  readonly ambiguous: boolean;
}

/** A file in memory, with the names it goes by. */
interface Source {
  readonly path: string;
  readonly display: string;
  readonly file: Uint8Array;
  readonly meta: Details["meta"];
  /** Set where the rows are a text made from the file, so that what is recorded is not `file` itself. */
  readonly shown?: { readonly text: ScannedText; readonly disk: Uint8Array };
}

export const read = defineTool({
  name: "read",
  summary: "Show a file's lines with their numbers and the tag that edits need",
  description:
    "Reads a local text file, or shows a folder as a tree of two levels, newest first. The first line of the answer is a header [path#TAG]; every row is LINE:TEXT. " +
    "Copy the header and the line numbers into `edit` to change the file. " +
    "Ask for lines after a colon: a.ts:5-16, a.ts:5+3, a.ts:5-16,960-973, a.ts:40 (to the end); " +
    "bounded ranges come with one line before and three after. a.ts:raw gives the exact bytes. " +
    "A notebook (.ipynb) is shown by its cells, each below a marker row, and is edited by those rows; n.ipynb:cell:0 is one cell. " +
    "a.ts:conflicts shows what a merge left marked, and numbers it for conflict://N, conflict://N/ours and conflict://*. " +
    "a.zip lists an archive (.zip, .jar, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz, .tar.zst, .gz), a.zip:dir a folder in it, a.zip:dir/b.txt:5-9 lines of a member. " +
    "app.db lists an SQLite database's tables, app.db:users shows schema and some rows, app.db:users:42 the row with that key, app.db:users?limit=50&where=age>30&order=name rows, app.db?q=SELECT... a query. " +
    "local://PATH is a path in the workspace, skill://NAME a skill's SKILL.md, artifact://N a kept output. " +
    "Long files are cut at 3,000 lines or 50 KiB, and the last line says how to go on. " +
    "A file whose name itself ends like a selector is read by that name.",
  effect: "read",
  isBounded: true,
  input,
  run,
  render,
  details: ({ details }) => ({ ...details }),
  cli: { positional: "path", repeat: true, placeholder: "TARGET", aliases: ["cat"] },
  examples: [
    { title: "A whole file", input: { path: "src/main.ts", plain: false, raw: false } },
    {
      title: "Two ranges of lines",
      input: { path: "src/main.ts:5-16,40-60", plain: false, raw: false },
    },
    { title: "The exact bytes", input: { path: "data.csv:raw", plain: false, raw: false } },
  ],
});

async function run(request: Input, ports: Ports, call: Call): Promise<ReadData> {
  const { fs, bytes, locks, clock } = ports;
  if (call.signal.aborted) throw aborted(call.signal.reason);
  const piped = await readPiped(request.path, { fs }, call);
  if (piped) return show(piped.source, piped.modifiers, request, { fs, bytes }, call);
  const located = await locate(request.path, ports, call);
  if (located.kind === "part") return readPart(located, request, { fs, bytes }, call);
  if (located.note) call.notice(located.note);
  const { conflicts } = located;
  if (located.stat.kind === "directory" && located.cell === undefined && !conflicts)
    return readDirectory(located, request, { fs, bytes, clock }, call);
  if (located.stat.kind === "file") await settleBeforeReading(located.path, call, { fs, locks });
  const { bytes: file } = await loadFile(located, fs, call.signal);
  const source: Source = {
    path: located.path,
    display: displayPath(located.path, call.cwd),
    file,
    meta: { source: "file", sourcePath: located.path },
  };
  // Marks of a merge are no JSON, so a notebook that has them is text.
  if (isNotebook(located.path) && !conflicts && !located.exact)
    return readNotebook(source, located, request, { fs, bytes }, call);
  if (located.cell !== undefined) throw noCells(located);
  return show(source, located, request, { fs, bytes }, call);
}

/** What has no file of its own is shown by lines, and never with a tag. */
async function readPart(
  part: Part,
  request: Input,
  ports: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<ReadData> {
  const { display, sourcePath, bytes: file, numbered, notes, details } = part;
  if (part.cell !== undefined) throw noCells({ typed: display, cell: part.cell });
  const meta = { source: part.source, sourcePath };
  const instead = insteadOf(part);
  if (instead !== undefined) {
    const isRaw = request.raw || part.raw;
    // In a pipe a sentence would pass for a row.
    if (isRaw) for (const said of [instead, ...notes]) call.notice(said);
    if (isRaw) return { kind: "bytes", bytes: new Uint8Array(0), details: { meta, ...details } };
    const text = notes.length === 0 ? instead : [instead, "", ...notes].join("\n");
    return { kind: "remark", text, details: { meta, ...details } };
  }
  const source: Source = { path: sourcePath, display, file, meta };
  const data = await show(source, part, request, ports, call);
  await recordPart(part, ports, call);
  const { encoding: _, ...own } = data.details;
  const all = { ...(numbered ? data.details : own), ...details };
  if (data.kind === "bytes") {
    for (const note of notes) call.notice(note);
    return { ...data, details: all };
  }
  if (data.kind === "remark") {
    return { ...data, text: [data.text, ...notes].join("\n"), details: all };
  }
  return { ...data, numbered, footers: [...data.footers, ...notes], details: all };
}

/** Whoever overwrites it must have seen it. */
async function recordPart(
  { recordAs, bytes: whole }: Part,
  { bytes }: Pick<Ports, "bytes">,
  call: Call,
): Promise<void> {
  if (recordAs === undefined) return;
  await inSession(call, "This read was not recorded, so it gives no leave to write", (session) =>
    session.record(sightOf(recordAs, whole, bytes)),
  );
}

/** What is said in place of a part that is not there, or has nothing in it. */
function insteadOf({ absent, bytes, empty }: Part): string | undefined {
  if (absent) return new TextDecoder().decode(bytes).trimEnd();
  return bytes.length === 0 ? empty : undefined;
}

/** Its cells as rows, which edits go by; `:raw` is the JSON. */
async function readNotebook(
  source: Source,
  { raw, ranges, cell }: Located,
  request: Input,
  ports: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<ReadData> {
  const isRaw = request.raw || raw;
  let notebook: NotebookFile;
  try {
    notebook = openNotebook(source.file, source.display);
  } catch (thrown) {
    // Its bytes are still to be had, so that it can be mended.
    if (isRaw && cell === undefined) return readRaw(source, ranges, ports, call);
    throw thrown;
  }
  const text = scanText(new TextEncoder().encode(notebook.text), ports.bytes)!;
  const shown = { text, disk: source.file };
  if (isRaw && cell === undefined) return readRaw({ ...source, shown }, ranges, ports, call);
  const cells = notebook.cells.length;
  if (cell !== undefined && cell >= cells) {
    return {
      kind: "remark",
      text: `Cell ${cell} is beyond EOF: ${showName(source.display)} has ${formatCount(cells, "cell", "cells")}${cells === 0 ? "" : `; the last one is ${showName(source.display)}:cell:${cells - 1}`}`,
      details: { meta: source.meta, totalLines: text.lines.count, totalCells: cells },
    };
  }
  if (cell !== undefined && isRaw) {
    const bytes = new TextEncoder().encode(notebook.cells[cell]!.source);
    return { kind: "bytes", bytes, details: { meta: source.meta, totalCells: cells } };
  }
  const data = await readText(
    { ...source, file: new TextEncoder().encode(notebook.text), shown },
    text,
    cell === undefined ? { ranges } : { ranges: [notebook.cells[cell]!], exact: true },
    request.plain,
    ports,
    call,
  );
  const details = { ...data.details, totalCells: cells };
  if (data.kind !== "rows") return { ...data, details };
  return { ...data, footers: [...data.footers, ...notebook.remarks], details };
}

interface Wanted {
  readonly ranges: readonly LineRange[] | undefined;
  /** Without the lines around. */
  readonly exact?: boolean | undefined;
  /** Rows above the text's own. */
  readonly remarks?: readonly string[] | undefined;
}

/** A tree whose rows are selected like the lines of a file. */
async function readDirectory(
  located: Located,
  request: Input,
  ports: Pick<Ports, "fs" | "bytes" | "clock">,
  call: Call,
): Promise<ReadData> {
  const tree = await listTree(located, ports, call.signal);
  const { path, ranges } = located;
  const totalLines = tree.lines.length;
  const source: Source = {
    path,
    display: displayPath(path, call.cwd),
    file: new TextEncoder().encode(tree.lines.join("\n") + "\n"),
    meta: {
      source: "directory",
      sourcePath: path,
      ...(tree.elided && { limits: { perDirLimit: limits.directoryChildren, totalLines } }),
    },
  };
  if (request.raw || located.raw) {
    for (const note of tree.notes) call.notice(note);
    return readRaw(source, ranges, ports, call);
  }
  if (totalLines === 1 && !ranges) {
    const details: Details = { meta: source.meta, isDirectory: true, resolvedPath: path };
    return { kind: "remark", text: "(folder is empty)", details };
  }
  const text = scanText(source.file, ports.bytes)!;
  const data = await readText(source, text, { ranges }, true, ports, call);
  const details: Details = { ...data.details, isDirectory: true, resolvedPath: path };
  if (data.kind !== "rows") return { ...data, details };
  const { encoding: _, ...listed } = details;
  return { ...data, numbered: false, footers: [...data.footers, ...tree.notes], details: listed };
}

/** "-" is standard input, unless a file of that name exists. */
async function readPiped(
  target: string,
  { fs }: Pick<Ports, "fs">,
  call: Call,
): Promise<{ readonly source: Source; readonly modifiers: Modifiers } | undefined> {
  if (!call.standardInput || !target.startsWith("-")) return undefined;
  const selector = parseSelector(target);
  const reading =
    selector.kind === "scheme" ? undefined : selector.readings.find(({ path }) => path === "-");
  if (!reading || (await fs.lstat(resolvePath("-", call.cwd)))) return undefined;
  const modifiers = readModifiers(reading.modifiers);
  const file = await call.standardInput();
  const meta = { source: "standard input", sourcePath: "-" } as const;
  return { source: { path: "-", display: "-", file, meta }, modifiers };
}

async function show(
  source: Source,
  selected: Modifiers & Pick<Located, "exact" | "remarks">,
  request: Input,
  { fs, bytes }: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<ReadData> {
  const { file } = source;
  if (selected.conflicts) return readConflicts(source, selected, request, { fs, bytes }, call);
  if (request.raw || selected.raw) return readRaw(source, selected.ranges, { fs, bytes }, call);
  const content = classify(file, bytes);
  if (content.kind === "image") return imageRemark(source, content.image);
  if (content.kind === "binary") return binaryRemark(source, "a binary file");
  const text = scanText(file, bytes);
  if (!text) return binaryRemark(source, "begins like UTF-16 but is not well-formed");
  const { ranges, exact, remarks } = selected;
  return readText(source, text, { ranges, exact, remarks }, request.plain, { fs, bytes }, call);
}

/** Only the regions that a merge left marked, and the numbers by which conflict:// takes them (tools.md §10). */
async function readConflicts(
  source: Source,
  { raw, ranges }: Modifiers,
  request: Input,
  ports: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<ReadData> {
  const text = scanText(source.file, ports.bytes);
  const blocks = text ? blocksOfText(text, ports.bytes) : [];
  await numberBlocks(source, blocks, ports, call);
  const numbered = blocks.map(({ first, last, ambiguous }, i) => ({
    id: i + 1,
    first,
    last,
    ambiguous,
  }));
  const within = ranges ?? [{ first: 1, last: undefined }];
  const shown = numbered.filter(({ first, last }) =>
    within.some((range) => range.first <= last && (range.last ?? last) >= first),
  );
  if (!text || shown.length === 0) {
    const where = numbered.length > 0 ? "these lines of " : "";
    return {
      kind: "remark",
      text: `no conflict markers in ${where}${showName(source.display)}`,
      details: { meta: source.meta, ...(text && { totalLines: text.lines.count }), conflicts: [] },
    };
  }
  const spans = shown.flatMap((block) =>
    within.flatMap((range) => {
      const first = Math.max(block.first, range.first);
      const last = Math.min(block.last, range.last ?? block.last);
      return first <= last ? [{ first, last }] : [];
    }),
  );
  if (request.raw || raw) {
    const data = await readRaw(source, spans, ports, call);
    return { ...data, details: { ...data.details, conflicts: shown } };
  }
  const remarks = shown.map(
    ({ id, first, last, ambiguous }) =>
      `#${id} lines ${first}-${last}${ambiguous ? " (several of its lines may be the separator: its sides cannot be told)" : ""}`,
  );
  const wanted = { ranges: spans, exact: true, remarks };
  const data = await readText(source, text, wanted, request.plain, ports, call);
  const details = { ...data.details, conflicts: shown };
  if (data.kind !== "rows") return { ...data, details };
  // What the file has besides was not asked for.
  const footers = details.truncation ? data.footers : [];
  return { ...data, gap: undefined, footers, details };
}

/** Only what has a path can be resolved by number. */
async function numberBlocks(
  { path, meta }: Source,
  blocks: readonly Block[],
  { fs }: Pick<Ports, "fs">,
  call: Call,
): Promise<void> {
  if (meta.source !== "file") return;
  await inSession(call, "Its conflicts got no numbers", async (session) => {
    const real = (await fs.realPath(path)) ?? path;
    await session.numberConflicts(
      blocks.map(({ first, last, hash }) => ({ path: real, first, last, hash })),
    );
  });
}

async function readText(
  source: Source,
  text: ScannedText,
  wanted: Wanted,
  plain: boolean,
  ports: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<ReadData> {
  const view = viewText(text, wanted.ranges, wanted.exact);
  const known = { meta: source.meta, totalLines: text.lines.count };
  if (view.kind === "beyond") {
    return { kind: "remark", text: beyondText(source, view.ranges, text), details: known };
  }
  if (view.kind === "overlong") {
    return {
      kind: "remark",
      text: overlongText(source, view.line, text),
      details: withTruncation({ ...known, encoding: text.encoding }, view.truncation),
    };
  }
  const tag = await record(source, text, ports, call);
  const footers = view.kind === "rows" ? [...view.footers] : [];
  if ((source.shown?.disk ?? source.file).length > limits.editableFile) {
    footers.push(
      `[Larger than ${formatSize(limits.editableFile)}: shown without a tag, so it cannot be edited]`,
    );
  }
  const details: Details = {
    ...known,
    ...(tag !== undefined && { tag }),
    encoding: text.encoding,
    lines: view.kind === "rows" ? view.runs : [],
  };
  return {
    kind: "rows",
    header: tag === undefined || plain ? undefined : headerLine(source.display, tag),
    remarks: [
      ...(view.kind === "empty" ? ["(file is empty)"] : encodingRemarks(text)),
      ...(wanted.remarks ?? []),
    ],
    gap: "…",
    runs:
      view.kind === "rows"
        ? view.runs.map((run) => ({ first: run.first, lines: textOfRun(text, run) }))
        : [],
    numbered: true,
    footers,
    details: view.kind === "rows" ? withTruncation(details, view.truncation) : details,
  };
}

/** `call.options.unlimited`: whole, whatever the size; else within the limits of a text read, cut without a word in it. */
async function readRaw(
  source: Source,
  ranges: readonly LineRange[] | undefined,
  ports: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<ReadData> {
  const text = scanText(source.file, ports.bytes);
  const selection = selectRaw(source.file, text, ranges);
  if (selection.kind === "beyond") {
    const remark = beyondText(source, selection.ranges, selection.text);
    const details = { meta: source.meta, totalLines: selection.text.lines.count };
    if (!call.options.unlimited) return { kind: "remark", text: remark, details };
    // In a pipe a sentence would pass for the file's own bytes.
    call.notice(remark);
    return { kind: "bytes", bytes: new Uint8Array(0), details };
  }
  if (text && selection.beyond.length > 0) call.notice(beyondText(source, selection.beyond, text));
  const tag = text && (await record(source, source.shown?.text ?? text, ports, call));
  const details: Details = {
    meta: source.meta,
    ...(tag !== undefined && { tag }),
    ...(text && { encoding: text.encoding, totalLines: text.lines.count }),
  };
  if (call.options.unlimited) return { kind: "bytes", bytes: selection.bytes, details };
  const { bytes, truncation } = cutRaw(source.file, selection);
  return { kind: "bytes", bytes, details: withTruncation(details, truncation) };
}

/**
 * Remembers the whole file, also where a part is shown. A session that cannot be had costs the tag, never the read.
 * @returns the tag, only when the session knows it
 */
async function record(
  { path, file, shown, meta }: Source,
  { tag, content }: ScannedText,
  { fs, bytes }: Pick<Ports, "fs" | "bytes">,
  call: Call,
): Promise<string | undefined> {
  const disk = shown?.disk ?? file;
  if (meta.source !== "file" || disk.length > limits.editableFile) return undefined;
  return inSession(
    call,
    "This read was not recorded, so it shows no tag and gives no leave to edit",
    async (session) => {
      const realPath = (await fs.realPath(path)) ?? path;
      await session.record({ path: realPath, tag, content, bytesHash: bytes.sha256(disk) });
      return tag;
    },
  );
}

/** @returns undefined where the session cannot be had, of which the caller is told as well */
async function inSession<T>(
  call: Call,
  loss: string,
  work: (session: Session) => Promise<T>,
): Promise<T | undefined> {
  try {
    return await work(await call.session());
  } catch (thrown) {
    const error = asAtomicError(thrown);
    if (error.code === "aborted") throw error;
    call.notice(`${loss}: ${error.message}`);
    return undefined;
  }
}

function render(data: ReadData): Rendered {
  if (data.kind === "bytes") return { bytes: data.bytes };
  if (data.kind === "remark") return { text: data.text };
  const out: string[] = [];
  if (data.header !== undefined) out.push(data.header);
  out.push(...data.remarks);
  data.runs.forEach(({ first, lines }, i) => {
    if (i > 0 && data.gap !== undefined) out.push(data.gap);
    if (data.numbered) lines.forEach((line, offset) => out.push(`${first + offset}:${line}`));
    else out.push(...lines);
  });
  if (data.footers.length > 0) out.push("", ...data.footers);
  return { text: out.join("\n") };
}

function encodingRemarks({ encoding, content }: ScannedText): readonly string[] {
  if (encoding === "utf-8") return [];
  if (encoding !== "8-bit") return [`(encoding: ${encoding.toUpperCase()})`];
  const escaped = formatCount(countEscapes(content), "byte is", "bytes are");
  return [`(encoding: not valid UTF-8; ${escaped} shown as \\xNN)`];
}

function beyondText(
  { display }: Source,
  ranges: readonly LineRange[],
  { lines: { count } }: ScannedText,
): string {
  const asked = [...new Set(ranges.map(({ first }) => first))];
  const subject = asked.length === 1 ? `Line ${asked[0]} is` : `Lines ${asked.join(", ")} are`;
  const name = showName(display);
  if (count === 0) return `${subject} beyond EOF: ${name} is empty`;
  const total = formatCount(count, "line", "lines");
  return `${subject} beyond EOF: ${name} has ${total}; the last one is ${name}:${count}`;
}

function overlongText(source: Source, line: number, text: ScannedText): string {
  const [range] = fileRanges(source.file, text, [{ first: line, last: line }]);
  const { start, end } = range!;
  const name = showName(source.display);
  const step = limits.readBytes;
  const rows = [
    `Line ${line} of ${name} alone has ${formatSize(end - start)}, more than the ${step / 1024} KiB that are shown at once. Slice its bytes with the shell:`,
    `tail -c +${start + 1} ${shellPath(source.display)} | head -c ${Math.min(step, end - start)}`,
    `It fills the bytes ${start + 1} to ${end}; add ${step} to the first number to go on.`,
  ];
  if (line < text.lines.count) rows.push(`The next line is ${name}:${line + 1}`);
  return rows.join("\n");
}

function imageRemark({ display, file, meta }: Source, { mimeType, size }: ImageInfo): ReadData {
  const pixels = size ? `${size.width}x${size.height} pixels, ` : "";
  return {
    kind: "remark",
    text: `[${showName(display)}: ${mimeType}, ${pixels}${formatSize(file.length)}; :raw gives its bytes]`,
    details: { meta, mimeType, ...size, bytes: file.length },
  };
}

function noCells({ typed, cell }: Pick<Located, "typed" | "cell">): AtomicError {
  return new AtomicError(
    "selector.line",
    `Bad selector ":cell:${cell}": only notebooks (.ipynb) have cells, and ${showName(typed)} is none.`,
    { data: { path: typed } },
  );
}

function binaryRemark({ display, file, meta }: Source, what: string): ReadData {
  return {
    kind: "remark",
    text: `[${showName(display)}: ${what}, ${formatSize(file.length)}; :raw gives its bytes]`,
    details: { meta, bytes: file.length },
  };
}

function withTruncation(details: Details, truncation: Truncation): Details {
  if (!truncation.truncated) return details;
  return { ...details, truncation, meta: { ...details.meta, truncation } };
}
