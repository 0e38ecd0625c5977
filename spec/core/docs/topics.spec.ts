import { expect, test } from "bun:test";

import { variables } from "../../../core/docs/env.ts";
import { topics } from "../../../core/docs/topics.ts";
import { errors, exitStatus } from "../../../core/errors.ts";
import { agentSessions } from "../../../core/session/locate.ts";

test("the topics are those of the contract", () => {
  expect(topics.map(({ name }) => name)).toEqual([
    "hashline",
    "selectors",
    "exit-codes",
    "env",
    "command-rules",
  ]);
});

for (const topic of topics) {
  test(`help ${topic.name} fits into 80 columns and has no loose ends`, async () => {
    const text = await topic.load();
    for (const line of text.split("\n")) {
      expect([...line].length, line).toBeLessThanOrEqual(80);
      expect(line).toBe(line.trimEnd());
    }
    expect(text).not.toMatch(/undefined|NaN|\[object|\n\n\n|\n$/);
  });
}

test("help hashline shows every operation of the language, canonical forms only", async () => {
  const text = await topics[0]!.load();
  const forms = [
    "replace N..M:",
    "replace block N:",
    "delete N..M ",
    "delete block N ",
    "insert before N:",
    "insert after N:",
    "insert after block N:",
    "insert head:",
    "insert tail:",
  ];
  for (const form of forms) expect(text).toContain(form);
  expect(text).not.toMatch(/delete \d+\.\.\d+:|replace \d+:|delete \d+$|@@|Begin Patch/m);
});

test("help exit-codes has every status and every error code", async () => {
  const text = await topics[2]!.load();
  for (const status of Object.values(exitStatus)) {
    expect(text).toMatch(new RegExp(`^  ${status} `, "m"));
  }
  for (const code of Object.keys(errors)) expect(text).toContain(`    ${code} `);
});

test("help env has every variable once", async () => {
  const text = await topics[3]!.load();
  const names = variables.map(({ name }) => name);
  expect(new Set(names).size).toBe(names.length);
  for (const name of names) expect(text).toMatch(new RegExp(`^  ${name}\\s`, "m"));
  for (const { variable } of agentSessions) expect(names).toContain(variable);
});
