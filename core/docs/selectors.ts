import { limits } from "../limits.ts";

export const selectors = `SELECTORS
  What follows a file's name after a colon says which part of it to read.

  a.ts               the whole file, with line numbers and the tag for edits
  a.ts:40            line 40 to the end; also a.ts:40- and a.ts:40..
  a.ts:5-16          lines 5 to 16; also a.ts:5..16
  a.ts:5+3           three lines from line 5 on: 5, 6, 7
  a.ts:5-16,40-60    several ranges; sorted, joined where they touch
  a.ts:5,9           in a list, a number alone is that one line
  a.ts:5:16          lines 5 to 16, as grep and compilers write places
  a.ts:16:5          a line and a column: line 16 to the end
  a.ts:raw           the exact bytes: no header, no numbers, nothing cut
  a.ts:raw:5-16      the exact bytes of these lines; also a.ts:5-16:raw

  Numbers begin at 1 and may carry an L, as in a.ts:L5-L16. Words may be in
  capitals. A range that goes past the end is shown as far as the file goes.

  a.ts:conflicts     only the regions that a merge left marked, each with its
                     number; also with ranges and :raw
  n.ipynb:cell:0     one cell of a notebook, counted from 0
  src:5-16           rows of a folder's tree

ARCHIVES
  a.zip              what a .zip, .jar, .tar, .tar.gz, .tgz, .tar.bz2, .tar.xz
                     or .tar.zst holds; also a.zip:
  a.zip:src          what is in one of its folders
  a.zip:src/b.ts     a member; also with ranges and :raw. A member that is named
                     like a selector is read by its name: a.zip:raw, a.zip:5-9
  log.gz             the text of a single compressed file; log.gz:5-9 its lines

  Archives are held to the workspace, and nothing is unpacked on disk. Written
  can be all but .tar.bz2, .tar.xz and .tar.zst: a member is replaced or added,
  and every other one stays as it is, byte for byte. Names that are absolute or
  hold ".." are refused. Of several members with one name, the last counts.

RESOURCES
  local://PATH       a path in the workspace, which it may not leave
  skill://NAME       SKILL.md of a skill; skill://NAME/PATH another file of it
  artifact://N       output that the session has kept
  conflict://N       a conflict, by its number from FILE:conflicts
  conflict://N/ours  one side's exact bytes; also /theirs and /base
  conflict://*       the list of all that are numbered

  Selectors may follow them; of conflict://, :raw a conflict and any a side,
  which is counted from 1. The workspace is the folder named by --workspace or
  ATOMIC_WORKSPACE, else the nearest one with a .git, else the working folder.
  Skills are looked for in .agents/skills and .atomic/skills of the workspace,
  then in ~/.agents/skills and atomic/skills of the configuration folder.

DATABASES
  A file that begins as an SQLite database does, and ends in .sqlite, .sqlite3,
  .db or .db3, is read by tables. One line is one row, as JSON.

  app.db             the tables and their numbers of rows; the views
  app.db:users       the schema and ${limits.sqliteSample} rows
  app.db:users:42    the row with that key (primary key, else rowid); ?id=42
  app.db:users?limit=50&offset=100&where=age>30&order=name:desc
                     rows: ${limits.sqliteRows} if no limit is given, at most ${limits.sqliteRowsMost}
  app.db:users?schema=1        the schema alone
  app.db:users?sampleRows=9    rows alone
  app.db?q=SELECT …  any one SELECT, at most ${limits.sqliteQueryRows.toLocaleString("en-US")} rows and ${limits.sqliteTime / 1000} seconds

  Reading changes no byte of a database or its folder. Integers beyond 2^53 are
  strings of their digits, bytes are {"$blob":BASE64,"bytes":N}. %XX is decoded:
  %3A and %3F stand for ":" and "?" in a name, %26 for "&", %25 for "%".
  Written are rows: app.db:users inserts one, app.db:users:42 updates that one,
  or deletes it where the content is empty. The content is a JSON5 object.

CONTEXT
  A range with both ends is shown with ${limits.contextBefore} line before it and ${limits.contextAfter} after it, so that
  an edit sees where it lands. An open range and :raw show exactly what they
  name. The tag is always that of the whole file.

A NAME COMES FIRST
  Where a file of exactly the given name exists, it is read by that name, even
  if the name ends like a selector: where a file is called "notes:5", that file
  is notes:5. A note on standard error says so where both could be meant. Only
  else is a selector taken off the end, one at a time, and what is left tried.
  ":-5", ":word" and a colon at the end are no selectors but part of a name.

LONG FILES
  At most ${limits.readLines.toLocaleString("en-US")} lines or ${limits.readBytes / 1024} KiB are shown at once; the last line then says with
  which selector to go on.

EXAMPLES
  atomic read src/main.ts:120-180
  atomic read src/a.ts:1-20 src/b.ts:300+40
  atomic read logo.png:raw > copy.png`;
