// How many tests passed, failed and were skipped, from what a test run left behind. Where that cannot be told, or a
// file of tests did not take part, something failed.

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

/**
 * @param xml Bun's JUnit report; empty when there is none.
 * @param files The spec files that must take part, as paths from the project's root.
 * @param status The exit status of the run.
 * @returns The counts, and a remark for each skipped test and each failure that is no failed test.
 */
export function countJunit(
  xml: string,
  files: readonly string[],
  status: number,
): Counts & { readonly remarks: readonly string[] } {
  const remarks: string[] = [];
  const total = attributes(/<testsuites\b([^>]*)>/.exec(xml)?.[1] ?? "");
  const tests = Number(total.get("tests") ?? 0);
  const skipped = Number(total.get("skipped") ?? 0);
  let failed = Number(total.get("failures") ?? 0) + Number(total.get("errors") ?? 0);
  const passed = Math.max(0, tests - skipped - failed);

  const ran = new Set(
    [...xml.matchAll(/<testsuite\b([^>]*)>/g)].map(([, text]) => attributes(text!).get("file")),
  );
  if (files.length === 0) remarks.push("There are no spec files.");
  for (const file of files) {
    if (!ran.has(file)) remarks.push(`${file}: no test of this file ran.`);
  }
  failed += remarks.length;
  for (const [, test] of xml.matchAll(/<testcase\b([^>]*)>\s*<skipped\b/g)) {
    const { name, file } = Object.fromEntries(attributes(test!));
    remarks.push(`${file}: skipped: ${unescape(name!)}`);
  }
  if (status !== 0 && failed === 0) {
    remarks.push(`The test runner ended with status ${status}.`);
    failed += 1;
  }
  return { passed, failed, skipped, remarks };
}

function attributes(text: string): ReadonlyMap<string, string> {
  return new Map(
    [...text.matchAll(/([\w-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, value!]),
  );
}

function unescape(text: string): string {
  const named: Readonly<Record<string, string>> = {
    quot: '"',
    apos: "'",
    lt: "<",
    gt: ">",
    amp: "&",
  };
  return text.replace(/&(\w+);/g, (whole, name: string) => named[name] ?? whole);
}

/** Counts from an output that ends with `N passed, N failed` and perhaps `, N skipped`. */
export function countLastLine(output: string, status: number): Counts {
  const last = output.trimEnd().split("\n").at(-1) ?? "";
  const found = /^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?$/.exec(last);
  if (!found) return { passed: 0, failed: 1, skipped: 0 };
  const [passed, failed, skipped] = found.slice(1).map((digits) => Number(digits ?? 0));
  const silent = failed === 0 && (status !== 0 || passed === 0);
  return { passed: passed!, failed: silent ? 1 : failed!, skipped: skipped! };
}
