// Edits killed at any moment: the file is wholly old or wholly new, and the next call works.

import { expect, setDefaultTimeout, test } from "bun:test";
import { spawn } from "node:child_process";
import { linkSync, readdirSync } from "node:fs";
import { dirname, join } from "node:path";

import { executable, runProgram } from "../helpers/run-atomic.ts";
import { type EditPlace, headers, inEditPlace } from "./edit-place.ts";

// Many processes, on a machine that may be busy: a bound for what hangs, not for what is slow.
setDefaultTimeout(120_000);

const rounds = 200;

const filler = (count: number) =>
  Array.from({ length: count }, (_, i) => `${i} ${"x".repeat(40)}\n`).join("");

/** Rounds change the first and the last line, to other lengths, so that a file of two halves would show. */
const files = {
  "small/file.txt": filler(8),
  "big/file.txt": filler(4_600),
  // Has a second name, so it cannot be replaced by renaming: it is written in place.
  "linked/file.txt": filler(4_600),
};

function version(body: string, round: number): string {
  const row = `round ${round} ${"y".repeat(round % 37)}`;
  return `${row}\n${body}${row}\n`;
}

test("an edit that is killed leaves the old file or the new one, and nothing in the way", async () => {
  await inEditPlace({}, async (place) => {
    const names = Object.keys(files);
    for (const [name, body] of Object.entries(files)) place.put(name, version(body, 0));
    linkSync(join(place.folder, "linked/file.txt"), join(place.folder, "linked/second.txt"));
    // The files take turns on their own but share the session's state, so kills also hit waiting neighbours.
    const counts = await Promise.all(
      Object.entries(files).map(([name, body], i) => {
        const share = Math.ceil((rounds - i) / names.length);
        return killRepeatedly(place, name, body, share);
      }),
    );
    const sum = (key: keyof Counts) => counts.reduce((total, count) => total + count[key], 0);
    expect(sum("kept") + sum("changed")).toBe(rounds);

    for (const name of names) {
      await place.change(name, "replace 1..1:", "+done");
      expect(place.bytes(name)).toStartWith("done\n");
      const names = readdirSync(dirname(join(place.folder, name)));
      const others = names.filter((other) => !/^\.atomic-[0-9a-f]+\.tmp$/.test(other));
      expect(others.toSorted()).toEqual(
        name === "linked/file.txt" ? ["file.txt", "second.txt"] : ["file.txt"],
      );
    }
    expect(place.bytes("linked/second.txt")).toBe(place.bytes("linked/file.txt"));
    const session = await place.run(["session", "show"]);
    expect(session).toMatchObject({ status: 0, stderr: { text: "" } });
  });
});

const strace = Bun.which("strace");

test.skipIf(strace === null)(
  "a file written in place and killed half-way is the old one again at the next call (strace)",
  async () => {
    const before = filler(4_600);
    const after = filler(4_600).slice(filler(2_000).length);
    await inEditPlace({ "file.txt": before }, async (place) => {
      const path = join(place.folder, "file.txt");
      linkSync(path, join(place.folder, "second.txt"));
      // Killed when the new text is written but the file not yet cut to its length.
      const inject = ["-e", "trace=ftruncate", "-e", "inject=ftruncate:signal=KILL:when=1"];
      const command = [strace!, "-f", "-qq", "-o", "/dev/null", "-P", path, ...inject, executable];
      for (const then of ["read", "edit"]) {
        place.put("file.txt", before);
        const header = await place.header("file.txt");
        await runProgram([...command, "edit"], {
          cwd: place.folder,
          env: { PATH: "/usr/bin:/bin", HOME: place.folder, ATOMIC_HOME: place.state },
          stdin: `${header}\ndelete 1..2000\n`,
        });
        const torn = place.bytes("file.txt");
        expect([torn === before, torn === after, torn.length]).toEqual([
          false,
          false,
          before.length,
        ]);
        const restored =
          "file.txt had been left half-written by a process that died; its content from before is back.";
        if (then === "read") {
          const read = await place.run(["read", "file.txt"]);
          expect(read.stdout.text.split("\n")[0]).toBe(header);
          expect(read.stderr.text).toContain(restored);
          expect(place.bytes("file.txt") === before).toBe(true);
        } else {
          const edited = await place.edit(header, "delete 1..2000");
          expect(edited.status).toBe(0);
          expect(edited.stdout.text + edited.stderr.text).toContain(restored);
          expect(place.bytes("file.txt") === after).toBe(true);
        }
        expect(place.bytes("second.txt")).toBe(place.bytes("file.txt"));
      }
    });
  },
);

interface Counts {
  /** Rounds after which the file was the old one. */
  kept: number;
  changed: number;
}

async function killRepeatedly(
  place: EditPlace,
  name: string,
  body: string,
  share: number,
): Promise<Counts> {
  const counts = { kept: 0, changed: 0 };
  const last = body.split("\n").length + 1;
  let current = 0;
  let header = await place.header(name);
  // Kills fall anywhere in an edit's life, however busy the machine is.
  const start = performance.now();
  const whole = await place.edit(header, "replace 1..1:", "+warm");
  const life = performance.now() - start;
  expect(whole.status).toBe(0);
  place.put(name, version(body, 0));
  header = await place.header(name);
  for (let round = 1; round <= share; round++) {
    const row = `+${version(body, round).split("\n")[0]}`;
    const script = [header, "replace 1..1:", row, `replace ${last}..${last}:`, row, ""].join("\n");
    await killed(place, script, Math.random() * 1.1 * life);

    // Reading opens the state, and puts back what a write in place left torn. A file that is whole as it was needs none.
    if (place.bytes(name) !== version(body, current)) header = await place.header(name);
    const now = place.bytes(name);
    const isNew = now === version(body, round);
    if (!isNew && now !== version(body, current))
      throw new Error(`${name} is torn: ${describe(now)}`);
    counts[isNew ? "changed" : "kept"]++;
    if (isNew) current = round;

    if (round % 10 > 0) continue;
    // No lock is left.
    const next = await place.edit(header, "insert tail:", "+tail");
    expect([next.status, next.stderr.text]).toEqual([0, ""]);
    expect(place.bytes(name)).toBe(`${version(body, current)}tail\n`);
    const undone = await place.edit(headers(next)[0]!, `delete ${last + 1}`);
    expect(undone.status).toBe(0);
    expect(place.bytes(name)).toBe(version(body, current));
    header = headers(undone)[0]!;
  }
  return counts;
}

async function killed(place: EditPlace, script: string, delay: number): Promise<void> {
  const child = spawn(executable, ["edit"], {
    cwd: place.folder,
    env: { PATH: "/usr/bin:/bin", HOME: place.folder, ATOMIC_HOME: place.state },
    stdio: ["pipe", "ignore", "ignore"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  // It may be dead before it has read the script.
  child.stdin.on("error", () => {});
  child.stdin.end(script);
  await Bun.sleep(delay);
  child.kill("SIGKILL");
  await ended;
}

function describe(content: string): string {
  const rows = content.split("\n");
  return JSON.stringify({
    bytes: content.length,
    rows: rows.length,
    first: rows[0],
    last: rows.at(-2),
  });
}
