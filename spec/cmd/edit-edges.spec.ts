// What a hostile newcomer found, each as the kind it belongs to.

import { expect, test } from "bun:test";
import { linkSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { inFolder } from "../helpers/folder.ts";
import { executable, runAtomic, runProgram } from "../helpers/run-atomic.ts";

/** One file, read and edited in one session. */
async function editing(before: string, body: string): Promise<{ stdout: string; after: string }> {
  return inFolder(async (cwd) => {
    writeFileSync(join(cwd, "f.js"), before);
    const env = { ATOMIC_HOME: join(cwd, "home") };
    const header = (await runAtomic(["read", "f.js"], { cwd, env })).stdout.text.split("\n")[0]!;
    const { stdout } = await runAtomic(["edit"], { cwd, env, stdin: `${header}\n${body}` });
    return { stdout: stdout.text, after: readFileSync(join(cwd, "f.js"), "utf8") };
  });
}

test("two sections that name one file by hard links are the same file", async () => {
  await inFolder(async (cwd) => {
    writeFileSync(join(cwd, "h1"), "x\ny\n");
    linkSync(join(cwd, "h1"), join(cwd, "h2"));
    const env = { ATOMIC_HOME: join(cwd, "home") };
    await runAtomic(["read", "h1", "h2"], { cwd, env });
    const stdin = "[h1#141E]\nreplace 1..1:\n+X\n[h2#141E]\nreplace 2..2:\n+Y\n";
    const { status, stderr } = await runAtomic(["edit"], { cwd, env, stdin });
    expect([status, stderr.text]).toEqual([
      2,
      "Multiple hashline sections resolve to the same file (h1 and h2). Merge their ops under one header before applying.\nNothing was written.\n",
    ]);
    expect(readFileSync(join(cwd, "h1"), "utf8")).toBe("x\ny\n");
  });
});

test("a blank row at an unterminated end is the terminator of the line above, and shown as no line", async () => {
  const { stdout, after } = await editing("a", "insert tail:\n+\n");
  expect([stdout, after]).toEqual(["[f.js#9585]\nFirst changed line: 1\n", "a\n"]);
});

test("a blank line that becomes the last keeps the terminator without which it would not exist", async () => {
  expect((await editing("end\n\nx", "delete 3\n")).after).toBe("end\n\n");
  expect((await editing("end\r\n\r\nx", "delete 3\n")).after).toBe("end\r\n\r\n");
});

test("a no-op that a repair brought about says so", async () => {
  const { stdout, after } = await editing("if (a) {\n  x();\n}\n", "replace 2..2:\n+  x();\n+}\n");
  expect(stdout.split("\n").slice(1)).toEqual([
    "Auto-repaired a delimiter-balance mismatch in the replacement at line 2: dropped 1 duplicated trailing payload line(s) already present below the range. Issue the payload as the final desired content only — never restate or omit a closing bracket bordering the range.",
    "",
  ]);
  expect(after).toBe("if (a) {\n  x();\n}\n");
});

test("a state folder that cannot be made is unavailable, and a read goes on without it", async () => {
  await inFolder(async (cwd) => {
    writeFileSync(join(cwd, "a"), "x\n");
    const env = { ATOMIC_HOME: "/proc/x" };
    const read = await runAtomic(["read", "a"], { cwd, env });
    expect([read.status, read.stdout.text]).toEqual([0, "1:x\n"]);
    const { status, stderr } = await runAtomic(["edit"], {
      cwd,
      env,
      stdin: "[a#1234]\ndelete 1\n",
    });
    expect([status, stderr.text.split("\n")[0]]).toEqual([
      7,
      'Could not prepare the state folder "/proc/x": ENOENT.',
    ]);
  });
});

test("an answer that cannot be written is told as such", async () => {
  await inFolder(async (cwd) => {
    writeFileSync(join(cwd, "a"), "x\n");
    const env = { ATOMIC_HOME: join(cwd, "home") };
    const { status, stderr } = await runProgram(
      ["sh", "-c", `'${executable}' read a > /dev/full`],
      { cwd, env },
    );
    expect([status, stderr.text]).toEqual([
      1,
      "Could not write the answer: ENOSPC: standard output. The call itself was carried out.\n",
    ]);
  });
});

test("a pipe behind a link is no regular file, not a missing one", async () => {
  await inFolder(async (cwd) => {
    const env = { ATOMIC_HOME: join(cwd, "home") };
    const script = `printf x | { '${executable}' edit patch; }`;
    writeFileSync(join(cwd, "patch"), "[/dev/stdin#1234]\ndelete 1\n");
    const { status, stderr } = await runProgram(["sh", "-c", script], { cwd, env });
    expect([status, stderr.text]).toEqual([
      1,
      "Could not edit file: /dev/stdin. It is not a regular file.\nNothing was written.\n",
    ]);
  });
});
