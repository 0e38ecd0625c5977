// Runs two programs in turn and says how they compare.

import { readFileSync } from "node:fs";

import type { Pair, Side } from "./bench-case.ts";

export interface Measured {
  /** Milliseconds from start to end, output read. */
  readonly median: number;
  /** Bytes; undefined where the system does not tell. */
  readonly peakMemory: number | undefined;
}

interface Surroundings {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

const warmUps = 3;
const memoryRuns = 3;

/** A B A B …, so that whatever else the machine does falls on both. */
export async function measure(
  { ours, peer }: Pair,
  runs: number,
  surroundings: Surroundings,
): Promise<{ readonly ours: Measured; readonly peer: Measured }> {
  const times: Record<"ours" | "peer", number[]> = { ours: [], peer: [] };
  for (let round = -warmUps; round < runs; round += 1) {
    const a = timeOnce(ours, surroundings);
    const b = timeOnce(peer, surroundings);
    if (round < 0) continue;
    times.ours.push(a);
    times.peer.push(b);
  }
  return {
    ours: { median: median(times.ours), peakMemory: await peakMemory(ours, surroundings) },
    peer: { median: median(times.peer), peakMemory: await peakMemory(peer, surroundings) },
  };
}

function timeOnce(side: Side, { cwd, env }: Surroundings): number {
  side.prepare?.();
  const start = performance.now();
  const { exitCode, stdout, stderr } = Bun.spawnSync([...side.command], {
    cwd,
    env: { ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const elapsed = performance.now() - start;
  if (exitCode !== (side.status ?? 0)) {
    throw new Error(`${side.name} ended with status ${exitCode}: ${stderr.toString().trim()}`);
  }
  side.verify(stdout.toString());
  return elapsed;
}

/**
 * The high-water mark as the kernel last showed it, in runs of their own. What a child's resource usage says would not
 * do: until it has become its own program it counts our memory.
 */
async function peakMemory(side: Side, { cwd, env }: Surroundings): Promise<number | undefined> {
  if (process.platform !== "linux") return undefined;
  const peaks: number[] = [];
  for (let run = 0; run < memoryRuns; run += 1) {
    side.prepare?.();
    const child = Bun.spawn([...side.command], {
      cwd,
      env: { ...env },
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    });
    let last = 0;
    while (child.exitCode === null && child.signalCode === null) {
      last = highWaterMark(child.pid) ?? last;
      // Lets the event loop see the end; a timer would be too slow for programs of a few milliseconds.
      await new Promise(setImmediate);
    }
    if (last > 0) peaks.push(last);
  }
  return peaks.length > 0 ? median(peaks) : undefined;
}

function highWaterMark(pid: number): number | undefined {
  try {
    const kibibytes = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
    return kibibytes === undefined ? undefined : Number(kibibytes) * 1024;
  } catch {
    // It has just ended.
    return undefined;
  }
}

/** @throws {RangeError} when there are none. */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError("No values to take the median of");
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
