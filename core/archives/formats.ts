// The archive formats, one row each.

import type { Format } from "./format.ts";
import { gzip } from "./gzip.ts";
import { tarBzip2, tarGzip, tarXz, tarZstd } from "./packed-tar.ts";
import { tar } from "./tar.ts";
import { zip } from "./zip.ts";

export const formats: readonly Format[] = [zip, tar, tarGzip, tarZstd, tarBzip2, tarXz, gzip];
