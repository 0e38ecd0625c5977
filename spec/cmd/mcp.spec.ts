// The built program as an MCP server: driven by the official client, and by hand with what no client would send.

import { afterEach, describe, expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { registry } from "../../core/registry.ts";
import { executable } from "../helpers/run-atomic.ts";
import { type EditPlace, inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

async function connect(place: EditPlace, args: readonly string[] = []): Promise<Client> {
  const transport = new StdioClientTransport({
    command: executable,
    args: ["mcp", "serve", ...args],
    cwd: place.folder,
    env: { ATOMIC_HOME: place.state, PATH: process.env["PATH"] ?? "", HOME: place.state },
    stderr: "ignore",
  });
  const client = new Client({ name: "spec", version: "1" });
  await client.connect(transport);
  open.push(client);
  return client;
}

interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

async function call(client: Client, name: string, input: Record<string, unknown>): Promise<Answer> {
  const { content, isError, structuredContent } = await client.callTool({ name, arguments: input });
  const [first] = content as readonly { readonly type: string; readonly text?: string }[];
  return {
    text: first?.text ?? "",
    isError: isError === true,
    details: structuredContent as Answer["details"],
  };
}

describe("through the official client", () => {
  test("every tool of the registry is listed, with its schema and what it does to the world", async () => {
    await inEditPlace({}, async (place) => {
      const client = await connect(place);
      expect(client.getServerVersion()?.name).toBe("atomic");
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(registry.map(({ name }) => name));
      const read = tools.find(({ name }) => name === "read")!;
      expect(read.inputSchema).toMatchObject({ type: "object", required: ["path"] });
      expect(read.annotations).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      const edit = tools.find(({ name }) => name === "edit")!;
      expect(edit.annotations).toMatchObject({ readOnlyHint: false, destructiveHint: true });
      const words = client.getInstructions()!.split(/\s+/).length;
      expect(words).toBeLessThan(200);
    });
  });

  test("a read gives the header that an edit takes, in a session that is the connection's own", async () => {
    await inEditPlace({ "a.txt": "one\ntwo\n" }, async (place) => {
      const client = await connect(place);
      const shown = await call(client, "read", { path: "a.txt" });
      expect(shown.text).toBe("[a.txt#0127]\n1:one\n2:two");
      expect(shown.details).toMatchObject({ tag: "0127", totalLines: 2 });
      const other = await connect(place);
      const input = "[a.txt#0127]\nreplace 2..2:\n+TWO\n";
      const foreign = await call(other, "edit", { input });
      expect([foreign.isError, foreign.details["code"], foreign.details["status"]]).toEqual([
        true,
        "edit.unknown_tag",
        3,
      ]);
      const edited = await call(client, "edit", { input });
      expect([edited.isError, place.bytes("a.txt")]).toEqual([false, "one\nTWO\n"]);
      const written = await call(client, "write", { path: "n/b.txt", content: "x\n" });
      expect(written.text).toContain("Successfully wrote to n/b.txt");
      const missing = await call(client, "read", { path: "nope" });
      expect([missing.isError, missing.details["status"]]).toEqual([true, 4]);
    });
  });

  test("twenty edits under one tag that come at once are one batch", async () => {
    const lines = Array.from({ length: 100 }, (_, i) => `line ${i + 1}`);
    await inEditPlace({ "hundred.txt": `${lines.join("\n")}\n` }, async (place) => {
      const client = await connect(place);
      const header = (await call(client, "read", { path: "hundred.txt" })).text.split("\n")[0];
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, i) => {
          const line = 5 * (i + 1);
          return call(client, "edit", {
            input: `${header}\nreplace ${line}..${line}:\n+new ${line}\n`,
          });
        }),
      );
      expect(answers.filter(({ isError }) => isError)).toEqual([]);
      const expected = lines.map((text, i) => ((i + 1) % 5 === 0 ? `new ${i + 1}` : text));
      expect(place.bytes("hundred.txt")).toBe(`${expected.join("\n")}\n`);
    });
  });

  test("--read-only and --tools hold, and a wrong name is told", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const client = await connect(place, ["--read-only", "--tools", "read,write"]);
      expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["read", "write"]);
      const refused = await call(client, "write", { path: "b", content: "x" });
      expect([refused.isError, refused.details["code"]]).toEqual([true, "policy.read_only"]);
      expect(existsSync(join(place.folder, "b"))).toBe(false);
      await expect(call(client, "edti", {})).rejects.toThrow('Unknown tool "edti"');
      const wrong = await call(client, "read", { pth: "a.txt" });
      expect([wrong.isError, wrong.text]).toEqual([
        true,
        'Unknown field "pth"; did you mean "path"? Field "path" is missing. The fields of read are: path, plain?, raw?.',
      ]);
      const ran = await place.run(["mcp", "serve", "--tools", "raed"], { stdin: "" });
      expect([ran.status, ran.stderr.text]).toEqual([
        2,
        'Unknown tool "raed"; did you mean "read"?\n',
      ]);
    });
  });

  test("--root is where paths start, and what confined targets may not leave", async () => {
    await inEditPlace({ "app/a.txt": "in\n", "b.txt": "out\n" }, async (place) => {
      const client = await connect(place, ["--root", "app"]);
      expect((await call(client, "read", { path: "a.txt:raw" })).text).toBe("in\n");
      const out = await call(client, "read", { path: "local://../b.txt" });
      expect([out.isError, out.details["code"]]).toEqual([true, "selector.escape"]);
    });
  });

  test("bytes that are no text come as a blob, and the state's own files stay closed", async () => {
    await inEditPlace({ bin: Uint8Array.of(0, 255, 1) }, async (place) => {
      const client = await connect(place);
      const { content } = await client.callTool({ name: "read", arguments: { path: "bin:raw" } });
      expect(content).toMatchObject([{ type: "resource", resource: { blob: "AP8B" } }]);
      const state = await call(client, "read", { path: join(place.state, "atomic.db") });
      expect([state.isError, state.details["code"]]).toEqual([true, "file.unreadable"]);
    });
  });
});

