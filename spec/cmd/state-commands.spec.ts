import { expect, test } from "bun:test";
import { chmodSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { tagOf } from "../../core/hashline/tag.ts";
import { binary, inPlace } from "./program.ts";

test("the session is the flag's, else ATOMIC_SESSION's, else the agent's, else the default", async () => {
  await inPlace({}, async ({ run }) => {
    const agent = { CLAUDE_CODE_SESSION_ID: "agent-1" };
    const table: readonly (readonly [readonly string[], Record<string, string>, string, string])[] =
      [
        [[], {}, "default", "default"],
        [[], agent, "agent-1", "$CLAUDE_CODE_SESSION_ID"],
        [[], { ...agent, ATOMIC_SESSION: "mine" }, "mine", "$ATOMIC_SESSION"],
        [["--session", "flag"], { ...agent, ATOMIC_SESSION: "mine" }, "flag", "--session"],
      ];
    for (const [args, env, id, from] of table) {
      const { stdout } = await run(["session", "--json", ...args], { env });
      expect(JSON.parse(stdout).details).toMatchObject({ id, from });
    }
  });
});

test("session shows what was seen, lists all sessions and forgets one", async () => {
  await inPlace({ "a.txt": "one\n" }, async ({ run }) => {
    expect((await run(["session", "list"])).stdout).toBe("No session has seen anything yet.\n");
    expect((await run(["session"])).stdout).toMatch(
      /^session  default \(default\)\nstate .*\nseen +nothing yet\n$/,
    );
    await run(["read", "a.txt"]);
    await run(["read", "a.txt", "--session", "other"]);
    const shown = await run(["session", "show"]);
    expect(shown.stdout).toMatch(/\nseen +1 file, 1 tag, 0 changes, \S+\n/);
    expect(shown.stdout).toEndWith(`\n\n[a.txt#${tagOf("one\n")}]\n`);
    const listed = JSON.parse((await run(["session", "list", "--json"])).stdout).details.sessions;
    expect(listed.map(({ id }: { id: string }) => id).toSorted()).toEqual(["default", "other"]);
    const cleared = await run(["session", "clear"]);
    expect(cleared.stdout).toMatch(/^Session default has forgotten 1 tag, \S+\.\n$/);
    const left = JSON.parse((await run(["session", "list", "--json"])).stdout).details.sessions;
    expect(left.map(({ id }: { id: string }) => id)).toEqual(["other"]);
  });
});

test("session new prints an id of its own each time", async () => {
  await inPlace({}, async ({ run }) => {
    const [one, two] = [await run(["session", "new"]), await run(["session", "new"])];
    expect(one!.stdout).toMatch(/^[A-Za-z0-9][A-Za-z0-9._-]+\n$/);
    expect(one!.stdout).not.toBe(two!.stdout);
  });
});

test("doctor finds all in order, and says where things are", async () => {
  await inPlace({}, async ({ run, env }) => {
    const { status, stdout, stderr } = await run(["doctor"]);
    expect([status, stderr]).toEqual([0, ""]);
    expect(stdout).toMatch(/^program +atomic \d/);
    expect(stdout).toContain("no atomic is on it");
    expect(stdout).toMatch(/\nsession +default \(default\)\n/);
    expect(stdout).toContain(`\nATOMIC_HOME`);
    const { details } = JSON.parse((await run(["doctor", "--json"])).stdout);
    const state = details.findings.find(({ check }: { check: string }) => check === "state");
    expect(state).toMatchObject({ result: "ok" });
    expect(state.found).toStartWith(`${env["ATOMIC_HOME"]} ($ATOMIC_HOME), private and open: `);
  });
});

test("doctor says what is wrong with the state folder, and ends with status 1", async () => {
  await inPlace({}, async ({ run, env, folder }) => {
    symlinkSync(folder, env["ATOMIC_HOME"]!);
    const { status, stdout } = await run(["doctor"]);
    expect(status).toBe(1);
    expect(stdout).toMatch(/\nstate +WRONG: The state folder /);
    expect(stdout.replace(/\s+/g, " ")).toContain("is a symlink, so nothing is kept there.");
    rmSync(env["ATOMIC_HOME"]!);
    const relative = await run(["doctor"], { env: { ATOMIC_HOME: "here" } });
    expect([relative.status, relative.stdout.replace(/\s+/g, " ")]).toEqual([
      1,
      expect.stringContaining('ATOMIC_HOME must be an absolute path, but is "here".'),
    ]);
  });
});

test("doctor warns of another program with the name", async () => {
  await inPlace({}, async ({ run, folder, env }) => {
    const [bin, own] = [join(folder, "bin"), join(folder, "own")];
    mkdirSync(bin);
    mkdirSync(own);
    writeFileSync(join(bin, "atomic"), "#!/bin/sh\n");
    chmodSync(join(bin, "atomic"), 0o755);
    symlinkSync(binary, join(own, "atomic"));
    const found = async (path: string) => {
      const { stdout, status } = await run(["doctor", "--json"], { env: { ...env, PATH: path } });
      expect(status).toBe(0);
      const { findings } = JSON.parse(stdout).details;
      return findings.find(({ check }: { check: string }) => check === "PATH");
    };
    expect(await found(`${bin}:${own}`)).toEqual({
      check: "PATH",
      result: "note",
      found: `atomic is ${bin}/atomic, which is not this program; behind it: ${own}/atomic.`,
      hint: "Call this one by its path, or put its folder first.",
    });
    expect(await found(own)).toEqual({ check: "PATH", result: "ok", found: `${own}/atomic` });
  });
});

test("doctor names the shell, says whether there are terminals, and how to have a browser", async () => {
  await inPlace({ "bin/chromium": "#!/bin/sh\n", "bin/bash": "#!/bin/sh\n" }, async (place) => {
    const { run, folder, env } = place;
    chmodSync(join(folder, "bin/chromium"), 0o755);
    chmodSync(join(folder, "bin/bash"), 0o755);
    const found = async (more: Record<string, string>) => {
      const { stdout } = await run(["doctor", "--json"], { env: { ...env, ...more } });
      const { findings } = JSON.parse(stdout).details as { findings: Record<string, unknown>[] };
      return findings.filter(({ check }) =>
        ["shell", "terminal", "browser"].includes(String(check)),
      );
    };
    expect(await found({ PATH: "/nowhere" })).toEqual([
      { check: "shell", result: "ok", found: "/bin/bash" },
      { check: "terminal", result: "ok", found: "--pty gives commands a terminal" },
      {
        check: "browser",
        result: "note",
        found: "no Chromium is on the PATH; nothing of atomic itself needs one.",
        hint: "Install Chromium if commands or MCP servers are to drive a browser.",
      },
    ]);
    mkdirSync(join(folder, "xdg/atomic"), { recursive: true });
    const config = join(folder, "xdg/atomic/config.json");
    const own = { XDG_CONFIG_HOME: join(folder, "xdg"), PATH: join(folder, "bin"), PI_NO_PTY: "1" };
    writeFileSync(config, JSON.stringify({ shellPath: join(folder, "bin/bash") }));
    expect(await found(own)).toEqual([
      { check: "shell", result: "ok", found: `${folder}/bin/bash (shellPath)` },
      {
        check: "terminal",
        result: "note",
        found: "--pty is off: PI_NO_PTY is set.",
        hint: "Unset it to have it.",
      },
      { check: "browser", result: "ok", found: `${folder}/bin/chromium` },
    ]);
    writeFileSync(config, JSON.stringify({ shellPath: "/nowhere/zsh" }));
    expect((await found(own))[0]).toEqual({
      check: "shell",
      result: "wrong",
      found: "The configured shell /nowhere/zsh does not exist, or is no program.",
      hint: 'Set "shellPath" in the configuration to a shell\'s absolute path, or leave it out.',
    });
  });
});
