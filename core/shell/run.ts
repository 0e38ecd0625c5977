// One command from its start to its end, whichever comes first: its own, the time limit, or a stop.

import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import type { MergedProcess, ProcessFacts, StartMerged } from "../ports/processes.ts";
import { endTree, membersOf, MARK, type Tree } from "./end-tree.ts";

export interface CommandRun extends Omit<StartMerged, "env"> {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds. */
  readonly timeout: number;
  /** Unguessable; names all processes of the command. */
  readonly mark: string;
}

export type CommandEnding =
  | { readonly how: "exit"; readonly code: number }
  | { readonly how: "signal"; readonly signal: string }
  | { readonly how: "timeout" | "stopped" };

export interface CommandResult {
  readonly ending: CommandEnding;
  /** Milliseconds from the start to the answer. */
  readonly wallTime: number;
  readonly hasTerminal: boolean;
  /** What still runs: left alone after the command's own end, not to be ended after another. */
  readonly left: readonly ProcessFacts[];
}

/**
 * @param sink is given the output as it comes; while it is busy, nothing more is read
 * @param stop ends the command, with all that it has started
 * @throws ProcessError where it cannot be started
 */
export async function runCommand(
  { mark, timeout, ...command }: CommandRun,
  ports: Pick<Host, "processes" | "clock" | "env">,
  {
    stop,
    sink,
    started,
  }: {
    readonly stop: AbortSignal;
    sink(bytes: Uint8Array): Promise<void>;
    started?(child: Pick<MergedProcess, "pid">): Promise<void>;
  },
): Promise<CommandResult> {
  const { processes, clock, env } = ports;
  const start = clock.now();
  const outer = command.env[MARK] ?? env.get(MARK);
  const child = await processes.startMerged({
    ...command,
    env: { ...command.env, [MARK]: outer ? `${outer}:${mark}` : mark },
  });
  const tree: Tree = { group: child.pid, mark, isGroupOurs: () => child.isGroupAlive() };
  const reading = readAll(child, clock, sink);
  try {
    await started?.(child);
    const how = await firstEnd(child, reading, { clock, timeout, stop });
    if (how !== "ended") {
      const left = await endTree(tree, ports);
      await reading.settle();
      return {
        ending: { how },
        left,
        wallTime: clock.now() - start,
        hasTerminal: child.hasTerminal,
      };
    }
    const end = await child.ended;
    const isAtEnd = await reading.settle();
    // One question to the system, where there is nobody left most often.
    const left = isAtEnd && !child.isGroupAlive() ? [] : await membersOf(tree, processes);
    return {
      ending:
        end.signal === undefined
          ? { how: "exit", code: end.code }
          : { how: "signal", signal: end.signal },
      left,
      wallTime: clock.now() - start,
      hasTerminal: child.hasTerminal,
    };
  } catch (thrown) {
    // A sink that fails is a fault; nothing of the command outlives it.
    await endTree(tree, ports);
    throw thrown;
  } finally {
    child.release();
  }
}

interface Reading {
  /** Rejects with what the sink threw; resolves at the end of the output. */
  readonly done: Promise<void>;
  /** Waits for the end of the output, or until it is quiet, but not for long. True: it has ended. */
  settle(): Promise<boolean>;
}

function readAll(
  child: MergedProcess,
  clock: Host["clock"],
  sink: (bytes: Uint8Array) => Promise<void>,
): Reading {
  let last = clock.now();
  let isLeft = false;
  const done = (async () => {
    for await (const bytes of child.output) {
      if (isLeft) return;
      await sink(bytes);
      last = clock.now();
    }
  })();
  // It is looked at below, at the latest.
  done.catch(() => {});
  return {
    done,
    async settle() {
      const since = clock.now();
      for (;;) {
        const quietAt = Math.max(since, last) + limits.bashQuiet;
        const until = Math.min(quietAt, since + limits.bashDrain);
        const wait = until - clock.now();
        if (wait <= 0) break;
        const over = new AbortController();
        const isAtEnd = await Promise.race([
          done.then(() => true),
          clock.sleep(wait, over.signal).then(
            () => false,
            () => false,
          ),
        ]);
        over.abort();
        if (isAtEnd) return true;
      }
      isLeft = true;
      return false;
    },
  };
}

/** A sink that fails ends the waiting with its error. */
async function firstEnd(
  child: MergedProcess,
  reading: Reading,
  {
    clock,
    timeout,
    stop,
  }: { readonly clock: Host["clock"]; readonly timeout: number; readonly stop: AbortSignal },
): Promise<"ended" | "timeout" | "stopped"> {
  const over = new AbortController();
  const stopped = Promise.withResolvers<"stopped">();
  const onStop = () => stopped.resolve("stopped");
  if (stop.aborted) onStop();
  stop.addEventListener("abort", onStop, { once: true });
  try {
    return await Promise.race([
      child.ended.then(() => "ended" as const),
      reading.done.then(() => child.ended).then(() => "ended" as const),
      stopped.promise,
      clock.sleep(timeout, over.signal).then(
        () => "timeout" as const,
        () => "ended" as const,
      ),
    ]);
  } finally {
    over.abort();
    stop.removeEventListener("abort", onStop);
  }
}
