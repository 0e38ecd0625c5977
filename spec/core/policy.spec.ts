import { expect, test } from "bun:test";

import { memoryHost } from "../../adapters/memory/host.ts";
import { AtomicError } from "../../core/errors.ts";
import { guardWrites, type Policy } from "../../core/policy.ts";
import type { Effect } from "../../core/tool.ts";

const host = memoryHost({
  files: {
    "PLAN.md": "plan\n",
    "notes/a.md": "a\n",
    "notes/out": { link: "/etc/passwd" },
    "notes/up": { link: ".." },
    "notes/etc": { link: "/etc" },
    "notes/new": { link: "/etc/new" },
    "notes/tricky": { link: "etc/../new" },
    "notes/in": { link: "../PLAN.md" },
    "notes/x": { link: "y" },
    "notes/y": { link: "x" },
    "notes-2/a.md": "a\n",
    "src/a.ts": "a\n",
    way: { link: "notes" },
    "/etc/passwd": "root\n",
    "/etc/linked": "one file\n",
    "closed/a": "a\n",
  },
});
host.fs.hardLink("/etc/linked", "/work/notes/linked");
host.fs.hardLink("/etc/linked", "/work/linked");
host.fs.put("/work/closed", { kind: "directory", mode: 0o000 });

const plan = ["/work/notes", "/work/PLAN.md", "/work/new/deep"];
const allowed = "Allowed: notes, PLAN.md, new/deep. Nothing was written.";

const passes: readonly string[] = [
  "/work/PLAN.md",
  "/work/notes",
  "/work/notes/a.md",
  "/work/notes/b.md",
  "/work/notes/deep/er/c.md",
  "/work/notes/in",
  "/work/way/a.md",
  "/work/src/../notes/a.md",
  "/work/notes/up/notes/a.md",
  "/work/notes/up/PLAN.md",
  "/work/new/deep",
  "/work/new/deep/d.md",
];

test.each(passes)("a plan lets %s be written", async (path) => {
  expect(await verdict(path)).toBeUndefined();
});

const refusals: readonly (readonly [string, string])[] = [
  ["/work/src/a.ts", "src/a.ts, outside the allowed paths"],
  ["/work/notes-2/a.md", "notes-2/a.md, outside the allowed paths"],
  ["/work/PLAN.md.bak", "PLAN.md.bak, outside the allowed paths"],
  ["/work/new/e.md", "new/e.md, outside the allowed paths"],
  ["/work", "., outside the allowed paths"],
  ["/etc/passwd", "/etc/passwd, outside the allowed paths"],
  ["/work/notes/../src/a.ts", "src/a.ts, outside the allowed paths"],
  ["/work/notes/out", "notes/out, which leads to /etc/passwd, outside the allowed paths"],
  ["/work/notes/etc/new", "notes/etc/new, which leads to /etc/new, outside the allowed paths"],
  ["/work/notes/new", "notes/new, which leads to /etc/new, outside the allowed paths"],
  // Lexically this is notes/new; the system goes up from /etc.
  ["/work/notes/tricky", "notes/tricky, which leads to /new, outside the allowed paths"],
  [
    "/work/notes/up/src/a.ts",
    "notes/up/src/a.ts, which leads to src/a.ts, outside the allowed paths",
  ],
  ["/work/notes/x", "notes/x, and where that leads cannot be told (ELOOP)"],
  ["/work/closed/a", "closed/a, and where that leads cannot be told (EACCES)"],
  [
    "/work/notes/linked",
    "notes/linked, which has 3 hard links, so that it may be a file outside the allowed paths",
  ],
];

test.each(refusals)("a plan refuses to write %s", async (path, why) => {
  const error = await verdict(path);
  expect(error?.message).toBe(
    `Plan mode: write was refused, since it would write ${why}. ${allowed}`,
  );
  expect([error?.code, error?.status]).toEqual(["policy.plan", 5]);
  expect(error?.data).toMatchObject({ tool: "write", path, allowed: plan });
});

