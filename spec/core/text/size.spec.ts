import { expect, test } from "bun:test";

import { formatCount, formatSize, thousands } from "../../../core/text/size.ts";

test("formatSize and counts read as tools.md §1.5 says", () => {
  expect([0, 12, 1023, 1024, 1945, 1_048_575, 1_048_576, 3_565_158].map(formatSize)).toEqual([
    "0B",
    "12B",
    "1023B",
    "1.0KB",
    "1.9KB",
    "1024.0KB",
    "1.0MB",
    "3.4MB",
  ]);
  expect([0, 999, 1000, 50_000, 1_234_567].map(thousands)).toEqual([
    "0",
    "999",
    "1,000",
    "50,000",
    "1,234,567",
  ]);
  expect([formatCount(1, "line", "lines"), formatCount(0, "line", "lines")]).toEqual([
    "1 line",
    "0 lines",
  ]);
});
