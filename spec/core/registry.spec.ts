import { expect, test } from "bun:test";

import { callTool } from "../../core/call.ts";
import { fieldsOf } from "../../core/fields.ts";
import type { Host } from "../../core/ports/host.ts";
import { registry } from "../../core/registry.ts";
import { describeTool } from "../../core/tool-schema.ts";
import { callFor } from "../helpers/call.ts";

test("the registry lists the tools in the order of help", () => {
  const names = [
    "read",
    "write",
    "edit",
    "search",
    "find",
    "bash",
    "powershell",
    "kill",
    "tool_search",
    "ask_user_question",
  ];
  expect(registry.map(({ name }) => name)).toEqual(names);
});

for (const row of registry) {
  test(`the row of ${row.name} says what the tool says`, async () => {
    const tool = await row.load();
    expect({
      name: tool.name,
      summary: tool.summary,
      effect: tool.effect,
      aliases: tool.cli.aliases ?? [],
    }).toEqual({
      name: row.name,
      summary: row.summary,
      effect: row.effect,
      aliases: row.aliases as string[],
    });
  });

  test(`${row.name} is described well enough to be used`, async () => {
    const tool = await row.load();
    const fields = fieldsOf(tool.input);
    expect(tool.name).toMatch(/^[a-z]+(?:_[a-z]+)*$/);
    expect(tool.summary.length).toBeLessThan(72);
    expect(tool.description.length).toBeGreaterThan(80);
    expect(tool.examples.length).toBeGreaterThan(0);
    for (const field of fields) {
      expect(field.name).toMatch(/^(?!no[A-Z_])[a-zA-Z_]+$/);
      expect(field.description).not.toBe("");
    }
    const { inputSchema } = describeTool(tool);
    expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
    expect(Object.keys(inputSchema["properties"] as object)).toEqual(
      fields.map(({ name }) => name),
    );
  });

  test(`the examples of ${row.name} are inputs it takes`, async () => {
    const tool = { ...(await row.load()), run: async () => undefined };
    const silent = { ...tool, render: () => ({ text: "" }), details: () => ({}) };
    for (const { input } of tool.examples) {
      const outcome = await callTool(silent, input, {} as Host, callFor(), { readOnly: false });
      expect(outcome).toEqual({ ok: true, rendered: { text: "" }, details: {} });
    }
  });
}
