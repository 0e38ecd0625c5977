import { AtomicError } from "../core/errors.ts";
import { limits } from "../core/limits.ts";
import { cleanUp, type Cleaned, type CleanupRoot } from "../core/persist/cleanup.ts";
import { tempRoot } from "../core/persist/private-tree.ts";
import type { Host } from "../core/ports/host.ts";
import { locateState } from "../core/session/locate.ts";
import { isTaskId } from "../core/tasks/files.ts";
import { taskAt } from "../core/tasks/find.ts";
import { stateOf } from "../core/tasks/state.ts";

/**
 * @param sessionFolder of this call, which may lie anywhere
 * @param time milliseconds; undefined: to the end
 */
export async function cleanKept(
  host: Host,
  sessionFolder: string,
  time: number | undefined,
): Promise<Cleaned> {
  const { base, name } = tempRoot(host);
  const roots: CleanupRoot[] = [{ path: `${base}/${name}`, folders: ["*"] }];
  try {
    roots.push({
      path: `${locateState(host.env).folder}/sessions`,
      folders: ["*/tool-results", "*/tasks/*"],
      empty: ["*/tasks", "*"],
    });
  } catch {
    // Without a state folder nothing is kept there.
  }
  roots.push({ path: sessionFolder, folders: ["tool-results", "tasks/*"] });
  return cleanUp(roots, { isInUse: (folder) => isTaskAlive(folder, host), time }, host);
}

/** A little of it, by itself, after the answer is out; what cannot be cleaned now is for another time. */
export async function cleanLittle(host: Host, folder: () => Promise<string>): Promise<void> {
  try {
    await cleanKept(host, await folder(), limits.cleanupTime);
  } catch (thrown) {
    if (!(thrown instanceof AtomicError)) throw thrown;
  }
}

/** Of a folder that is no task's: not. */
async function isTaskAlive(folder: string, host: Host): Promise<boolean> {
  const id = folder.slice(folder.lastIndexOf("/") + 1);
  if (!isTaskId(id)) return false;
  const task = await taskAt(folder, id, host);
  if (!task) return false;
  const state = await stateOf(task, host);
  return state.kind === "lost" ? state.left.length > 0 : state.kind !== "settled";
}
