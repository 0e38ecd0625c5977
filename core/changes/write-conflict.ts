// A conflict replaced by its resolution (seed 000, "Conflict resolution and file writes"; tools.md §10).

import { namesSide, type NumberedConflict, resolveConflict } from "../documents/conflicts.ts";
import { AtomicError } from "../errors.ts";
import { STRIPPED_NOTE, toolMessage } from "../hashline/messages.ts";
import { displayPath, headerLine, showName } from "../paths.ts";
import { type Block, blocksOf, findBlock } from "../resources/conflict-blocks.ts";
import {
  numberedBlocks,
  parseConflictTarget,
  stale,
  unknownNumber,
} from "../resources/conflict-numbers.ts";
import type { Session } from "../session/session.ts";
import { diffLines } from "../text/diff.ts";
import { decode } from "../text/encoding.ts";
import type { Lines } from "../text/lines.ts";
import { formatCount } from "../text/size.ts";
import type { Call } from "../tool.ts";
import { commitWrites, type PlannedWrite } from "./commit.ts";
import { conflict as mutationConflict } from "./conflict.ts";
import { type EditableFile, identify, openEditable } from "./editable.ts";
import { lockTargets } from "./lock-targets.ts";
import { mendedText, settlePending } from "./settle-pending.ts";
import { withoutCopies } from "./strip-copies.ts";
import { lockKeys } from "./write-target.ts";
import type { WriteAnswer, WriteInput, WritePorts } from "./write-kinds.ts";

interface Wanted {
  readonly number: number;
  readonly known: NumberedConflict;
}

interface Resolved {
  readonly number: number;
  /** As it was. */
  readonly block: Block;
  /** How many lines the file has more for it. */
  readonly grown: number;
}

/** All that is to be resolved in one file, and what comes of it. */
interface Resolution {
  readonly path: string;
  readonly name: string;
  readonly file: EditableFile;
  readonly resolved: readonly Resolved[];
  readonly lines: Lines;
  readonly bytes: Uint8Array;
}

/**
 * All or nothing: where one conflict cannot be resolved, no file is changed.
 * @throws AtomicError `conflict.target`, `conflict.scoped`, `conflict.none`, `conflict.id`, `conflict.stale`,
 * `conflict.ambiguous`, `conflict.no_base`, `edit.encoding`, `usage.input`, and what opening and writing throw
 */
export async function writeConflict(
  { target, content }: WriteInput,
  ports: WritePorts,
  call: Call,
): Promise<WriteAnswer> {
  const { number, side } = parseConflictTarget(target.slice("conflict://".length), target);
  if (side !== undefined) {
    throw new AtomicError(
      "conflict.scoped",
      `Cannot write ${showName(target)}: a single side is read-only. Write conflict://${number} with @${side} as its content to take that side.`,
      { data: { target } },
    );
  }
  const numbered = await numberedBlocks(ports, call);
  const wanted = choose(numbered, number);
  for (const path of new Set(wanted.map(({ known }) => known.path))) await call.allowWrite(path);
  const session = await call.session();
  const copied = await withoutCopies(
    content,
    { given: target, absolute: target },
    { ports, session, cwd: call.cwd, home: ports.env.home },
  );
  const text = textOf(copied ?? content, target);
  const targets = await Promise.all(
    [...Map.groupBy(wanted, ({ known }) => known.path)].map(async ([path, blocks]) => ({
      given: displayPath(path, call.cwd),
      locks: await lockKeys(path, ports.fs),
      path,
      blocks,
    })),
  );
  const release = await lockTargets(targets, session, ports.locks, call.signal);
  try {
    const resolutions: Resolution[] = [];
    for (const { path, given, blocks } of targets) {
      resolutions.push(
        await resolve(path, given, blocks, text, { numbered, ports, session, call }),
      );
    }
    if (!call.options.dryRun) {
      await commitWrites(
        "write",
        resolutions.map((resolution) => planned(resolution, session, ports)),
        session,
        ports,
        (notice) => call.notice(notice),
      );
      await renumber(resolutions, session);
    }
    return answer(resolutions, number, copied !== undefined, ports, call);
  } finally {
    release();
  }
}

function choose(numbered: readonly NumberedConflict[], number: number | "*"): readonly Wanted[] {
  const all = numbered.map((known, i) => ({ known, number: i + 1 }));
  if (number === "*") {
    const left = all.filter(({ known }) => !known.resolved);
    if (left.length > 0) return left;
    throw new AtomicError("conflict.none", "All numbered conflicts are resolved already.", {
      hint: "Read FILE:conflicts to number the conflicts of a file.",
    });
  }
  const one = all[number - 1];
  if (!one) throw unknownNumber(number, numbered.length);
  if (!one.known.resolved) return [one];
  throw new AtomicError("conflict.stale", `Conflict ${number} was resolved already.`, {
    data: { id: number, path: one.known.path },
  });
}

function textOf(content: Uint8Array, target: string): string {
  const decoded = decode(content);
  if (decoded?.encoding === "utf-8" && !decoded.bom) return decoded.text;
  throw new AtomicError(
    "usage.input",
    `Cannot write ${showName(target)}: the content must be plain UTF-8 text.`,
    { data: { target } },
  );
}

