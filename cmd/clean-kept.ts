import { cleanUp, type Cleaned, type CleanupRoot } from "../core/persist/cleanup.ts";
import { tempRoot } from "../core/persist/private-tree.ts";
import type { Host } from "../core/ports/host.ts";
import { locateState } from "../core/session/locate.ts";

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
  const roots: CleanupRoot[] = [{ path: `${base}/${name}`, what: "trees" }];
  try {
    roots.push({
      path: `${locateState(host.env).folder}/sessions`,
      what: { inEach: ["tool-results"] },
    });
  } catch {
    // Without a state folder nothing is kept there.
  }
  roots.push({ path: sessionFolder, what: { only: ["tool-results"] } });
  roots.push({ path: `${sessionFolder}/tasks`, what: "trees" });
  return cleanUp(roots, { keep: [], time }, host);
}
