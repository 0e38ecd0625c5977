// What a task has written, from any byte on, and waiting for its end.

import { limits } from "../limits.ts";
import { type Fs, FsError, type OpenedFile } from "../ports/fs.ts";
import { CAP_MARKER } from "../persist/spill.ts";
import { createCleaner } from "../shell/clean.ts";
import { createTail, truncationFooter } from "../shell/tail.ts";
import type { Truncation } from "../text/truncate.ts";
import { LOG } from "./files.ts";
import type { Task } from "./find.ts";
import { stateOf, type StatePorts, type TaskState } from "./state.ts";

export interface Output {
  /** Without control characters; the end, where it is not all. */
  readonly text: string;
  readonly truncation: Truncation | undefined;
  /** What is to be said about the part that is missing; undefined where none is. */
  readonly footer: string | undefined;
  /** Bytes of the log that the text stands for, and of all of it. */
  readonly from: number;
  readonly to: number;
  readonly total: number;
  /** Why there is no log to read. */
  readonly fault: string | undefined;
}

type Readable = Pick<OpenedFile, "read">;

const CHUNK = 256 * 1024;
/** Bytes of an escape sequence that are kept for the next look, until it is finished. */
const LONGEST_OPEN = 4096;

/**
 * The output from a byte of the log to its present end, or to a place shortly before, where a character or an escape sequence
 * is not whole yet.
 * @param offset of the log; beyond its end: nothing
 */
export async function readOutput(
  task: Task,
  state: TaskState,
  { offset, fs }: { readonly offset: number; readonly fs: Fs },
): Promise<Output> {
  const path = `${task.folder}/${LOG}`;
  let file;
  try {
    file = await fs.open(path);
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    return withoutLog(state, offset, `cannot be read (${thrown.code})`);
  }
  if (!file) {
    return withoutLog(state, offset, state.kind === "queued" ? undefined : "has been deleted");
  }
  try {
    const settled = state.kind === "settled" ? state.record : undefined;
    if (settled?.logFault !== undefined && settled.captured && offset === 0) {
      // The log ends too soon; the record has the true end.
      return { ...withoutLog(state, offset, undefined), footer: settled.captured.footer };
    }
    const total = Math.min(
      file.size,
      settled?.outputBytes ?? (await withoutLastLine(file, file.size)),
    );
    const from = Math.min(offset, total);
    const end = settled ? total : await wholeCharacters(file, from, total);
    const cleaner = createCleaner();
    const tail = createTail({ maxLines: limits.bashLines, maxBytes: limits.bashBytes });
    let last: Uint8Array = new Uint8Array(0);
    for (let at = from; at < end; at += last.length) {
      last = await file.read(at, Math.min(CHUNK, end - at));
      if (last.length === 0) break;
      tail.push(cleaner.push(last));
    }
    const isHeld = !settled && cleaner.pending <= LONGEST_OPEN;
    const to = isHeld ? end - cleaner.pending : end;
    if (settled) tail.push(cleaner.finish());
    const { text, truncation, lastLineBytes } = tail.tail();
    const isCut = total >= limits.persistedBytes - limits.taskLastLine - CAP_MARKER.length;
    return {
      text,
      truncation,
      footer: truncation.truncated
        ? truncationFooter({ truncation, lastLineBytes }, { path, isCut })
        : undefined,
      from,
      to,
      total,
      fault: undefined,
    };
  } finally {
    await file.close();
  }
}

function withoutLog(state: TaskState, offset: number, fault: string | undefined): Output {
  const captured = state.kind === "settled" ? state.record.captured : undefined;
  const total = state.kind === "settled" ? state.record.outputBytes : 0;
  return {
    // Its end is in the record as well.
    text: captured && offset < total ? captured.text : "",
    truncation: undefined,
    footer: undefined,
    from: Math.min(offset, total),
    to: total,
    total,
    fault,
  };
}

/**
 * The log's last line is there shortly before the task counts as ended.
 * @returns where it begins, or `size`
 */
async function withoutLastLine(file: Readable, size: number): Promise<number> {
  const begin = Math.max(0, size - limits.taskLastLine);
  const bytes = await file.read(begin, size - begin);
  const line = /\n?\[ended: [^\n]*, after \d+\.\d s\]\n$/.exec(
    Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""),
  );
  return line ? begin + line.index : size;
}

