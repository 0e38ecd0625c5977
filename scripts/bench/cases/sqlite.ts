// One row of a large database by its key: no more than the pages that lead to it may be read.

import { join } from "node:path";

import type { BenchCase } from "../bench-case.ts";
import { expectOutput } from "../files.ts";

const rows = 1_000_000;
const wanted = 654_321;

export const sqliteRow: BenchCase = {
  name: "row",
  title: "a row by its key, of an SQLite file of 1 GB",
  runs: 31,
  target: 3,
  open(place) {
    const path = join(place.folder, "items.db");
    place.run(["sqlite3", path, creation]);
    const verify = (stdout: string) => expectOutput(stdout, `${wanted}`, "item 654321");
    return {
      ours: {
        name: "`read items.db:items:KEY`",
        command: [place.atomic, "read", `${path}:items:${wanted}`],
        verify,
      },
      peer: {
        name: "`sqlite3 -json`",
        command: ["sqlite3", "-readonly", "-json", path, `SELECT * FROM items WHERE id=${wanted}`],
        verify,
      },
    };
  },
};

/** Rows of a kilobyte each; nothing is synchronised, since nobody needs the file after a crash. */
const creation = `
PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
CREATE TABLE items (id INTEGER PRIMARY KEY, name TEXT NOT NULL, body TEXT NOT NULL);
WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${rows})
INSERT INTO items SELECT i, 'item ' || i, hex(zeroblob(490)) FROM n;
`;
