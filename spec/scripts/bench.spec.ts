import { expect, test } from "bun:test";

import { measure, median } from "../../scripts/bench/measure.ts";
import { row } from "../../scripts/bench/table.ts";

const surroundings = { cwd: "/", env: { PATH: "/usr/bin:/bin" } };
const quiet = { name: "`true`", command: ["true"], verify: () => {} };

test("median", () => {
  expect(median([3])).toBe(3);
  expect(median([9, 1, 5])).toBe(5);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(() => median([])).toThrow(RangeError);
});

test("each run of both sides is prepared and verified", async () => {
  const seen: string[] = [];
  const side = (name: string) => ({
    name,
    command: ["echo", name],
    prepare: () => void seen.push(`prepare ${name}`),
    verify: (stdout: string) => void seen.push(`verify ${stdout.trim()}`),
  });
  const { ours, peer } = await measure({ ours: side("a"), peer: side("b") }, 2, surroundings);
  expect(ours.median).toBeGreaterThan(0);
  expect(peer.median).toBeGreaterThan(0);
  const round = ["prepare a", "verify a", "prepare b", "verify b"];
  // Three rounds to warm up, two that count, then the memory of either.
  expect(seen.slice(0, 20)).toEqual([...round, ...round, ...round, ...round, ...round]);
});

test("a run that fails or does not do its work ends the measurement", async () => {
  const failing = { name: "`false`", command: ["false"], verify: () => {} };
  await expect(measure({ ours: failing, peer: quiet }, 1, surroundings)).rejects.toThrow(
    "`false` ended with status 1",
  );
  const idle = {
    name: "idle",
    command: ["true"],
    verify() {
      throw new Error("The file is not what it should be");
    },
  };
  await expect(measure({ ours: quiet, peer: idle }, 1, surroundings)).rejects.toThrow(
    "The file is not what it should be",
  );
});

test("a row names both programs, their medians, the ratio and what it may be", () => {
  const pair = { ours: { ...quiet, name: "`atomic read`" }, peer: { ...quiet, name: "`cat -n`" } };
  const measured = {
    ours: { median: 12.34, peakMemory: 45 * 1024 * 1024 },
    peer: { median: 8, peakMemory: undefined },
  };
  expect(row({ title: "read", target: 1.5 }, pair, measured)).toBe(
    "| read | `atomic read` 12.3 ms | `cat -n` 8.0 ms | 1.54 (over) | ≤ 1.5 | 45 MiB / – |",
  );
  expect(row({ title: "read" }, pair, { ours: measured.peer, peer: measured.peer })).toBe(
    "| read | `atomic read` 8.0 ms | `cat -n` 8.0 ms | 1.00 | – | – / – |",
  );
});
