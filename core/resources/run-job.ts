// A database job in a process of its own: a call of SQLite's cannot be stopped from within, a process can.

import { aborted, AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import { ProcessError, type ProcessEnd, type RunningProcess } from "../ports/processes.ts";
import { type Job, type JobMessage, readMessage } from "../sqlite/job.ts";

export type JobPorts = Pick<Host, "processes" | "clock">;

export interface JobResult {
  readonly messages: readonly JobMessage[];
  /** It was ended because its time was over. */
  readonly late: boolean;
}

/** The word by which our own program is told to do a job; see cmd/internal.ts. */
export const JOB_WORDS = ["--internal", "sqlite"] as const;

/**
 * @param cwd absolute: where it runs
 * @throws AtomicError what the job failed with; `sqlite.unavailable` where there was no process, or it died; `aborted`
 */
export async function runJob(
  job: Job,
  { processes, clock }: JobPorts,
  { cwd, signal }: { readonly cwd: string; readonly signal: AbortSignal },
): Promise<JobResult> {
  const { program, args, env } = processes.self;
  let child: RunningProcess;
  try {
    child = await processes.start({
      program,
      args: [...args, ...JOB_WORDS],
      cwd,
      ...(env && { env }),
      cpuSeconds: limits.sqliteCpu,
    });
  } catch (thrown) {
    if (!(thrown instanceof ProcessError)) throw thrown;
    throw died(job, `the process for it could not be started (${thrown.code})`, thrown);
  }
  const over = new AbortController();
  const messages: JobMessage[] = [];
  let late = false;
  function stop(): void {
    // What is being committed is let finish, so that it is known what came of it.
    if (messages.some(({ kind }) => kind === "committing")) return;
    child.kill("SIGKILL");
  }
  signal.addEventListener("abort", stop, { once: true });
  if (signal.aborted) stop();
  function expire(): void {
    late = true;
    stop();
  }
  void clock.sleep(limits.sqliteTime, over.signal).then(expire, () => undefined);
  try {
    const errors = firstWords(child.stderr);
    await child.stdin.write(new TextEncoder().encode(JSON.stringify(job)));
    child.stdin.close();
    for await (const message of messagesOf(child.stdout)) messages.push(message);
    const end = await child.ended;
    const failed = messages.find((message) => message.kind === "failed");
    if (failed) throw failed.error;
    const isWhole = messages.at(-1)?.kind === "done";
    if (messages.some(({ kind }) => kind === "committing")) return { messages, late };
    if (!isWhole && signal.aborted) throw aborted(signal.reason);
    if (!isWhole && !late) throw died(job, endText(end, await errors));
    return { messages, late: !isWhole };
  } finally {
    over.abort();
    signal.removeEventListener("abort", stop);
    child.kill("SIGKILL");
    await child.ended;
    child.release();
  }
}

async function* messagesOf(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<JobMessage> {
  const decoder = new TextDecoder("utf-8");
  let pieces: string[] = [];
  for await (const chunk of chunks) {
    const lines = decoder.decode(chunk, { stream: true }).split("\n");
    for (const [i, piece] of lines.entries()) {
      pieces.push(piece);
      if (i === lines.length - 1) break;
      const message = readMessage(pieces.join(""));
      if (message) yield message;
      pieces = [];
    }
  }
}

/** Read to its end, so that the process never waits for us. */
async function firstWords(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const decoder = new TextDecoder("utf-8");
  let text = "";
  for await (const chunk of chunks) {
    if (text.length < limits.helperErrors) text += decoder.decode(chunk, { stream: true });
  }
  return text.trim().split("\n")[0]!.slice(0, LONGEST_WORDS);
}

const LONGEST_WORDS = 200;

function endText(end: ProcessEnd, words: string): string {
  const how = end.signal === undefined ? `status ${end.code}` : `signal ${end.signal}`;
  return `the process for it ended with ${how}${words === "" ? "" : `: ${words}`}`;
}

function died({ display }: Job, why: string, cause?: unknown): AtomicError {
  return new AtomicError("sqlite.unavailable", `${display}: ${why}.`, {
    cause,
    data: { path: display },
  });
}
