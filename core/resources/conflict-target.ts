// conflict://N, conflict://N/SIDE and conflict://* as something to read (seed 000, "Conflict resolution"; tools.md §10).

import { type NumberedConflict, type Side, sideOf } from "../documents/conflicts.ts";
import { AtomicError } from "../errors.ts";
import { scanText } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { displayPath, showName } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import { fileRanges } from "../text/raw-lines.ts";
import { blocksOfText, findBlock } from "./conflict-blocks.ts";
import { numberedBlocks, parseConflictTarget, stale, unknownNumber } from "./conflict-numbers.ts";
import { readFailure } from "./file-errors.ts";
import { type Modifiers, pathReadings, readModifiers } from "../selectors/parse.ts";
import type { Located, Part, TargetCall, TargetPorts } from "./resource.ts";

/**
 * A conflict as the lines of its file, a side as its exact bytes, all conflicts as a list.
 * @throws AtomicError `conflict.target`, `conflict.none`, `conflict.id`, `conflict.stale`, `conflict.no_base`
 */
export async function openConflict(
  rest: string,
  target: string,
  ports: TargetPorts,
  call: TargetCall,
): Promise<Located | Part> {
  const { path, modifiers } = pathReadings(rest).at(-1)!;
  const { raw, ranges, conflicts, cell } = readModifiers(modifiers);
  // A whole conflict has the numbers of its file's lines; only a side is a text of its own.
  const isApt = conflicts === undefined && cell === undefined;
  const hasSide = path.includes("/");
  const wanted = parseConflictTarget(
    isApt && (hasSide || ranges === undefined) ? path : rest,
    target,
  );
  const numbered = await numberedBlocks(ports, call);
  if (wanted.number === "*") return list(numbered, target, call);
  const block = numbered[wanted.number - 1];
  if (!block) throw unknownNumber(wanted.number, numbered.length);
  if (block.resolved) throw stale(wanted.number, displayPath(block.path, call.cwd), block);
  return open(block, { ...wanted, number: wanted.number, numbered, raw, ranges }, ports, call);
}

function list(numbered: readonly NumberedConflict[], target: string, { cwd }: TargetCall): Part {
  const rows = numbered.map(
    ({ path, first, last, resolved }, i) =>
      `#${i + 1} ${showName(displayPath(path, cwd))}${resolved ? " (resolved)" : `:${first}-${last}`}`,
  );
  return {
    kind: "part",
    raw: false,
    ranges: undefined,
    source: "conflict",
    sourcePath: target,
    display: target,
    bytes: new TextEncoder().encode(rows.map((row) => `${row}\n`).join("")),
    numbered: false,
    notes: [],
    details: {
      conflicts: numbered.map(({ path, first, last }, i) => ({ id: i + 1, path, first, last })),
    },
  };
}

async function open(
  wanted: NumberedConflict,
  {
    number,
    side,
    numbered,
    raw,
    ranges,
  }: {
    readonly number: number;
    readonly side: Side | undefined;
    readonly numbered: readonly NumberedConflict[];
  } & Pick<Modifiers, "raw" | "ranges">,
  { fs, bytes }: TargetPorts,
  { cwd }: TargetCall,
): Promise<Located | Part> {
  const typed = displayPath(wanted.path, cwd);
  let file: Awaited<ReturnType<typeof fs.read>>;
  try {
    file = await fs.read(wanted.path, limits.readableFile);
  } catch (thrown) {
    if (thrown instanceof FsError) throw readFailure(typed, thrown);
    throw thrown;
  }
  const text = file && scanText(file.bytes, bytes);
  const block = text && findBlock(blocksOfText(text, bytes), wanted, numbered);
  if (!file || !text || !block) throw stale(number, typed, wanted);
  const { first, last } = block;
  const place = `conflict://${number} is ${showName(typed)}:${first}-${last}`;
  if (side === undefined) {
    return {
      kind: "path",
      path: wanted.path,
      typed,
      stat: file.stat,
      note: undefined,
      root: undefined,
      raw,
      ranges: [{ first, last }],
      exact: true,
      remarks: [place],
    };
  }
  const span = sideOf(block, side);
  if (!span) {
    throw new AtomicError("conflict.no_base", `${place}, and that conflict has no base section.`, {
      data: { first, last, path: wanted.path },
    });
  }
  const [range] = span.first > span.last ? [] : fileRanges(file.bytes, text, [span]);
  return {
    kind: "part",
    raw: true,
    ranges,
    source: "conflict",
    sourcePath: wanted.path,
    display: `conflict://${number}/${side}`,
    bytes: range ? file.bytes.subarray(range.start, range.next) : new Uint8Array(0),
    numbered: false,
    notes: [],
    details: { resolvedPath: wanted.path, first: span.first, last: span.last },
  };
}
