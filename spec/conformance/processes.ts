import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";

import {
  type MergedProcess,
  ProcessError,
  type ProcessFacts,
  type RunningProcess,
  type StartProcess,
} from "../../core/ports/processes.ts";
import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf, type World } from "./body.ts";
import { programs } from "./programs.ts";

export function processesSuite(body: Body): readonly Case[] {
  return casesOf(body, body.isMemory ? shared(body) : { ...shared(body), ...ofTheSystem });
}

function shared(body: Body): Readonly<Record<string, (world: World) => Promise<void>>> {
  const start = starter(body.isMemory);
  return {
    "output, errors and the status are those of the program": (world) =>
      using(start(world, "both", ["3"]), async (child) => {
        const [out, err] = [text(child.stdout), text(child.stderr)];
        assert.deepEqual([await out, await err], ["out", "err"]);
        assert.deepEqual(await child.ended, { code: 3 });
      }),

    "arguments arrive as they are": (world) =>
      using(start(world, "args", ["", " a b ", "$HOME", "'\"", "é\n😀", "-x"]), async (child) => {
        assert.equal(await text(child.stdout), "<>< a b ><$HOME><'\"><é\n😀><-x>");
      }),

    "it runs in its folder, with variables on top of ours, less those taken out": (world) =>
      using(
        start(world, "place", [], { env: { SPEC_GIVEN: "a=b c", SPEC_TAKEN: undefined } }),
        async (child) => {
          assert.equal(await text(child.stdout), `${world.folder}\na=b c|unset`);
        },
      ),

    "every byte comes back, whatever a pipe holds, and a slow reader slows the writer": (world) =>
      using(start(world, "copy"), async (child) => {
        const sent = new Uint8Array(3_000_000).map((_, at) => at % 251);
        let isWritten = false;
        const writing = (async () => {
          for (let at = 0; at < sent.length; at += 100_000) {
            assert.equal(await child.stdin.write(sent.subarray(at, at + 100_000)), true);
          }
          isWritten = true;
          child.stdin.close();
        })();
        await world.host.clock.sleep(50);
        assert.equal(isWritten, false);
        const parts: Uint8Array[] = [];
        for await (const part of child.stdout) parts.push(part);
        await writing;
        assert.ok(Buffer.concat(parts).equals(sent));
        assert.deepEqual(await child.ended, { code: 0 });
      }),

    "closing the input twice, and an empty input, are fine": (world) =>
      using(start(world, "copy"), async (child) => {
        child.stdin.close();
        child.stdin.close();
        assert.equal(await child.stdin.write(bytes("late")), false);
        assert.equal(await text(child.stdout), "");
        assert.deepEqual(await child.ended, { code: 0 });
      }),

    "a kill ends it by that signal, and its streams": (world) =>
      using(start(world, "idle"), async (child) => {
        const out = text(child.stdout);
        assert.equal(child.kill("SIGTERM"), true);
        assert.deepEqual(await child.ended, { signal: "SIGTERM" });
        assert.match(await out, /^(ready\n)?$/);
      }),

    "SIGKILL ends what would not be ended": (world) =>
      using(start(world, "stubborn"), async (child) => {
        const out = child.stdout[Symbol.asyncIterator]();
        assert.equal(Buffer.from((await out.next()).value!).toString(), "ready\n");
        assert.equal(child.kill("SIGKILL"), true);
        assert.deepEqual(await child.ended, { signal: "SIGKILL" });
      }),

    "writing to one that reads no more, or has ended, says so and throws nothing": (world) =>
      using(start(world, "deaf"), async (child) => {
        await child.stdout[Symbol.asyncIterator]().next();
        if (!body.isMemory) assert.equal(await writeMuch(child), false);
        child.kill("SIGKILL");
        await child.ended;
        assert.equal(await writeMuch(child), false);
      }),

    "a waiting write ends with the program": (world) =>
      using(start(world, "idle"), async (child) => {
        const writing = writeMuch(child);
        child.kill("SIGKILL");
        await child.ended;
        assert.equal(await writing, false);
      }),

    "release ends a waiting read and a waiting write": (world) =>
      using(start(world, "idle"), async (child) => {
        const [out, writing] = [text(child.stdout), writeMuch(child)];
        child.release();
        child.release();
        assert.match(await out, /^(ready\n)?$/);
        assert.equal(await writing, false);
      }),

    "who stops reading ends a program that never stops writing": (world) =>
      using(start(world, "flood"), async (child) => {
        for await (const part of child.stdout) {
          assert.ok(part.length > 0);
          break;
        }
        child.release();
        const { code, signal } = await child.ended;
        assert.ok(signal === "SIGPIPE" || (code !== undefined && code !== 0));
      }),

    "merged, output and errors are one stream, and the input is at its end": (world) =>
      merging(world, "both", ["3"], async (child) => {
        assert.equal(await text(child.output), "outerr");
        assert.deepEqual(await child.ended, { code: 3 });
        assert.equal(child.hasTerminal, false);
      }),

    "merged, closed input is at its end": (world) =>
      merging(world, "copy", [], async (child) => {
        assert.equal(await text(child.output), "");
        assert.deepEqual(await child.ended, { code: 0 });
      }),

    "merged, it is found by its number and its mark, and ends by a signal": (world) =>
      merging(
        world,
        "idle",
        [],
        async (child) => {
          const { processes } = world.host;
          await child.output[Symbol.asyncIterator]().next();
          const facts = (await processes.find(child.pid))!;
          assert.equal(facts.group, child.pid);
          assert.notEqual(facts.started, "");
          // Its words may change meanwhile, when the shell becomes the program.
          const { pid, started } = facts;
          const isIt = (other: ProcessFacts) => other.pid === pid && other.started === started;
          assert.equal((await processes.list()).filter(isIt).length, 1);
          const marked = await processes.marked("SPEC_MARK", "mark-4711");
          assert.deepEqual(marked.map(isIt), [true]);
          assert.deepEqual(await processes.marked("SPEC_MARK", "mark-4712"), []);
          assert.deepEqual(await processes.marked("SPEC_MAR", "mark-4711"), []);
          assert.equal(child.isGroupAlive(), true);
          assert.equal(processes.signal({ group: child.pid }, "SIGKILL"), true);
          assert.deepEqual(await child.ended, { signal: "SIGKILL" });
          assert.equal(child.isGroupAlive(), false);
          assert.equal(await processes.find(child.pid), undefined);
          assert.equal(processes.signal({ pid: child.pid }, "SIGKILL"), false);
        },
        { SPEC_MARK: "a:mark-4711:b" },
      ),

    "merged, release ends a waiting read": (world) =>
      merging(world, "idle", [], async (child) => {
        const out = text(child.output);
        child.release();
        child.release();
        assert.match(await out, /^(ready\n)?$/);
      }),

    async "what is detached runs on its own, with nothing to read"({ host, folder }) {
      const { processes } = host;
      const where = { cwd: folder };
      const pid = await processes.detach(
        body.isMemory
          ? { program: "idle", args: [], ...where }
          : { program: "sh", args: ["-c", programs.idle.script], ...where },
      );
      const facts = (await processes.find(pid))!;
      assert.equal(facts.group, pid);
      assert.equal(processes.signal({ pid }, "SIGKILL"), true);
      while (await processes.find(pid)) await host.clock.sleep(5);
      await failsWith(
        "ENOENT",
        processes.detach({ program: "no-such-program", args: [], ...where }),
      );
    },

    async "no set of processes is signalled by accident"({ host: { processes } }) {
      for (const target of [{ group: 0 }, { group: 1 }, { pid: 0 }, { pid: -1 }, { pid: 1 }]) {
        assert.equal(processes.signal(target, "SIGTERM"), false);
      }
    },

    async "what cannot be started is a ProcessError with the system's code"({ host, folder }) {
      const { processes } = host;
      const nothing = { args: [], cwd: folder };
      await failsWith("ENOENT", processes.start({ program: "no-such-program-4711", ...nothing }));
      await failsWith("ENOENT", processes.start({ program: `${folder}/none`, ...nothing }));
      await failsWith(
        "ENOTDIR",
        processes.start({ program: "copy", args: [], cwd: `${folder}/none` }),
      );
      const merged = { ...nothing, stdin: "closed" } as const;
      await failsWith("ENOENT", processes.startMerged({ ...merged, program: `${folder}/none` }));
      await failsWith(
        "ENOTDIR",
        processes.startMerged({ ...merged, program: "copy", cwd: `${folder}/none` }),
      );
    },
  };
}

