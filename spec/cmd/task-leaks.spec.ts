// After many commands with endings by chance nothing of ours is left: no process, no descriptor, no temporary file.
// ATOMIC_SPEC_LEAKS sets how many.

import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";

import { binary } from "./program.ts";
import { inTasksPlace, isAlive, processesWith, type TasksPlace, until } from "./tasks-place.ts";

const runs = Number(process.env["ATOMIC_SPEC_LEAKS"] ?? 16);
setDefaultTimeout(60_000 + runs * 10_000);

/** Each brings a command to an end in its own way. */
const endings: Readonly<Record<string, (place: TasksPlace, chance: number) => Promise<unknown>>> = {
  async "a task's own"({ run, start }) {
    await run(["tasks", "--wait", "60", await start("seq 1 2000; sleep 0.1; exit 3")]);
  },
  async "a kill"({ run, start }, chance) {
    const id = await start("setsid sleep 600 & (sleep 600 &) ; sleep 600");
    await Bun.sleep(100 * chance);
    expect((await run(["kill", id])).stdout).toContain("cleanup: reaped");
  },
  async "a time-out"({ run, start }) {
    const id = await start("setsid sleep 600 & sleep 600", "--timeout", "1");
    expect((await run(["tasks", "--wait", "60", id])).status).toBe(124);
  },
  async "the caller's, by SIGKILL"({ folder, env }, chance) {
    const child = Bun.spawn([binary, "bash", "--background", "sleep 0.2; echo a"], {
      cwd: folder,
      env,
      stdio: ["ignore", "ignore", "ignore"],
    });
    await Bun.sleep(200 * chance);
    child.kill("SIGKILL");
    await child.exited;
  },
  async "the supervisor's, by SIGKILL"({ run, start, file }, chance) {
    const id = await start("setsid sleep 600 & sleep 600");
    await Bun.sleep(50 * chance);
    process.kill(Number(file(id, "supervisor.json")["pid"]), "SIGKILL");
    await until(async () => (await run(["kill", id])).stdout.includes("settled"));
  },
  async "two kills at once"({ run, start }) {
    const id = await start("trap 'exit 0' TERM; while :; do sleep 0.05; done");
    await Promise.all([run(["kill", id]), run(["kill", id])]);
  },
  async "in the foreground"({ run }) {
    await run(["bash", "seq 1 10; exit 3"]);
  },
  async "an interrupt in the foreground"({ folder, env }) {
    const command = "(setsid sleep 600 &); echo up; sleep 600";
    const child = Bun.spawn([binary, "bash", "--stream", command], {
      cwd: folder,
      env,
      stdout: "pipe",
      stderr: "ignore",
    });
    await child.stdout.getReader().read();
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
  },
};

test(`after ${runs} commands nothing is left`, async () => {
  await inTasksPlace(async (place) => {
    const names = Object.keys(endings);
    // The same on every run; each ending comes up, and next to any other.
    let seed = 4711;
    const chance = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    const left = Array.from(
      { length: runs },
      (_, at) => [names[at % names.length]!, chance()] as const,
    );
    await Promise.all(
      Array.from({ length: 4 }, async () => {
        for (let next = left.pop(); next; next = left.pop())
          await endings[next[0]]!(place, next[1]);
      }),
    );
    await until(() => processesWith(place.env["ATOMIC_HOME"]!).length === 0);
    expect(filesBelow(place.env["TMPDIR"]!)).toEqual([]);
    const home = place.env["ATOMIC_HOME"]!;
    const strange = filesBelow(join(home, "sessions"))
      .filter((path) => !/\/(task|supervisor|child|cancel|ending)\.json$|\/output\.log$/.test(path))
      // A caller that was killed before it had a supervisor.
      .filter((path) => !isUnstarted(join(home, "sessions", path, "..")));
    expect(strange.filter((path) => !path.endsWith(".last-cleanup"))).toEqual([]);
    const { stdout } = await place.run(["tasks", "--ids", "--running"]);
    const unstarted = stdout.split("\n").filter((id) => id && !isUnstarted(place.pathOf(id, "")));
    expect(unstarted).toEqual([]);
  });
});

test("a server that runs many commands keeps no descriptor, child or task of them", async () => {
  await inTasksPlace(async ({ folder, env, tasksFolder }) => {
    const server = Bun.spawn([binary, "mcp", "serve", "--session", "default"], {
      cwd: folder,
      env,
      stdin: "pipe",
      stdout: "pipe",
      stderr: "ignore",
    });
    const answers = server.stdout.getReader();
    const decoder = new TextDecoder();
    let text = "";
    async function ask(id: number, method: string, params: object) {
      server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      await server.stdin.flush();
      while (!text.includes(`"id":${id}}`) && !text.includes(`"id":${id},`)) {
        text += decoder.decode((await answers.read()).value, { stream: true });
      }
    }
    const clientInfo = { name: "spec", version: "1" };
    await ask(1, "initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo });
    const bash = (id: number, command: string) =>
      ask(id, "tools/call", { name: "bash", arguments: { command, timeout: 1 } });
    const counts = () =>
      processesWith(env["ATOMIC_HOME"]!).map((pid) => readdirSync(`/proc/${pid}/fd`).length);
    await bash(2, "true");
    await until(() => counts().length === 2);
    const before = counts();
    for (let id = 3; id < 3 + Math.ceil(runs / 2); id++) {
      await bash(id, id % 5 === 0 ? "setsid sleep 600 & sleep 600" : `echo ${id}`);
    }
    await until(() => counts().length === 2);
    expect(counts()).toEqual(before);
    expect(readdirSync(tasksFolder)).toEqual([]);
    server.stdin.end();
    expect(await server.exited).toBe(0);
    expect(isAlive(server.pid)).toBe(false);
  });
});

function filesBelow(folder: string): readonly string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
}

function isUnstarted(folder: string): boolean {
  try {
    readFileSync(join(folder, "supervisor.json"));
    return false;
  } catch {
    return readdirSync(folder).every((name) => ["task.json", "plan.json"].includes(name));
  }
}
