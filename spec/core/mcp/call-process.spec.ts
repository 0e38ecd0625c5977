// What a server does when the process behind it is slow, deaf or dead. Time is the test's own.

import { describe, expect, test } from "bun:test";

import type { CallToolResult } from "@modelcontextprotocol/server";

import { memoryClock } from "../../../adapters/memory/clock.ts";
import { memoryProcesses, type MemoryProgramIo } from "../../../adapters/memory/processes.ts";
import { type Order, lineOf, type Report } from "../../../core/mcp/call-lines.ts";
import { CallProcess } from "../../../core/mcp/call-process.ts";
import { linesOf } from "../../../core/mcp/lines.ts";
import type { Ask } from "../../../core/questions/question.ts";
import type { Effect } from "../../../core/tool.ts";

const done = (id: number, text: string): Report => ({
  kind: "done",
  id,
  result: { content: [{ type: "text", text }], structuredContent: {}, isError: false },
});
const stopped = (id: number): Report => ({
  kind: "done",
  id,
  result: { content: [], structuredContent: { code: "aborted" }, isError: true },
});

/** Does what the tools of these names would. */
async function calls({ stdin, out, err }: MemoryProgramIo): Promise<number> {
  const say = (report: Report) => out(lineOf(report));
  await err("a word\n");
  const hears = new Set<number>();
  const asking = new Map<number, number>();
  for await (const line of linesOf(stdin, 1e9)) {
    const order = JSON.parse(line!) as Order;
    if (order.kind === "call") {
      if (order.tool === "quick") await say(done(order.id, `quick in ${order.root ?? "none"}`));
      if (order.tool === "slow") hears.add(order.id);
      if (order.tool === "dies") return 9;
      if (order.tool === "garbled") await out("}\n");
      if (order.tool === "asks") {
        asking.set(1, order.id);
        await say({ kind: "ask", id: order.id, question: 1, questions: [] });
      }
    } else if (order.kind === "cancel") {
      if (hears.has(order.id)) await say(stopped(order.id));
    } else {
      await say(done(asking.get(order.question)!, order.asked.ended));
    }
  }
  return 0;
}

function open() {
  const clock = memoryClock(0);
  const processes = memoryProcesses(
    { calls },
    { isFolder: async () => true, variable: () => undefined },
  );
  const notices: string[] = [];
  const process = new CallProcess({
    clock,
    notice: (text) => notices.push(text),
    start: () => processes.start({ program: "calls", args: [], cwd: "/" }),
  });
  const heard: string[] = [];
  const run = (
    name: string,
    effect: Effect,
    more: { readonly signal?: AbortSignal; readonly ask?: Ask } = {},
  ) =>
    process.run(
      { name, effect },
      {},
      {
        signal: new AbortController().signal,
        root: "/r",
        notice: (text) => notices.push(text),
        progress: (text) => heard.push(text),
        ...more,
      },
    );
  return { process, processes, clock, notices, heard, run };
}

function told({ content, structuredContent }: CallToolResult) {
  const [first] = content;
  return [
    (structuredContent as { readonly code?: string }).code,
    first?.type === "text" ? first.text : "",
  ];
}

