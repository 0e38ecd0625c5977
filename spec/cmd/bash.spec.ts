// Commands as a caller of the program meets them, misbehaving ones among them.

import { expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { join } from "node:path";

import { binary, inPlace, type Place, runPiped } from "./program.ts";

setDefaultTimeout(120_000);

const CAP = 67_108_864;

function inShell(work: (place: Place) => Promise<void>, files = {}): Promise<void> {
  return inPlace(files, (place) => {
    mkdirSync(join(place.folder, "../tmp"));
    const env = { ...place.env, TMPDIR: join(place.folder, "../tmp") };
    return work({
      ...place,
      env,
      run: (args, options = {}) =>
        place.run(args, { ...options, env: { TMPDIR: env.TMPDIR, ...options.env } }),
    });
  });
}

test.each<readonly [command: string, status: number, stdout: string, stderr: string]>([
  ["echo hi", 0, "hi\n", ""],
  ["printf x", 0, "x", ""],
  ["true", 0, "", "(no output)\n"],
  ["echo out; echo err >&2; exit 3", 3, "out\nerr\n", "exit code 3\n"],
  ["exit 255", 255, "", "exit code 255\n"],
  ["kill -9 $$", 137, "", "terminated by SIGKILL\n"],
  ["echo a; kill -TERM $$", 143, "a\n", "terminated by SIGTERM\n"],
  ["kill -PIPE $$", 141, "", "terminated by SIGPIPE\n"],
  ["no-such-program-4711 2>/dev/null", 127, "", "exit code 127\n"],
  ["cat; echo end", 0, "end\n", ""],
  ['read x; echo "[$x]"', 0, "[]\n", ""],
  ["[ -t 0 ] || [ -t 1 ] || echo none", 0, "none\n", ""],
  ["echo x >/dev/stderr; echo y >/dev/stdout", 0, "x\ny\n", ""],
  ["for i in 1 2 3; do echo o$i; echo e$i >&2; done", 0, "o1\ne1\no2\ne2\no3\ne3\n", ""],
  ["printf '\\033[31mred\\033[0m\\r\\n5%%\\r9%%\\n'", 0, "red\n5%\n9%\n", ""],
  ["printf '%s' '&gt; &amp;&amp;'", 0, "&gt; &amp;&amp;", ""],
  ["printf '\\360\\237'; sleep 0.05; printf '\\230\\200'", 0, "😀", ""],
  ["sleep 0.3; echo late", 0, "late\n", ""],
  ["sleep 0.2 & wait; echo done", 0, "done\n", ""],
  ["exec >&- 2>&-; exit 4", 4, "", "exit code 4\n"],
  ["(echo x >/dev/tty) 2>/dev/null || echo no terminal", 0, "no terminal\n", ""],
])("%s", async (command, status, stdout, stderr) => {
  await inShell(async ({ run }) => {
    expect(await run(["bash", command])).toEqual({ status, stdout, stderr });
  });
});

test("the time limit is rounded down, but not below a second, and the request is kept", async () => {
  await inShell(async ({ run }) => {
    const limits = async (given: string) => {
      const { stdout } = await run(["bash", "--json", "--timeout", given, "echo a"]);
      const { details } = JSON.parse(stdout);
      return [details.timeoutSeconds, details.requestedTimeoutSeconds];
    };
    expect(await limits("1.9")).toEqual([1, 1.9]);
    expect(await limits("0.4")).toEqual([1, 0.4]);
    expect(await limits("7")).toEqual([7, undefined]);
    expect(await limits("3600")).toEqual([3600, undefined]);
    for (const wrong of ["0", "-1", "3600.5"]) {
      const { status, stdout, stderr } = await run(["bash", `--timeout=${wrong}`, "touch made"]);
      expect([status, stdout]).toEqual([2, ""]);
      expect(stderr).toBe(
        'Field "timeout": must be finite, greater than zero, and no more than 3600\n',
      );
    }
    const infinite = await run(["call", "bash", '{"command":"touch made","timeout":1e999}']);
    expect(infinite.status).toBe(2);
    expect((await run(["bash", "ls"])).stdout).toBe("");
  });
});

test("details say how it went", async () => {
  await inShell(async ({ run }) => {
    const { status, stdout } = await run(["bash", "--json", "echo a; exit 2"]);
    const { details, ...rest } = JSON.parse(stdout);
    expect([status, rest]).toEqual([2, { text: "a\n\nexit code 2", isError: true }]);
    expect(details).toEqual({
      timeoutSeconds: 300,
      wallTimeMs: expect.any(Number),
      exitCode: 2,
      shell: "/bin/bash",
    });
    const fine = JSON.parse((await run(["bash", "--json", "echo a; echo; echo"])).stdout);
    expect([fine.text, fine.isError, fine.details.exitCode]).toEqual(["a\n\n\n", false, undefined]);
    const killed = JSON.parse((await run(["bash", "--json", "kill -9 $$"])).stdout);
    expect([killed.text, killed.isError]).toEqual(["terminated by SIGKILL", true]);
  });
});

test("folder, variables and session are those of the call", async () => {
  await inShell(
    async ({ run, folder }) => {
      expect((await run(["bash", "--cwd", "sub", "pwd"])).stdout).toBe(`${folder}/sub\n`);
      const shown =
        "echo $A-$PAGER-$GIT_PAGER-$TERM-$NO_COLOR-$AI_AGENT-$ATOMIC_SESSION-$FORCE_COLOR";
      const words = ["bash", "--env", "A=a=b", "--env", "TERM=x", "--session", "one", shown];
      expect((await run(words, { env: { FORCE_COLOR: "1", PAGER: "less" } })).stdout).toBe(
        "a=b-cat-cat-x-1-atomic-one-\n",
      );
      const other = await run(["bash", "echo $AI_AGENT-$TERM"], { env: { AI_AGENT: "me" } });
      expect(other.stdout).toBe("me-dumb\n");
      const nested = await run([
        "bash",
        "--session",
        "one",
        `${binary} bash 'echo $ATOMIC_SESSION'`,
      ]);
      expect(nested.stdout).toBe("one\n");
      const gone = await run(["bash", "--cwd", "gone", "touch made"]);
      expect(gone).toEqual({
        status: 2,
        stdout: "",
        stderr: "The working folder gone does not exist. Nothing was run.\n",
      });
      const file = await run(["bash", "--cwd", "a.txt", "touch made"]);
      expect(file.stderr).toBe(
        "The working folder a.txt is a file, not a folder. Nothing was run.\n",
      );
      const name = await run(["call", "bash", '{"command":"touch made","env":{"A-B":"1"}}']);
      expect([name.status, name.stderr]).toEqual([
        2,
        'Field "env": "A-B" is no name for a variable: it must be letters, digits and _, not beginning with a digit.\n',
      ]);
      const pair = await run(["bash", "--env", "A", "touch made"]);
      expect(pair.status).toBe(2);
      expect(readdirSync(folder).toSorted()).toEqual(["a.txt", "sub"]);
    },
    { "a.txt": "x", "sub/b.txt": "y" },
  );
});

test("our standard input is for the command only where it is asked for", async () => {
  await inShell(async ({ run, folder, env }) => {
    expect((await run(["bash", "--stdin", "tr a-z A-Z"], { stdin: "abc" })).stdout).toBe("ABC");
    const loop = `printf 'a\\nb\\n' | while read f; do ${binary} bash "cat; echo $f"; ${binary} bash 'echo '"$f"; done`;
    expect((await runPiped(["sh", "-c", loop], folder, env)).stdout).toBe(
      "a\nb\n".replace(/./g, "$&\n$&"),
    );
  });
});

test("of long output the end is shown, and the log has every byte", async () => {
  await inShell(async ({ run, env }) => {
    const { stdout, status } = await run(["bash", "printf '\\033[1m'; seq 1 4000"]);
    expect(status).toBe(0);
    const lines = stdout.split("\n");
    expect([lines[0], lines[2999], lines[3000]]).toEqual(["1001", "4000", ""]);
    const [, path] = /^\[lines 1001-4000 of 4000\. Full output: (.*)\]$/.exec(lines[3001]!)!;
    expect(path).toMatch(
      new RegExp(`^${env["TMPDIR"]}/atomic-\\d+/default/atomic-bash-[0-9a-f]{16}\\.log$`),
    );
    const all = readFileSync(path!, "utf8");
    expect(all).toStartWith("\u001b[1m1\n2\n");
    expect(all).toEndWith("\n4000\n");
    expect([statSync(path!).mode & 0o777, statSync(join(path!, "..")).mode & 0o777]).toEqual([
      0o600, 0o700,
    ]);
    const { text, details } = JSON.parse((await run(["bash", "--json", "seq 1 4000"])).stdout);
    expect(details.truncation).toMatchObject({
      truncated: true,
      truncatedBy: "lines",
      totalLines: 4000,
      outputLines: 3000,
    });
    expect(text).toEndWith(
      `\n4000\n\n[lines 1001-4000 of 4000. Full output: ${details.fullOutputPath}]\n`,
    );
    const long = await run(["bash", "head -c 60000 /dev/zero | tr '\\0' x"]);
    expect(long.stdout).toMatch(
      /^x{51200}\n\n\[last 50\.0KB of line 1 \(line is 58\.6KB\) \(50\.0KB limit\)\. Full output: /,
    );
  });
});

test("a log is refused where its folder is not safe, and the answer says no path", async () => {
  await inShell(async ({ run, env, folder }) => {
    mkdirSync(join(folder, "elsewhere"));
    const root = join(env["TMPDIR"]!, `atomic-${process.getuid!()}`);
    symlinkSync(join(folder, "elsewhere"), root);
    const { stdout, status } = await run(["bash", "seq 1 4000"]);
    expect([status, stdout.split("\n").at(-2)]).toEqual([0, "[lines 1001-4000 of 4000]"]);
    expect(readdirSync(join(folder, "elsewhere"))).toEqual([]);
  });
});

test("output without end stays within memory, time and the cap of its log", async () => {
  await inShell(async ({ env, folder }) => {
    const peak = async (command: string) => {
      const child = Bun.spawn([binary, "bash", "--timeout", "2", command], {
        cwd: folder,
        env,
        stdout: "pipe",
        stderr: "pipe",
      });
      const [stdout] = await Promise.all([child.stdout.text(), child.exited]);
      return { stdout, status: child.exitCode, peak: child.resourceUsage()!.maxRSS };
    };
    const idle = await peak("true");
    const endless = await peak("yes");
    expect(endless.status).toBe(124);
    expect(endless.peak - idle.peak).toBeLessThan(64 * 1024 * 1024);
    const [, path] = /Full output: (.*), cut at 67108864 bytes\]\n$/.exec(endless.stdout)!;
    expect(statSync(path!).size).toBeLessThanOrEqual(CAP);
    expect(readFileSync(path!).subarray(-68).toString()).toEndWith(
      "y\n\n[Output truncated: persisted-output cap of 67108864 bytes reached]\n".slice(-68),
    );
    const noise = await peak("cat /dev/urandom");
    // oxlint-disable-next-line no-control-regex -- none may be left
    expect(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/.test(noise.stdout)).toBe(false);
  });
});

test("what a command leaves in the background does not hold the call, and is named", async () => {
  await inShell(async ({ run }) => {
    const commands = [
      "sleep 600 & echo hi",
      "(sleep 600 </dev/null >/dev/null &); echo hi",
      "setsid sleep 600 & echo hi",
      "nohup sleep 600 2>/dev/null & echo hi",
    ];
    for (const command of commands) {
      const before = performance.now();
      const { status, stdout, stderr } = await run(["bash", command]);
      expect(performance.now() - before).toBeLessThan(60_000);
      expect([status, stdout]).toEqual([0, "hi\n"]);
      const [, pid] = /^left running: (\d+) \(sleep 600\); .* to stop it: kill \1\n$/.exec(stderr)!;
      expect(isAlive(Number(pid))).toBe(true);
      process.kill(Number(pid), "SIGKILL");
    }
  });
});

test("a time-out ends all that was started, wherever it went", async () => {
  await inShell(async ({ run, folder }) => {
    const pids = join(folder, "pids");
    const stubborn = "trap '' TERM; echo $$ >> pids; while :; do sleep 1; done";
    const command = [
      `sh -c "${stubborn.replaceAll("$", "\\$")}" &`,
      `setsid sh -c "${stubborn.replaceAll("$", "\\$")}" &`,
      "(setsid nohup sh -c 'echo $$ >> pids; sleep 600' >/dev/null 2>&1 &)",
      "while [ $(wc -l < pids) -lt 3 ]; do sleep 0.01; done; echo started; sleep 600",
    ].join("\n");
    const { status, stdout, stderr } = await run([
      "bash",
      "--timeout",
      "5",
      `: > pids; ${command}`,
    ]);
    expect([status, stdout, stderr]).toEqual([124, "started\n", "timed out after 5 s\n"]);
    const started = readFileSync(pids, "utf8").trim().split("\n").map(Number);
    expect(started.length).toBe(3);
    expect(started.filter(isAlive)).toEqual([]);
  });
});

test("a storm of 200 processes ends with the command", async () => {
  await inShell(async ({ folder, env }) => {
    const command =
      "for i in $(seq 200); do (trap '' TERM; exec sleep 600) & echo $! >> pids; done; echo started; wait";
    const child = Bun.spawn([binary, "bash", "--stream", command], {
      cwd: folder,
      env,
      stdout: "pipe",
      stderr: "pipe",
    });
    const out = child.stdout.getReader();
    expect(new TextDecoder().decode((await out.read()).value)).toBe("started\n");
    child.kill("SIGTERM");
    expect([await child.exited, await child.stderr.text()]).toEqual([143, "aborted\n"]);
    const started = readFileSync(join(folder, "pids"), "utf8").trim().split("\n").map(Number);
    expect(started.length).toBe(200);
    expect(started.filter(isAlive)).toEqual([]);
  });
});

for (const [signal, status] of [
  ["SIGINT", 130],
  ["SIGTERM", 143],
] as const) {
  test(`${signal} ends the command with all that it started`, async () => {
    await inShell(async ({ folder, env }) => {
      const command =
        "(setsid sh -c 'echo $$ > pid; sleep 600' &); while [ ! -s pid ]; do sleep 0.01; done; echo ready; sleep 600";
      const child = Bun.spawn([binary, "bash", "--stream", command], {
        cwd: folder,
        env,
        stdout: "pipe",
        stderr: "pipe",
      });
      const out = child.stdout.getReader();
      expect(new TextDecoder().decode((await out.read()).value)).toBe("ready\n");
      child.kill(signal);
      expect([await child.exited, await child.stderr.text()]).toEqual([status, "aborted\n"]);
      expect(isAlive(Number(readFileSync(join(folder, "pid"), "utf8")))).toBe(false);
    });
  });
}

test("--stream prints all of it as it comes, --jsonl in objects", async () => {
  await inShell(async ({ run, folder, env }) => {
    const streamed = await run(["bash", "--stream", "seq 1 4000; exit 3"]);
    expect(streamed.stdout.split("\n").length).toBe(4001);
    expect([streamed.status, streamed.stderr]).toEqual([3, "exit code 3\n"]);
    const child = Bun.spawn(
      [binary, "bash", "--jsonl", "echo a; while [ ! -e go ]; do sleep 0.01; done; echo b"],
      {
        cwd: folder,
        env,
        stdout: "pipe",
      },
    );
    const reader = child.stdout.getReader();
    const first = new TextDecoder().decode((await reader.read()).value);
    expect(JSON.parse(first)).toEqual({ type: "update", text: "a\n" });
    await Bun.write(join(folder, "go"), "");
    let rest = "";
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      rest += new TextDecoder().decode(value);
    }
    const objects = rest
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(objects.at(0)).toEqual({ type: "update", text: "b\n" });
    expect(objects.at(-1)).toMatchObject({ type: "result", text: "a\nb\n", isError: false });
  });
});

