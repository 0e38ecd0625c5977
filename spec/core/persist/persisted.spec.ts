import { expect, test } from "bun:test";
import * as v from "valibot";

import { memoryHost } from "../../../adapters/memory/host.ts";
import { callTool } from "../../../core/call.ts";
import { persistedText } from "../../../core/persist/persisted.ts";
import { defineTool } from "../../../core/tool.ts";
import { callFor } from "../../helpers/call.ts";

function talker(text: string, isBounded = false) {
  return defineTool({
    name: "talker",
    summary: "",
    description: "",
    effect: "read",
    isBounded,
    input: v.strictObject({}),
    run: async () => text,
    render: (said) => ({ text: said }),
    details: () => ({ fact: 1 }),
    cli: {},
    examples: [],
  });
}

const long = "0123456789\n".repeat(6_000);

async function answer(
  text: string,
  { host = memoryHost(), unlimited = false, isBounded = false } = {},
) {
  const options = { dryRun: false, partial: false, force: false, unlimited };
  const call = callFor({ options, sessionFolder: async () => "/home/me/s" });
  const outcome = await callTool(talker(text, isBounded), {}, host, call, { readOnly: true });
  if (!outcome.ok || !("text" in outcome.rendered)) throw new Error("no text");
  return { text: outcome.rendered.text, details: outcome.details, host };
}

test("text of any tool that is too long for an answer is kept whole in a private file", async () => {
  const { text, details, host } = await answer(long);
  const [, path] =
    /^<persisted-output>\nOutput too large \(64\.5KB\)\. Full output saved to: (.*)\n/.exec(text)!;
  expect(path).toMatch(/^\/home\/me\/s\/tool-results\/20231114T221320Z-talker-[0-9a-f]{8}\.txt$/);
  expect(host.fs.text(path!)).toBe(long);
  expect((await host.fs.stat(path!))!.mode).toBe(0o600);
  expect((await host.fs.stat("/home/me/s/tool-results"))!.mode).toBe(0o700);
  expect(text).toEndWith("\n0123456789\n...\n</persisted-output>");
  expect(text).toContain("\n\nPreview (first 2KB):\n0123456789\n");
  expect(details).toEqual({ fact: 1 });
});

test("what fits, what bounds itself and what goes into a pipe stays as it is", async () => {
  const fits = "x".repeat(50_000);
  expect((await answer(fits)).text).toBe(fits);
  expect((await answer(`${fits}x`)).text).not.toBe(`${fits}x`);
  expect((await answer(long, { isBounded: true })).text).toBe(long);
  expect((await answer(long, { unlimited: true })).text).toBe(long);
});

test("where nothing can be kept safely, the answer is whole", async () => {
  const host = memoryHost({ files: { "/home/me/s/tool-results": { link: "/work" } } });
  expect((await answer(long, { host })).text).toBe(long);
  expect(await host.fs.list("/work")).toEqual([]);
  const full = memoryHost();
  full.fs.fail("makeDirectory", "/home/me/s", "ENOSPC");
  expect((await answer(long, { host: full })).text).toBe(long);
});

test("the preview ends with a line, or at least with a character", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(persistedText(bytes("é".repeat(1_500)), "/p")).toBe(
    `<persisted-output>\nOutput too large (2.9KB). Full output saved to: /p\n\nPreview (first 2KB):\n${"é".repeat(1_000)}\n...\n</persisted-output>`,
  );
  expect(persistedText(bytes(`x${"é".repeat(1_500)}`), "/p")).toContain(
    `\nx${"é".repeat(999)}\n...`,
  );
  expect(persistedText(bytes(`a\n${"b".repeat(3_000)}`), "/p")).toContain(
    `\na\n${"b".repeat(1_998)}\n...`,
  );
});