async function resolve(
  path: string,
  name: string,
  blocks: readonly Wanted[],
  content: string,
  {
    numbered,
    ports,
    session,
    call,
  }: {
    readonly numbered: readonly NumberedConflict[];
    readonly ports: WritePorts;
    readonly session: Session;
    readonly call: Call;
  },
): Promise<Resolution> {
  if (!call.options.dryRun) {
    const mended = await settlePending(path, session, ports);
    if (mended) call.notice(mendedText(name, mended));
  }
  const file = await openEditable({ path: name, real: path }, ports, { marked: true });
  const current = blocksOf(file.lines.texts, ports.bytes);
  const found = blocks.map(({ known, number }) => {
    const block = findBlock(current, known, numbered);
    if (!block) throw stale(number, name, known);
    if (block.ambiguous && namesSide(content)) throw ambiguous(number, name, block);
    return { number, block };
  });
  // eslint-disable-next-line no-control-regex -- ASCII is a range of code units
  if (file.encoding === "8-bit" && /[^\x00-\x7f]/.test(content)) throw foreign(name, "not UTF-8");
  // From the bottom up, so that the lines of those above stay where they are.
  const resolved: Resolved[] = [];
  let { lines } = file;
  for (const each of found.toSorted((a, b) => b.block.first - a.block.first)) {
    const changed = resolveConflict(lines, each.block, content);
    resolved.unshift({ ...each, grown: changed.texts.length - lines.texts.length });
    lines = changed;
  }
  const written = file.write(lines, ports.random);
  if (!written) throw foreign(name, file.encoding);
  return { path, name, file, resolved, lines, bytes: written.bytes };
}

function ambiguous(number: number, name: string, { first, last }: Block): AtomicError {
  return new AtomicError(
    "conflict.ambiguous",
    `Conflict ${number} (${showName(name)}:${first}-${last}) has several lines that may be its separator, so its sides cannot be told. Nothing was written.`,
    { data: { id: number, path: name, first, last } },
  );
}

function foreign(name: string, encoding: string): AtomicError {
  return new AtomicError("edit.encoding", toolMessage.unencodable(name, 1, encoding), {
    data: { path: name },
  });
}

function planned(
  { path, name, file, lines, bytes }: Resolution,
  session: Session,
  ports: WritePorts,
): PlannedWrite {
  const { content, tag } = identify(lines, ports.bytes);
  return {
    name,
    path,
    before: file,
    after: { bytes },
    change: {
      seen: { path, tag, content, bytesHash: ports.bytes.sha256(bytes) },
      fromHash: file.hash,
      map: diffLines(file.lines.texts, lines.texts),
    },
    moved: () =>
      mutationConflict(
        {
          reason: "changed_before_write",
          path: name,
          because: "the file changed while its conflicts were being resolved.",
          instead: `read ${showName(name)}:conflicts again, then retry.`,
        },
        { session: session.id, env: ports.env },
      ),
  };
}

/** What is left keeps its number and is known by its new place. */
async function renumber(resolutions: readonly Resolution[], session: Session): Promise<void> {
  const numbered = await session.numberedConflicts();
  if (!numbered) return;
  await session.numberConflicts(
    numbered.map((known, i) => {
      const resolution = resolutions.find(({ path }) => path === known.path);
      if (!resolution) return known;
      if (resolution.resolved.some(({ number }) => number === i + 1)) {
        return { ...known, resolved: true };
      }
      return moved(known, resolution);
    }),
  );
}

function moved(known: NumberedConflict, { resolved }: Resolution): NumberedConflict {
  const shift = resolved
    .filter(({ block }) => block.last < known.first)
    .reduce((sum, { grown }) => sum + grown, 0);
  return { ...known, first: known.first + shift, last: known.last + shift };
}

function answer(
  resolutions: readonly Resolution[],
  number: number | "*",
  stripped: boolean,
  { bytes }: WritePorts,
  { cwd, options: { dryRun } }: Call,
): WriteAnswer {
  const done = resolutions.flatMap(({ path, name, resolved }) =>
    resolved.map((each) => ({ ...each, path, name })),
  );
  const places = done.map(
    ({ number: id, name, block }) => `#${id} ${showName(name)}:${block.first}-${block.last}`,
  );
  const headers = resolutions.map(({ path, lines }) =>
    headerLine(displayPath(path, cwd), identify(lines, bytes).tag),
  );
  const note = stripped ? ["", STRIPPED_NOTE] : [];
  const count = formatCount(done.length, "conflict", "conflicts");
  const rows = dryRun
    ? [`${count} would be resolved; nothing was written`, ...places]
    : number === "*"
      ? [`${count} resolved`, ...places, ...note, "", "Snapshots:", ...headers]
      : [...headers, `conflict ${number} resolved`, ...places, ...note];
  return {
    text: rows.join("\n"),
    details: {
      resolved: done.map(({ number: id, path, block }) => ({
        id,
        path,
        first: block.first,
        last: block.last,
      })),
      files: resolutions.map(({ path, lines }) => ({
        path,
        ...(!dryRun && { tag: identify(lines, bytes).tag }),
      })),
      ...(stripped && { stripped }),
      ...(dryRun && { dryRun }),
      meta: { source: "conflict", sourcePath: resolutions[0]!.path },
    },
  };
}
