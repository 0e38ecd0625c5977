import { expect, test } from "bun:test";

import { exitAfter, type Stop } from "../../cmd/exit.ts";
import type { Stdio } from "../../core/ports/stdio.ts";

function process() {
  const listeners: ((status: 130 | 143) => void)[] = [];
  const state = { exits: [] as number[], err: "" };
  const stdio = {
    stderr: {
      isTerminal: false,
      async write(text: string) {
        state.err += text;
        return true;
      },
    },
    async exit(status: number) {
      state.exits.push(status);
    },
    onStop: (listener: (status: 130 | 143) => void) => void listeners.push(listener),
  } as unknown as Stdio;
  return {
    stdio,
    state,
    listeners,
    stop: (status: 130 | 143) => listeners.forEach((it) => it(status)),
  };
}

test("the process ends with the status of the work", async () => {
  const { stdio, state, listeners } = process();
  await exitAfter(stdio, async () => 4);
  expect(state).toEqual({ exits: [4], err: "" });
  expect(listeners).toEqual([]);
});

test("work that fails beyond telling still ends in one line and status 1", async () => {
  const { stdio, state } = process();
  await exitAfter(stdio, () => Promise.reject(new Error("no chunk")));
  expect(state).toEqual({ exits: [1], err: "Internal error: no chunk\n" });
});

test("a first stop aborts armed work, a second one ends the process at once", async () => {
  const { stdio, state, stop, listeners } = process();
  const finish = Promise.withResolvers<number>();
  const begun = Promise.withResolvers<Stop>();
  const ended = exitAfter(stdio, (given) => {
    given.arm();
    given.arm();
    begun.resolve(given);
    return finish.promise;
  });
  const given = await begun.promise;
  expect([listeners.length, given.signal.aborted, given.status()]).toEqual([1, false, undefined]);
  stop(143);
  expect([given.signal.aborted, given.status(), state.exits]).toEqual([true, 143, []]);
  stop(130);
  expect([given.status(), state.exits]).toEqual([143, [130]]);
  finish.resolve(143);
  await ended;
  expect(state.exits).toEqual([130, 143]);
});
