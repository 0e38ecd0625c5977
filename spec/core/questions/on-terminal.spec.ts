import { expect, test } from "bun:test";

import { memoryClock } from "../../../adapters/memory/clock.ts";
import type { Clock } from "../../../core/ports/clock.ts";
import type { TerminalUse } from "../../../core/ports/terminal.ts";
import { askOnTerminal } from "../../../core/questions/on-terminal.ts";
import type { Question } from "../../../core/questions/question.ts";

const question: Question = {
  header: "Delete",
  question: "Delete it?",
  options: [
    { label: "Proceed", description: "It goes." },
    { label: "Do not proceed", description: "It stays." },
  ],
};

const REPORT = "\u001b[1;1R";

/** A clock that never wakes anybody, for what must not depend on it. */
const stopped: Pick<Clock, "sleep"> = { sleep: () => Promise.withResolvers<void>().promise };

function onFake(clock: Pick<Clock, "sleep"> = stopped) {
  const written: string[] = [];
  const stop = new AbortController();
  let use: TerminalUse | undefined;
  let size = { columns: 40, rows: 12 };
  let closed = 0;
  const asked = askOnTerminal(
    [question],
    {
      color: false,
      clock,
      terminal: {
        async open(given) {
          use = given;
          return {
            size: () => size,
            write: async (text) => void written.push(text),
            close: async () => void closed++,
          };
        },
      },
    },
    stop.signal,
  );
  return {
    asked,
    stop,
    written,
    closed: () => closed,
    type: (text: string) => use!.key(new TextEncoder().encode(text)),
    resize(columns: number, rows: number) {
      size = { columns, rows };
      use!.resize();
    },
    hangUp: () => use!.end(),
    settled: () => new Promise((resolve) => setTimeout(resolve, 0)),
  };
}

test("takes the other screen, asks where the cursor is, draws, and puts everything back", async () => {
  const fake = onFake();
  await fake.settled();
  expect(fake.written.join("")).toBe(
    "\u001b[?1049h\u001b[?25l\u001b[?7l\u001b[?2004h\u001b[6n\u001b[H" +
      [
        "Delete",
        "Delete it?",
        "",
        "> 1. Proceed",
        "     It goes.",
        "  2. Do not proceed",
        "     It stays.",
        "  3. Type an answer",
        "  4. Chat about this",
        "Enter or 1-9: choose   Up/Down   letter~",
      ]
        .map((line) => `\u001b[K${line}`)
        .join("\r\n") +
      "\r\n\u001b[J",
  );
  fake.type(`${REPORT}\r`);
  expect(await fake.asked).toMatchObject({ ended: "submitted", answers: [{ answer: "Proceed" }] });
  expect(fake.closed()).toBe(1);
});

test("what was typed before the question was there approves nothing", async () => {
  const fake = onFake();
  await fake.settled();
  fake.type("\r\r1");
  fake.type(`\r${REPORT}`);
  fake.type("2");
  expect(await fake.asked).toMatchObject({ answers: [{ answer: "Do not proceed" }] });
});

test("a terminal that does not say where its cursor is is listened to after a while", async () => {
  const clock = memoryClock(0);
  const fake = onFake(clock);
  await clock.sleep(600);
  fake.type("2");
  expect(await fake.asked).toMatchObject({ answers: [{ answer: "Do not proceed" }] });
});

test("an ESC alone cancels once nothing follows it; as the beginning of a key it does not", async () => {
  const clock = memoryClock(0);
  const fake = onFake(clock);
  await fake.settled();
  fake.type(REPORT);
  fake.type("\u001b");
  fake.type("[B");
  fake.type("\u001b");
  await clock.sleep(100);
  expect(await fake.asked).toEqual({ ended: "cancelled" });
});

test("Ctrl-C interrupts, also before the terminal has answered", async () => {
  const fake = onFake();
  await fake.settled();
  fake.type("\u0003");
  expect(await fake.asked).toEqual({ ended: "interrupted" });
  expect(fake.closed()).toBe(1);
});

test("a cancelled call leaves the terminal as it was", async () => {
  const fake = onFake();
  await fake.settled();
  fake.stop.abort(new Error("stopped"));
  await expect(fake.asked).rejects.toThrow("stopped");
  expect(fake.closed()).toBe(1);
});

test("a terminal that goes away answers nothing", async () => {
  const fake = onFake();
  await fake.settled();
  fake.hangUp();
  expect(await fake.asked).toEqual({ ended: "undelivered" });
});

test("a new size draws anew", async () => {
  const fake = onFake();
  await fake.settled();
  fake.written.length = 0;
  fake.resize(12, 3);
  await fake.settled();
  expect(fake.written.join("")).toBe(
    "\u001b[H\u001b[K\r\n\u001b[K> 1. Proceed\r\n\u001b[K    It goes.",
  );
});

test("without a terminal nobody is asked", async () => {
  const { signal } = new AbortController();
  const terminal = { open: async () => undefined };
  expect(
    await askOnTerminal([question], { terminal, clock: stopped, color: false }, signal),
  ).toEqual({
    ended: "undelivered",
  });
});
