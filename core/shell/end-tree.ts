// Ends all that a command has started, wherever it went: the group, and by its mark what left the group (issue 7). Only for
// a time-out, an interrupt or a kill: a command that ends by itself may leave a daemon behind on purpose.

import { limits } from "../limits.ts";
import type { Host } from "../ports/host.ts";
import type { ProcessFacts } from "../ports/processes.ts";

/** The variable that all of a command's processes have: the ids of the calls that they belong to, with ":" between them. */
export const MARK = "ATOMIC_TASK_ID";

export interface Tree {
  /** Of the leader. */
  readonly group: number;
  /** In the value of `MARK`. */
  readonly mark: string;
  /** Whether the group's number still means this group. */
  isGroupOurs(): boolean | Promise<boolean>;
}

/**
 * SIGTERM, a grace period, SIGKILL until nothing is left.
 * @returns what could not be ended
 */
export async function endTree(
  tree: Tree,
  { processes, clock }: Pick<Host, "processes" | "clock">,
): Promise<readonly ProcessFacts[]> {
  const start = clock.now();
  const termed = new Set<string>();
  for (let pause = 5; ; pause = Math.min(2 * pause, 100)) {
    const alive = await membersOf(tree, processes);
    if (alive.length === 0) return [];
    // What comes late is asked as well.
    for (const { pid, started } of alive) {
      if (termed.has(`${pid}/${started}`)) continue;
      termed.add(`${pid}/${started}`);
      processes.signal({ pid }, "SIGTERM");
    }
    if (clock.now() - start >= limits.killGrace) break;
    await clock.sleep(pause);
  }
  const killing = clock.now();
  for (;;) {
    const alive = await membersOf(tree, processes);
    if (alive.length === 0) return [];
    if (await tree.isGroupOurs()) processes.signal({ group: tree.group }, "SIGKILL");
    for (const { pid } of alive) processes.signal({ pid }, "SIGKILL");
    if (clock.now() - killing >= limits.killRounds) return membersOf(tree, processes);
    await clock.sleep(10);
  }
}

/** Those of the group, and those with the mark. */
export async function membersOf(
  { group, mark, isGroupOurs }: Tree,
  processes: Pick<Host["processes"], "list" | "marked">,
): Promise<readonly ProcessFacts[]> {
  const found = new Map<number, ProcessFacts>();
  if (await isGroupOurs()) {
    for (const facts of await processes.list())
      if (facts.group === group) found.set(facts.pid, facts);
  }
  for (const facts of await processes.marked(MARK, mark)) found.set(facts.pid, facts);
  return [...found.values()].toSorted((a, b) => a.pid - b.pid);
}