test.each(["--stream", "--jsonl"])(
  "a reader of %s that goes away ends the command, quietly",
  async (flag) => {
    await inShell(async ({ folder, env }) => {
      const script =
        '"$0" bash "$1" "echo \\$\\$ > pid; exec yes" | head -c 1; echo " ${PIPESTATUS[0]}"';
      const child = Bun.spawn(["bash", "-c", script, binary, flag], {
        cwd: folder,
        env,
        stdout: "pipe",
        stderr: "pipe",
      });
      const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
      expect([out, err]).toEqual([flag === "--stream" ? "y 0\n" : "{ 0\n", ""]);
      const pid = Number(readFileSync(join(folder, "pid"), "utf8"));
      expect(() => process.kill(pid, 0)).toThrow("ESRCH");
    });
  },
);

test("on a terminal of its own: its size, its status, plain line ends", async () => {
  await inShell(async ({ run }) => {
    const command =
      "[ -t 0 ] && [ -t 1 ] && [ -t 2 ] && echo tty; stty size; tput cols; echo $TERM; exit 7";
    expect(await run(["bash", "--pty", command])).toEqual({
      status: 7,
      stdout: "tty\n40 120\n120\nxterm-256color\n",
      stderr: "exit code 7\n",
    });
    const much = await run(["bash", "--pty", "--stream", "seq 1 20000"]);
    expect(much.stdout).toBe(Array.from({ length: 20_000 }, (_, i) => `${i + 1}\n`).join(""));
    for (let i = 0; i < 20; i++)
      expect((await run(["bash", "--pty", "printf x"])).stdout).toBe("x");
    for (const variable of ["PI_NO_PTY", "ATOMIC_NO_PTY"]) {
      const piped = await run(["bash", "--pty", "[ -t 1 ] || echo pipe"], {
        env: { [variable]: "1" },
      });
      expect(piped).toEqual({
        status: 0,
        stdout: "pipe\n",
        stderr: `no terminal: ${variable} is set; ran with pipes\n`,
      });
    }
    const ended = await run(["bash", "--pty", "--timeout", "1", "stty raw; sleep 600"]);
    expect([ended.status, ended.stderr]).toEqual([124, "timed out after 1 s\n"]);
  });
});

