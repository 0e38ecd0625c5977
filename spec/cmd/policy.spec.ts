import { expect, test } from "bun:test";
import {
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { policyOf } from "../../cmd/policy.ts";
import { AtomicError } from "../../core/errors.ts";
import { tagOf } from "../../core/hashline/tag.ts";
import { registry } from "../../core/registry.ts";
import { inPlace, type Place } from "./program.ts";

type Given = Parameters<typeof policyOf>[0];

const none: Given = { readOnly: undefined, plan: undefined };

function chosen(flags: Partial<Given>, variables: Record<string, string>, windows = false) {
  return policyOf(
    { ...none, ...flags },
    {
      get: (name) => variables[name],
      cwd: windows ? "C:\\work" : "/work",
      home: windows ? "C:\\Users\\me" : "/home/me",
      platform: windows ? "windows" : "linux",
    },
  );
}

const free = { readOnly: false, plan: undefined, from: undefined };
const on = { readOnly: true, plan: undefined, from: "$ATOMIC_READ_ONLY" };
const understood: readonly (readonly [Partial<Given>, Record<string, string>, object])[] = [
  [{}, {}, free],
  [{}, { ATOMIC_READ_ONLY: "" }, free],
  [{}, { ATOMIC_READ_ONLY: "0" }, free],
  [{}, { ATOMIC_READ_ONLY: "Off" }, free],
  [{}, { ATOMIC_READ_ONLY: "1" }, on],
  [{}, { ATOMIC_READ_ONLY: "TRUE" }, on],
  [{}, { ATOMIC_READ_ONLY: "yes" }, on],
  [{ readOnly: true }, {}, { ...on, from: "--read-only" }],
  [{ readOnly: false }, { ATOMIC_READ_ONLY: "1" }, free],
  [{ plan: ["a"] }, {}, { readOnly: false, plan: ["/work/a"], from: "--plan" }],
  [{ plan: ["a:b", "../c/"] }, {}, { readOnly: false, plan: ["/work/a:b", "/c"], from: "--plan" }],
  [
    {},
    { ATOMIC_PLAN: "a:/b:." },
    { readOnly: false, plan: ["/work/a", "/b", "/work"], from: "$ATOMIC_PLAN" },
  ],
  [
    { plan: ["~", "~/x", "./~", "~x"] },
    { ATOMIC_PLAN: "" },
    {
      readOnly: false,
      plan: ["/home/me", "/home/me/x", "/work/~", "/work/~x"],
      from: "--plan",
    },
  ],
  [
    { plan: ["a"] },
    { ATOMIC_READ_ONLY: "1" },
    { readOnly: true, plan: ["/work/a"], from: "$ATOMIC_READ_ONLY" },
  ],
];

test.each(understood)("policyOf(%j, %j)", (flags, variables, expected) => {
  expect(chosen(flags, variables)).toEqual(expected as never);
});

test("policyOf on Windows takes ; between paths, so that drives keep their colon", () => {
  expect(chosen({}, { ATOMIC_PLAN: "a;D:\\b" }, true).plan).toEqual(["C:/work/a", "D:/b"]);
});

const wrong: readonly (readonly [Partial<Given>, Record<string, string>, string])[] = [
  [
    {},
    { ATOMIC_READ_ONLY: "maybe" },
    'ATOMIC_READ_ONLY is either on or off: expected 1 or 0, but got "maybe".',
  ],
  [
    {},
    { ATOMIC_READ_ONLY: " 1" },
    'ATOMIC_READ_ONLY is either on or off: expected 1 or 0, but got " 1".',
  ],
  [{}, { ATOMIC_PLAN: "" }, "ATOMIC_PLAN is empty, so it names no path."],
  [{ readOnly: true }, { ATOMIC_PLAN: "" }, "ATOMIC_PLAN is empty, so it names no path."],
  [
    {},
    { ATOMIC_PLAN: "a::b" },
    'ATOMIC_PLAN must be paths with ":" between them, but "a::b" has an empty one.',
  ],
  [
    { plan: ["a", ""] },
    {},
    "Flag --plan needs the path of a file or folder, but got an empty one.",
  ],
];

test.each(wrong)("policyOf(%j, %j) refuses to guess", (flags, variables, message) => {
  let error: unknown;
  try {
    chosen(flags, variables);
  } catch (thrown) {
    error = thrown;
  }
  expect(error).toBeInstanceOf(AtomicError);
  expect([(error as AtomicError).code, (error as AtomicError).message]).toEqual([
    "usage.command",
    message,
  ]);
});

const a = "one\ntwo\n";
const change = `[notes/a.txt#${tagOf(a)}]\nreplace 2..2:\n+TWO\n`;
const files = { "notes/a.txt": a, "src/b.txt": a };

test("a plan lets edits inside through and refuses the rest, by flag and by variable", async () => {
  await inPlace(files, async ({ folder, run }) => {
    await run(["read", "notes/a.txt", "src/b.txt"]);
    const both = `${change}[src/b.txt#${tagOf(a)}]\nreplace 2..2:\n+TWO\n`;
    const refusal = {
      status: 5,
      stdout: "",
      stderr:
        "Plan mode: edit was refused, since it would write src/b.txt, outside the allowed paths. Allowed: notes. Nothing was written.\nWrite inside the allowed paths, or ask for them to be widened (--plan PATH, ATOMIC_PLAN).\n",
    };
    expect(await run(["edit", "--plan", "notes"], { stdin: both })).toEqual(refusal);
    expect(await run(["edit"], { stdin: both, env: { ATOMIC_PLAN: "notes" } })).toEqual(refusal);
    expect(readFileSync(join(folder, "notes/a.txt"), "utf8")).toBe(a);
    const dry = await run(["edit", "--dry-run", "--plan", "notes"], { stdin: both });
    expect([dry.status, dry.stderr]).toEqual([0, ""]);
    expect((await run(["--plan", "notes", "edit", "--plan", "x"], { stdin: change })).status).toBe(
      0,
    );
    expect(readFileSync(join(folder, "notes/a.txt"), "utf8")).toBe("one\nTWO\n");
  });
});

test("a link inside the plan that points outside is refused", async () => {
  await inPlace(files, async ({ folder, run }) => {
    symlinkSync("../src/b.txt", join(folder, "notes/link"));
    await run(["read", "src/b.txt"]);
    const script = `[notes/link#${tagOf(a)}]\nreplace 2..2:\n+TWO\n`;
    const { status, stdout } = await run(["edit", "--json", "--plan", "notes"], { stdin: script });
    expect([status, JSON.parse(stdout).details]).toMatchObject([
      5,
      { code: "policy.plan", status: 5, tool: "edit", allowed: [join(folder, "notes")] },
    ]);
    expect(readFileSync(join(folder, "src/b.txt"), "utf8")).toBe(a);
  });
});

test("a value that is neither on nor off stops tools, and doctor tells of it", async () => {
  await inPlace(files, async ({ run }) => {
    const env = { ATOMIC_READ_ONLY: "maybe" };
    const said = 'ATOMIC_READ_ONLY is either on or off: expected 1 or 0, but got "maybe".';
    const ran = await run(["edit"], { stdin: change, env });
    expect([ran.status, ran.stderr.split("\n")[0]]).toEqual([2, said]);
    const doctor = await run(["doctor"], { env });
    expect([doctor.status, doctor.stdout.replace(/\s+/g, " ")]).toEqual([
      1,
      expect.stringContaining(`policy WRONG: ${said}`),
    ]);
    expect((await run(["--help"], { env })).status).toBe(0);
  });
});

test("doctor shows the policy that is in force", async () => {
  await inPlace(files, async ({ folder, run }) => {
    const found = async (args: readonly string[], env = {}) => {
      const { stdout } = await run(["doctor", "--json", ...args], { env });
      const { findings } = JSON.parse(stdout).details;
      return findings.find(({ check }: { check: string }) => check === "policy").found;
    };
    expect(await found([])).toBe("none: every file may be written");
    expect(await found(["--read-only"])).toBe(
      "read-only (--read-only): what writes files or runs commands is refused",
    );
    expect(await found([], { ATOMIC_PLAN: "notes:new.md" })).toBe(
      `plan ($ATOMIC_PLAN): only these are written: ${folder}/notes, ${folder}/new.md (not there)`,
    );
  });
});

test("session clear is no write to users' files; clear --changes takes from undo and is refused", async () => {
  await inPlace(files, async ({ run }) => {
    await run(["read", "notes/a.txt"]);
    for (const [mode, name] of [
      ["--read-only", "Read-only"],
      ["--plan=notes", "Plan"],
    ] as const) {
      const refused = await run(["session", "clear", "--changes", mode]);
      expect([refused.status, refused.stderr.split("\n")[0]]).toEqual([
        5,
        `${name} mode: session clear --changes was refused, since it would forget what undo needs. Nothing was forgotten.`,
      ]);
      expect((await run(["session", "clear", mode])).status).toBe(0);
    }
  });
});

// What the examples name: with the policy off they would all do what they say.
const prepared = { "src/a.ts": textWithTag("0A3B") };

for (const row of registry.filter(({ effect }) => effect === "write" || effect === "execute")) {
  test(`${row.name} is refused in both modes and leaves no trace, whether there is state or none`, async () => {
    const { examples } = await row.load();
    for (const { input } of examples) {
      await inPlace(prepared, async (place) => {
        const call = (...more: string[]) =>
          place.run(["call", row.name, JSON.stringify(input), "--json", ...more]);
        for (const known of [false, true]) {
          if (known) await place.run(["read", ...Object.keys(prepared)]);
          for (const [code, flags] of [
            ["policy.read_only", ["--read-only"]],
            ["policy.plan", ["--plan", "elsewhere"]],
            ["policy.read_only", ["--plan", ".", "--read-only"]],
          ] as const) {
            const before = treeOf(place);
            const { status, stdout } = await call(...flags);
            expect([status, JSON.parse(stdout).details.code]).toEqual([5, code]);
            expect(treeOf(place)).toEqual(before);
          }
        }
        // Else the refusals above would prove nothing. A command ends as it likes, but it was run.
        const before = treeOf(place);
        const { status } = await call();
        if (row.effect === "write") {
          expect(status).toBe(0);
          expect(treeOf(place)).not.toEqual(before);
        } else expect(status).not.toBe(5);
      });
    }
  });
}

test("the tree that is compared shows every kind of trace", async () => {
  await inPlace({ a: "1" }, async (place) => {
    const before = treeOf(place);
    writeFileSync(join(place.folder, "a"), "2");
    expect(treeOf(place)).not.toEqual(before);
    const changed = treeOf(place);
    symlinkSync("a", join(place.folder, "b"));
    expect(treeOf(place)).not.toEqual(changed);
    expect(Object.keys(changed).toSorted()).toEqual([".", "work", "work/a"]);
  });
});

/** All that is in the place, the state among it, with modes and times. */
function treeOf({ folder }: Place): Readonly<Record<string, string>> {
  const root = join(folder, "..");
  const found: Record<string, string> = {};
  function look(name: string): void {
    const path = join(root, name);
    const stat = lstatSync(path);
    const facts = [stat.mode.toString(8), stat.mtimeMs, stat.ino];
    if (stat.isFile()) facts.push(Bun.hash(readFileSync(path)).toString(16));
    if (stat.isSymbolicLink()) facts.push(readlinkSync(path));
    found[name] = facts.join(" ");
    if (stat.isDirectory()) for (const inner of readdirSync(path)) look(join(name, inner));
  }
  look(".");
  return found;
}

function textWithTag(tag: string): string {
  for (let i = 0; ; i++) {
    const text = `const X = "a";\nconst i = ${i};\n`;
    if (tagOf(text) === tag) return text;
  }
}
