import { expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inFolder } from "../helpers/folder.ts";
import { runAtomic } from "../helpers/run-atomic.ts";

const text = "function one() {\n  return 1;\n}\nlast();\n";

async function preview(
  body: string,
): Promise<{ status: number; stdout: string; stderr: string; after: string }> {
  return inFolder(async (cwd) => {
    const path = join(cwd, "a.ts");
    writeFileSync(path, text);
    const env = { ATOMIC_HOME: join(cwd, "home") };
    const read = await runAtomic(["read", "a.ts"], { cwd, env });
    const header = read.stdout.text.split("\n")[0]!;
    const options = { cwd, env, stdin: `${header}\n${body}` };
    const { status, stdout, stderr } = await runAtomic(["edit", "--dry-run", "--partial"], options);
    return { status, stdout: stdout.text, stderr: stderr.text, after: readFileSync(path, "utf8") };
  });
}

const shown =
  "a.ts would change; nothing was written:\n 2:  return 1;\n 3:}\n-last();\n*4:done();\n";

test("an unfinished script shows what is whole, and writes nothing", async () => {
  for (const rest of [
    "",
    "replace blo",
    "replace 1..2:\n",
    "insert head:",
    "delete 1..",
    "[b.ts#12",
  ]) {
    expect(await preview(`replace 4..4:\n+done();\n${rest}`)).toEqual({
      status: 0,
      stdout: shown,
      stderr: "",
      after: text,
    });
  }
});

test("a row is shown as far as it is", async () => {
  const { stdout } = await preview("replace 4..4:\n+don");
  expect(stdout).toBe(shown.replace("done();", "don"));
});

test("a block that does not resolve yet is left out", async () => {
  const { stdout } = await preview("replace 4..4:\n+done();\ndelete block 3\n");
  expect(stdout).toBe(shown);
});

test("without --dry-run it is refused", async () => {
  const { status, stderr } = await runAtomic(["edit", "--partial"], { stdin: "x" });
  expect([status, stderr.text.split("\n")[0]]).toEqual([
    2,
    "Flag --partial goes with --dry-run only.",
  ]);
});
