// Which file a write to local:// or skill:// is for. It may not leave its folder, also not through a link to nowhere.

import { AtomicError } from "../errors.ts";
import { resolvePath, showName } from "../paths.ts";
import { escape, isWithin, type Root } from "../resources/confine.ts";
import { landingOf } from "../resources/landing.ts";
import type { TargetPorts } from "../resources/resource.ts";
import { schemeHandlers } from "../resources/schemes.ts";
import { parseSelector } from "../selectors/parse.ts";
import type { Call } from "../tool.ts";
import { examine, type TargetFile } from "./write-target.ts";

/** Their targets are users' files; a new one may be made only where `creates`. */
const writable: ReadonlyMap<string, { readonly creates: boolean }> = new Map([
  ["local", { creates: true }],
  ["skill", { creates: false }],
]);

/**
 * @returns undefined where the text is no internal URL
 * @throws AtomicError `write.no_handler`, `selector.escape`, `file.not_found`, and what `examine` throws
 */
export async function findInternalTarget(
  given: string,
  ports: TargetPorts,
  call: Call,
): Promise<TargetFile | undefined> {
  const selector = parseSelector(given);
  if (selector.kind !== "scheme") return undefined;
  const kind = writable.get(selector.scheme);
  if (!kind) throw noHandler(given, selector.scheme);
  const opened = await schemeHandlers.get(selector.scheme)!(selector.rest, given, ports, call);
  if (opened.kind !== "places") throw noHandler(given, selector.scheme);
  let fresh: { readonly root: Root; readonly path: string } | undefined;
  for (const { root, readings } of opened.places) {
    for (const { path, modifiers } of readings) {
      if (modifiers.length > 0) continue;
      const absolute = resolvePath(path, root.path);
      await confineLanding(root, absolute, path, ports);
      if (await ports.fs.lstat(absolute)) return confined(given, { root, absolute }, ports, call);
      fresh ??= { root, path: absolute };
    }
  }
  if (fresh && kind.creates) {
    return confined(given, { root: fresh.root, absolute: fresh.path }, ports, call);
  }
  throw await opened.notFound();
}

async function confined(
  given: string,
  { root, absolute }: { readonly root: Root; readonly absolute: string },
  { fs, env }: TargetPorts,
  { cwd }: Call,
): Promise<TargetFile> {
  const where = { cwd, home: env.home };
  const file = await examine(given, absolute, fs, where);
  await confineLanded(root, file.real, given, fs);
  return { ...file, confined: true };
}

/** A link may have been turned since: the path that is written must lie in the root itself. */
export async function confineLanded(
  root: Root,
  real: string,
  typed: string,
  fs: TargetPorts["fs"],
): Promise<void> {
  if (!isWithin(real, (await fs.realPath(root.path)) ?? root.path)) throw escape(root, typed);
}

/** Where the write would land must lie in the root as well. */
export async function confineLanding(
  root: Root,
  absolute: string,
  typed: string,
  { fs }: TargetPorts,
): Promise<void> {
  const realRoot = (await fs.realPath(root.path)) ?? root.path;
  const isNamedInside = isWithin(absolute, root.path) || isWithin(absolute, realRoot);
  if (!isNamedInside || !isWithin((await landingOf(absolute, fs)).path, realRoot)) {
    throw escape(root, typed);
  }
}

function noHandler(given: string, scheme: string): AtomicError {
  const known = [...writable.keys()].map((name) => `${name}://`);
  const article = /^[aeiou]/.test(scheme) ? "an" : "a";
  const what = /^https?$/.test(scheme) ? "a URL" : `${article} ${scheme}:// resource`;
  return new AtomicError(
    "write.no_handler",
    `Cannot write ${showName(given)}: it is ${what}, and only files, ${known.join(", ")} and conflict:// can be written.`,
    { data: { path: given, scheme }, hint: "Name a file by its path." },
  );
}
