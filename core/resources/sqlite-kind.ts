// Which files are databases. What can be in them is loaded when one is met.

import type { ContainerKind } from "./container.ts";
import { readFailure } from "./file-errors.ts";

/** How a database begins (https://sqlite.org/fileformat.html). */
const MAGIC = "SQLite format 3\0";

export const sqliteKind: ContainerKind = {
  name: "database",
  names: (file) => /\.(?:sqlite3?|db3?)$/i.test(file),
  splits: (text) =>
    // No path is longer.
    [...text.slice(0, 4097).matchAll(/\.(?:sqlite3?|db3?)(?=[:?])/gi)]
      .map(({ index, 0: suffix }) => index + suffix.length)
      .toReversed(),
  async claims({ path, stat, typed }, { fs }) {
    if (stat.kind !== "file") return false;
    try {
      const file = await fs.open(path);
      if (!file) return false;
      try {
        const beginning = await file.read(0, MAGIC.length);
        return new TextDecoder("latin1").decode(beginning) === MAGIC;
      } finally {
        await file.close();
      }
    } catch (thrown) {
      throw readFailure(typed, thrown);
    }
  },
  open: async (...given) => (await import("./sqlite.ts")).openSqlite(...given),
};
