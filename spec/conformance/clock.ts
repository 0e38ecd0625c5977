import assert from "node:assert/strict";

import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf } from "./body.ts";

export function clockSuite(body: Body): readonly Case[] {
  return casesOf(body, {
    async "now is a time of this century in milliseconds"({ host: { clock } }) {
      assert.ok(clock.now() > Date.UTC(2001, 0) && clock.now() < Date.UTC(2101, 0));
    },

    async "sleep lasts at least so long"({ host: { clock } }) {
      const before = clock.now();
      await clock.sleep(20);
      // Timers and the clock are rounded apart.
      assert.ok(clock.now() - before >= 19);
    },

    async "who sleeps less wakes earlier"({ host: { clock } }) {
      const woken: string[] = [];
      const sleep = async (milliseconds: number) => {
        await clock.sleep(milliseconds);
        woken.push(String(milliseconds));
      };
      await Promise.all([sleep(60), sleep(1), sleep(30)]);
      assert.deepEqual(woken, ["1", "30", "60"]);
    },

    async "an abort ends the sleep with its reason"({ host: { clock } }) {
      const controller = new AbortController();
      const reason = new Error("enough");
      const sleep = clock.sleep(3_600_000, controller.signal);
      controller.abort(reason);
      await assert.rejects(sleep, (thrown) => thrown === reason);
      await assert.rejects(clock.sleep(1, controller.signal), (thrown) => thrown === reason);
    },

    async "an abort after the sleep does no harm"({ host: { clock } }) {
      const controller = new AbortController();
      await clock.sleep(1, controller.signal);
      controller.abort();
      await clock.sleep(1);
    },
  });
}
