// What happens to the work behind a connection: it never holds up the protocol, it ends when it is cancelled, and nothing of
// it is left when the connection is over.

import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import {
  answerOf,
  callOf,
  environmentOf,
  hello,
  type Message,
  openClient,
  openWire,
  ready,
  type Wire,
} from "../helpers/mcp.ts";
import { executable } from "../helpers/run-atomic.ts";
import { type EditPlace, inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const ping = (id: number) => ({ jsonrpc: "2.0", id, method: "ping" });
const cancel = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

/** Waits for something that others bring about; the test's own limit ends it. */
async function until<T>(found: () => T | undefined | false): Promise<T> {
  for (;;) {
    const value = found();
    if (value !== undefined && value !== false) return value;
    await Bun.sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    return false;
  }
  // A zombie has ended.
  return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
}

/** Processes that this one started and that are still its children. */
function childrenOf(parent: number): readonly number[] {
  return readdirSync("/proc")
    .map(Number)
    .filter((pid) => {
      try {
        return (
          Number(/\) . (\d+)/.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))![1]) === parent
        );
      } catch {
        return false;
      }
    });
}

/** Starts a command that never ends by itself. @returns its pid, and those of what stands between it and the server */
async function startEndless(
  wire: Wire,
  place: EditPlace,
  id: number,
): Promise<{ readonly pid: number; readonly calls: number; readonly all: readonly number[] }> {
  wire.send(callOf(id, "bash", { command: "echo $$ $PPID > pids; exec sleep 1000" }));
  const file = join(place.folder, "pids");
  const [pid, parent] = await until(() => {
    const pids = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").map(Number) : [];
    return pids.length === 2 && pids;
  });
  const [calls] = childrenOf(wire.pid);
  return { pid: pid!, calls: calls!, all: [pid!, parent!, calls!] };
}

test("a ping and a read are answered before the heavy call that came first", async () => {
  const row = `${"abcdefghij".repeat(6)}\n`;
  await inEditPlace({ "big.txt": row.repeat(400_000), "a.txt": "1\n" }, async (place) => {
    const wire = await openClient(place);
    wire.send(
      callOf(1, "search", { pattern: "(a|b|ab)+j[^x]*q$", paths: ["big.txt"] }),
      callOf(2, "read", { path: "big.txt" }),
      ping(3),
    );
    await Promise.all([1, 2, 3].map((id) => wire.answer(id)));
    const order = wire.lines.map((line) => (line as { readonly id: unknown }).id);
    expect(order[1]).toBe(3);
    await wire.close();
  });
});

test("a cancelled command is ended with all it started, and is not answered", async () => {
  await inEditPlace({ "a.txt": "1\n" }, async (place) => {
    const wire = await openClient(place);
    const { pid } = await startEndless(wire, place, 1);
    wire.send(cancel(1));
    await until(() => !isAlive(pid));
    wire.send(callOf(2, "read", { path: "a.txt:raw" }));
    expect(answerOf((await wire.answer(2)).result).text).toBe("1\n");
    expect(await wire.close()).toBe(0);
    expect(wire.lines.filter((line) => (line as { readonly id: unknown }).id === 1)).toEqual([]);
  });
});

test("a cancelled search stops, and the next call need not wait for what it would have taken", async () => {
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`d/${i}.txt`, `${"a".repeat(500)}\n`.repeat(4_000)]),
  );
  await inEditPlace({ ...files, "a.txt": "1\n" }, async (place) => {
    const wire = await openClient(place);
    // Tens of seconds of work, were it not cancelled.
    wire.send(
      callOf(1, "search", { pattern: "(a{1,40}){1,40}b", paths: ["d"] }),
      callOf(2, "read", { path: "a.txt:raw" }),
      cancel(1),
    );
    const first = await wire.next(({ id }) => id === 1 || id === 2);
    expect(first.id).toBe(2);
    expect(await wire.close()).toBe(0);
    expect(wire.lines.filter((line) => (line as { readonly id: unknown }).id === 1)).toEqual([]);
  });
});

test("a client that asks for progress hears that a call goes on", async () => {
  await inEditPlace({}, async (place) => {
    const wire = await openClient(place);
    const call = callOf(1, "bash", { command: "mkfifo go && cat go" });
    wire.send({ ...call, params: { ...call.params, _meta: { progressToken: "p" } } });
    const { params } = await wire.next(({ method }) => method === "notifications/progress");
    expect(params).toMatchObject({ progressToken: "p", progress: 1 });
    expect(String(params!["message"])).not.toBe("");
    writeFileSync(join(place.folder, "go"), "done\n");
    expect(answerOf((await wire.answer(1)).result).text).toContain("done");
    await wire.close();
  });
});

