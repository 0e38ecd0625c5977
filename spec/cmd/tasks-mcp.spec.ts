// Commands over MCP: those that take long become tasks, and `bash` with an id asks after them.

import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { binary } from "./program.ts";
import { inTasksPlace, isAlive, processesWith, type TasksPlace, until } from "./tasks-place.ts";

setDefaultTimeout(120_000);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Call = (
  name: string,
  input: Record<string, unknown>,
  signal?: AbortSignal,
) => Promise<{ text: string; isError: boolean; details: Record<string, unknown> }>;

async function connect(
  { folder, env }: TasksPlace,
  ...args: readonly string[]
): Promise<{ call: Call; client: Client; transport: StdioClientTransport }> {
  const transport = new StdioClientTransport({
    command: binary,
    args: ["mcp", "serve", "--session", "default", ...args],
    cwd: folder,
    env,
    stderr: "ignore",
  });
  const client = new Client({ name: "spec", version: "1" });
  await client.connect(transport);
  open.push(client);
  return {
    client,
    transport,
    async call(name, input, signal) {
      const options = signal === undefined ? {} : { signal };
      const result = await client.callTool({ name, arguments: input }, options);
      const [first] = result.content as readonly { readonly text?: string }[];
      return {
        text: first?.text ?? "",
        isError: result.isError === true,
        details: result.structuredContent as Record<string, unknown>,
      };
    },
  };
}

test("a command that ends in time answers as it does elsewhere, and leaves no task", async () => {
  await inTasksPlace(async (place) => {
    const { call } = await connect(place);
    for (const command of ["echo a; exit 3", "true", "kill -9 $$", "seq 1 4000"]) {
      const over = await call("bash", { command });
      const input = JSON.stringify({ command });
      const here = JSON.parse((await place.run(["call", "bash", "--json", input])).stdout);
      const path = /[^ ]*\/(?:output|atomic-bash-\w+)\.log/;
      expect(over.text.replace(path, "")).toBe(
        here.text.replace(path, "").replace(/\n$/, over.text.endsWith("\n") ? "\n" : ""),
      );
      expect(over.isError).toBe(here.isError);
      expect(Object.keys(over.details)).toEqual(Object.keys(here.details));
      const isCut = command.startsWith("seq");
      expect(readdirSync(place.tasksFolder).length).toBe(isCut ? 1 : 0);
      if (!isCut) continue;
      const log = readFileSync(String(over.details["fullOutputPath"]), "utf8");
      expect(log).toMatch(/\n4000\n\[ended: exit code 0, after \d+\.\d s\]\n$/);
    }
  });
});

test("one that takes longer becomes a task, whose state and new output are told when asked for", async () => {
  await inTasksPlace(async (place) => {
    const { call } = await connect(place, "--yield", "1");
    const command = "echo a; while [ ! -e go ]; do sleep 0.01; done; echo b; exit 3";
    const first = await call("bash", { command });
    const { id } = first.details["task"] as { id: string };
    const log = place.pathOf(id, "output.log");
    expect([first.isError, first.text]).toEqual([
      false,
      expect.stringMatching(
        new RegExp(
          `^a\n\nstill running, 1\\.\\d s of at most 300 s; task ${id}\nbytes 0 to 2 of 2 of the output; log: ${log}\nstate and new output: bash \\{"id":"${id}","wait":30\\}; to stop it: kill \\{"id":"${id}"\\}$`,
        ),
      ),
    ]);
    const again = await call("bash", { id });
    expect(again.text).toStartWith("still running, ");
    expect(again.details).toMatchObject({ output: { from: 2, to: 2, total: 2 }, nextOffset: 2 });
    expect((await call("read", { path: log })).text).toEndWith("\n1:a");
    const waiting = new AbortController();
    const waited = call("bash", { id, wait: 30 }, waiting.signal);
    waiting.abort();
    await expect(waited).rejects.toThrow();
    writeFileSync(join(place.folder, "go"), "");
    await until(() => existsSync(place.pathOf(id, "ending.json")));
    const rest = await call("bash", { id, wait: 30 });
    expect([rest.isError, rest.text]).toEqual([
      true,
      expect.stringMatching(
        /^b\n\nexit code 3, after \d+\.\d s\nbytes 2 to 4 of 4 of the output; log: /,
      ),
    ]);
    expect((await call("bash", { id, offset: 0 })).text).toStartWith("a\nb\n\nexit code 3");
    expect((await call("bash", { id, offset: 3 })).text).toStartWith("exit code 3");
    expect((await call("kill", { id })).details).toMatchObject({
      decision: "already-settled",
      execution: { kind: "settled", result: { kind: "completed", exitCode: 3 } },
    });
  });
});

