// The conflicts below the working folder, where nobody has numbered any yet: in path order, ignore rules respected
// (tools.md §10).

import type { NumberedConflict } from "../documents/conflicts.ts";
import { AtomicError } from "../errors.ts";
import { scanText } from "../hashline/tag.ts";
import { limits } from "../limits.ts";
import { showName } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";
import { walk } from "../scan/walk.ts";
import type { Call } from "../tool.ts";
import { blocksOfText } from "./conflict-blocks.ts";
import { classify } from "./file.ts";

type Ports = Pick<Host, "fs" | "bytes" | "env" | "clock">;

/** @throws AtomicError `conflict.none` where the search does not come to its end in time */
export async function scanConflicts(
  ports: Ports,
  { cwd, signal }: Pick<Call, "cwd" | "signal">,
): Promise<readonly NumberedConflict[]> {
  const { fs, bytes, clock } = ports;
  const deadline = clock.now() + limits.conflictScanTime;
  const root = (await fs.realPath(cwd)) ?? cwd;
  const top = root.endsWith("/") ? root : `${root}/`;
  const files: string[] = [];
  const options = {
    root,
    gitignore: true,
    hidden: true,
    named: new Set<string>(),
    signal,
    deadline,
  };
  const { end } = await walk(options, ports, {
    entry(folder, name, kind) {
      if (kind === "file") files.push(top + folder + name);
      return "enter";
    },
  });
  const found: NumberedConflict[] = [];
  for (const path of end === "complete" ? files : []) {
    signal.throwIfAborted();
    if (clock.now() > deadline) throw late(cwd);
    const file = await readSmall(path, fs);
    if (!file || classify(file, bytes).kind !== "text") continue;
    const text = scanText(file, bytes);
    for (const { first, last, hash } of text ? blocksOfText(text, bytes) : []) {
      found.push({ path, first, last, hash });
    }
  }
  if (end !== "complete") throw late(cwd);
  return found;
}

/** Undefined for what is gone, closed or large: such a file is looked at by its own name. */
async function readSmall(path: string, fs: Ports["fs"]): Promise<Uint8Array | undefined> {
  try {
    return (await fs.read(path, limits.conflictScanFile))?.bytes;
  } catch (thrown) {
    if (thrown instanceof FsError) return undefined;
    throw thrown;
  }
}

function late(cwd: string): AtomicError {
  return new AtomicError(
    "conflict.none",
    `No conflicts are numbered yet, and looking for them below ${showName(cwd)} took longer than ${limits.conflictScanTime / 1000} s.`,
    { hint: "Read FILE:conflicts to number the conflicts of a file." },
  );
}
