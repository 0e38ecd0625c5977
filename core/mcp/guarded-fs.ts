// The file system as a long-lived server shows it to its tools: our own state stays closed. A process that opens and closes
// a file which it holds POSIX locks on loses them, and with them what keeps two writers apart.

import { type Fs, FsError } from "../ports/fs.ts";
import { isWithin } from "../resources/confine.ts";

/**
 * @param folder of the state, absolute; it may not exist yet
 * @param own a folder in it that is open all the same: what the session keeps as plain files
 */
export function withoutState(fs: Fs, folder: string, own: string): Fs {
  async function refuse(path: string): Promise<void> {
    const [real, state] = await Promise.all([fs.realPath(path), fs.realPath(folder)]);
    if (!isWithin(real ?? path, state ?? folder)) return;
    if (isWithin(real ?? path, (await fs.realPath(own)) ?? own)) return;
    throw new FsError("EACCES", path);
  }
  return {
    ...fs,
    async read(path, limit) {
      await refuse(path);
      return fs.read(path, limit);
    },
    async open(path) {
      await refuse(path);
      return fs.open(path);
    },
  };
}
