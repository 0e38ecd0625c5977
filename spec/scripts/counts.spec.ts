import { expect, test } from "bun:test";

import { countJunit, countLastLine } from "../../scripts/check/counts.ts";

const report = `<?xml version="1.0" encoding="UTF-8"?>
<testsuites name="bun test" tests="6" assertions="9" failures="1" skipped="2" time="0.1">
  <testsuite name="spec/a.spec.ts" file="spec/a.spec.ts" tests="4" failures="1" skipped="1">
    <testcase name="reads &quot;a&quot;" classname="" file="spec/a.spec.ts" line="3">
      <skipped />
    </testcase>
    <testcase name="reads b" classname="" file="spec/a.spec.ts" line="4" />
  </testsuite>
  <testsuite name="spec/b.spec.ts" file="spec/b.spec.ts" tests="2" failures="0" skipped="1">
  </testsuite>
</testsuites>`;
const skip = 'spec/a.spec.ts: skipped: reads "a"';
const files = ["spec/a.spec.ts", "spec/b.spec.ts"];

test("countJunit sums up a report", () => {
  expect(countJunit(report, files, 1)).toEqual({
    passed: 3,
    failed: 1,
    skipped: 2,
    remarks: [skip],
  });
});

test("countJunit: a spec file of which no test ran is a failure", () => {
  expect(countJunit(report, [...files, "spec/c.spec.ts"], 1)).toEqual({
    passed: 3,
    failed: 2,
    skipped: 2,
    remarks: ["spec/c.spec.ts: no test of this file ran.", skip],
  });
});

test("countJunit: no spec files, no report, or a status without a failed test is a failure", () => {
  expect(countJunit("", [], 0).remarks).toEqual(["There are no spec files."]);
  expect(countJunit("", files, 0)).toMatchObject({ passed: 0, failed: 2 });
  const good = report.replaceAll('failures="1"', 'failures="0"');
  expect(countJunit(good, files, 0)).toMatchObject({ passed: 4, failed: 0 });
  expect(countJunit(good, files, 1)).toEqual({
    passed: 4,
    failed: 1,
    skipped: 2,
    remarks: [skip, "The test runner ended with status 1."],
  });
});

test.each([
  ["ok\n12 passed, 0 failed\n", 0, { passed: 12, failed: 0, skipped: 0 }],
  ["12 passed, 3 failed, 4 skipped", 1, { passed: 12, failed: 3, skipped: 4 }],
  ["12 passed, 0 failed", 1, { passed: 12, failed: 1, skipped: 0 }],
  ["0 passed, 0 failed", 0, { passed: 0, failed: 1, skipped: 0 }],
  ["12 passed, 0 failed\nerror: out of memory", 0, { passed: 0, failed: 1, skipped: 0 }],
  ["", 0, { passed: 0, failed: 1, skipped: 0 }],
])("countLastLine of %j with status %i", (output, status, counts) => {
  expect(countLastLine(output, status)).toEqual(counts);
});
