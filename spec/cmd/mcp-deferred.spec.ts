// `atomic mcp serve --deferred`: few tools are listed, and all can be found and called.

import { expect, setDefaultTimeout, test } from "bun:test";

import { connectors } from "../helpers/mcp.ts";
import { executable } from "../helpers/run-atomic.ts";
import { inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const connect = connectors["the official client over stdio"]!;

test("few tools are listed; others, and those of a trusted server, are found by tool_search and called through tool_call", async () => {
  const server = { command: executable, args: ["mcp", "serve", "--read-only"] };
  const files = {
    "a.txt": "one\n",
    ".mcp.json": JSON.stringify({ mcpServers: { notes: server } }),
  };
  await inEditPlace(files, async (place) => {
    const driver = await connect(place, { args: ["--deferred"] });
    try {
      const names = await driver.tools();
      expect(names).toContain("read");
      expect(names).toContain("tool_search");
      expect(names.at(-1)).toBe("tool_call");

      const own = { name: "read", arguments: { path: "a.txt:raw" } };
      expect((await driver.call("tool_call", own)).text).toBe("one\n");

      const external = { name: "mcp__notes__read", arguments: { path: "a.txt:raw" } };
      const untrusted = await driver.call("tool_call", external);
      expect(untrusted.isError).toBe(true);
      expect(untrusted.text).toContain("is not trusted: nothing was started");
      expect((await place.run(["mcp", "trust", "notes", "--yes"])).status).toBe(0);
      expect((await place.run(["mcp", "tools", "notes"])).status).toBe(0);
      const found = await driver.call("tool_search", { query: "mcp__notes__read", limit: 1 });
      expect(found.text).toContain("mcp__notes__read");
      const trusted = await driver.call("tool_call", external);
      expect([trusted.isError, trusted.text]).toEqual([
        false,
        expect.stringMatching(/^<untrusted_tool_result[^]*one\n/),
      ]);

      const refusals: readonly (readonly [Record<string, unknown>, string])[] = [
        [{}, 'Field "name" of tool_call must be a tool\'s name.'],
        [{ name: "raed" }, 'Unknown tool "raed"; did you mean "read"?'],
        [{ name: "tool_call" }, 'Unknown tool "tool_call"'],
        [{ name: "read", arguments: [] }, 'Field "arguments" of tool_call must be an object.'],
        [{ name: "read", path: "a.txt" }, 'Unknown field "path".'],
        [{ name: "read", arguments: { pth: 1 } }, 'Unknown field "pth"; did you mean "path"?'],
      ];
      for (const [input, message] of refusals) {
        const { isError, text, details } = await driver.call("tool_call", input);
        expect([isError, details["code"]]).toEqual([true, "usage.input"]);
        expect(text).toStartWith(message);
      }
    } finally {
      await driver.close();
    }
  });
});

test("--tools holds for what is called through, and --read-only does", async () => {
  await inEditPlace({ "a.txt": "one\n" }, async (place) => {
    const args = ["--deferred", "--tools", "read,write", "--read-only"];
    const driver = await connect(place, { args });
    try {
      expect(await driver.tools()).toEqual(["read", "write", "tool_call"]);
      const bash = await driver.call("tool_call", { name: "bash", arguments: { command: "true" } });
      expect([bash.isError, bash.details["code"]]).toEqual([true, "usage.input"]);
      const external = await driver.call("tool_call", { name: "mcp__x__y" });
      expect(external.text).toStartWith('Unknown tool "mcp__x__y"');
      const input = { name: "write", arguments: { path: "a.txt", content: "x" } };
      expect((await driver.call("tool_call", input)).details["code"]).toBe("policy.read_only");
      expect(place.bytes("a.txt")).toBe("one\n");
    } finally {
      await driver.close();
    }
    const plain = await connect(place);
    await expect(plain.call("tool_call", {})).rejects.toThrow('Unknown tool "tool_call"');
    await plain.close();
  });
});
