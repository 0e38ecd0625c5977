// Folders that only this user may enter, for output that does not fit into an answer (seed 000, "Persisted tool output").

import { isAbsolutePath } from "../paths.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";

export const PRIVATE_FOLDER = 0o700;
export const PRIVATE_FILE = 0o600;
const OTHERS = 0o077;

type Ports = Pick<Host, "fs" | "env">;

/** A place where nothing is kept, since others could read it, or lead it elsewhere. */
export class UnsafePlace extends Error {
  override readonly name = "UnsafePlace";
}

/** The system's folder for temporary files, and the name of ours in it: one for each account. */
export function tempRoot({ env, bytes }: Pick<Host, "env" | "bytes">): {
  readonly base: string;
  readonly name: string;
} {
  if (env.platform === "windows") {
    const base = env.get("TEMP") || env.get("TMP") || "C:/Windows/Temp";
    const account = `${env.get("USERDOMAIN") ?? ""}\\${env.get("USERNAME") ?? ""}`;
    const digest = bytes.sha256(new TextEncoder().encode(account.toLowerCase()));
    return { base, name: `atomic-${digest.slice(0, 16)}` };
  }
  const named = env.get("TMPDIR") ?? "";
  const base = isAbsolutePath(named, env.platform) ? named.replace(/(?<=.)\/+$/, "") : "/tmp";
  return { base, name: `atomic-${env.uid}` };
}

/** A session as the name of a folder: at most 64 characters, different for different ids. */
export function sessionComponent(id: string, { bytes }: Pick<Host, "bytes">): string {
  const plain = id.replace(/[^A-Za-z0-9._-]+/g, "_").replace(/^[._]+|[._]+$/g, "");
  if (plain === id && id.length <= 64) return id || "session";
  const digest = bytes.sha256(new TextEncoder().encode(JSON.stringify(id))).slice(0, 16);
  return `${plain.slice(0, 47) || "session"}-${digest}`;
}

/** The session's folder in the temporary tree, made where it is missing. @throws UnsafePlace, FsError */
export async function sessionTemp(id: string, ports: Pick<Host, "fs" | "env" | "bytes">) {
  const { base, name } = tempRoot(ports);
  const root = await privateFolder(base, [name], ports);
  return privateFolder(root, [sessionComponent(id, ports)], ports);
}

/**
 * Makes each folder below `base` where it is missing, and checks all of them: real folders, the user's own, no permission
 * for anyone else; what is ours and loose is tightened. Where the system has no user numbers, owner and permissions are
 * left to it.
 * @param base an existing folder of any kind
 * @returns the last one's path
 * @throws UnsafePlace, FsError
 */
export async function privateFolder(
  base: string,
  names: readonly string[],
  ports: Ports,
): Promise<string> {
  let at = base;
  for (const name of names) {
    at = at.endsWith("/") ? at + name : `${at}/${name}`;
    await prepare(at, ports);
  }
  return at;
}

async function prepare(folder: string, { fs, env }: Ports): Promise<void> {
  let stat = await fs.lstat(folder);
  if (!stat) {
    await makeOne(folder, fs);
    stat = await fs.lstat(folder);
  }
  if (stat?.kind !== "directory") {
    throw new UnsafePlace(`${folder} is a ${stat?.kind ?? "vanished folder"}`);
  }
  if (env.uid < 0) return;
  if (stat.uid !== env.uid) throw new UnsafePlace(`${folder} belongs to user ${stat.uid}`);
  if ((stat.mode & OTHERS) === 0) return;
  await fs.setMode(folder, PRIVATE_FOLDER);
  const tightened = await fs.lstat(folder);
  if (tightened?.kind !== "directory" || (tightened.mode & OTHERS) !== 0) {
    throw new UnsafePlace(`${folder} is open to other users`);
  }
}

/** Only this one: a missing parent is a failure, so that nothing is made where nobody has looked. */
async function makeOne(folder: string, fs: Host["fs"]): Promise<void> {
  const parent = folder.slice(0, folder.lastIndexOf("/")) || "/";
  if ((await fs.stat(parent))?.kind !== "directory") throw new FsError("ENOENT", parent);
  try {
    await fs.makeDirectory(folder, PRIVATE_FOLDER);
  } catch (thrown) {
    // Another process may just have made something there; the check that follows decides.
    if (!(thrown instanceof FsError) || thrown.code !== "EEXIST") throw thrown;
  }
}
