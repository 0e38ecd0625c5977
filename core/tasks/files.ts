// The folder of one task: small files that appear whole and never change, and the log. Nobody waits for a lock here; of two
// who would write the same file, the first one's stays.

import * as v from "valibot";

import { AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { PRIVATE_FILE, privateFolder, UnsafePlace } from "../persist/private-tree.ts";
import { type Fs, FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";

/** 128 random bits: no id comes twice. */
const TASK_ID = /^task_[0-9a-f]{32}$/;

export function isTaskId(text: string): boolean {
  return TASK_ID.test(text);
}

export const LOG = "output.log";

const processMark = v.object({
  pid: v.pipe(v.number(), v.integer(), v.minValue(2)),
  /** As `ProcessFacts.started`; undefined where it had ended before anyone could look. */
  started: v.optional(v.string()),
});

const ending = v.variant("how", [
  v.object({ how: v.literal("exit"), code: v.number() }),
  v.object({ how: v.literal("signal"), signal: v.string() }),
  v.object({ how: v.literal("timeout") }),
  v.object({ how: v.literal("stopped") }),
  /** The supervisor is gone, so nobody knows. */
  v.object({ how: v.literal("lost") }),
  v.object({
    /** It could not be started, or its supervisor has a fault. */
    how: v.literal("failed"),
    code: v.picklist(["bash.spawn", "internal"]),
    message: v.string(),
    hint: v.optional(v.string()),
  }),
]);

const facts = v.object({
  pid: v.number(),
  group: v.number(),
  started: v.string(),
  command: v.string(),
});

const captured = v.object({
  text: v.string(),
  truncation: v.looseObject({ truncated: v.boolean() }),
  footer: v.optional(v.string()),
  logPath: v.optional(v.string()),
});

/** What each file holds. */
const schemas = {
  /** Written by whoever starts it, before there is a supervisor. */
  "task.json": v.object({
    id: v.string(),
    session: v.string(),
    command: v.string(),
    cwd: v.string(),
    shell: v.string(),
    timeoutSeconds: v.number(),
    requestedTimeoutSeconds: v.optional(v.number()),
    noTerminal: v.optional(v.string()),
    at: v.number(),
  }),
  "supervisor.json": processMark,
  /** The shell, which leads its group. */
  "child.json": v.object({ ...processMark.entries, at: v.number() }),
  /** The first request to end it. */
  "cancel.json": v.object({ at: v.number() }),
  "ending.json": v.object({
    at: v.number(),
    ending,
    /** Milliseconds. */
    wallTime: v.number(),
    hasTerminal: v.boolean(),
    /** Alive when it was written. */
    left: v.array(facts),
    captured: v.optional(captured),
    /** Bytes of the log before its last line. */
    outputBytes: v.number(),
    /** The errno name of what cut the log short. */
    logFault: v.optional(v.string()),
  }),
  /** How far the output has been told to whoever asked without an offset; written again and again. */
  "told.json": v.object({ offset: v.number() }),
} as const;

export type TaskFileName = keyof typeof schemas;
export type TaskFile<Name extends TaskFileName> = v.InferOutput<(typeof schemas)[Name]>;
export type TaskEnding = TaskFile<"ending.json">["ending"];
export type ProcessMark = v.InferOutput<typeof processMark>;

type Ports = Pick<Host, "fs" | "random">;

/** The folder for a new task, made. @throws AtomicError `task.unavailable` */
export async function makeTaskFolder(
  session: string,
  id: string,
  ports: Pick<Host, "fs" | "env">,
): Promise<string> {
  try {
    if (!(await ports.fs.stat(session))) await ports.fs.makeDirectory(session, 0o700);
    return await privateFolder(session, ["tasks", id], ports);
  } catch (thrown) {
    throw unavailable(thrown, `${session}/tasks`);
  }
}

/** Whether nobody else can have put anything there. */
export async function isPrivate(
  folder: string,
  { fs, env }: Pick<Host, "fs" | "env">,
): Promise<boolean> {
  const stat = await fs.lstat(folder).catch(() => undefined);
  if (stat?.kind !== "directory") return false;
  return env.uid < 0 || (stat.uid === env.uid && (stat.mode & 0o077) === 0);
}

/** @returns undefined where there is none, or not one of ours */
export async function readTaskFile<Name extends TaskFileName>(
  folder: string,
  name: Name,
  fs: Fs,
): Promise<TaskFile<Name> | undefined> {
  try {
    const file = await fs.read(`${folder}/${name}`, limits.taskFile);
    if (!file) return undefined;
    const value: unknown = JSON.parse(new TextDecoder().decode(file.bytes));
    const result = v.safeParse(schemas[name], value);
    return result.success ? (result.output as TaskFile<Name>) : undefined;
  } catch (thrown) {
    if (thrown instanceof FsError || thrown instanceof SyntaxError) return undefined;
    throw thrown;
  }
}

/**
 * Makes the file, whole and at once, unless there is one.
 * @param isDurable flushed to disk
 * @returns whether it was made
 * @throws FsError
 */
export async function putTaskFile<Name extends TaskFileName>(
  folder: string,
  name: Name,
  value: TaskFile<Name>,
  { ports, isDurable = false }: { readonly ports: Ports; readonly isDurable?: boolean },
): Promise<boolean> {
  return putNew(`${folder}/${name}`, JSON.stringify(value), { ports, isDurable });
}

/** The same for one that may change. @throws FsError */
export async function replaceTaskFile<Name extends TaskFileName>(
  folder: string,
  name: Name,
  value: TaskFile<Name>,
  ports: Ports,
): Promise<void> {
  const staged = stagedName(folder, ports);
  try {
    await writeFile(staged, JSON.stringify(value), ports.fs, false);
    await ports.fs.rename(staged, `${folder}/${name}`);
  } catch (thrown) {
    await ports.fs.remove(staged).catch(() => false);
    throw thrown;
  }
}

/** @throws FsError */
export async function putNew(
  path: string,
  text: string,
  { ports, isDurable }: { readonly ports: Ports; readonly isDurable: boolean },
): Promise<boolean> {
  const { fs } = ports;
  const staged = stagedName(path.slice(0, path.lastIndexOf("/")), ports);
  try {
    await writeFile(staged, text, fs, isDurable);
    await fs.link(staged, path);
    return true;
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    if (thrown.code === "EEXIST") return false;
    if (!NO_LINKS.has(thrown.code)) throw thrown;
    return await makeDirectly(path, text, fs);
  } finally {
    await fs.remove(staged).catch(() => false);
  }
}

/** What a file system without hard links says. */
const NO_LINKS = new Set(["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"]);

async function makeDirectly(path: string, text: string, fs: Fs): Promise<boolean> {
  try {
    await writeFile(path, text, fs, true);
    return true;
  } catch (thrown) {
    if (thrown instanceof FsError && thrown.code === "EEXIST") return false;
    throw thrown;
  }
}

function stagedName(folder: string, { random }: Pick<Host, "random">): string {
  return `${folder}/.staged-${random.hex(8)}`;
}

async function writeFile(path: string, text: string, fs: Fs, isDurable: boolean): Promise<void> {
  const bytes = new TextEncoder().encode(text);
  if (isDurable) return fs.create(path, bytes, { mode: PRIVATE_FILE });
  const file = await fs.grow(path, { mode: PRIVATE_FILE });
  try {
    await file.write(bytes);
  } finally {
    await file.close();
  }
}

/** What only a supervisor at work needs: the plan, the reserve, files that were about to get their names. */
export async function removeWorkFiles(folder: string, fs: Fs): Promise<void> {
  try {
    for (const { name, kind } of (await fs.list(folder)) ?? []) {
      const isKept = Object.hasOwn(schemas, name) || name === LOG;
      if (!isKept && kind !== "directory") await fs.remove(`${folder}/${name}`);
    }
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
  }
}

/** A task's folder with all that is in it. What cannot be removed stays. */
export async function removeTask(folder: string, fs: Fs): Promise<void> {
  try {
    for (const { name, kind } of (await fs.list(folder)) ?? []) {
      if (kind !== "directory") await fs.remove(`${folder}/${name}`);
    }
    await fs.removeDirectory(folder);
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
  }
}

export function unavailable(thrown: unknown, place: string): unknown {
  if (!(thrown instanceof FsError) && !(thrown instanceof UnsafePlace)) return thrown;
  const reason = thrown instanceof FsError ? thrown.code : thrown.message;
  return new AtomicError(
    "task.unavailable",
    `A background task cannot be kept in ${JSON.stringify(place)}: ${reason}. Nothing was run.`,
    { cause: thrown, data: { folder: place, reason } },
  );
}
