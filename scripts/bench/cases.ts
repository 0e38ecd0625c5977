import type { BenchCase } from "./bench-case.ts";
import { archiveList, archiveMember } from "./cases/archive.ts";
import { bashAgainstEmpty, bashAgainstShell } from "./cases/bash.ts";
import { block } from "./cases/block.ts";
import { edit } from "./cases/edit.ts";
import { ping } from "./cases/ping.ts";
import { rangeAgainstHead, rangeAgainstSum } from "./cases/range.ts";
import { read } from "./cases/read.ts";
import { sqliteRow } from "./cases/sqlite.ts";
import { finds } from "./cases/find.ts";
import { searches } from "./cases/search.ts";
import { start } from "./cases/start.ts";
import { tag } from "./cases/tag.ts";

/** In the order of the table. */
export const cases: readonly BenchCase[] = [
  start,
  read,
  edit,
  block,
  tag,
  rangeAgainstHead,
  rangeAgainstSum,
  archiveMember,
  archiveList,
  ...finds,
  ...searches,
  sqliteRow,
  ping,
  bashAgainstEmpty,
  bashAgainstShell,
];
