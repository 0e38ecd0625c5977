import assert from "node:assert/strict";

import type { Case } from "../helpers/cases.ts";

import { type Body, casesOf } from "./body.ts";

export function randomSuite(body: Body): readonly Case[] {
  return casesOf(body, {
    async "hex is two lower-case digits a byte"({ host: { random } }) {
      for (const bytes of [0, 1, 16, 70_000]) {
        assert.match(random.hex(bytes), new RegExp(`^[0-9a-f]{${2 * bytes}}$`));
      }
    },

    async "no two are the same, and every byte occurs"({ host: { random } }) {
      const drawn = new Set(Array.from({ length: 1000 }, () => random.hex(16)));
      assert.equal(drawn.size, 1000);
      const bytes = new Set([...drawn].flatMap((hex) => hex.match(/../g)!));
      assert.equal(bytes.size, 256);
    },
  });
}