/** @returns `to`, or where the character begins that ends after it */
async function wholeCharacters(file: Readable, from: number, to: number): Promise<number> {
  const begin = Math.max(from, to - 3);
  const bytes = await file.read(begin, to - begin);
  for (let back = 1; back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back]!;
    if (byte < 0x80) break;
    if (byte < 0xc0) continue;
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    return length > back ? to - back : to;
  }
  return to;
}

/** The last line of its output that says anything, where there is more output than so many bytes. */
export async function lastWords(
  { folder }: Task,
  after: number,
  fs: Fs,
): Promise<{ readonly text: string; readonly total: number } | undefined> {
  const path = `${folder}/${LOG}`;
  const total = (await fs.stat(path))?.size ?? 0;
  if (total <= after) return undefined;
  const file = await fs.open(path);
  if (!file) return undefined;
  try {
    const cleaner = createCleaner();
    const bytes = cleaner.push(await file.read(Math.max(0, total - SHOWN_WORDS), SHOWN_WORDS));
    const lines = new TextDecoder().decode(bytes).split("\n");
    return { text: lines.findLast((line) => line.trim() !== "") ?? "", total };
  } finally {
    await file.close();
  }
}

const SHOWN_WORDS = 256;

/**
 * Waits until the task has ended, for at most that many milliseconds.
 * @param signal ends the waiting, and nothing else
 * @param tick called from time to time
 */
export async function waitForTask(
  task: Task,
  milliseconds: number,
  {
    signal,
    ports,
    tick,
  }: { readonly signal: AbortSignal; readonly ports: StatePorts; tick?(): void | Promise<void> },
): Promise<TaskState> {
  const { fs, clock } = ports;
  const since = clock.now();
  let looked = -Infinity;
  for (let pause = 5; ; pause = Math.min(2 * pause, 100)) {
    const now = clock.now();
    const left = milliseconds - (now - since);
    // A look at the whole is dear; the end shows in one file.
    if (left <= 0 || now - looked >= 1000 || (await fs.stat(`${task.folder}/ending.json`))) {
      const state = await stateOf(task, ports);
      looked = now;
      if (left <= 0 || state.kind === "settled" || state.kind === "lost") return state;
    }
    await tick?.();
    await clock.sleep(Math.min(pause, Math.max(1, left)), signal);
  }
}

/**
 * The output from a byte of the log on as it comes, clean, until the task has ended or the signal aborts. What is deleted
 * meanwhile is followed all the same.
 * @returns the state at the end
 */
export async function* followTask(
  task: Task,
  offset: number,
  { signal, ports }: { readonly signal: AbortSignal; readonly ports: StatePorts },
): AsyncGenerator<string, TaskState> {
  const { fs } = ports;
  const cleaner = createCleaner();
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  let file: OpenedFile | undefined;
  let at = offset;
  try {
    for (;;) {
      const state = await waitForTask(task, 0, { signal, ports });
      const isOver = state.kind === "settled" || state.kind === "lost";
      file ??= await fs.open(`${task.folder}/${LOG}`).catch((thrown: unknown) => {
        if (thrown instanceof FsError) return undefined;
        throw thrown;
      });
      const known = state.kind === "settled" ? state.record.outputBytes : undefined;
      for (let isMore = file !== undefined; isMore;) {
        const bytes = await file!.read(at, CHUNK);
        const end = at + bytes.length;
        const wanted = known ?? (await withoutLastLine(file!, end));
        const taken = bytes.subarray(0, Math.max(0, Math.min(end, wanted) - at));
        at += taken.length;
        const text = decoder.decode(cleaner.push(taken), { stream: true });
        if (text !== "") yield text;
        isMore = bytes.length === CHUNK && taken.length > 0;
      }
      if (isOver || signal.aborted) {
        const rest = decoder.decode(cleaner.finish());
        if (rest !== "") yield rest;
        return state;
      }
      await waitForTask(task, FOLLOW_PAUSE, { signal, ports }).catch((thrown: unknown) => {
        if (!signal.aborted) throw thrown;
      });
    }
  } finally {
    await file?.close();
  }
}

/** Milliseconds between two looks at a log. */
const FOLLOW_PAUSE = 100;
