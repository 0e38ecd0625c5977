// Background tasks as a caller of the program meets them: bash --background, tasks and kill, and what goes wrong around them.

import { spawnSync } from "node:child_process";
import { describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";

import { binary } from "./program.ts";
import { inTasksPlace, isAlive, processesWith, until } from "./tasks-place.ts";

setDefaultTimeout(120_000);

const unknown = "task_00000000000000000000000000000000";

describe("a task", () => {
  test("has an id at once, goes on without its caller, and keeps output, state and ending", async () => {
    await inTasksPlace(async ({ run, folder, pathOf, details }) => {
      const command = "echo one; while [ ! -e go ]; do sleep 0.01; done; echo two; exit 3";
      const started = await run(["bash", "--background", command]);
      const id = started.stdout.trim();
      expect([started.status, id]).toEqual([0, expect.stringMatching(/^task_[0-9a-f]{32}$/)]);
      const log = pathOf(id, "output.log");
      expect(started.stderr).toBe(
        `started in the background, for at most 300 s; output: ${log}\n` +
          `state and output: atomic tasks ${id}; to stop it: atomic kill ${id}\n`,
      );
      await until(() => readFileSync(log, "utf8") === "one\n");
      const shown = await run(["tasks", id]);
      expect([shown.status, shown.stdout]).toEqual([0, "one\n"]);
      expect(shown.stderr).toMatch(
        new RegExp(
          `^still running, \\d+\\.\\d s of at most 300 s; task ${id}\nbytes 0 to 4 of 4 of the output; log: ${log}\n$`,
        ),
      );
      expect((await run(["tasks"])).stdout).toMatch(
        new RegExp(`^${id}  running, \\d+\\.\\d s of at most 300 s\n  echo one; while `),
      );
      expect((await run(["tasks", "--wait", "0.1", id])).status).toBe(124);
      writeFileSync(join(folder, "go"), "");
      const ended = await run(["tasks", "--wait", "60", id]);
      expect([ended.status, ended.stdout]).toEqual([3, "one\ntwo\n"]);
      expect(ended.stderr).toMatch(
        /^exit code 3, after \d+\.\d s\nbytes 0 to 8 of 8 of the output; /,
      );
      expect((await run(["tasks", id])).status).toBe(0);
      expect(await run(["tasks", "--running"])).toEqual({
        status: 0,
        stdout: "No task of the session default is running.\n",
        stderr: "",
      });
      const read = await run(["read", log]);
      expect(read.stdout).toMatch(/\n1:one\n2:two\n3:\[ended: exit code 3, after \d+\.\d s\]\n$/);
      expect(await details("tasks", id)).toMatchObject({
        task: { id, state: "settled", command, result: { kind: "completed", exitCode: 3 } },
        output: { from: 0, to: 8, total: 8 },
        nextOffset: 8,
        fullOutputPath: log,
      });
      expect(readdirSync(pathOf(id, "")).toSorted()).toEqual(
        ["child.json", "ending.json", "output.log", "supervisor.json", "task.json"].toSorted(),
      );
      for (const name of readdirSync(pathOf(id, ""))) {
        expect([name, statSync(pathOf(id, name)).mode & 0o777]).toEqual([name, 0o600]);
      }
    });
  });

  test.each<readonly [command: string, status: number, last: RegExp]>([
    ["true", 0, /^\[ended: exit code 0, after \d+\.\d s\]\n$/],
    ["printf x", 0, /^x\n\[ended: exit code 0, after /],
    ["kill -9 $$", 137, /^\[ended: terminated by SIGKILL, after /],
    ["echo a; sleep 600", 124, /^a\n\[ended: timed out after 1 s, after 1\.\d s\]\n$/],
  ])("%s ends as it does in the foreground", async (command, status, last) => {
    await inTasksPlace(async ({ run, start, pathOf }) => {
      const id = await start(command, "--timeout", "1.9");
      expect((await run(["tasks", "--wait", "60", id])).status).toBe(status);
      expect(readFileSync(pathOf(id, "output.log"), "utf8")).toMatch(last);
    });
  });

  test("has the caller's folder, variables and session, no input, and nothing that is ours", async () => {
    await inTasksPlace(
      async ({ run, env, folder, tasksFolder }) => {
        const own = { ...env, BUN_OPTIONS: "--smol", SECRET_4711: "hidden" };
        const command =
          "pwd; echo $A-$BUN_OPTIONS-$SECRET_4711-$ATOMIC_SESSION; cat; ls /proc/self/fd | wc -l";
        const words = ["bash", "--background", "--cwd", "sub", "--env", "A=given", command];
        const { stdout } = await run(words, { env: own });
        const id = stdout.trim();
        const shown = await run(["tasks", id, "--wait", "60"], { env: own });
        expect(shown.stdout).toBe(`${folder}/sub\ngiven---smol-hidden-default\n4\n`);
        for (const name of readdirSync(join(tasksFolder, id))) {
          expect(readFileSync(join(tasksFolder, id, name), "utf8")).not.toContain(
            name === "output.log" || name === "ending.json" ? "SECRET" : "given",
          );
        }
        const stdin = await run(["bash", "--background", "--stdin", "cat"]);
        expect([stdin.status, stdin.stderr]).toEqual([
          2,
          "Flag --stdin does not go with --background: our standard input ends when we do.\n",
        ]);
        const terminal = await run(["bash", "--background", "--pty", "stty size; tty | cut -c1-8"]);
        const size = await run(["tasks", "--wait", "60", terminal.stdout.trim()]);
        expect(size.stdout).toBe("40 120\n/dev/pts\n");
      },
      { "sub/a": "" },
    );
  });

  test("that cannot be started is told to its caller, and leaves nothing", async () => {
    await inTasksPlace(async ({ run, tasksFolder, env }) => {
      const gone = await run(["bash", "--background", "--cwd", "gone", "true"]);
      expect([gone.status, gone.stderr]).toEqual([
        2,
        "The working folder gone does not exist. Nothing was run.\n",
      ]);
      const long = await run(["call", "bash"], {
        stdin: JSON.stringify({ command: `: ${"x".repeat(3_000_000)}`, background: true }),
      });
      expect([long.status, long.stderr]).toEqual([
        126,
        expect.stringMatching(/^The command is too long for the system \(\d+ characters\)\.\n/),
      ]);
      expect(readdirSync(tasksFolder)).toEqual([]);
      const home = join(env["ATOMIC_HOME"]!, "../no");
      writeFileSync(home, "");
      const nowhere = await run(["bash", "--background", "true"], { env: { ATOMIC_HOME: home } });
      expect([nowhere.status, nowhere.stdout]).toEqual([7, ""]);
      expect(nowhere.stderr).toMatch(
        /^A background task cannot be kept in ".*\/no\/sessions\/default\/tasks": ENOTDIR\. Nothing was run\.\n/,
      );
    });
  });

  test("is shown from any byte on, without control characters and without half of one", async () => {
    await inTasksPlace(async ({ run, start, folder, details }) => {
      const id = await start(
        "printf 'a\\033[3'; while [ ! -e one ]; do sleep 0.01; done; printf '1mb\\360\\237'; while [ ! -e two ]; do sleep 0.01; done; printf '\\230\\200c\\n'",
      );
      const seen = (at: number) => details("tasks", id, "--offset", String(at));
      await until(async () => (await seen(0)).output.total === 4);
      expect((await seen(0)).output).toEqual({ from: 0, to: 1, total: 4 });
      writeFileSync(join(folder, "one"), "");
      await until(async () => (await seen(0)).output.total === 9);
      expect((await seen(1)).output).toEqual({ from: 1, to: 7, total: 9 });
      expect((await run(["tasks", id, "--offset", "1"])).stdout).toBe("b");
      writeFileSync(join(folder, "two"), "");
      await run(["tasks", id, "--wait", "60"]);
      expect((await run(["tasks", id, "--offset", "7"])).stdout).toBe("😀c\n");
      expect((await run(["tasks", id])).stdout).toBe("ab😀c\n");
      const beyond = await run(["tasks", id, "--offset", "99"]);
      expect([beyond.status, beyond.stdout]).toEqual([0, ""]);
      expect(beyond.stderr).toContain("no output after byte 13; ");
    });
  });

  test("that writes much shows its end and has all of it in its log", async () => {
    await inTasksPlace(async ({ run, start, pathOf }) => {
      const id = await start("seq 1 4000");
      const { stdout } = await run(["tasks", id, "--wait", "60"]);
      expect(stdout).toStartWith("1001\n");
      expect(stdout).toEndWith(
        `\n4000\n\n[lines 1001-4000 of 4000. Full output: ${pathOf(id, "output.log")}]\n`,
      );
      const endless = await start("yes", "--timeout", "2");
      const cut = await run(["tasks", endless, "--wait", "60"]);
      expect([cut.status, statSync(pathOf(endless, "output.log")).size <= 67_108_864]).toEqual([
        124,
        true,
      ]);
      const log = readFileSync(pathOf(endless, "output.log"), "utf8").slice(-150);
      expect(log).toMatch(
        /\ny?\n\[Output truncated: persisted-output cap of 67108864 bytes reached\]\n\[ended: timed out after 2 s, after \d+\.\d s\]\n$/,
      );
    });
  });

  test("is followed to its end as it comes, also in objects, and an interrupt leaves it alone", async () => {
    await inTasksPlace(async ({ run, start, folder, env, file }) => {
      const id = await start(
        "echo a; while [ ! -e go ]; do sleep 0.01; done; seq 1 20000; printf '\\033[1mend'; exit 4",
      );
      const follow = () =>
        Bun.spawn([binary, "tasks", "--follow", id], {
          cwd: folder,
          env,
          stdout: "pipe",
          stderr: "pipe",
        });
      const stopped = follow();
      const out = stopped.stdout.getReader();
      expect(new TextDecoder().decode((await out.read()).value)).toBe("a\n");
      stopped.kill("SIGINT");
      expect(await stopped.exited).toBe(130);
      expect(isAlive(Number(file(id, "supervisor.json")["pid"]))).toBe(true);
      const child = follow();
      writeFileSync(join(folder, "go"), "");
      const numbers = Array.from({ length: 20_000 }, (_, at) => `${at + 1}\n`).join("");
      expect(await child.stdout.text()).toBe(`a\n${numbers}end`);
      expect(await child.exited).toBe(4);
      const { stdout, status } = await run(["tasks", "-f", "--jsonl", id]);
      const lines = stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
      expect([
        status,
        lines
          .slice(0, -1)
          .map(({ text }) => text)
          .join(""),
      ]).toEqual([4, `a\n${numbers}end`]);
      expect(lines.at(-1)).toMatchObject({
        type: "result",
        isError: true,
        details: { task: { id, state: "settled" } },
      });
    });
  });

  test("outlives a caller that is killed, or was never there", async () => {
    await inTasksPlace(async ({ run, folder, env, tasksFolder }) => {
      for (const delay of [0, 20, 40, 60, 80, 120, 160]) {
        const child = Bun.spawn([binary, "bash", "--background", "echo a; sleep 0.2; echo b"], {
          cwd: folder,
          env,
          stdout: "ignore",
          stderr: "ignore",
        });
        await Bun.sleep(delay);
        child.kill("SIGKILL");
        await child.exited;
      }
      await until(() => processesWith(env["ATOMIC_HOME"]!).length === 0);
      for (const id of existsSync(tasksFolder) ? readdirSync(tasksFolder) : []) {
        const whole = await run(["tasks", id, "--wait", "1"]);
        // Either it was started, and then came to its end; or nothing of it ever ran.
        if (whole.status === 0) expect(whole.stdout).toBe("a\nb\n");
        else expect([whole.status, whole.stdout]).toEqual([expect.any(Number), ""]);
      }
    });
  });

  test("is one of many at once, each with an id and output of its own", async () => {
    const count = Number(process.env["ATOMIC_SPEC_TASKS"] ?? 8);
    await inTasksPlace(async ({ run, start }) => {
      const all = Array.from({ length: count }, (_, at) => at);
      const ids = await Promise.all(
        all.map((at) => start(`echo ${at}; sleep 0.2; exit ${at % 3}`)),
      );
      expect(new Set(ids).size).toBe(count);
      const ended = await Promise.all(ids.map((id) => run(["tasks", id, "--wait", "60"])));
      expect(ended.map(({ status, stdout }) => [status, stdout])).toEqual(
        all.map((at) => [at % 3, `${at}\n`]),
      );
      const listed = (await run(["tasks", "--ids", "--all"])).stdout.trim().split("\n");
      expect(listed.toSorted()).toEqual(ids.toSorted());
    });
  });

  test("is still known when its log is deleted", async () => {
    await inTasksPlace(async ({ run, start, folder, pathOf }) => {
      const id = await start("echo a; while [ ! -e go ]; do sleep 0.01; done; echo b");
      await until(() => readFileSync(pathOf(id, "output.log"), "utf8") === "a\n");
      rmSync(pathOf(id, "output.log"));
      const shown = await run(["tasks", id]);
      expect([shown.status, shown.stdout]).toEqual([0, ""]);
      expect(shown.stderr).toContain("\nits log has been deleted\n");
      writeFileSync(join(folder, "go"), "");
      const ended = await run(["tasks", id, "--wait", "60"]);
      expect([ended.status, ended.stdout]).toEqual([0, "a\nb\n"]);
      expect(ended.stderr).toContain("\nits log has been deleted\n");
      expect((await run(["kill", id])).stdout).toContain(
        "execution: settled: completed, exit code 0",
      );
    });
  });

  test("is left alone by session clear and gc while it runs, and goes with its age", async () => {
    await inTasksPlace(async ({ run, start, pathOf, tasksFolder }) => {
      const alive = await start("sleep 600");
      const over = await start("true");
      await run(["tasks", over, "--wait", "60"]);
      await run(["session", "clear", "--changes"]);
      const old = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000);
      for (const id of [alive, over]) {
        for (const name of readdirSync(pathOf(id, ""))) utimesSync(pathOf(id, name), old, old);
      }
      // From another session, too.
      const { stdout } = await run(["gc", "--session", "other"]);
      expect(stdout).toBe(`Removed 1 folder:\n${join(tasksFolder, over)}\n`);
      expect((await run(["tasks", "--running", "--ids"])).stdout).toBe(`${alive}\n`);
      expect((await run(["kill", alive])).stdout).toContain(
        "execution: settled: cancelled (user)\n",
      );
    });
  });
});

describe("kill", () => {
  const stubborn = "trap '' TERM; echo \\$\\$ >> pids; while :; do sleep 1; done";
  const spread = [
    `sh -c "${stubborn}" &`,
    `setsid sh -c "${stubborn}" &`,
    "(setsid nohup sh -c 'echo $$ >> pids; sleep 600' >/dev/null 2>&1 &)",
    "for i in $(seq 20); do sh -c 'echo $$ >> pids; exec sleep 600' & done",
    "while [ $(wc -l < pids) -lt 23 ]; do sleep 0.01; done; echo started; wait; sleep 600",
  ].join("\n");

  test("ends all that was started, wherever it went, and keeps to its first decision", async () => {
    await inTasksPlace(async ({ run, start, folder, pathOf, details }) => {
      const id = await start(spread);
      await until(() => readFileSync(pathOf(id, "output.log"), "utf8") === "started\n");
      const { status, stdout } = await run(["kill", id]);
      expect([status, stdout]).toEqual([
        0,
        `${id}\ndecision: cancellation-requested\nexecution: settled: cancelled (user)\ncleanup: reaped\n`,
      ]);
      const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
      expect([pids.length, pids.filter(isAlive)]).toEqual([23, []]);
      const first = await details("kill", id);
      expect<unknown>(first).toEqual({
        taskId: id,
        decision: "cancellation-requested",
        decidedAt: expect.any(String),
        execution: { kind: "settled", result: { kind: "cancelled", cause: "user" } },
        cleanup: { kind: "reaped" },
      });
      expect(await details("kill", id)).toEqual(first);
      expect(readFileSync(pathOf(id, "output.log"), "utf8")).toMatch(
        /^started\n\[ended: cancelled, after \d+\.\d s\]\n$/,
      );
      expect((await run(["tasks", id, "--wait", "1"])).status).toBe(143);
    });
  });

  test("ends what has cast off the mark and the group as well, while its parents tell", async () => {
    await inTasksPlace(async ({ run, start, folder }) => {
      const bare =
        "env -i setsid sh -c 'echo $$ >> pids; env -i setsid sleep 600 & echo $! >> pids; wait'";
      const id = await start(`${bare} & wait`);
      const pids = () => readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
      await until(() => existsSync(join(folder, "pids")) && pids().length === 2);
      expect(pids().every(isAlive)).toBe(true);
      expect((await run(["kill", id])).stdout).toEndWith("cleanup: reaped\n");
      expect(pids().filter(isAlive)).toEqual([]);
    });
  });

  test("ends a supervisor that does not answer, once it was asked long enough", async () => {
    await inTasksPlace(async ({ run, start, file, pathOf }) => {
      const id = await start("sleep 600");
      const pid = Number(file(id, "supervisor.json")["pid"]);
      process.kill(pid, "SIGSTOP");
      const first = await run(["kill", id]);
      expect([first.status, first.stdout]).toEqual([
        0,
        `${id}\ndecision: cancellation-requested\nexecution: cancelling\ncleanup: pending\n`,
      ]);
      expect((await run(["tasks", id])).stderr).toStartWith("still being ended; ");
      writeFileSync(pathOf(id, "cancel.json"), JSON.stringify({ at: Date.now() - 9_000 }));
      expect((await run(["kill", id])).stdout).toBe(
        `${id}\ndecision: cancellation-requested\nexecution: settled: cancelled (user)\ncleanup: reaped\n`,
      );
      expect([isAlive(pid), processesWith(id)]).toEqual([false, []]);
    });
  });

  test("the deadline does the same", async () => {
    await inTasksPlace(async ({ run, start, folder }) => {
      const id = await start(spread, "--timeout", "2");
      expect((await run(["tasks", id, "--wait", "60"])).status).toBe(124);
      const pids = readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
      expect([pids.length, pids.filter(isAlive)]).toEqual([23, []]);
      expect((await run(["kill", id])).stdout).toBe(
        `${id}\ndecision: already-settled\nexecution: settled: cancelled (execution-timeout)\ncleanup: reaped\n`,
      );
    });
  });

  test("leaves finished work its outcome, and ends what that has left running", async () => {
    await inTasksPlace(async ({ run, start, folder }) => {
      const id = await start("setsid sh -c 'echo $$ > pid; sleep 600' & sleep 0.2; exit 7");
      const shown = await run(["tasks", id, "--wait", "60"]);
      const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
      expect([shown.status, isAlive(pid)]).toEqual([7, true]);
      expect(shown.stderr).toContain(`\nleft running: ${pid} (`);
      const receipt = `${id}\ndecision: already-settled\nexecution: settled: completed, exit code 7\ncleanup: reaped\n`;
      for (let time = 0; time < 2; time++) expect((await run(["kill", id])).stdout).toBe(receipt);
      expect(isAlive(pid)).toBe(false);
    });
  });

  test("takes ids of this session's tasks only", async () => {
    await inTasksPlace(async ({ run, start, file }) => {
      const id = await start("sleep 600", "--session", "theirs");
      const foreign = await run(["kill", id]);
      expect([foreign.status, foreign.stdout, foreign.stderr]).toEqual([
        5,
        "",
        `${id} belongs to the session theirs, and this one is default. Nothing was done.\nOn the command line, --session names the session.\n`,
      ]);
      expect((await run(["tasks", id])).status).toBe(5);
      const mine = await start("sleep 600");
      const { pid } = file(mine, "child.json");
      const refused: readonly (readonly [string, string])[] = [
        [String(pid), `${pid} is the number of a process, and no task's id. Nothing was ended.`],
        [`-${pid}`, `-${pid} is the number of a process, and no task's id. Nothing was ended.`],
        [unknown, `There is no task ${unknown} in the session default.`],
        [mine.slice(0, -1), "is no task's id"],
        [`../${mine}`, "is no task's id"],
        ["", "is no task's id"],
      ];
      for (const [given, message] of refused) {
        const { status, stdout, stderr } = await run(["kill", "--", given]);
        expect([status, stdout, stderr.includes(message)]).toEqual([4, "", true]);
      }
      expect(isAlive(Number(pid))).toBe(true);
      const readOnly = await run(["kill", "--read-only", mine]);
      expect([readOnly.status, readOnly.stderr]).toEqual([
        5,
        "Read-only mode: kill was refused, since it would end a task. Nothing was written.\n",
      ]);
      const plan = await run(["kill", "--plan", ".", mine]);
      expect([plan.status, plan.stderr.includes("since it would end a task.")]).toEqual([5, true]);
      expect(isAlive(Number(pid))).toBe(true);
    });
  });

  test("of several at once, and against the natural end, makes one decision and one ending", async () => {
    await inTasksPlace(async ({ run, start, pathOf, details }) => {
      for (const pause of [0, 0.03, 0.06, 0.1, 0.15]) {
        const id = await start(`echo a; sleep ${pause}`);
        const kills = await Promise.all([1, 2, 3].map(() => run(["kill", "--json", id])));
        const receipts = kills.map(({ stdout }) => JSON.parse(stdout).details);
        const last = await details("kill", id);
        for (const { decision, decidedAt, execution } of receipts) {
          expect(execution).toEqual(last.execution);
          // One that came when it was over is told so; the request of another one may be under way.
          if (decision === last.decision) expect(decidedAt).toBe(last.decidedAt);
        }
        const words: Record<string, string> = { completed: "exit code 0", cancelled: "cancelled" };
        const { kind } = last.execution.result;
        expect(readFileSync(pathOf(id, "output.log"), "utf8")).toMatch(
          new RegExp(`^(a\n)?\\[ended: ${words[kind!]}, after \\d+\\.\\d s\\]\n$`),
        );
      }
    });
  });
});

describe("without its supervisor", () => {
  test("a task says so, and kill finds what is left by its mark", async () => {
    await inTasksPlace(async ({ run, start, folder, file, details }) => {
      const id = await start(
        "setsid sh -c 'echo $$ > pid; sleep 600' & while [ ! -s pid ]; do sleep 0.01; done; sleep 600",
      );
      await until(() => existsSync(join(folder, "pid")));
      process.kill(Number(file(id, "supervisor.json")["pid"]), "SIGKILL");
      await until(async () => (await details("tasks", id)).task.state === "lost");
      const shown = await run(["tasks", id, "--wait", "5"]);
      expect([shown.status, shown.stderr]).toEqual([
        1,
        expect.stringMatching(
          /^lost: its supervisor was ended from outside; still running: \d+ \(/,
        ),
      ]);
      expect(shown.stderr).toEndWith(`\nto end what is left: atomic kill ${id}\n`);
      expect((await run(["tasks", "--running", "--ids"])).stdout).toBe(`${id}\n`);
      expect((await run(["kill", id])).stdout).toBe(
        `${id}\ndecision: cancellation-requested\nexecution: settled: cancelled (user)\ncleanup: reaped\n`,
      );
      expect(processesWith(id)).toEqual([]);
      expect((await run(["tasks", "--running", "--ids"])).stdout).toBe("");
    });
  });

  test("where nothing is left, its end is called unknown, and stays so", async () => {
    await inTasksPlace(async ({ run, start, file }) => {
      const id = await start("sleep 600");
      process.kill(Number(file(id, "supervisor.json")["pid"]), "SIGKILL");
      process.kill(Number(file(id, "child.json")["pid"]), "SIGKILL");
      const words = "lost: its supervisor was ended from outside, so how it ended is not known";
      await until(async () => (await run(["tasks"])).stdout.startsWith(`${id}  ${words}`));
      const receipt = `${id}\ndecision: already-settled\nexecution: settled: failed, its supervisor was ended from outside; how the command ended is not known\ncleanup: reaped\n`;
      for (let time = 0; time < 2; time++) expect((await run(["kill", id])).stdout).toBe(receipt);
    });
  });

  test("a number that another process has got, or a restart of the system, hits nobody", async () => {
    await inTasksPlace(async ({ run, start, pathOf, file, details, folder }) => {
      const bystander = Bun.spawn(["sleep", "600"], { cwd: folder });
      try {
        const id = await start("sleep 600");
        const { started } = file(id, "supervisor.json") as { started: string };
        process.kill(Number(file(id, "supervisor.json")["pid"]), "SIGKILL");
        process.kill(Number(file(id, "child.json")["pid"]), "SIGKILL");
        const restarted = started.replace(/^[^:]*/, "00000000-0000-0000-0000-000000000000");
        for (const before of [started, restarted]) {
          const other = { pid: bystander.pid, started: before, at: 1 };
          for (const name of ["supervisor.json", "child.json"]) {
            writeFileSync(pathOf(id, name), JSON.stringify(other));
          }
          expect((await details("tasks", id)).task.state).toMatch(/^(lost|settled)$/);
          await run(["kill", id]);
          expect(isAlive(bystander.pid)).toBe(true);
          rmSync(pathOf(id, "ending.json"), { force: true });
        }
        // Records that others may have written are none.
        chmodSync(pathOf(id, ""), 0o755);
        expect((await run(["kill", id])).status).toBe(4);
        expect((await run(["tasks", "--ids"])).stdout).toBe("");
      } finally {
        bystander.kill("SIGKILL");
      }
    });
  });

  test("one that is asked to stop by the system stops in good order, and asks do not add up", async () => {
    await inTasksPlace(async ({ run, start, file }) => {
      const id = await start("trap '' TERM; while :; do sleep 0.1; done");
      const pid = Number(file(id, "supervisor.json")["pid"]);
      for (let time = 0; time < 5; time++) process.kill(pid, time % 2 ? "SIGTERM" : "SIGINT");
      const shown = await run(["tasks", id, "--wait", "60"]);
      expect([shown.status, shown.stderr]).toEqual([
        143,
        expect.stringMatching(/^ended with its supervisor, which was told to stop, after /),
      ]);
      expect(processesWith(id)).toEqual([]);
    });
  });

  test("damaged records and strange files in the folder of tasks are passed over", async () => {
    await inTasksPlace(async ({ run, start, tasksFolder }) => {
      const id = await start("true");
      const damaged = join(tasksFolder, unknown);
      mkdirSync(damaged, { mode: 0o700 });
      writeFileSync(join(damaged, "task.json"), '{"id":"x');
      writeFileSync(join(tasksFolder, "file"), "");
      mkdirSync(join(tasksFolder, "folder"));
      await run(["tasks", id, "--wait", "60"]);
      expect((await run(["tasks", "--ids"])).stdout).toBe(`${id}\n`);
      expect((await run(["kill", unknown])).status).toBe(4);
    });
  });
});

test("lists are short unless asked for all, and flags in the wrong place are refused", async () => {
  await inTasksPlace(async ({ run, start, tasksFolder }) => {
    expect((await run(["tasks"])).stdout).toBe("The session default has no tasks.\n");
    const id = await start("true");
    await run(["tasks", id, "--wait", "60"]);
    for (let at = 0; at < 24; at++) {
      const copy = `task_${String(at).padStart(32, "0")}`;
      mkdirSync(join(tasksFolder, copy), { mode: 0o700 });
      for (const name of ["task.json", "ending.json"]) {
        const text = readFileSync(join(tasksFolder, id, name), "utf8").replaceAll(id, copy);
        writeFileSync(join(tasksFolder, copy, name), text);
      }
    }
    expect((await run(["tasks"])).stdout).toEndWith("\nand 5 more that ended: --all\n");
    expect((await run(["tasks", "--ids"])).stdout.split("\n").length).toBe(21);
    expect((await run(["tasks", "--ids", "--all"])).stdout.split("\n").length).toBe(26);
    expect((await run(["tasks", "--follow"])).stderr).toBe(
      "Flag --follow needs the ID of a task.\n",
    );
    expect((await run(["tasks", "--ids", id])).stderr).toBe(
      "Flag --ids is for the list of tasks, and does not go with an ID.\n",
    );
    expect((await run(["tasks", "--jsonl", id])).status).toBe(2);
    expect((await run(["tasks", "--wait=-1", id])).stderr).toBe(
      "Flag --wait needs a number of seconds that is not below 0, but got -1.\n",
    );
    expect((await run(["tasks", "--offset", "1.5", id])).status).toBe(2);
  });
});

test("what was prepared by a caller that ended too soon goes with the next list, with what it would have run", async () => {
  await inTasksPlace(async ({ run, start, tasksFolder, pathOf }) => {
    const id = await start("true");
    await run(["tasks", id, "--wait", "60"]);
    const folder = join(tasksFolder, unknown);
    mkdirSync(folder, { mode: 0o700 });
    const about = JSON.parse(readFileSync(pathOf(id, "task.json"), "utf8"));
    writeFileSync(join(folder, "plan.json"), '{"run":{"env":{"TOKEN":"secret"}}}');
    const put = (at: number) =>
      writeFileSync(join(folder, "task.json"), JSON.stringify({ ...about, id: unknown, at }));
    put(Date.now());
    expect((await run(["tasks"])).stdout).toStartWith(`${unknown}  about to start\n`);
    put(Date.now() - 61_000);
    expect((await run(["tasks", "--ids"])).stdout).toBe(`${id}\n`);
    expect(existsSync(folder)).toBe(false);
  });
});

const canMount = process.getuid!() === 0 && canUse("mount");

function canUse(program: string): boolean {
  return spawnSync(program, ["--version"]).status === 0;
}

// Mounting takes a user who may.
test.skipIf(!canMount)(
  "a full disk cuts the log short, and neither the command nor its record",
  async () => {
    await inTasksPlace(async (place) => {
      const disk = join(place.folder, "disk");
      mkdirSync(disk);
      const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=600k", "tmpfs", disk]);
      if (mounted.status !== 0) return;
      try {
        const own = { env: { ATOMIC_HOME: join(disk, "home") } };
        const started = await place.run(["bash", "--background", "seq 1 200000; exit 5"], own);
        const id = started.stdout.trim();
        const { status, stdout, stderr } = await place.run(["tasks", id, "--wait", "60"], own);
        expect([status, stderr]).toEqual([
          5,
          expect.stringMatching(/^exit code 5, after .*\n.*\nits log was cut short: ENOSPC\n$/),
        ]);
        expect(stdout).toStartWith("197001\n");
        expect(stdout).toEndWith("\n200000\n\n[lines 197001-200000 of 200000]\n");
        writeFileSync(join(disk, "rest"), "");
        spawnSync("dd", ["if=/dev/zero", `of=${join(disk, "rest")}`, "bs=4k"]);
        const refused = await place.run(["bash", "--background", "true"], own);
        expect([refused.status, refused.stdout]).toEqual([7, ""]);
        expect(refused.stderr).toContain("ENOSPC. Nothing was run.");
      } finally {
        spawnSync("umount", [disk]);
      }
    });
  },
);
