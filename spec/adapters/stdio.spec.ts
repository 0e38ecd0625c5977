import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";

import { inFolder } from "../helpers/folder.ts";
import { runProgram } from "../helpers/run-atomic.ts";
import { runtimes } from "../helpers/runtimes.ts";

const child = resolve(import.meta.dir, "stdio-child.ts");
const MANY = 1_500_000;

setDefaultTimeout(60_000);

for (const { name, command } of runtimes) {
  const program = [...command, child];
  const quoted = program.map((word) => `'${word}'`).join(" ");
  /** In a shell; `$atomic` is the program. */
  const shell = (line: string, stdin?: Uint8Array) =>
    inFolder(async (cwd) => {
      const options = { cwd, env: process.env as Record<string, string> };
      const script = line.replaceAll("$atomic", quoted);
      return runProgram(["sh", "-c", script], stdin ? { ...options, stdin } : options);
    });

  describe(`stdio under ${name}`, () => {
    test("all of a big output arrives before the end, and the status too", async () => {
      const { status, stdout, stderr } = await shell(`$atomic big ${MANY}`);
      expect([status, stdout.bytes.length, stderr.text]).toEqual([7, 3 * MANY, "true true true\n"]);
    });

    test("a slow reader gets it all", async () => {
      const { stdout, stderr } = await shell(
        `$atomic big ${MANY} | { sleep 0.3; head -c 100000 >/dev/null; sleep 0.3; wc -c; }`,
      );
      expect([Number(stdout.text), stderr.text]).toEqual([3 * MANY - 100_000, "true true true\n"]);
    });

    test("a reader who goes away ends the writing quietly", async () => {
      const { status, stdout, stderr } = await shell(
        `{ $atomic big ${MANY}; echo $? >&2; } | head -c 2`,
      );
      expect([status, stdout.text, stderr.text]).toEqual([0, "xx", "false false false\n7\n"]);
    });

    test("a full disk is an error, not a reader who went away", async () => {
      const { status, stderr } = await shell("$atomic big 100 > /dev/full");
      expect([status, stderr.text]).toEqual([7, "ENOSPC ENOSPC ENOSPC\n"]);
    });

    test("closed streams do no harm, and nothing else gets their numbers", async () => {
      expect((await shell("$atomic big 100 >&-")).status).toBe(7);
      expect((await shell("$atomic big 100 2>&-")).status).toBe(7);
      expect((await shell("$atomic echo <&-")).stdout.text).toBe("");
      expect((await shell("$atomic nothing <&- >&- 2>&-")).status).toBe(3);
    });

    test("output is appended where a file already has some", async () => {
      const { stdout } = await shell(
        "{ echo one; $atomic big 5 2>/dev/null; echo two; } > f; cat f",
      );
      expect(stdout.text).toBe("one\nxxxx\nxxxx\nxxxx\ntwo\n");
    });

    test("standard input comes whole and as it is, from a pipe, a file or nowhere", async () => {
      const bytes = new Uint8Array(300_000).map((_, at) => (at * 7) % 256);
      const { stdout } = await shell("$atomic echo", bytes);
      expect(Buffer.compare(stdout.bytes, bytes)).toBe(0);
      await inFolder(async (folder) => {
        writeFileSync(join(folder, "f"), bytes);
        const read = await shell(`$atomic echo < ${folder}/f`);
        expect(Buffer.compare(read.stdout.bytes, bytes)).toBe(0);
      });
      expect((await shell("$atomic echo < /dev/null")).stdout.bytes.length).toBe(0);
      expect((await shell("(printf a; sleep 0.2; printf b) | $atomic echo")).stdout.text).toBe(
        "ab",
      );
    });

    test("standard input is left alone by who does not ask for it", async () => {
      const { stdout } = await shell("{ $atomic nothing; cat; } <<'E'\nstill here\nE");
      expect(stdout.text).toBe("still here\n");
    });

    test("only terminals are terminals", async () => {
      expect((await shell("$atomic terminals </dev/null 2>f")).stdout.text).toBe(
        "false false false",
      );
      const seen: string[] = [];
      const ended = Promise.withResolvers<void>();
      const terminal = Bun.spawn([...program, "terminals"], {
        terminal: {
          data: (_terminal, data) => void seen.push(new TextDecoder().decode(data)),
          exit: () => ended.resolve(),
        },
      });
      await terminal.exited;
      await ended.promise;
      // Deno clears the line of its own progress first.
      expect(seen.join("")).toEndWith("true true true");
    });

    test("a stop is told, a later one too, and a third ends the program", async () => {
      for (const [signal, status] of [
        ["SIGINT", 130],
        ["SIGTERM", 143],
        ["SIGHUP", 129],
      ] as const) {
        const running = Bun.spawn([...program, "stop"], { stdout: "pipe", stderr: "pipe" });
        const reader = running.stdout.getReader();
        const line = async () => new TextDecoder().decode((await reader.read()).value);
        expect(await line()).toBe("ready\n");
        running.kill(signal);
        expect(await line()).toBe(`${status}\n`);
        // The next ones come too soon to count.
        const again = setInterval(() => running.kill(signal), 20);
        try {
          expect(await line()).toBe(`${status}\n`);
          await running.exited;
        } finally {
          clearInterval(again);
        }
        expect((await reader.read()).done).toBe(true);
        expect(running.signalCode).toBe(signal);
      }
    });

    test("a lasting listener hears of each stop", async () => {
      const running = Bun.spawn([...program, "lasting"], { stdout: "pipe", stderr: "pipe" });
      try {
        const reader = running.stdout.getReader();
        const line = async () => new TextDecoder().decode((await reader.read()).value);
        expect(await line()).toBe("ready\n");
        for (const signal of ["SIGTERM", "SIGTERM", "SIGINT", "SIGTERM", "SIGHUP"] as const) {
          running.kill(signal);
          const status = { SIGTERM: 143, SIGINT: 130, SIGHUP: 129 }[signal];
          expect(await line()).toBe(`${status}\n`);
        }
      } finally {
        running.kill("SIGKILL");
        await running.exited;
      }
    });

    test.skipIf(!existsSync("/usr/bin/python3"))(
      "a pipe made non-blocking gets it all, or an error says that it did not",
      async () => {
        const script = `
import os, subprocess, sys, time
reader, writer = os.pipe()
os.set_blocking(writer, False)
child = subprocess.Popen(sys.argv[1:], stdout=writer)
os.close(writer)
total = 0
while True:
    data = os.read(reader, 65536)
    if not data: break
    total += len(data)
    time.sleep(0.0005)
print(total, child.wait())
`;
        const { stdout, stderr } = await shell(`python3 -c '${script}' $atomic big ${MANY}`);
        if (name === "deno") expect(stderr.text).toContain("EAGAIN");
        else expect(stdout.text).toBe(`${3 * MANY} 7\n`);
      },
    );
  });
}