async function merging(
  { host, folder }: World,
  name: keyof typeof programs,
  args: readonly string[],
  work: (child: MergedProcess) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
): Promise<void> {
  const isMemory = "put" in host.fs;
  const child = await host.processes.startMerged({
    program: isMemory ? name : "sh",
    args: isMemory ? args : ["-c", programs[name].script, "sh", ...args],
    cwd: folder,
    env,
    stdin: "closed",
  });
  try {
    await work(child);
  } finally {
    child.kill("SIGKILL");
    await child.ended;
    child.release();
  }
}

const ofTheSystem: Readonly<Record<string, (world: World) => Promise<void>>> = {
  async "self is this program, whatever the environment says"({ host, folder }) {
    const { program, args, env } = host.processes.self;
    const given = { ...env, ATOMIC_HOME: `${folder}/state` };
    await using(
      host.processes.start({ program, args: [...args, "--version"], cwd: folder, env: given }),
      async (child) => {
        child.stdin.close();
        assert.match(await text(child.stdout), /^atomic \d/);
        assert.deepEqual(await child.ended, { code: 0 });
      },
    );
    for (const name of Object.keys(process.env)) {
      if (name.startsWith("BUN_"))
        assert.ok(Object.hasOwn(env ?? {}, name) && env![name] === undefined);
    }
  },

  "a program without end is ended by the system at its limit of processor time": ({
    host,
    folder,
  }) =>
    using(
      host.processes.start({
        program: "/bin/sh",
        args: ["-c", "while :; do :; done"],
        cwd: folder,
        cpuSeconds: 1,
      }),
      async (child) => {
        child.stdin.close();
        assert.notEqual((await child.ended).signal, undefined);
      },
    ),

  async "a file that is no program is refused with EACCES"({ host, folder }) {
    await host.fs.create(`${folder}/text`, bytes("echo no"), { mode: 0o644 });
    const program = `${folder}/text`;
    await failsWith("EACCES", host.processes.start({ program, args: [], cwd: folder }));
  },

  "ended does not wait for a child that keeps the pipes, and kill reaches it": (world) =>
    using(startScript(world, "sleep 600 & echo $!; exit 0", []), async (child) => {
      const out = child.stdout[Symbol.asyncIterator]();
      const left = Number(Buffer.from((await out.next()).value!).toString());
      assert.deepEqual(await child.ended, { code: 0 });
      assert.equal(isAlive(left), true);
      assert.equal(child.kill("SIGKILL"), true);
      // Its pipe ends with it.
      assert.equal((await out.next()).done, true);
    }),

  async "merged, a hundred programs leave no descriptor behind, and what they left runs on"(world) {
    const { processes } = world.host;
    const run = async (script: string) => {
      const child = await processes.startMerged({
        program: "sh",
        args: ["-c", script],
        cwd: world.folder,
        stdin: "closed",
      });
      const read = (async () => {
        for await (const part of child.output) assert.ok(part.length > 0);
      })();
      await child.ended;
      child.release();
      await read;
      return child;
    };
    for (let i = 0; i < 3; i++) await run("echo x");
    const before = descriptors();
    for (let i = 0; i < 100; i++) await run("echo x");
    const child = await run("sleep 600 & exit 0");
    assert.ok(descriptors() <= before + 3, `${before} descriptors became ${descriptors()}`);
    assert.equal(child.isGroupAlive(), true);
    assert.equal(child.kill("SIGKILL"), true);
    while (child.isGroupAlive()) await world.host.clock.sleep(5);
    assert.deepEqual(zombies(), []);
  },

  "it leads a group of its own": (world) =>
    using(startScript(world, "ps -o pgid= -p $$", []), async (child) => {
      assert.equal(Number(await text(child.stdout)), child.pid);
    }),

  "the table says who started a process": (world) =>
    using(startScript(world, "sleep 600 & echo $!; wait", []), async (child) => {
      const out = child.stdout[Symbol.asyncIterator]();
      const pid = Number(Buffer.from((await out.next()).value!).toString());
      const { processes } = world.host;
      assert.equal((await processes.find(pid))?.parent, child.pid);
      const listed = (await processes.list()).find((each) => each.pid === child.pid);
      assert.equal(listed?.parent, process.pid);
      child.kill("SIGKILL");
    }),

  async "a hundred programs leave no descriptor and no zombie behind"(world) {
    const run = () =>
      using(startScript(world, "cat >/dev/null; echo x", []), async (child) => {
        await child.stdin.write(bytes("input"));
        child.stdin.close();
        await text(child.stdout);
        await child.ended;
      });
    // What a runtime opens once for all.
    for (let i = 0; i < 3; i++) await run();
    const before = descriptors();
    for (let i = 0; i < 100; i++) await run();
    assert.ok(descriptors() <= before + 3, `${before} descriptors became ${descriptors()}`);
    assert.deepEqual(zombies(), []);
  },
};

