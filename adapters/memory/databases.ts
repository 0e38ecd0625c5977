// Databases over a file system in memory: the engine works on real files, so it gets copies of what is there, and what it
// has written goes back when the connection is closed.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { type Database, DatabaseError, type Databases } from "../../core/ports/databases.ts";
import { type Fs, FsError } from "../../core/ports/fs.ts";

import { nodeDatabases } from "../shared/databases.ts";

const companions = ["-wal", "-journal"];

export function memoryDatabases(fs: Fs): Databases {
  const real = nodeDatabases();
  async function open(
    file: string,
    using: (copy: string) => Promise<Database>,
    back: (copy: string) => void,
  ): Promise<Database> {
    const folder = mkdtempSync(join(tmpdir(), "atomic-memory-"));
    const remove = () => rmSync(folder, { recursive: true, force: true });
    try {
      const copy = join(folder, "copy.db");
      const path = await existing(fs, file);
      for (const suffix of ["", ...companions]) {
        const found = await contentOf(fs, path + suffix);
        if (found) writeFileSync(copy + suffix, found);
      }
      const database = await using(copy);
      let isOpen = true;
      return {
        ...database,
        openedAs: undefined,
        close() {
          if (!isOpen) return;
          isOpen = false;
          database.close();
          back(copy);
          remove();
        },
      };
    } catch (thrown) {
      remove();
      throw thrown;
    }
  }
  return {
    canJudge: real.canJudge,
    openToRead: (file, wait) =>
      open(
        file,
        (copy) => real.openToRead(copy, wait),
        () => {},
      ),
    openToWrite: (file, wait) =>
      open(
        file,
        (copy) => real.openToWrite(copy, wait),
        // The work on a file in memory is done as soon as it is called, before the promise comes back.
        (copy) => void fs.overwrite(file, new Uint8Array(readFileSync(copy))),
      ),
  };
}

async function existing(fs: Fs, file: string): Promise<string> {
  const path = await fs.realPath(file);
  if (path === undefined) throw new DatabaseError("unavailable", "ENOENT");
  return path;
}

async function contentOf(fs: Fs, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await fs.read(path))?.bytes;
  } catch (thrown) {
    if (!(thrown instanceof FsError)) throw thrown;
    throw new DatabaseError("unavailable", thrown.code, { cause: thrown });
  }
}
