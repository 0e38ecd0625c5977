// A plain file from its target to the answer: policy, session, lock, write.

import { AtomicError } from "../errors.ts";
import { STRIPPED_NOTE } from "../hashline/messages.ts";
import { displayPath, headerLine, showName } from "../paths.ts";
import { formatCount } from "../text/size.ts";
import type { Call } from "../tool.ts";
import { finishFiles, type Finished } from "./finish-call.ts";
import { lockTargets } from "./lock-targets.ts";
import { writeFile, type WrittenFile } from "./write-file.ts";
import type { WriteAnswer, WriteInput, WritePorts } from "./write-kinds.ts";
import type { TargetFile } from "./write-target.ts";

/**
 * @param find asks the disk which file is meant; once more when its lock is held, since a link may be turned meanwhile
 * @throws AtomicError what `find`, the policy and `writeFile` throw; `lock.timeout`
 */
export async function writePlain(
  { content }: WriteInput,
  find: () => Promise<TargetFile>,
  ports: WritePorts,
  call: Call,
): Promise<WriteAnswer> {
  const { dryRun, force } = call.options;
  const target = await find();
  await call.allowWrite(target.real, target.given);
  // Before anything is touched: a mistake in it is told instead of found out half-way.
  const config = await call.config();
  const session = await call.session();
  const release = await lockTargets([target], session, ports.locks, call.signal);
  let written: WrittenFile;
  try {
    const now = await find();
    if (now.real !== target.real) throw turned(target);
    const context = {
      ports,
      session,
      signal: call.signal,
      cwd: call.cwd,
      home: ports.env.home,
      notice: call.notice,
    };
    written = await writeFile({ target: now, content, force, dryRun }, context);
  } finally {
    release();
  }
  if (dryRun) return answer(target, written, undefined, call);
  const landed = { ...target, name: target.given, bytes: written.content };
  const finished = await finishFiles([landed], config, { session, ports, call });
  return answer(target, written, finished, call);
}

function turned({ given }: TargetFile): AtomicError {
  return new AtomicError(
    "file.conflict",
    `FILE_MUTATION_CONFLICT:changed_before_write ${showName(given)}\nReason: a link on the way to it was turned while it was being written.\nDo: read ${showName(given)} again, then retry.`,
    { data: { path: given, reason: "changed_before_write" } },
  );
}

function answer(
  { given, absolute, real, note }: TargetFile,
  written: WrittenFile,
  finished: Finished | undefined,
  { cwd, options: { dryRun } }: Call,
): WriteAnswer {
  const { outcome, stripped, madeExecutable, overruled } = written;
  const [after] = finished?.files ?? [];
  const tag = after?.formatted?.tag ?? written.tag;
  const bytes = (after?.formatted?.bytes ?? written.content).length;
  const name = showName(given);
  const lines = dryRun
    ? [
        `${name} would be ${outcome === "unchanged" ? "left as it is" : outcome}; nothing was written`,
      ]
    : [
        ...(tag === undefined ? [] : [headerLine(displayPath(absolute, cwd), tag)]),
        `Successfully wrote to ${name}`,
      ];
  if (outcome === "unchanged" && !dryRun) {
    lines.push(
      madeExecutable
        ? "Note: the file held exactly this content already; only its mode changed."
        : "Note: the file held exactly this content already.",
    );
  }
  if (overruled.length > 0) {
    lines.push(
      `Note: --force overruled ${formatCount(overruled.length, "guard", "guards")}: ${overruled.join(", ")}.`,
    );
  }
  if (note !== undefined) lines.push(note);
  lines.push(...written.notes, ...(after?.notes ?? []));
  if (after && after.findings.length > 0) lines.push("", ...after.findings);
  if (stripped) lines.push("", STRIPPED_NOTE);
  return {
    text: lines.join("\n"),
    details: {
      resolvedPath: real,
      bytes,
      outcome,
      ...(tag !== undefined && { tag }),
      ...(madeExecutable && { madeExecutable }),
      ...(stripped && { stripped }),
      ...(overruled.length > 0 && { overruled }),
      ...(written.notes.length > 0 && { notes: written.notes }),
      ...(dryRun && { dryRun }),
      ...finished?.details,
      meta: { source: "file", sourcePath: absolute, ...finished?.details.meta },
    },
  };
}
