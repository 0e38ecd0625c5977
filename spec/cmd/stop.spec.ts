// What is left of a command when atomic itself is told to stop.

import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { binary, inPlace, type Place } from "./program.ts";

/** Runs `atomic bash` as the leader of a group; the command writes its own number to the file "pid". */
async function running(
  { folder, env }: Place,
  rest: string,
  prefix: readonly string[] = [],
): Promise<{ readonly atomic: Bun.Subprocess; readonly command: number }> {
  const atomic = Bun.spawn(
    [...prefix, binary, "bash", `echo $$ > pid.new; mv pid.new pid; ${rest}`],
    {
      cwd: folder,
      env,
      detached: true,
      stdin: "ignore",
      stdout: "ignore",
      stderr: "ignore",
    },
  );
  const file = join(folder, "pid");
  while (!existsSync(file)) await Bun.sleep(5);
  return { atomic, command: Number(readFileSync(file, "utf8")) };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return !readFileSync(`/proc/${pid}/stat`, "latin1").includes(") Z ");
  } catch {
    return false;
  }
}

async function isGone(pid: number): Promise<boolean> {
  for (let at = 0; at < 500 && isAlive(pid); at++) await Bun.sleep(10);
  return !isAlive(pid);
}

const linux = process.platform === "linux";

test.skipIf(!linux)(
  "a signal to the group and one to its leader at once are one request",
  async () => {
    await inPlace({}, async (place) => {
      const { atomic, command } = await running(place, "sleep 60");
      process.kill(-atomic.pid, "SIGTERM");
      process.kill(atomic.pid, "SIGTERM");
      await atomic.exited;
      expect([atomic.exitCode, await isGone(command)]).toEqual([143, true]);
    });
  },
);

test.skipIf(!linux)(
  "whoever asks again does not wait for a command that will not end",
  async () => {
    await inPlace({}, async (place) => {
      const { atomic, command } = await running(place, "trap '' TERM; while :; do sleep 0.1; done");
      const again = setInterval(() => process.kill(atomic.pid, "SIGTERM"), 50);
      await atomic.exited;
      clearInterval(again);
      expect(await isGone(command)).toBe(true);
    });
  },
);

test.skipIf(!linux)(
  "a terminal that is closed ends the command as well, unless nohup asks otherwise",
  async () => {
    await inPlace({}, async (place) => {
      const { atomic, command } = await running(place, "sleep 60");
      atomic.kill("SIGHUP");
      await atomic.exited;
      expect([atomic.exitCode, await isGone(command)]).toEqual([129, true]);
    });
    await inPlace({}, async (place) => {
      const { atomic, command } = await running(place, "sleep 60", ["nohup"]);
      atomic.kill("SIGHUP");
      atomic.kill("SIGTERM");
      await atomic.exited;
      expect([atomic.exitCode, await isGone(command)]).toEqual([143, true]);
    });
  },
);