test("pagers and editors do not wait", async () => {
  await inShell(async ({ run }) => {
    const repository =
      "git init -q . && git config user.email a@b && git config user.name n && for i in $(seq 60); do git commit -q --allow-empty -m c$i; done";
    expect((await run(["bash", repository])).status).toBe(0);
    for (const flags of [[], ["--pty"]]) {
      const log = await run([
        "bash",
        ...flags,
        "--timeout",
        "20",
        "git log --oneline | cat; git log --oneline",
      ]);
      expect([log.status, log.stdout.split("\n").length]).toEqual([0, 121]);
      const commit = await run(["bash", ...flags, "--timeout", "20", "git commit --allow-empty"]);
      expect(commit.status).toBe(1);
    }
  });
});

test("commands are refused in read-only and plan mode, before anything happens", async () => {
  await inShell(async ({ run, folder }) => {
    for (const mode of [["--read-only"], ["--plan", "."]]) {
      const { status } = await run(["bash", ...mode, "touch made"]);
      expect(status).toBe(5);
    }
    expect(readdirSync(folder)).toEqual([]);
  });
});

test("a command that is too long, or cannot be carried, is refused whole", async () => {
  await inShell(async ({ run }) => {
    const { status, stderr } = await run(["call", "bash"], {
      stdin: JSON.stringify({ command: `echo ${"x".repeat(200_000)}` }),
    });
    expect([status, stderr]).toEqual([
      126,
      "The command is too long for the system (200007 characters).\nWrite it to a file, and run that.\n",
    ]);
    const nul = await run(["call", "bash"], { stdin: JSON.stringify({ command: "echo \0" }) });
    expect([nul.status, nul.stderr]).toEqual([
      2,
      'Field "command": holds a NUL, which no command can carry.\n',
    ]);
    expect((await run(["bash", " "])).status).toBe(2);
  });
});

test("the shell is the configured one, and without any the runtime's own", async () => {
  await inShell(async ({ run, folder, env }) => {
    const config = join(env["HOME"]!, ".config/atomic/config.json");
    await Bun.write(join(folder, "mysh"), '#!/bin/sh\necho "mine: $2"\n');
    chmodSync(join(folder, "mysh"), 0o755);
    await Bun.write(config, JSON.stringify({ shellPath: join(folder, "mysh") }));
    expect((await run(["bash", "ls"])).stdout).toBe("mine: ls\n");
    await Bun.write(config, JSON.stringify({ shellPath: "/no/shell" }));
    const none = await run(["bash", "ls"]);
    expect([none.status, none.stderr.split("\n")[0]]).toEqual([
      126,
      "The configured shell /no/shell does not exist, or is no program.",
    ]);
    // A workspace may not choose it.
    await Bun.write(config, "{}");
    await Bun.write(
      join(folder, ".atomic/config.json"),
      JSON.stringify({ shellPath: join(folder, "mysh") }),
    );
    expect((await run(["bash", "echo plain"])).stdout).toBe("plain\n");
    expect(existsSync(join(folder, ".git"))).toBe(false);
  });
});

function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}
