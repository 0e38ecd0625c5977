import { equalBytes, stageWrite, TargetMoved } from "../core/changes/durable-write.ts";
import { AtomicError, exitStatus } from "../core/errors.ts";
import { displayPath, resolvePath, showName } from "../core/paths.ts";
import { guardWrites } from "../core/policy.ts";
import { type Fs, FsError } from "../core/ports/fs.ts";
import type { Host } from "../core/ports/host.ts";
import { command } from "./command.ts";
import { type ManPage, manPages } from "./man-pages.ts";
import { printAnswer } from "./output.ts";
import { policyOf } from "./policy.ts";
import { pageMark } from "./roff.ts";
import { commandRows, purpose } from "./root.ts";
import { buildDate, version } from "./version.ts";

export const man = command({
  name: "man",
  summary: "Write the manual pages into a folder",
  description:
    "Writes a page for the program, for each command and for each help topic into DIR/man1 and DIR/man7, from the same tables as --help. Pages that an earlier version wrote there are replaced; any other file of such a name is refused, and then nothing is written.",
  operands: [
    {
      name: "DIR",
      description: "The manual's folder; made where it is missing",
      required: true,
      repeat: false,
      file: true,
    },
  ],
  flags: [],
  examples: [
    {
      title: "For yourself: man finds it where ~/.local/bin is on your PATH",
      line: "atomic man ~/.local/share/man && man atomic-read",
    },
  ],
  topics: [],
  async run({ operands: [dir], settings, program }) {
    const host = await program.host();
    const { cwd } = host.env;
    const folder = resolvePath(dir!, cwd);
    const allow = guardWrites({ name: "man", effect: "write" }, policyOf(settings, host.env), {
      fs: host.fs,
      cwd,
      dryRun: false,
    });
    const date = buildDate ?? new Date(host.clock.now()).toISOString().slice(0, 10);
    const pages = await manPages(commandRows, { version, date, purpose });
    for (const { path } of pages) await allow(`${folder}/${path}`);
    const written = await writePages(pages, folder, host);
    const shown = showName(displayPath(folder, cwd));
    const text = `${pages.length} manual pages in ${shown}${written < pages.length ? `, ${pages.length - written} of them unchanged` : ""}`;
    const details = { folder, pages: pages.map(({ path }) => path), written };
    await printAnswer(text, details, { stdio: program.stdio, settings });
    return exitStatus.success;
  },
});

/**
 * All of them are looked at before the first is written.
 * @returns how many were not there already
 * @throws AtomicError for a file that is no page of ours, and where the system refuses
 */
async function writePages(pages: readonly ManPage[], folder: string, host: Host): Promise<number> {
  const encoder = new TextEncoder();
  const targets: Parameters<typeof stageWrite>[0][] = [];
  for (const { path, text } of pages) {
    const target = await targetOf(`${folder}/${path}`, encoder.encode(text), host.fs);
    if (target) targets.push(target);
  }
  for (const [before, target] of targets.entries()) {
    try {
      const staged = await stageWrite(target, host);
      try {
        if (!(await staged.commit())) await staged.overwrite();
      } finally {
        await staged.discard();
      }
    } catch (thrown) {
      throw failure(target.path, thrown, before);
    }
  }
  return targets.length;
}

async function targetOf(path: string, bytes: Uint8Array, fs: Fs) {
  try {
    const real = (await fs.realPath(path)) ?? path;
    const before = await fs.read(real, 1 << 20);
    if (
      before &&
      new TextDecoder().decode(before.bytes.subarray(0, pageMark.length)) !== pageMark
    ) {
      throw new AtomicError(
        "file.conflict",
        `${path} exists and is no page that atomic wrote. Nothing was written.`,
        { hint: "Name another folder, or move that file away." },
      );
    }
    return before && equalBytes(before.bytes, bytes)
      ? undefined
      : { path: real, before, after: { bytes } };
  } catch (thrown) {
    throw failure(path, thrown, 0);
  }
}

/** @param before pages that were written by then */
function failure(path: string, thrown: unknown, before: number): unknown {
  if (thrown instanceof TargetMoved) {
    return new AtomicError(
      "file.conflict",
      `${path} changed while it was being written. ${written(before)}`,
      {
        hint: "Run it again.",
      },
    );
  }
  if (!(thrown instanceof FsError)) return thrown;
  return new AtomicError(
    "file.write",
    `Could not write ${path}: the system said ${thrown.code}. ${written(before)}`,
    { cause: thrown, data: { path, code: thrown.code } },
  );
}

function written(before: number): string {
  return before === 0 ? "Nothing was written." : `Before it, ${before} of the pages were written.`;
}
