// What of git's configuration decides about ignored files: core.excludesFile, and where a repository's own folder is.

import { resolvePath } from "../paths.ts";
import type { Env } from "../ports/env.ts";
import { type Fs, FsError } from "../ports/fs.ts";
import { limits } from "../limits.ts";

type Ports = { readonly fs: Pick<Fs, "read" | "lstat">; readonly env: Pick<Env, "get" | "home"> };

/** A file of rules or settings as a byte string; undefined where it cannot be had, whatever the reason. */
export async function readByteString(
  path: string,
  fs: Pick<Fs, "read">,
): Promise<string | undefined> {
  try {
    const file = await fs.read(path, limits.ignoreFile);
    return file && latin1(file.bytes);
  } catch (thrown) {
    if (thrown instanceof FsError) return undefined;
    throw thrown;
  }
}

/** @param repository its top folder; undefined outside any */
export async function globalExcludes(
  repository: string | undefined,
  { fs, env }: Ports,
): Promise<string | undefined> {
  const { home } = env;
  const xdg = env.get("XDG_CONFIG_HOME") || (home && resolvePath(".config", home));
  const named = env.get("GIT_CONFIG_GLOBAL");
  const own =
    named === undefined
      ? [xdg && resolvePath("git/config", xdg), home && resolvePath(".gitconfig", home)]
      : [named];
  const files = [
    env.get("GIT_CONFIG_NOSYSTEM") ? undefined : "/etc/gitconfig",
    ...own,
    repository && resolvePath("config", await gitFolder(repository, fs)),
  ];
  let found = xdg && resolvePath("git/ignore", xdg);
  for (const file of files) {
    if (!file) continue;
    const text = await readByteString(file, fs);
    const value = text === undefined ? undefined : excludesFileOf(text);
    if (value === undefined) continue;
    found = value.startsWith("~/") && home ? resolvePath(value.slice(2), home) : value;
    if (!found.startsWith("/")) found = resolvePath(found, repository ?? home ?? "/");
  }
  return found ? readByteString(found, fs) : undefined;
}

/** `info/exclude` of the repository, which several work trees may share. */
export async function infoExclude(
  repository: string,
  fs: Pick<Fs, "read" | "lstat">,
): Promise<string | undefined> {
  return readByteString(resolvePath("info/exclude", await gitFolder(repository, fs)), fs);
}

/** `.git` itself, or what the file of that name points to; of a linked work tree, the folder that all of them share. */
async function gitFolder(repository: string, fs: Pick<Fs, "read" | "lstat">): Promise<string> {
  const dotGit = resolvePath(".git", repository);
  if ((await kindOf(dotGit, fs)) === "directory") return dotGit;
  const pointer = await readByteString(dotGit, fs);
  const named = /^gitdir: *(.+?)\s*$/m.exec(pointer ?? "")?.[1];
  if (named === undefined) return dotGit;
  const folder = resolvePath(named, repository);
  const common = (await readByteString(resolvePath("commondir", folder), fs))?.trim();
  return common ? resolvePath(common, folder) : folder;
}

async function kindOf(path: string, fs: Pick<Fs, "lstat">): Promise<string | undefined> {
  try {
    return (await fs.lstat(path))?.kind;
  } catch (thrown) {
    if (thrown instanceof FsError) return undefined;
    throw thrown;
  }
}

/** The last `excludesFile` of the section `core`. */
function excludesFileOf(text: string): string | undefined {
  let section = "";
  let found: string | undefined;
  for (const line of text.split(/\r?\n/)) {
    const heading = /^\s*\[\s*([\w.-]+)\s*(?:"[^"]*")?\s*\]/.exec(line);
    if (heading) section = heading[1]!.toLowerCase();
    const rest = heading ? line.slice(heading[0].length) : line;
    const match = /^\s*excludesfile\s*=\s*(.*)$/i.exec(rest);
    if (section === "core" && match) found = configValue(match[1]!);
  }
  return found;
}

function configValue(text: string): string {
  let value = "";
  let isQuoted = false;
  for (let i = 0; i < text.length; i++) {
    const char = text[i]!;
    if (char === "\\" && i + 1 < text.length) value += text[++i]!;
    else if (char === '"') isQuoted = !isQuoted;
    else if ((char === "#" || char === ";") && !isQuoted) break;
    else value += char;
  }
  return new TextDecoder().decode(Uint8Array.from(value.trim(), (char) => char.charCodeAt(0)));
}

function latin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += 4096) {
    text += String.fromCharCode(...bytes.subarray(at, at + 4096));
  }
  return text;
}
