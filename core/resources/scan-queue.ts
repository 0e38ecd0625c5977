// Files that wait to be scanned, in batches: this thread takes the oldest, and a second one helps once there are many.

import type { Thread, Threads } from "../ports/threads.ts";
import {
  type BatchState,
  batchStatus,
  claim,
  finish,
  newBatch,
  scanBatch,
  statusOf,
  type ThreadBatch,
  type ThreadTask,
  untilDone,
} from "../scan/scan-thread.ts";
import type { FileScanner } from "../scan/scan-files.ts";

/** Files in a batch: few until a second thread helps, so that a page is full soon; then more, since a message takes time. */
const SMALL = 64;
const LARGE = 256;
/** Batches after which a second thread is worth its start. */
const PATIENCE = 6;
/** Batches that wait for the second thread, so that it never has to. */
const AHEAD = 3;
/** Milliseconds after which it is asked whether a thread that has claimed a batch is still there. */
const CHECK = 500;

interface Batch {
  readonly paths: readonly string[];
  readonly state: BatchState;
}

export class ScanQueue {
  readonly #scanner: FileScanner;
  readonly #threads: Threads;
  readonly #task: ThreadTask;
  readonly #note: (path: string, outcome: number) => void;
  #batches: Batch[] = [];
  /** Of the batches: those before it are told of, and those before it have been taken. */
  #told = 0;
  #taken = 0;
  #gathered: string[] = [];
  #count = 0;
  #thread: Thread | undefined;
  #hasAsked = false;

  /** @param note told of every file, in the order in which they came */
  constructor(
    scanner: FileScanner,
    threads: Threads,
    task: ThreadTask,
    note: (path: string, outcome: number) => void,
  ) {
    this.#scanner = scanner;
    this.#threads = threads;
    this.#task = task;
    this.#note = note;
  }

  /** @returns whether something was scanned, so that it may be time to look at the clock */
  add(path: string): boolean {
    this.#gathered.push(path);
    if (this.#gathered.length < (this.#thread ? LARGE : SMALL)) return false;
    this.#publish();
    if (this.#thread && this.#batches.length - this.#oldest() <= AHEAD) return this.#tell();
    this.#scanOne();
    this.#tell();
    return true;
  }

  /** Scans all that is left, as long as it may. */
  async finish(isOver: () => boolean, pause: () => Promise<void> | undefined): Promise<void> {
    if (this.#gathered.length > 0) this.#publish();
    while (!isOver() && this.#scanOne()) {
      this.#tell();
      await pause();
    }
    while (!isOver() && this.#told < this.#batches.length) {
      const batch = this.#batches[this.#told]!;
      await untilDone(batch.state, CHECK);
      if (this.#thread?.isBroken && statusOf(batch.state) === batchStatus.taken) {
        scanBatch(this.#scanner, batch.paths, batch.state);
        finish(batch.state);
      }
      this.#tell();
    }
  }

  get isEmpty(): boolean {
    return this.#gathered.length === 0 && this.#told === this.#batches.length;
  }

  stop(): void {
    // Nothing is left to take, so that the thread soon hears that it is to end.
    for (let at = this.#oldest(); at < this.#batches.length; at++) claim(this.#batches[at]!.state);
    this.#thread?.stop();
    this.#thread = undefined;
  }

  #publish(): void {
    const paths = this.#gathered;
    this.#gathered = [];
    const batch = { paths, state: newBatch(paths.length) };
    this.#batches.push(batch);
    this.#count++;
    if (!this.#hasAsked && this.#count > PATIENCE) this.#startThread();
    else if (this.#thread) this.#post(batch);
  }

  #startThread(): void {
    this.#hasAsked = true;
    this.#thread = this.#threads.start();
    if (!this.#thread) return;
    this.#thread.post(this.#task);
    for (const batch of this.#batches.slice(this.#oldest())) this.#post(batch);
  }

  #post({ paths, state }: Batch): void {
    const message: ThreadBatch = { paths: paths.join("\0"), state };
    this.#thread!.post(message);
  }

  /** The first batch that nobody has taken. */
  #oldest(): number {
    while (
      this.#taken < this.#batches.length &&
      statusOf(this.#batches[this.#taken]!.state) !== batchStatus.free
    ) {
      this.#taken++;
    }
    return this.#taken;
  }

  #scanOne(): boolean {
    for (let at = this.#oldest(); at < this.#batches.length; at++) {
      const { paths, state } = this.#batches[at]!;
      if (!claim(state)) continue;
      scanBatch(this.#scanner, paths, state);
      finish(state);
      return true;
    }
    return false;
  }

  /** Passes on what is known, in order. @returns whether anything was */
  #tell(): boolean {
    const first = this.#told;
    while (this.#told < this.#batches.length) {
      const { paths, state } = this.#batches[this.#told]!;
      if (statusOf(state) !== batchStatus.done) break;
      for (let i = 0; i < paths.length; i++) this.#note(paths[i]!, state[i + 1]!);
      this.#told++;
    }
    // What is told of is not kept.
    if (this.#told > 256) {
      this.#batches = this.#batches.slice(this.#told);
      this.#taken = Math.max(0, this.#taken - this.#told);
      this.#told = 0;
    }
    return this.#told !== first;
  }
}
