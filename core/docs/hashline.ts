import { limits } from "../limits.ts";

export const hashline = `HASHLINE
  An edit names lines by their numbers, and the tag of a read proves that the
  numbers still mean what was read. No old text is repeated.

  1. Read the file:        atomic read a.ts

       [a.ts#0A3B]
       1:const X = "a";
       2:const Y = X;
       3:
       4:console.log(X);
       5:console.log(Y);
       6:export { X, Y };

  2. Copy the header, name the lines, write the new rows:

       atomic edit <<'EOF'
       [a.ts#0A3B]
       replace 1..1:
       +const X = "b";
       EOF

  3. The answer begins with a fresh header, [a.ts#TAG]. Use that one for the
     next edit; no new read is needed.

HEADER
  [PATH#TAG] begins a section. TAG is the four hex digits that the latest read
  or edit of the file printed. It covers the whole file, also where only some
  lines were shown. Several sections edit several files in one call: either all
  are written or none. One file has one section with all its operations.
  Edits change files that exist; they never create one.

OPERATIONS
  replace N..M:           lines N to M become the rows that follow
  replace block N:        the construct that begins on line N becomes the rows
  delete N..M             lines N to M go; no colon, no rows
  delete block N          the construct that begins on line N goes
  insert before N:        the rows go above line N
  insert after N:         the rows go below line N
  insert after block N:   the rows go below the end of the construct
  insert head:            the rows go to the start of the file
  insert tail:            the rows go to the end of the file

  All numbers are those of the read. They do not shift while one call is carried
  out, whatever the order of its operations. Two of them never name one line.

ROWS
  Every row of a body is "+" and then the line, exactly as it shall stand in the
  file, with its indentation. "+" alone is an empty line. A line that itself
  begins with + or - still gets its own plus: "++x", "+-x".
  A body holds the new lines only: no old lines, no unchanged neighbours, no
  "-" rows, no line numbers.

  Every line that is not named keeps its bytes, its line ending included; new
  rows take the line ending of the lines around them.

BLOCKS
  A block is the outermost construct (function, class, statement, element, key)
  that begins on line N. N is its first line, never its closing one. Decorators
  and annotations that belong to it are part of it; comments are not. The answer
  says which lines were meant:

       replace block 10 → resolved lines 10-14 (5 lines)

  Where no construct begins on N, replace and delete are refused: name the lines
  instead. Where the language is not known, braces or indentation decide, and
  the answer says so.

EXAMPLES
  One line becomes two:

       [a.ts#0A3B]
       replace 1..1:
       +const X = "b";
       +const Z = X;

  Lines 4 and 5 go:

       [a.ts#0A3B]
       delete 4..5

  Below line 5, and at both ends of the file:

       [a.ts#0A3B]
       insert after 5:
       +console.log(X + Y);
       insert head:
       +// header
       insert tail:
       +// trailer

  Whole constructs:

       [service.ts#7B2E]
       replace block 10:
       +function load() {
       +  return cache.get("key");
       +}
       delete block 30

  Two files, all or nothing:

       [src/a.ts#0A3B]
       replace 4..4:
       +const enabled = true;
       [src/b.ts#1F7C]
       delete 20..20

  First see, then write:

       atomic edit --dry-run < change.txt

  A script that is still being written: what is whole so far

       atomic edit --dry-run --partial < change.txt

REPAIRS
  Give only the lines that change. Rows that restate the lines on both sides of
  the range, or a bracket line beside it, are dropped, and closing brackets that
  the range takes without giving them back are kept. A warning under the header
  names every such repair: look at the lines it shows.

STALE TAGS
  A tag is stale once the file's text is no longer what was read. The edit is
  then carried over only where its place is certain: the lines it names and the
  ${limits.recoveryContext} lines around them are unchanged and together, or this session itself made
  every change in between. The answer says so in a warning. Otherwise the call
  ends with status 3 and nothing is written: read the file again, and edit with
  that tag. Never invent a tag, and never use one of another session.

AFTER A FAILURE
  status 2   the script is wrong: the message names its line and what to write
  status 3   stale or unknown tag, or someone else's change: read again
  status 4   the file is gone
  An edit that changes nothing says so; the ${limits.noopAttempts}rd time the same one is an error.
  In that case the lines already are what was asked for: look before going on.

LIMITS
  One range names at most ${limits.rangeLines.toLocaleString("en-US")} lines. Files larger than ${limits.editableFile / 1024 / 1024} MiB are shown
  without a tag and cannot be edited. Tags are kept for ${limits.storeAge / 86_400_000} days after their last
  use, within ${limits.storeBytes / 1024 / 1024} MiB in all; a forgotten one is called expired.`;
