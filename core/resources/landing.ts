// Where a write to a path would land: found as the system does on creating a file, without creating one.

import { pathSegments } from "../paths.ts";
import { FsError, type Fs } from "../ports/fs.ts";

export interface Landing {
  /** Absolute, every link resolved, in the file system's own spelling as far as it exists. */
  readonly path: string;
  /** The link on the way that leads to nothing, absolute. Writing there would create what it names. */
  readonly dangling: string | undefined;
}

/** The longest chain that Linux follows. */
const MOST_LINKS = 40;

/**
 * ".." goes up from where a link led, and a link to nowhere is followed.
 * @param path absolute
 * @throws FsError ELOOP, and whatever else keeps the way from being looked at
 */
export async function landingOf(path: string, fs: Fs): Promise<Landing> {
  const { root, segments } = pathSegments(path, path);
  const ahead = [...segments];
  let at = root;
  let links = 0;
  let dangling: string | undefined;
  for (let segment = ahead.shift(); segment !== undefined; segment = ahead.shift()) {
    if (segment === "..") {
      at = parentOf(at, root);
      continue;
    }
    const next = within(at, segment);
    const target = (await fs.lstat(next))?.kind === "symlink" ? await fs.readLink(next) : undefined;
    if (target === undefined) {
      at = next;
      continue;
    }
    if (++links > MOST_LINKS) throw new FsError("ELOOP", path);
    if (dangling === undefined && !(await fs.stat(next))) dangling = next;
    const link = pathSegments(target, at);
    if (link.root !== "") at = link.root;
    ahead.unshift(...link.segments);
  }
  return { path: await canonical(at, root, fs), dangling };
}

/** Some file systems do not tell capitals or accents apart. */
async function canonical(path: string, root: string, fs: Fs): Promise<string> {
  const real = await fs.realPath(path);
  if (real !== undefined) {
    const { root: top, segments } = pathSegments(real, real);
    return top + segments.join("/");
  }
  const parent = parentOf(path, root);
  if (parent === path) return path;
  return within(await canonical(parent, root, fs), path.slice(path.lastIndexOf("/") + 1));
}

function within(folder: string, name: string): string {
  return folder.endsWith("/") ? folder + name : `${folder}/${name}`;
}

function parentOf(path: string, root: string): string {
  const end = path.lastIndexOf("/");
  return end < root.length ? root : path.slice(0, end);
}
