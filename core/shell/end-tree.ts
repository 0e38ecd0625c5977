// Ends all that a command has started, wherever it went: the group, by its mark what left the group, and by its parent what
// has no mark any more (issue 7). Only for
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
  // What has lost its parent, and has no mark, is still one of them.
  const known = new Map<string, ProcessFacts>();
  async function living(): Promise<readonly ProcessFacts[]> {
    const found = await membersOf(tree, processes, [...known.values()]);
    for (const facts of found) known.set(nameOf(facts), facts);
    return found;
  }
  for (let pause = 5; ; pause = Math.min(2 * pause, 100)) {
    const alive = await living();
    if (alive.length === 0) return [];
    // What comes late is asked as well.
    for (const facts of alive) {
      if (termed.has(nameOf(facts))) continue;
      termed.add(nameOf(facts));
      processes.signal({ pid: facts.pid }, "SIGTERM");
    }
    if (clock.now() - start >= limits.killGrace) break;
    await clock.sleep(pause);
  }
  const killing = clock.now();
  for (;;) {
    const alive = await living();
    if (alive.length === 0) return [];
    if (await tree.isGroupOurs()) processes.signal({ group: tree.group }, "SIGKILL");
    for (const { pid } of alive) processes.signal({ pid }, "SIGKILL");
    if (clock.now() - killing >= limits.killRounds) return living();
    await clock.sleep(10);
  }
}

function nameOf({ pid, started }: ProcessFacts): string {
  return `${pid}/${started}`;
}

/**
 * Those of the group, those with the mark, and all that they have started.
 * @param known of an earlier look: counted where they are alive
 */
export async function membersOf(
  { group, mark, isGroupOurs }: Tree,
  processes: Pick<Host["processes"], "list" | "marked">,
  known: readonly ProcessFacts[] = [],
): Promise<readonly ProcessFacts[]> {
  const found = new Map<number, ProcessFacts>();
  const isOurs = await isGroupOurs();
  const marked = await processes.marked(MARK, mark);
  if (!isOurs && marked.length === 0 && known.length === 0) return [];
  const all = await processes.list();
  const names = new Set(known.map(nameOf));
  for (const facts of all) {
    if ((isOurs && facts.group === group) || names.has(nameOf(facts))) found.set(facts.pid, facts);
  }
  for (const facts of marked) found.set(facts.pid, facts);
  for (let before = 0; before !== found.size;) {
    before = found.size;
    for (const facts of all) {
      if (facts.parent !== undefined && found.has(facts.parent)) found.set(facts.pid, facts);
    }
  }
  return [...found.values()].toSorted((a, b) => a.pid - b.pid);
}