function starter(isMemory: boolean) {
  return (
    world: World,
    name: keyof typeof programs,
    args: readonly string[] = [],
    more: Partial<StartProcess> = {},
  ): Promise<RunningProcess> =>
    isMemory
      ? world.host.processes.start({ program: name, args, cwd: world.folder, ...more })
      : startScript(world, programs[name].script, args, more);
}

function startScript(
  { host, folder }: World,
  script: string,
  args: readonly string[],
  more: Partial<StartProcess> = {},
): Promise<RunningProcess> {
  const words = ["-c", script, "sh", ...args];
  return host.processes.start({ program: "sh", args: words, cwd: folder, ...more });
}

/** Whatever happens, nothing stays behind. */
async function using(
  starting: Promise<RunningProcess>,
  work: (child: RunningProcess) => Promise<void>,
): Promise<void> {
  const child = await starting;
  try {
    await work(child);
  } finally {
    child.kill("SIGKILL");
    await child.ended;
    child.release();
  }
}

async function text(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = [];
  for await (const part of chunks) parts.push(part);
  return Buffer.concat(parts).toString();
}

/** More than a pipe holds. */
async function writeMuch({ stdin }: RunningProcess): Promise<boolean> {
  for (let i = 0; i < 20; i++) if (!(await stdin.write(new Uint8Array(100_000)))) return false;
  return true;
}

function bytes(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}

async function failsWith(code: string, starting: Promise<unknown>): Promise<void> {
  await assert.rejects(starting, (thrown: unknown) => {
    assert.ok(thrown instanceof ProcessError, `${String(thrown)} is no ProcessError`);
    assert.equal(thrown.code, code);
    return true;
  });
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function descriptors(): number {
  const folder = process.platform === "linux" ? "/proc/self/fd" : "/dev/fd";
  return readdirSync(folder).length;
}

/** Children of ours that ended and were not waited for. */
function zombies(): readonly string[] {
  if (process.platform !== "linux") return [];
  return readdirSync("/proc").filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, parent] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return state === "Z" && Number(parent) === process.pid;
    } catch {
      return false;
    }
  });
}
