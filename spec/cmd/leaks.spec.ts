// After commands that end in every way there is, nothing of ours is left: no process, descriptor, lock or file. A few runs
// here; ATOMIC_LEAK_RUNS=500 for many.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { binary, inPlace } from "./program.ts";

setDefaultTimeout(3_600_000);

const RUNS = Number(process.env["ATOMIC_LEAK_RUNS"] ?? 16);

interface Way {
  readonly args: readonly string[];
  readonly command: string;
  /** What is done to our program once the command has begun. */
  readonly once?: "SIGINT" | "SIGTERM" | "SIGHUP" | "close";
}

const begun = "echo begun; ";
const wild = `(setsid sleep 600 &); (trap '' TERM; sleep 600) & nohup sleep 600 >/dev/null 2>&1 & ${begun}`;

const ways: readonly Way[] = [
  { args: [], command: "true" },
  { args: [], command: "exit 7" },
  { args: [], command: "kill -9 $$" },
  { args: [], command: "seq 1 5000" },
  { args: ["--pty"], command: "seq 1 100" },
  { args: ["--stream"], command: "seq 1 5000; exit 1" },
  { args: ["--timeout", "1"], command: `${wild}sleep 600` },
  { args: ["--timeout", "1", "--pty"], command: `${begun}sleep 600` },
  { args: ["--stream"], command: `${wild}sleep 600`, once: "SIGINT" },
  { args: ["--stream"], command: `${wild}sleep 600`, once: "SIGTERM" },
  { args: ["--stream", "--pty"], command: `${begun}sleep 600`, once: "SIGTERM" },
  { args: ["--stream", "--timeout", "2"], command: `${begun}yes`, once: "close" },
  { args: ["--cwd", "gone"], command: "true" },
  { args: [], command: "rm -rf /" },
  { args: [], command: "exec >&- 2>&-; exit 3" },
  { args: [], command: "printf '\\360\\237'; head -c 200000 /dev/urandom" },
];

test(`${RUNS} runs with different endings leave nothing behind`, async () => {
  await inPlace({}, async ({ folder, env: given }) => {
    const tmp = join(folder, "../tmp");
    mkdirSync(tmp);
    const mark = `LEAK_TEST_${crypto.randomUUID()}`;
    const env = { ...given, TMPDIR: tmp, [mark]: "1" };
    for (let run = 0; run < RUNS; run++) {
      const { args, command, once } = ways[run % ways.length]!;
      const child = Bun.spawn([binary, "bash", ...args, command], {
        cwd: folder,
        env,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "ignore",
      });
      const reader = child.stdout.getReader();
      if (once !== undefined) await reader.read();
      if (once === "close") await reader.cancel();
      else if (once !== undefined) child.kill(once);
      if (once !== "close") while (!(await reader.read()).done);
      await child.exited;
      expect([run, command, processesWith(mark)]).toEqual([run, command, []]);
    }
    const logs = filesIn(tmp).map((path) => path.replace(/^.*\/atomic-\d+\/default\//, ""));
    expect(
      logs.filter(
        (path) => !/^atomic-bash-[0-9a-f]{16}\.log$/.test(path) && !path.endsWith("/.last-cleanup"),
      ),
    ).toEqual([]);
    expect(filesIn(folder)).toEqual([]);
    const state = given["ATOMIC_HOME"]!;
    expect(
      existsSync(state) ? filesIn(state).filter((path) => !path.endsWith("/.last-cleanup")) : [],
    ).toEqual([]);
  });
});

test("a command gets three descriptors and no more", async () => {
  await inPlace({}, async ({ run }) => {
    for (const flags of [[], ["--pty"], ["--stdin"], ["--stream"]]) {
      const look = "for n in $(seq 0 63); do [ -e /proc/$$/fd/$n ] && echo $n; done";
      const { stdout } = await run(["bash", ...flags, look]);
      expect([flags, stdout]).toEqual([flags, "0\n1\n2\n"]);
    }
  });
});

function processesWith(mark: string): readonly string[] {
  return readdirSync("/proc").flatMap((pid) => {
    if (!/^\d+$/.test(pid)) return [];
    try {
      if (!readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark)) return [];
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      // One that has ended and waits for its parent is none.
      if (stat.slice(stat.lastIndexOf(")") + 2).startsWith("Z")) return [];
      return [`${pid} ${readFileSync(`/proc/${pid}/cmdline`, "latin1").replaceAll("\0", " ")}`];
    } catch {
      return [];
    }
  });
}

function filesIn(folder: string): readonly string[] {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
}
