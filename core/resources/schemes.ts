// What the internal URLs stand for (tools.md §3.11). Each is some place on the disk, or refers to something of the session.

import { AtomicError } from "../errors.ts";
import { displayPath, resolvePath, showName } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import { type PathReading, pathReadings } from "../selectors/parse.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Root, workspaceRoot } from "./confine.ts";
import type { Located, Part, TargetCall, TargetPorts } from "./resource.ts";

/** Where the target may be, in the order in which to look, and what to say where it is not. */
export interface Places {
  readonly kind: "places";
  readonly places: readonly { readonly root: Root; readonly readings: readonly PathReading[] }[];
  notFound(): Promise<AtomicError>;
}

/**
 * @param rest what follows "://"
 * @param target the whole of it, for messages
 */
export type SchemeHandler = (
  rest: string,
  target: string,
  ports: TargetPorts,
  call: TargetCall,
) => Promise<Places | Located | Part>;

export const schemeHandlers: ReadonlyMap<string, SchemeHandler> = new Map<string, SchemeHandler>([
  ["local", local],
  ["skill", skill],
  ["artifact", artifact],
  [
    "conflict",
    async (...given) => {
      const { openConflict } = await import("./conflict-target.ts");
      return openConflict(...given);
    },
  ],
]);

/** A path in the workspace. */
async function local(
  rest: string,
  target: string,
  { fs }: TargetPorts,
  call: TargetCall,
): Promise<Places> {
  const root = await workspaceRoot("local://", call);
  return {
    kind: "places",
    places: spelled(rest).map((path) => ({ root, readings: pathReadings(path) })),
    async notFound() {
      const listed = await namesIn(root.path, fs);
      return missing(target, `local:// names a path in the workspace, ${showName(root.path)}`, {
        close: didYouMean(rest, listed),
      });
    },
  };
}

/** A file of a skill, else its SKILL.md. The first folder that has a skill of that name is the one. */
async function skill(
  rest: string,
  target: string,
  { fs, env }: TargetPorts,
  call: TargetCall,
): Promise<Places> {
  const readings = pathReadings(rest).map((reading) => {
    const path = reading.path.replace(/\/+$/, "");
    return { ...reading, path: path.includes("/") ? path : `${path}/SKILL.md` };
  });
  const folders = await skillFolders(env, call);
  const known: string[] = [];
  for (const folder of folders) {
    const names = await namesIn(folder, fs);
    known.push(...names);
    const named = readings.filter(({ path }) => names.includes(path.slice(0, path.indexOf("/"))));
    // A name that leads out of the folder is refused there, not looked for in the next one.
    const leaves = readings.filter(({ path }) => path.split("/").includes(".."));
    if (named.length === 0 && leaves.length === 0) continue;
    const root: Root = { path: folder, kind: "skill://", name: "skills folder" };
    return {
      kind: "places",
      places: [{ root, readings: [...leaves, ...named] }],
      notFound: async () =>
        missing(target, `the skill is in ${showName(displayPath(folder, call.cwd))}`, {}),
    };
  }
  const listed = [...new Set(known)].toSorted();
  return {
    kind: "places",
    places: [],
    notFound: async () =>
      missing(
        target,
        listed.length === 0
          ? `there are no skills in ${folders.map((folder) => showName(displayPath(folder, call.cwd))).join(", ")}`
          : `known skills are ${listed.slice(0, MOST_NAMES).map(showName).join(", ")}${listed.length > MOST_NAMES ? ` and ${listed.length - MOST_NAMES} more` : ""}`,
        { close: didYouMean(rest.replace(/[:/].*$/, ""), listed) },
      ),
  };
}

/** How many names a message lists. */
const MOST_NAMES = 20;

async function skillFolders(env: TargetPorts["env"], call: TargetCall): Promise<readonly string[]> {
  const workspace = await call.workspace();
  const { home } = env;
  const config = env.get("XDG_CONFIG_HOME") || (home && resolvePath(".config", home));
  return [
    resolvePath(".agents/skills", workspace),
    resolvePath(".atomic/skills", workspace),
    ...(home === undefined ? [] : [resolvePath(".agents/skills", home)]),
    ...(config ? [resolvePath("atomic/skills", config)] : []),
  ];
}

/** A numbered output that a tool kept in the session's folder. */
async function artifact(
  rest: string,
  target: string,
  { fs }: TargetPorts,
  call: TargetCall,
): Promise<Places> {
  const folder = resolvePath("artifacts", await call.sessionFolder());
  const root: Root = { path: folder, kind: "artifact://", name: "session folder" };
  const names = await namesIn(folder, fs);
  const numbered = new Map<string, string>();
  for (const name of names) {
    const number = /^(\d+)\.[\w-]+\.log$/.exec(name)?.[1];
    if (number !== undefined) numbered.set(number, name);
  }
  const readings = pathReadings(rest).flatMap((reading) => {
    const path = numbered.get(reading.path);
    return path === undefined ? [] : [{ ...reading, path }];
  });
  return {
    kind: "places",
    places: [{ root, readings }],
    async notFound() {
      const ids = [...numbered.keys()].toSorted((a, b) => Number(a) - Number(b));
      return missing(
        target,
        ids.length === 0
          ? "this session has kept no artifacts"
          : `the artifacts of this session are ${ids.slice(0, MOST_NAMES).join(", ")}${ids.length > MOST_NAMES ? ` and ${ids.length - MOST_NAMES} more` : ""}`,
        {},
      );
    },
  };
}

/** As written; then, where it holds escapes of a URL, without them. */
function spelled(rest: string): readonly string[] {
  if (!/%[\da-f]{2}/i.test(rest)) return [rest];
  try {
    return [rest, decodeURIComponent(rest)];
  } catch {
    return [rest];
  }
}

async function namesIn(folder: string, fs: TargetPorts["fs"]): Promise<readonly string[]> {
  try {
    return ((await fs.list(folder)) ?? []).map(({ name }) => name);
  } catch (thrown) {
    // It is only asked for names; what cannot be listed has none to offer.
    if (thrown instanceof FsError) return [];
    throw thrown;
  }
}

function missing(target: string, why: string, { close = "" }: { close?: string }): AtomicError {
  return new AtomicError("file.not_found", `File not found: ${showName(target)}; ${why}${close}`, {
    data: { path: target },
  });
}