test("roots that change are asked for anew, and a client that does not answer does not hold up its calls for ever", async () => {
  await inEditPlace({ "one/a.txt": "1\n", "two/a.txt": "2\n" }, async (place) => {
    const wire = openWire(place);
    const params = { ...hello.params, capabilities: { roots: { listChanged: true } } };
    wire.send({ ...hello, params }, ready);
    await wire.answer("hello");
    const isQuestion = ({ method }: Message) => method === "roots/list";
    const read = (id: number) => callOf(id, "read", { path: "a.txt:raw" });
    const roots = (id: unknown, folder: string) => ({
      jsonrpc: "2.0",
      id,
      result: { roots: [{ uri: `file://${place.folder}/${folder}`, name: "x" }] },
    });
    wire.send(read(1));
    wire.send(roots((await wire.next(isQuestion)).id, "one"));
    expect(answerOf((await wire.answer(1)).result).text).toBe("1\n");
    wire.send(read(2));
    expect(answerOf((await wire.answer(2)).result).text).toBe("1\n");
    wire.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" }, read(3));
    wire.send(roots((await wire.next(isQuestion)).id, "two"));
    expect(answerOf((await wire.answer(3)).result).text).toBe("2\n");
    wire.send({ jsonrpc: "2.0", method: "notifications/roots/list_changed" });
    wire.send(callOf(4, "read", { path: "one/a.txt:raw" }));
    await wire.next(isQuestion);
    expect(answerOf((await wire.answer(4)).result).text).toBe("1\n");
    expect(wire.errors()).toContain("MCP: the client's roots are not known");
    await wire.close();
  });
});

test("a calls' process that dies fails its calls by name, and the next call has a new one", async () => {
  await inEditPlace({ "a.txt": "one\n" }, async (place) => {
    const wire = await openClient(place);
    wire.send(callOf(1, "read", { path: "a.txt" }));
    const header = answerOf((await wire.answer(1)).result).text.split("\n")[0];
    const { pid, calls, all } = await startEndless(wire, place, 2);
    process.kill(calls, "SIGKILL");
    const died = answerOf((await wire.answer(2)).result);
    expect([died.isError, died.details["code"]]).toEqual([true, "mcp.process"]);
    expect(died.text).toStartWith(
      "The process that did this call of bash ended with signal SIGKILL before it answered.",
    );
    // Nobody waits for the command any more: it is a task of the session now, until somebody ends it.
    process.kill(pid, "SIGKILL");
    await until(() => !all.some(isAlive));
    // The session is still the same.
    wire.send(callOf(3, "edit", { input: `${header}\nreplace 1..1:\n+ONE\n` }));
    expect(answerOf((await wire.answer(3)).result).isError).toBe(false);
    expect(place.bytes("a.txt")).toBe("ONE\n");
    await wire.close();
  });
});

test("B013: twenty edits in one write, under one tag, are one batch, and a write between them is whole or refused", async () => {
  const hundred = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");
  await inEditPlace({ "hundred.txt": hundred }, async (place) => {
    const wire = await openClient(place);
    const lines = Array.from({ length: 20 }, (_, i) => 5 * (i + 1));
    const headerOf = async (id: number) => {
      wire.send(callOf(id, "read", { path: "hundred.txt" }));
      return answerOf((await wire.answer(id)).result).text.split("\n")[0]!;
    };
    const edits = (header: string, from: number, text: string) =>
      lines.map((line, i) =>
        callOf(from + i, "edit", {
          input: `${header}\nreplace ${line}..${line}:\n+${text} ${line}\n`,
        }),
      );
    const answers = (from: number) =>
      Promise.all(lines.map(async (_, i) => answerOf((await wire.answer(from + i)).result)));

    wire.send(...edits(await headerOf(1), 100, "new"));
    const first = await answers(100);
    expect(first.filter(({ isError }) => isError)).toEqual([]);
    expect(first.some(({ text }) => /Applied \d+ parallel edit calls as one/.test(text))).toBe(
      true,
    );
    const rows = Array.from({ length: 100 }, (_, i) =>
      (i + 1) % 5 === 0 ? `new ${i + 1}` : `${i + 1}`,
    );
    expect(place.bytes("hundred.txt")).toBe(`${rows.join("\n")}\n`);

    const mixed = edits(await headerOf(2), 200, "mixed");
    const content = `${Array.from({ length: 100 }, (_, i) => `over ${i + 1}`).join("\n")}\n`;
    const write = callOf(300, "write", { path: "hundred.txt", content });
    wire.send(...mixed.slice(0, 10), write, ...mixed.slice(10));
    const second = await answers(200);
    const written = answerOf((await wire.answer(300)).result);
    const found = place.bytes("hundred.txt").split("\n");
    expect(found).toHaveLength(101);
    const isOver = found[0] === "over 1";
    expect([isOver, written.isError]).toEqual([isOver, !isOver]);
    lines.forEach((line, i) => {
      const isThere = found[line - 1] === `mixed ${line}`;
      // Told to be written, it is there, unless the write came after it.
      if (isThere || !isOver) expect([line, second[i]!.isError]).toEqual([line, !isThere]);
      else expect(found[line - 1]).toBe(`over ${line}`);
    });
    await wire.close();
  });
});

