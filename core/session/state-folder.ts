// The state folder holds the text of everything a session has read, so it must be ours alone.

import { AtomicError } from "../errors.ts";
import { FsError } from "../ports/fs.ts";
import type { Host } from "../ports/host.ts";

const PRIVATE = 0o700;
const OTHERS = 0o077;

export interface StateFolder {
  readonly folder: string;
  readonly locksFolder: string;
}

/**
 * Makes the state folder and its `locks` folder where they are missing, and checks them: real folders, the user's own, no
 * permission for anyone else. What is ours and loose is tightened. Folders above may be of any kind. Where the system has
 * no user numbers, owner and permissions are left to it.
 * @throws AtomicError `session.unsafe`, or `session.unavailable` where the system refuses
 */
export async function prepareStateFolder(
  host: Pick<Host, "fs" | "env">,
  folder: string,
): Promise<StateFolder> {
  const locksFolder = `${folder}/locks`;
  await prepare(host, folder);
  await prepare(host, locksFolder);
  return { folder, locksFolder };
}

async function prepare({ fs, env }: Pick<Host, "fs" | "env">, folder: string): Promise<void> {
  try {
    let stat = await fs.lstat(folder);
    if (!stat) {
      await fs.makeDirectory(folder, PRIVATE);
      stat = await fs.lstat(folder);
    }
    if (stat?.kind !== "directory") throw unsafe(folder, `is a ${stat?.kind ?? "vanished folder"}`);
    if (env.uid < 0) return;
    if (stat.uid !== env.uid) {
      throw unsafe(folder, `belongs to user ${stat.uid}, and this is user ${env.uid}`);
    }
    if ((stat.mode & OTHERS) === 0) return;
    await fs.setMode(folder, PRIVATE);
    const tightened = await fs.lstat(folder);
    if (!tightened || (tightened.mode & OTHERS) !== 0) {
      throw unsafe(folder, "is open to other users and cannot be made private");
    }
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    throw new AtomicError(
      "session.unavailable",
      `Could not prepare the state folder ${JSON.stringify(folder)}: ${thrown.code}.`,
      {
        cause: thrown,
        data: { folder, reason: thrown.code },
        hint: "Make it writable, or set ATOMIC_HOME to a folder that is.",
      },
    );
  }
}

function unsafe(folder: string, found: string): AtomicError {
  return new AtomicError(
    "session.unsafe",
    `The state folder ${JSON.stringify(folder)} ${found}, so nothing is kept there.`,
    { data: { folder } },
  );
}
