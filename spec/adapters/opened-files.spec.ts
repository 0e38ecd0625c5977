// What an opening has opened is told by its descriptor, whatever its name leads to.

import { closeSync, mkdirSync, openSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "bun:test";

import { nodeDatabases } from "../../adapters/shared/databases.ts";
import { openedBy } from "../../adapters/shared/opened-files.ts";
import { databaseOf } from "../helpers/database.ts";
import { inFolder } from "../helpers/folder.ts";

test.skipIf(process.platform !== "linux")("an opened file is named by where it is", async () => {
  await inFolder(async (folder) => {
    mkdirSync(join(folder, "real"));
    symlinkSync("real", join(folder, "link"));
    writeFileSync(join(folder, "real/a"), "a");
    const { result, files } = openedBy(() => openSync(join(folder, "link/a"), "r"));
    expect(files!.map(({ path }) => path)).toEqual([join(folder, "real/a")]);
    closeSync(result);
    expect(openedBy(() => 1)).toEqual({ result: 1, files: [] });
  });
});

test.skipIf(process.platform !== "linux")(
  "a database tells where it is, opened for reading, as a copy and for writing",
  async () => {
    await inFolder(async (folder) => {
      mkdirSync(join(folder, "in"));
      mkdirSync(join(folder, "out"));
      const bytes = databaseOf("CREATE TABLE t(v)");
      writeFileSync(join(folder, "in/a.db"), bytes);
      writeFileSync(join(folder, "out/a.db"), bytes);
      const databases = nodeDatabases();
      const named = join(folder, "in/a.db");
      for (const state of ["in", "out"]) {
        if (state === "out") {
          renameSync(join(folder, "in"), join(folder, "away"));
          symlinkSync("out", join(folder, "in"));
        }
        const wanted = [join(folder, state, "a.db")];
        const toRead = await databases.openToRead(named, 100);
        expect(toRead.openedAs).toEqual(wanted);
        toRead.close();
        const toWrite = await databases.openToWrite(named, 100);
        expect(toWrite.openedAs).toEqual(wanted);
        toWrite.close();
        // A log that nobody has applied makes it a copy; an empty one would not.
        writeFileSync(join(folder, state, "a.db-wal"), "no log");
        const copied = await databases.openToRead(named, 100);
        expect(copied.openedAs).toEqual(wanted);
        copied.close();
        writeFileSync(join(folder, state, "a.db-wal"), "");
      }
    });
  },
);
