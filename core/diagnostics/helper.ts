// A formatter or language server that was asked for help with a file, and how it may let us down. None of its failures
// is an error of the call: the file is written already.

import { limits } from "../limits.ts";
import type { Clock } from "../ports/clock.ts";
import { ProcessError, type ProcessEnd, type RunningProcess } from "../ports/processes.ts";
import type { Host } from "../ports/host.ts";

/** Why there is no help. The message is the end of a sentence such as "Not formatted: …". */
export class HelperFailure extends Error {
  override readonly name = "HelperFailure";
}

export interface HelperCommand {
  /** The program and its arguments; at least one word. */
  readonly words: readonly string[];
  /** Absolute: where it runs, and where a program with a "/" in its name is looked for. */
  readonly folder: string;
}

/** As messages name it. */
export function commandText({ words }: Pick<HelperCommand, "words">): string {
  const text = words.join(" ").replace(/\s+/g, " ");
  return text.length <= LONGEST_NAME ? text : `${text.slice(0, LONGEST_NAME - 1)}…`;
}

const LONGEST_NAME = 60;

/** @throws HelperFailure */
export async function startHelper(
  { words, folder }: HelperCommand,
  { processes }: Pick<Host, "processes">,
): Promise<RunningProcess> {
  const [program = "", ...args] = words;
  try {
    return await processes.start({
      program: program.includes("/") && !program.startsWith("/") ? `${folder}/${program}` : program,
      args,
      cwd: folder,
    });
  } catch (thrown) {
    if (!(thrown instanceof ProcessError)) throw thrown;
    throw new HelperFailure(startText(thrown.code, program, folder), { cause: thrown });
  }
}

function startText(code: string, program: string, folder: string): string {
  if (code === "ENOTDIR") return `${folder} is no folder to run ${program} in`;
  if (code === "ENOENT") return `${program} was not found`;
  return `${program} could not be started (${code})`;
}

/** "ended with status 2: its last words" */
export function endText(end: ProcessEnd, errors: string): string {
  const how = end.signal === undefined ? `status ${end.code}` : `signal ${end.signal}`;
  const words = firstLine(errors);
  return words === "" ? `ended with ${how}` : `ended with ${how}: ${words}`;
}

/** A few words of what may be a page, on one line. */
function firstLine(text: string): string {
  const line = text.split(/[\r\n]+/).find((each) => each.trim() !== "") ?? "";
  return line.trim().slice(0, LONGEST_WORDS);
}

const LONGEST_WORDS = 200;

/** Reads a stream to its end, so that the program never waits for us, and keeps its beginning. */
export async function gatherText(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  let text = "";
  for await (const chunk of chunks) {
    if (text.length < limits.helperErrors) text += decoder.decode(chunk, { stream: true });
  }
  return text.slice(0, limits.helperErrors);
}

/** Nothing of it stays behind, whatever it is doing. */
export async function endHelper(child: RunningProcess): Promise<void> {
  child.kill("SIGKILL");
  await child.ended;
  child.release();
}

/**
 * Does the work, whose signal aborts with a HelperFailure once the time is over or the caller stops it. The work then
 * comes to its end at once, having put away what it started.
 * @param time milliseconds
 */
export async function withDeadline<T>(
  time: number,
  clock: Clock,
  stop: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const over = new AbortController();
  const done = new AbortController();
  const stopped = () => over.abort(new HelperFailure("it was stopped"));
  if (stop.aborted) stopped();
  stop.addEventListener("abort", stopped, { once: true });
  void clock.sleep(time, done.signal).then(
    () => over.abort(new HelperFailure(`it did not finish within ${time / 1000} s`)),
    () => undefined,
  );
  try {
    return await work(over.signal);
  } finally {
    done.abort();
    stop.removeEventListener("abort", stopped);
  }
}

/** The promise, or the signal's reason where it aborts first. */
export function until<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: either, resolve, reject } = Promise.withResolvers<T>();
  const aborted = () => reject(signal.reason);
  if (signal.aborted) aborted();
  signal.addEventListener("abort", aborted, { once: true });
  promise.then(resolve, reject);
  return either.finally(() => signal.removeEventListener("abort", aborted));
}
