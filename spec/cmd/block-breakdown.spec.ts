// Files that make a grammar's scanner run over its memory: refused, and the server lives on, without blocks.

import { expect, setDefaultTimeout, test } from "bun:test";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { executable } from "../helpers/run-atomic.ts";
import { inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const reason =
  "cannot be found: the parser broke down on this file, or on another one before, and this process does not use it any more.";

const wild: Readonly<Record<string, string>> = {
  "quotes.md": `\n${">".repeat(10_000)} a\n`,
  "lists.yaml": `\n${"- ".repeat(1_200)}a\n`,
  "texts.rb": `\n${Array.from({ length: 1_200 }, (_, i) => `cat <<EOF${i}`).join(" ; ")}\n`,
};

for (const [name, content] of Object.entries(wild)) {
  test(`a block in ${name} is refused, and nothing is written`, async () => {
    await inEditPlace({ [name]: content }, async (place) => {
      const ran = await place.edit(await place.header(name), "delete block 2");
      expect(ran.status).toBe(2);
      expect(ran.stderr.text).toStartWith(`line 1: the block of \`delete block 2\` ${reason}`);
      expect(place.bytes(name)).toBe(content);
    });
  });
}

test("a server whose parser broke down refuses blocks, edits lines, and lives on", async () => {
  const files = { "good.ts": "f(\n  1,\n);\n", "good.sql": "SELECT\n 1;\n", ...wild };
  await inEditPlace(files, async (place) => {
    const client = new Client({ name: "spec", version: "1" });
    await client.connect(
      new StdioClientTransport({
        command: executable,
        args: ["mcp", "serve"],
        cwd: place.folder,
        env: { ATOMIC_HOME: place.state, HOME: place.state, PATH: "/usr/bin:/bin" },
        stderr: "ignore",
      }),
    );
    async function call(tool: string, input: Record<string, unknown>): Promise<string> {
      const { content } = await client.callTool({ name: tool, arguments: input });
      return (content as readonly { readonly text: string }[])[0]!.text;
    }
    async function edit(name: string, ...lines: readonly string[]): Promise<string> {
      const header = (await call("read", { path: name })).split("\n")[0]!;
      return call("edit", { input: [header, ...lines, ""].join("\n") });
    }
    try {
      expect(await edit("good.ts", "replace block 1:", "+f(", "+  2,", "+);")).toContain(
        "replace block 1 → resolved lines 1-3 (3 lines)",
      );
      expect(await edit("quotes.md", "delete block 2")).toContain(reason);
      expect(await edit("good.ts", "delete block 1")).toContain(reason);
      expect(await edit("good.ts", "insert after block 1:", "+x")).toContain(reason);
      // What needs no grammar goes on.
      expect(await edit("good.sql", "delete block 1")).toContain("resolved lines 1-2 (2 lines)");
      // The trees of before are long unreachable by the end of this.
      for (let i = 0; i < 200; i++) {
        const changed = await edit("good.ts", "replace 2..2:", `+  ${"x".repeat(20_000)}${i},`);
        expect(changed).toMatch(/^\[good\.ts#/);
      }
      expect(place.bytes("good.ts")).toEndWith("x199,\n);\n");
    } finally {
      await client.close();
    }
  });
});