describe("a connection's calls", () => {
  test("are answered, and end with the connection", async () => {
    const { process, processes, run, notices } = open();
    expect(told(await run("quick", "read"))).toEqual([undefined, "quick in /r"]);
    expect(processes.running.size).toBe(1);
    await process.close();
    expect(processes.running.size).toBe(0);
    expect(notices).toEqual(["a word"]);
    expect(told(await run("quick", "read"))[0]).toBe("aborted");
  });

  test("are told to go on every five seconds, and stopped before clients stop waiting", async () => {
    const { clock, run, heard, processes } = open();
    const [code, text] = told(await run("slow", "read"));
    expect([code, clock.now()]).toEqual(["mcp.time", 45_000]);
    expect(text).toBe(
      "slow was stopped after 45 s, before MCP clients stop waiting.\nAsk for less at a time: fewer paths, a narrower glob, lines of a file.",
    );
    expect(heard).toEqual(
      [5, 10, 15, 20, 25, 30, 35, 40].map((s) => `slow has been running for ${s} s`),
    );
    expect(processes.running.size).toBe(1);
  });

  test("end with their process where they do not hear, if nothing can be lost by that", async () => {
    const { clock, run, processes } = open();
    expect(told(await run("deaf", "read"))[0]).toBe("mcp.time");
    expect(clock.now()).toBe(48_000);
    expect(processes.running.size).toBe(0);
    expect(told(await run("quick", "read"))[0]).toBeUndefined();

    const [code, text] = told(await run("deaf", "write"));
    expect([code, processes.running.size]).toEqual(["mcp.time", 1]);
    expect(text).toContain("it may have been done in part");
  });

  test("that are cancelled settle, and leave alone a process in which others work", async () => {
    const { run, processes } = open();
    const cancel = new AbortController();
    const others = new AbortController();
    const slow = run("slow", "execute", { signal: others.signal });
    const deaf = run("deaf", "read", { signal: cancel.signal });
    cancel.abort();
    expect(told(await deaf)).toEqual(["aborted", "Operation aborted"]);
    expect(processes.running.size).toBe(1);
    others.abort();
    expect(told(await slow)[0]).toBe("aborted");
    const before = new AbortController();
    before.abort();
    expect(told(await run("deaf", "read", { signal: before.signal }))[0]).toBe("aborted");
    expect(processes.running.size).toBe(0);
  });

  test("of commands have the time that they need", async () => {
    const { clock, run, heard } = open();
    const cancel = new AbortController();
    const slow = run("slow", "execute", { signal: cancel.signal });
    await clock.sleep(600_000);
    cancel.abort();
    expect(told(await slow)[0]).toBe("aborted");
    expect(heard.at(-1)).toMatch(/^slow has been running for (595|600) s$/);
  });

  test("do not count the time for which a person thinks, and an unanswered question is undelivered", async () => {
    const { clock, run } = open();
    const ask: Ask = async () => {
      await clock.sleep(3_600_000);
      return { ended: "cancelled" };
    };
    expect(told(await run("asks", "read", { ask }))[1]).toBe("cancelled");
    const fails: Ask = async () => {
      throw new Error("no person");
    };
    expect(told(await run("asks", "read", { ask: fails }))[1]).toBe("undelivered");
  });

  test("fail by name with the process that did them, and the next has a new one", async () => {
    const { run, processes } = open();
    const [slow, dies] = await Promise.all([run("slow", "write"), run("dies", "read")]);
    expect(told(slow)).toEqual([
      "mcp.process",
      "The process that did this call of slow ended with status 9 before it answered.\nRead what the call was to change before calling again: it may have been done.",
    ]);
    expect(told(dies)[0]).toBe("mcp.process");
    expect(told(await run("garbled", "read"))[0]).toBe("mcp.process");
    expect(told(await run("quick", "read"))[0]).toBeUndefined();
    expect(processes.running.size).toBe(1);
  });

  test("are refused where too many wait already", async () => {
    const { run } = open();
    const cancel = new AbortController();
    const waiting = Array.from({ length: 1_000 }, () =>
      run("slow", "execute", { signal: cancel.signal }),
    );
    expect(told(await run("quick", "read"))[0]).toBe("mcp.busy");
    cancel.abort();
    await Promise.all(waiting);
    expect(told(await run("quick", "read"))[0]).toBeUndefined();
  });

  test("fail by name where no process can be started", async () => {
    const processes = memoryProcesses(
      {},
      { isFolder: async () => true, variable: () => undefined },
    );
    const process = new CallProcess({
      clock: memoryClock(0),
      notice: () => {},
      start: () => processes.start({ program: "none", args: [], cwd: "/" }),
    });
    const hooks = { signal: new AbortController().signal, root: undefined, notice: () => {} };
    const result = await process.run({ name: "read", effect: "read" }, {}, hooks);
    expect(told(result)[0]).toBe("mcp.process");
    expect(told(result)[1]).toContain("Nothing was done.");
  });
});
