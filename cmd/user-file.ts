// Files of the user's that a subcommand changes: read, kept as they were, written whole or not at all.

import { stageWrite, TargetMoved } from "../core/changes/durable-write.ts";
import { lockTargets } from "../core/changes/lock-targets.ts";
import { lockKeys } from "../core/changes/write-target.ts";
import { AtomicError } from "../core/errors.ts";
import { showName } from "../core/paths.ts";
import { PRIVATE_FILE, privateFolder, UnsafePlace } from "../core/persist/private-tree.ts";
import { FsError, type ReadFile } from "../core/ports/fs.ts";
import type { Host } from "../core/ports/host.ts";
import { landingOf } from "../core/resources/landing.ts";
import { locateState } from "../core/session/locate.ts";
import { prepareStateFolder } from "../core/session/state-folder.ts";

export interface UserFile {
  /** As it was asked for. */
  readonly path: string;
  /** Links followed, also one that leads nowhere yet. */
  readonly real: string;
  readonly before: ReadFile | undefined;
  /** Without the mark that some editors put before it; undefined where there is no file. */
  readonly text: string | undefined;
  readonly hasMark: boolean;
}

const MARK = "\ufeff";
/** Settings that are larger are none. */
const LARGEST = 16 * 1024 * 1024;
/** Of one file. */
const KEPT = 10;

/** @throws AtomicError `file.unreadable`, `install.invalid` */
export async function openUserFile(path: string, { fs }: Pick<Host, "fs">): Promise<UserFile> {
  try {
    const { path: real } = await landingOf(path, fs);
    const before = await fs.read(real, LARGEST);
    if (before === undefined) return { path, real, before, text: undefined, hasMark: false };
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    const whole = decoder.decode(before.bytes);
    const hasMark = whole.startsWith(MARK);
    return { path, real, before, text: hasMark ? whole.slice(1) : whole, hasMark };
  } catch (thrown) {
    if (thrown instanceof TypeError) {
      throw new AtomicError(
        "install.invalid",
        `Could not change ${showName(path)}: it is not UTF-8.`,
      );
    }
    if (!(thrown instanceof FsError)) throw thrown;
    throw new AtomicError(
      "file.unreadable",
      `Could not read the file "${showName(path)}". Error code: ${thrown.code}.`,
      { cause: thrown, data: { path } },
    );
  }
}

/**
 * Does the work while no other process of ours writes the files.
 * @throws AtomicError `lock.timeout`, `session.unavailable`, `session.unsafe`
 */
export async function whileLocked<T>(
  paths: readonly string[],
  host: Host,
  signal: AbortSignal,
  work: () => Promise<T>,
): Promise<T> {
  const targets: { readonly given: string; readonly locks: readonly string[] }[] = [];
  for (const path of paths) {
    const real = await landingOf(path, host.fs).then(
      (landing) => landing.path,
      // What is wrong with it is told when it is read.
      () => path,
    );
    targets.push({ given: path, locks: await lockKeys(real, host.fs).catch(() => [real]) });
  }
  const state = await prepareStateFolder(host, locateState(host.env).folder);
  const release = await lockTargets(targets, state, host.locks, signal);
  try {
    return await work();
  } finally {
    release();
  }
}

/**
 * @param text undefined: the file goes
 * @throws AtomicError `file.conflict`, `file.write`
 */
export async function writeUserFile(
  { path, real, before, hasMark }: UserFile,
  text: string | undefined,
  host: Host,
): Promise<void> {
  const bytes = new TextEncoder().encode((hasMark ? MARK : "") + (text ?? ""));
  const after = text === undefined ? undefined : { bytes };
  try {
    const staged = await stageWrite({ path: real, before, after }, host);
    try {
      if (!(await staged.commit())) await staged.overwrite();
    } finally {
      await staged.discard();
    }
  } catch (thrown) {
    if (thrown instanceof TargetMoved) {
      throw new AtomicError(
        "file.conflict",
        `${showName(path)} changed while it was being written. Nothing was written.`,
        { hint: "Run it again." },
      );
    }
    if (!(thrown instanceof FsError)) throw thrown;
    throw new AtomicError(
      "file.write",
      `Could not write ${showName(path)}: the system said ${thrown.code}. Nothing was written.`,
      { cause: thrown, data: { path, code: thrown.code } },
    );
  }
}

/**
 * Keeps the file as it is in the state folder, where nobody else can read it; of one file the newest ten.
 * @returns the copy's path
 * @throws AtomicError `file.write`: without a copy nothing is changed
 */
export async function backUp({ path, real, before }: UserFile, host: Host): Promise<string> {
  const { fs, clock, random } = host;
  try {
    const folder = await backupFolder(real, host);
    const stamp = new Date(clock.now()).toISOString().replace(/[-:]|\.\d+/g, "");
    const name = real.slice(real.lastIndexOf("/") + 1);
    const copy = `${folder}/${stamp}-${random.hex(3)}-${name}`;
    await fs.create(copy, before!.bytes, { mode: PRIVATE_FILE });
    for (const old of (await backups(folder, host)).slice(0, -KEPT)) await fs.remove(old);
    return copy;
  } catch (thrown) {
    if (!(thrown instanceof FsError) && !(thrown instanceof UnsafePlace)) throw thrown;
    throw new AtomicError(
      "file.write",
      `Could not keep a copy of ${showName(path)}: ${thrown.message}. Nothing was written.`,
      { cause: thrown },
    );
  }
}

/** What the file has been, as far as it was kept, the newest first; texts only, without their marks. */
export async function earlierTexts({ real }: UserFile, host: Host): Promise<readonly string[]> {
  const texts: string[] = [];
  try {
    const { folder } = locateState(host.env);
    const files = await backups(`${folder}/backups/${nameOf(real, host)}`, host);
    for (const file of files.toReversed()) {
      const found = await host.fs.read(file, LARGEST);
      if (found) texts.push(new TextDecoder().decode(found.bytes));
    }
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
  }
  return texts;
}

async function backupFolder(real: string, host: Host): Promise<string> {
  const { folder } = await prepareStateFolder(host, locateState(host.env).folder);
  return privateFolder(folder, ["backups", nameOf(real, host)], host);
}

function nameOf(real: string, { bytes }: Host): string {
  return bytes.sha256(new TextEncoder().encode(real)).slice(0, 16);
}

/** Oldest first. */
async function backups(folder: string, { fs }: Host): Promise<readonly string[]> {
  const entries = (await fs.list(folder)) ?? [];
  const names = entries.filter(({ kind }) => kind === "file").map(({ name }) => name);
  // oxlint-disable-next-line require-array-sort-compare -- by code units: they begin with the time
  return names.sort().map((name) => `${folder}/${name}`);
}