describe("by hand", () => {
  const hello = {
    jsonrpc: "2.0",
    id: 1,
    method: "initialize",
    params: {
      protocolVersion: "2025-06-18",
      capabilities: {},
      clientInfo: { name: "x", version: "1" },
    },
  };
  const ready = { jsonrpc: "2.0", method: "notifications/initialized" };
  const ask = (id: number, name: string, input: unknown) => ({
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: input },
  });

  interface Reply {
    readonly id: number | null;
    readonly result?: {
      readonly content: readonly { readonly text: string }[];
      readonly isError: boolean;
    };
    readonly error?: { readonly code: number };
  }

  /** Sends the bytes in pieces, waits for so many replies, then closes the input. */
  async function talk(
    place: EditPlace,
    pieces: readonly (string | Uint8Array)[],
    replies: number,
  ): Promise<{
    readonly replies: readonly Reply[];
    readonly status: number;
    readonly err: string;
  }> {
    const child = Bun.spawn([executable, "mcp", "serve"], {
      cwd: place.folder,
      env: { ...process.env, ATOMIC_HOME: place.state },
      stdin: "pipe",
      stdout: "pipe",
      stderr: "pipe",
    });
    for (const piece of pieces) {
      child.stdin.write(piece);
      await child.stdin.flush();
    }
    const found: Reply[] = [];
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      const rows = text.split("\n");
      text = rows.pop()!;
      found.push(...rows.map((row) => JSON.parse(row) as Reply));
      if (found.length >= replies) break;
    }
    child.stdin.end();
    return {
      replies: found,
      status: await child.exited,
      err: await new Response(child.stderr).text(),
    };
  }

  test("split, batched, blank, malformed and multi-byte messages are each answered, and it ends with its input", async () => {
    await inEditPlace({ "ü.txt": "日本\n" }, async (place) => {
      const read = new TextEncoder().encode(
        `${JSON.stringify(ask(2, "read", { path: "ü.txt" }))}\n`,
      );
      const cut = read.indexOf(0xc3) + 1;
      const pieces = [
        `${JSON.stringify(hello)}\n${JSON.stringify(ready)}\n\n`,
        read.subarray(0, cut),
        read.subarray(cut),
        "{not json}\n",
        "42\n",
        `${JSON.stringify([ask(3, "read", { path: "a" }), ask(4, "read", { path: "b" })])}\r\n`,
        `${JSON.stringify({ jsonrpc: "2.0", id: 5, method: "no/such" })}\n`,
      ];
      const { replies, status, err } = await talk(place, pieces, 7);
      expect(status).toBe(0);
      const byId = (id: number) => replies.find((reply) => reply.id === id)!;
      expect(byId(2).result!.content[0]!.text).toContain("1:日本");
      expect([byId(3).result!.isError, byId(4).result!.isError]).toEqual([true, true]);
      expect(byId(5).error!.code).toBe(-32_601);
      const codes = replies.flatMap(({ id, error }) => (id === null && error ? [error.code] : []));
      expect(codes).toEqual([-32_700, -32_600]);
      expect(err).toContain("MCP: Parse error");
    });
  });

  test("a large message goes through, in and out", async () => {
    await inEditPlace({}, async (place) => {
      const content = `${"x".repeat(99)}\n`.repeat(50_000);
      const pieces = [
        `${JSON.stringify(hello)}\n${JSON.stringify(ready)}\n`,
        `${JSON.stringify(ask(2, "write", { path: "big", content }))}\n`,
      ];
      const { replies } = await talk(place, pieces, 2);
      expect(replies.find(({ id }) => id === 2)!.result!.isError).toBe(false);
      expect(readFileSync(join(place.folder, "big"), "utf8")).toBe(content);
    });
  });

  test("a request that is cancelled is not answered, and the next one is", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const cancel = {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 2 },
      };
      const pieces = [
        `${[
          hello,
          ready,
          ask(2, "find", { paths: ["/"], timeout: 60 }),
          cancel,
          ask(3, "read", { path: "a.txt" }),
        ]
          .map((message) => JSON.stringify(message))
          .join("\n")}\n`,
      ];
      const { replies, status } = await talk(place, pieces, 2);
      expect(replies.map(({ id }) => id)).toEqual([1, 3]);
      expect(status).toBe(0);
    });
  });
});
