import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { inFolder } from "../helpers/folder.ts";
import { runAtomic } from "../helpers/run-atomic.ts";

test("read - shows standard input, without a tag that nothing stands behind", async () => {
  const { status, stdout, stderr } = await runAtomic(["read", "-"], { stdin: "a\r\nb\nc" });
  expect([status, stdout.text, stderr.text]).toEqual([0, "1:a\n2:b\n3:c\n", ""]);
});

test("read - takes line selectors", async () => {
  const { status, stdout } = await runAtomic(["read", "-:2-2:raw"], { stdin: "a\r\nb\r\nc\r\n" });
  expect([status, stdout.text]).toEqual([0, "b"]);
});

test("a file named - comes first", async () => {
  await inFolder(async (cwd) => {
    writeFileSync(join(cwd, "-"), "mine\n");
    const { stdout } = await runAtomic(["read", "-", "--plain"], { cwd, stdin: "piped\n" });
    expect(stdout.text).toBe("1:mine\n");
  });
});