test("a file with hard links is meant where the plan names it itself", async () => {
  expect(await verdict("/work/notes/linked", ["/work/notes/linked"])).toBeUndefined();
  expect(await verdict("/work/notes/linked", ["/work/linked"])).toBeInstanceOf(AtomicError);
});

test("a plan of a link allows what it leads to, of the root everything, of a loop nothing", async () => {
  expect(await verdict("/work/notes/a.md", ["/work/way"])).toBeUndefined();
  expect(await verdict("/work/src/a.ts", ["/work/way"])).toBeInstanceOf(AtomicError);
  expect(await verdict("/etc/passwd", ["/"])).toBeUndefined();
  expect(await verdict("/work/notes/x", ["/work/notes/x"])).toBeInstanceOf(AtomicError);
});

test("the message names ten allowed paths at most, and the target as the caller did", async () => {
  const many = Array.from({ length: 12 }, (_, i) => `/work/p${i}`);
  const check = guard("write", { readOnly: false, plan: many });
  const error = await failure(() => check("/work/src/a.ts", "./src/../src/a.ts"));
  expect(error?.message).toBe(
    "Plan mode: write was refused, since it would write ./src/../src/a.ts, which leads to src/a.ts, outside the allowed paths. Allowed: p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, and 2 more. Nothing was written.",
  );
});

test("control characters of a name stay out of the message", async () => {
  expect((await verdict("/work/a\nb"))?.message).toContain('would write "a\\nb", outside');
});

const planned: Policy = { readOnly: false, plan };
const readOnly: Policy = { readOnly: true };
const both: Policy = { readOnly: true, plan };
const readOnlyText = (deed: string) =>
  `Read-only mode: write was refused, since it would ${deed}. Nothing was written.`;
const runText = `Plan mode: write was refused, since it would run commands, which may write anywhere. ${allowed}`;

const whole: readonly (readonly [Effect, Policy, string | undefined])[] = [
  ["read", readOnly, undefined],
  ["network", readOnly, undefined],
  ["write", readOnly, readOnlyText("write files")],
  ["execute", readOnly, readOnlyText("run commands")],
  ["read", planned, undefined],
  ["network", planned, undefined],
  ["write", planned, undefined],
  ["execute", planned, runText],
  ["write", both, readOnlyText("write files")],
  ["execute", both, readOnlyText("run commands")],
  ["execute", { readOnly: false }, undefined],
];

test.each(whole)("a tool of effect %s under %j", async (effect, policy, message) => {
  const error = await failure(async () => guard(effect, policy));
  expect(error?.message).toBe(message);
  expect(await failure(async () => guard(effect, policy, true))).toBeUndefined();
});

test("in read-only mode a reader may not write either, not even what a plan allows", async () => {
  const check = guard("read", both);
  expect((await failure(() => check("/work/PLAN.md")))?.code).toBe("policy.read_only");
});

test("a dry run passes every check, since it writes nothing", async () => {
  await guard("write", both, true)("/etc/passwd");
});

test("the checks change nothing on the disk", () => {
  const changing = /^(?!stat |lstat |realPath |readLink )/;
  expect(host.fs.calls.filter((call) => changing.test(call))).toEqual([]);
});

function guard(effect: Effect, policy: Policy, dryRun = false) {
  return guardWrites({ name: "write", effect }, policy, { fs: host.fs, cwd: "/work", dryRun });
}

function verdict(path: string, paths = plan): Promise<AtomicError | undefined> {
  return failure(() => guard("write", { readOnly: false, plan: paths })(path));
}

async function failure(work: () => Promise<unknown>): Promise<AtomicError | undefined> {
  try {
    await work();
  } catch (thrown) {
    if (thrown instanceof AtomicError) return thrown;
    throw thrown;
  }
  return undefined;
}