test("B013: of two connections at one file, what is said to be written is there", async () => {
  const hundred = Array.from({ length: 100 }, (_, i) => `${i + 1}\n`).join("");
  await inEditPlace({ "hundred.txt": hundred }, async (place) => {
    const wires = await Promise.all([openClient(place), openClient(place)]);
    let id = 0;
    for (let round = 0; round < 10; round++) {
      place.put("hundred.txt", hundred);
      const rows = await Promise.all(
        wires.map(async (wire, which) => {
          const first = ++id;
          wire.send(callOf(first, "read", { path: "hundred.txt" }));
          const header = answerOf((await wire.answer(first)).result).text.split("\n")[0];
          // Lines of its own, and one that both want.
          const wanted = [10 + which, 30 + which, 50].map((line) => ({ line, id: ++id }));
          wire.send(
            ...wanted.map((each) =>
              callOf(each.id, "edit", {
                input: `${header}\nreplace ${each.line}..${each.line}:\n+${which} at ${each.line}\n`,
              }),
            ),
          );
          return Promise.all(
            wanted.map(async ({ line, id: of }) => ({
              line,
              row: `${which} at ${line}`,
              answer: answerOf((await wire.answer(of)).result),
            })),
          );
        }),
      );
      const found = place.bytes("hundred.txt").split("\n");
      expect(found).toHaveLength(101);
      for (const { line, row, answer } of rows.flat()) {
        if (answer.isError) expect(answer.details["status"]).toBe(3);
        else if (line !== 50) expect(found[line - 1]).toBe(row);
      }
      const winners = rows.flat().filter(({ line, answer }) => line === 50 && !answer.isError);
      if (winners.length === 0) expect(found[49]).toBe("50");
      else expect(winners.map(({ row }) => row)).toContain(found[49]!);
    }
    await Promise.all(wires.map((wire) => wire.close()));
  });
});

test("B069: nothing is left when the input ends, the server is told to stop or is killed", async () => {
  for (const way of ["end", "SIGTERM", "SIGKILL"] as const) {
    await inEditPlace({}, async (place) => {
      const wire = await openClient(place);
      const { all } = await startEndless(wire, place, 1);
      if (way !== "end") process.kill(wire.pid, way);
      const status = await wire.close();
      expect([way, status]).toEqual([way, { end: 0, SIGTERM: 143, SIGKILL: 137 }[way]]);
      await until(() => !all.some(isAlive));
    });
  }
});

test("B069: standard output has nothing but the protocol, also where everything is told to be noisy", async () => {
  await inEditPlace({}, async (place) => {
    const noisy = { DEBUG: "*", NO_COLOR: "1", TERM: "dumb", ATOMIC_DEBUG: "1", NODE_DEBUG: "*" };
    const wire = openWire(place, [], noisy);
    // Ended before it was initialized.
    expect(await wire.close()).toBe(0);
    const client = await openClient(place, [], noisy);
    client.send(callOf(1, "bash", { command: "echo out; echo err >&2; echo tty > /dev/tty" }));
    expect(answerOf((await client.answer(1)).result).text).toContain("out\nerr");
    expect(await client.close()).toBe(0);
    for (const line of client.lines) expect(line).toMatchObject({ jsonrpc: "2.0" });
  });
});

test("B069: a client that reads no more ends the server", async () => {
  await inEditPlace({}, async (place) => {
    const hello = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });
    writeFileSync(join(place.folder, "in"), `${hello}\n`.repeat(1_000));
    const script = `(cat in; sleep 1000) | { "$0" mcp serve; echo $? > status; } | head -c 1 > /dev/null`;
    const shell = Bun.spawn(["bash", "-c", script, executable], {
      cwd: place.folder,
      env: environmentOf(place),
      stdin: "ignore",
      stderr: "ignore",
    });
    const file = join(place.folder, "status");
    const status = await until(() => existsSync(file) && readFileSync(file, "utf8"));
    expect(status).toBe("0\n");
    shell.kill();
    const sleeper = Bun.spawnSync(["pkill", "-P", String(shell.pid)]);
    expect(sleeper.exitCode).toBeLessThan(2);
  });
});