test("background and kill work over MCP, and what does not go together is refused", async () => {
  await inTasksPlace(async (place) => {
    const { call } = await connect(place);
    const started = await call("bash", { command: "echo up; sleep 600", background: true });
    const { id } = started.details["task"] as { id: string };
    expect(started.text).toStartWith(`${id}\n\nstarted in the background, for at most 300 s; `);
    const refused: readonly (readonly [Record<string, unknown>, string])[] = [
      [{}, 'Field "command" is missing, and there is no id either.'],
      [{ command: "true", wait: 1 }, 'Field "wait" goes with id only.'],
      [{ command: "true", offset: 1 }, 'Field "offset" goes with id only.'],
      [{ id, command: "true" }, 'Field "command" does not go with id, '],
      [{ id, background: true }, 'Field "background" does not go with id, '],
      [{ id, offset: -1 }, 'Field "offset" must be '],
      [{ id: "1" }, "1 is the number of a process, and no task's id."],
    ];
    for (const [input, message] of refused) {
      const answer = await call("bash", input);
      expect([answer.isError, answer.text.slice(0, message.length)]).toEqual([true, message]);
    }
    const receipt = await call("kill", { id });
    expect([receipt.isError, receipt.text]).toEqual([
      false,
      `${id}\ndecision: cancellation-requested\nexecution: settled: cancelled (user)\ncleanup: reaped`,
    ]);
  });
});

test("of the state only the session's own files can be read", async () => {
  await inTasksPlace(async (place) => {
    const { call } = await connect(place);
    const state = place.env["ATOMIC_HOME"]!;
    await place.run(["bash", "--session", "other", "--background", "echo theirs"]);
    const [theirs] = readdirSync(join(state, "sessions/other/tasks")).filter((name) =>
      name.startsWith("task_"),
    );
    await until(() => existsSync(join(state, "sessions/other/tasks", theirs!, "ending.json")));
    writeFileSync(join(place.folder, "a.txt"), "a\n");
    expect((await call("read", { path: "a.txt" })).isError).toBe(false);
    const files = [
      `sessions/other/tasks/${theirs}/output.log`,
      `sessions/default/../other/tasks/${theirs}/output.log`,
      ...readdirSync(state, { withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map(({ name }) => name),
    ];
    expect(files.length).toBeGreaterThan(2);
    for (const file of files) {
      expect([file, (await call("read", { path: join(state, file) })).isError]).toEqual([
        file,
        true,
      ]);
    }
    expect((await call("kill", { id: theirs })).isError).toBe(true);
  });
});

const waiting = "(setsid sh -c 'echo $$ > pid; sleep 600' &); sleep 600";

async function startedPid({ folder }: TasksPlace): Promise<number> {
  const path = join(folder, "pid");
  await until(() => existsSync(path) && readFileSync(path, "utf8").endsWith("\n"));
  return Number(readFileSync(path, "utf8"));
}

test.each(["is cancelled", "loses its client", "loses its server"])(
  "a command whose call %s ends with all that it has started",
  async (how) => {
    await inTasksPlace(async (place) => {
      const { call, transport } = await connect(place);
      const cancel = new AbortController();
      const called = call("bash", { command: waiting }, cancel.signal).catch(() => "failed");
      const pid = await startedPid(place);
      if (how === "is cancelled") cancel.abort();
      else if (how === "loses its client") await transport.close();
      else process.kill(transport.pid!, "SIGKILL");
      expect(await called).toBe("failed");
      await until(() => !isAlive(pid));
      if (how === "is cancelled") await until(() => readdirSync(place.tasksFolder).length === 0);
      else await until(() => processesWith(place.env["ATOMIC_HOME"]!).length === 0);
    });
  },
);

test("where no task can be kept, commands run all the same, and are waited for", async () => {
  await inTasksPlace(
    async (place) => {
      // A link in place of the folder of tasks is not followed.
      await place.run(["bash", "true"]);
      const { call } = await connect(place, "--session-dir", join(place.folder, "file/no"));
      const answer = await call("bash", { command: "echo a" });
      expect([answer.isError, answer.text]).toEqual([false, "a\n"]);
      const refused = await call("bash", { command: "echo a", background: true });
      expect(refused.details).toMatchObject({ code: "task.unavailable" });
    },
    { file: "" },
  );
});

test("a client that wants progress hears what the command says meanwhile", async () => {
  await inTasksPlace(async (place) => {
    const { client } = await connect(place);
    const heard: string[] = [];
    const command =
      "while [ ! -e go ]; do printf '\\033[1mstep\\033[0m one\\n'; sleep 0.1; done; echo end";
    const answer = await client.callTool(
      { name: "bash", arguments: { command } },
      {
        onprogress({ message }) {
          heard.push(message ?? "");
          if (message === "step one") writeFileSync(join(place.folder, "go"), "");
        },
      },
    );
    expect(heard).toContain("step one");
    expect(answer.isError).toBe(false);
  });
});
