// Where our own settings and state lie: what changes them, could lift every rule.

import { userConfigFile } from "../config/config.ts";
import { isAbsolutePath, resolvePath } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { locateState } from "../session/locate.ts";
import type { Run } from "../shell/runs.ts";
import { UNKNOWN } from "../shell/scope.ts";

/** A word or a redirection of it names one of them, or sets a variable that moves them. */
export function touchesOwn({ words, redirects, cwd }: Run, env: Host["env"]): boolean {
  const places = ownPlaces(env);
  const names = [...words, ...redirects.map(({ target }) => target)];
  return names.some((word) => {
    if (/(?:^|[\s"'=/])\.?atomic\/config\.json/.test(word)) return true;
    if (/^(?:ATOMIC_HOME|XDG_CONFIG_HOME|XDG_STATE_HOME|ATOMIC_WORKSPACE)=/.test(word)) return true;
    const value = word.replace(/^(?:--?[\w-]+=|[A-Za-z_]\w*=|of=)/, "");
    if (value === "" || value.includes(UNKNOWN) || value.startsWith("-")) return false;
    if (!isAbsolutePath(value, env.platform) && cwd === undefined) return false;
    const path = resolvePath(value, cwd ?? "/");
    return places.some(({ folder, except }) => {
      if (path !== folder && !path.startsWith(`${folder}/`)) return false;
      return except === undefined || !path.startsWith(`${except}/`);
    });
  });
}

function ownPlaces(
  env: Host["env"],
): readonly { readonly folder: string; readonly except?: string }[] {
  const config = userConfigFile(env);
  const places: { readonly folder: string; readonly except?: string }[] = [];
  if (config !== undefined) places.push({ folder: resolvePath("..", config) });
  try {
    const { folder } = locateState(env);
    // What answers name, is there to be read.
    places.push({ folder, except: `${folder}/sessions` });
  } catch {
    // Without a state folder there is none to touch.
  }
  return places;
}
