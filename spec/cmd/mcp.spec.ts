// The built program as an MCP server on standard input and output: what its clients are told, and what no client would send.

import { describe, expect, setDefaultTimeout, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";

import { instructions } from "../../core/mcp/server.ts";
import { present as registry } from "../helpers/present.ts";
import {
  answerOf,
  callOf,
  connectOfficial,
  hello,
  type Message,
  openClient,
  openWire,
  ready,
} from "../helpers/mcp.ts";
import { inEditPlace } from "./edit-place.ts";

setDefaultTimeout(60_000);

const read = (id: number, path: string) => callOf(id, "read", { path });

describe("what clients are told", () => {
  test("every tool has its schema and what it does to the world", async () => {
    await inEditPlace({}, async (place) => {
      const client = await connectOfficial(place);
      expect(client.getServerVersion()?.name).toBe("atomic");
      expect(client.getInstructions()).toBe(instructions);
      const { tools } = await client.listTools();
      await client.close();
      expect(tools.map(({ name }) => name)).toEqual(registry.map(({ name }) => name));
      expect(tools.find(({ name }) => name === "read")!.inputSchema).toMatchObject({
        type: "object",
        required: ["path"],
      });
      const hints = Object.fromEntries(tools.map((tool) => [tool.name, tool.annotations]));
      expect(hints["read"]).toMatchObject({ readOnlyHint: true, openWorldHint: false });
      expect(hints["edit"]).toMatchObject({ readOnlyHint: false, destructiveHint: true });
      expect(hints["bash"]).toMatchObject({ readOnlyHint: false, openWorldHint: true });
      for (const { name, effect } of registry) {
        expect([name, hints[name]!.readOnlyHint]).toEqual([
          name,
          effect === "read" || effect === "network",
        ]);
      }
    });
  });

  test("the instructions have fewer than 300 tokens, by a count that is never too low", () => {
    // A token holds at least a sign, and of a word seldom fewer than four letters.
    const pieces = instructions.match(/[A-Za-z]{1,4}|\d|[^\sA-Za-z\d]/g)!;
    expect(pieces.length).toBeLessThan(300);
  });

  test("a connection is a session of its own", async () => {
    await inEditPlace({ "a.txt": "one\ntwo\n" }, async (place) => {
      const [one, two] = await Promise.all([openClient(place), openClient(place)]);
      one.send(read(1, "a.txt"));
      expect(answerOf((await one.answer(1)).result).text).toBe("[a.txt#0127]\n1:one\n2:two");
      const edit = callOf(2, "edit", { input: "[a.txt#0127]\nreplace 2..2:\n+TWO\n" });
      two.send(edit);
      const foreign = answerOf((await two.answer(2)).result);
      expect([foreign.isError, foreign.details["code"], foreign.details["status"]]).toEqual([
        true,
        "edit.unknown_tag",
        3,
      ]);
      one.send(edit);
      expect(answerOf((await one.answer(2)).result).isError).toBe(false);
      expect(place.bytes("a.txt")).toBe("one\nTWO\n");
      await Promise.all([one.close(), two.close()]);
    });
  });

  test("bytes that are no text come as a blob, and the state's own files stay closed", async () => {
    await inEditPlace({ bin: Uint8Array.of(0, 255, 1) }, async (place) => {
      const client = await openClient(place);
      client.send(read(1, "bin:raw"));
      expect((await client.answer(1)).result!["content"]).toMatchObject([
        { type: "resource", resource: { blob: "AP8B" } },
      ]);
      // Now it is there.
      client.send(read(2, "bin"), read(3, join(place.state, "atomic.db")));
      await client.answer(2);
      expect(answerOf((await client.answer(3)).result).details["code"]).toBe("file.unreadable");
      await client.close();
    });
  });

  test("wrong input and wrong names say what is right", async () => {
    await inEditPlace({}, async (place) => {
      const client = await openClient(place);
      client.send(callOf(1, "read", { pth: "a.txt" }), callOf(2, "edti", {}));
      expect(answerOf((await client.answer(1)).result).text).toBe(
        'Unknown field "pth"; did you mean "path"? Field "path" is missing. The fields of read are: path, plain?, raw?.',
      );
      expect((await client.answer(2)).error).toEqual({
        code: -32_602,
        message: 'Unknown tool "edti"; did you mean "edit"?',
      });
      await client.close();
      const refusals: readonly (readonly [readonly string[], string])[] = [
        [["--tools", "raed"], 'Unknown tool "raed"; did you mean "read"?'],
        [["--root", "no"], `--root must name a folder, but ${place.folder}/no is none.`],
        [["--token-file", "x"], "--token-file goes with --http only."],
        [["--http", "99999"], 'Flag --http needs a port, or a host and a port, but got "99999".'],
        [["--http", "a/b:1"], 'Flag --http needs a port, or a host and a port, but got "a/b:1".'],
      ];
      for (const [args, message] of refusals) {
        const ran = await place.run(["mcp", "serve", ...args], { stdin: "" });
        expect([ran.status, ran.stderr.text.split("\n")[0], ran.stdout.text]).toEqual([
          2,
          message,
          "",
        ]);
      }
    });
  });

  test("every version of the protocol is spoken, and what is none is answered with one that is", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const versions = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "1999-01-01"];
      for (const version of versions) {
        const wire = openWire(place);
        wire.send({ ...hello, params: { ...hello.params, protocolVersion: version } }, ready);
        const { result } = await wire.answer("hello");
        expect(result!["protocolVersion"]).toBe(version === "1999-01-01" ? "2025-11-25" : version);
        wire.send(read(1, "a.txt:raw"));
        expect(answerOf((await wire.answer(1)).result).text).toBe("1\n");
        expect(await wire.close()).toBe(0);
      }
    });
  });
});

describe("messages that no client would send", () => {
  test("split, blank, malformed and multi-byte ones are each answered, and it ends with its input", async () => {
    await inEditPlace({ "ü.txt": "日本\n" }, async (place) => {
      const bytes = new TextEncoder().encode(`${JSON.stringify(read(2, "ü.txt"))}\n`);
      const cut = bytes.indexOf(0xc3) + 1;
      const wire = await openClient(place);
      wire.send("\n \r\n", bytes.subarray(0, cut));
      wire.send(bytes.subarray(cut), "{not json}\n", "42\n", "\u{FEFF}{}\n");
      wire.send(
        { jsonrpc: "2.0", id: 5, method: "no/such" },
        { jsonrpc: "1.0", id: 6, method: "ping" },
        { jsonrpc: "2.0", id: 7, method: 1 },
        { jsonrpc: "2.0", id: 8, method: "ping", params: [1] },
        { jsonrpc: "2.0", id: null, method: "ping" },
        { jsonrpc: "2.0", id: 1.5, method: "ping" },
        { jsonrpc: "2.0", id: 9 },
        { jsonrpc: "2.0", id: 10, method: "tools/call", params: { name: 5 } },
        { jsonrpc: "2.0", id: 11, method: "tools/call" },
        { jsonrpc: "2.0", id: 12, method: "ping", more: true },
        { jsonrpc: "2.0", id: 14, method: "ping", params: { _meta: { progressToken: {} } } },
        { jsonrpc: "2.0", id: 404, result: {} },
      );
      const deep = `${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}`;
      wire.send(`{"jsonrpc":"2.0","id":15,"method":"tools/call","params":${deep}}\n`);
      wire.send(`${"[".repeat(100_000)}\n`);
      expect(answerOf((await wire.answer(2)).result).text).toContain("1:日本");
      const codes = async (id: number) => (await wire.answer(id)).error?.code;
      expect(await codes(5)).toBe(-32_601);
      expect([await codes(6), await codes(7), await codes(8)]).toEqual([-32_600, -32_600, -32_600]);
      expect([await codes(10), await codes(11)]).toEqual([-32_602, -32_602]);
      expect([await codes(12), await codes(14), await codes(15)]).toEqual([
        undefined,
        -32_600,
        -32_600,
      ]);
      const nameless: unknown[] = [];
      for (let i = 0; i < 7; i++)
        nameless.push((await wire.next(({ id }) => id === null)).error!.code);
      expect(nameless).toEqual([-32_700, -32_600, -32_600, -32_600, -32_600, -32_600, -32_700]);
      wire.send({ jsonrpc: "2.0", id: 13, method: "ping" });
      expect((await wire.answer(13)).result).toEqual({});
      expect(await wire.close()).toBe(0);
      expect(wire.errors()).toContain("MCP: Parse error");
    });
  });

  test("a batch is answered in one line once all of it is, without what needs no answer", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const wire = await openClient(place);
      const cancelled = {
        jsonrpc: "2.0",
        method: "notifications/cancelled",
        params: { requestId: 3 },
      };
      wire.send(
        [read(1, "a.txt:raw"), 42, callOf(3, "bash", { command: "sleep 60" }), ready, cancelled],
        [ready],
        [],
        Array.from({ length: 101 }, () => ready),
      );
      const batch = (await wire.next((message) => Array.isArray(message))) as readonly Message[];
      expect(batch.map(({ id, error }) => [id, error?.code])).toEqual([
        [null, -32_600],
        [1, undefined],
      ]);
      const errors = [
        await wire.next(({ id }) => id === null),
        await wire.next(({ id }) => id === null),
      ].map(({ error }) => error!.message);
      expect(errors).toEqual([
        "Invalid Request: an empty batch",
        "Invalid Request: a batch of more than 100 messages",
      ]);
      await wire.close();
    });
  });

  test("an id that is in use is refused, and its first request is answered", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const wire = await openClient(place);
      wire.send(callOf(1, "bash", { command: "read x < go; echo done" }), read(1, "a.txt"));
      expect((await wire.next(({ id }) => id === null)).error!.message).toBe(
        "Invalid Request: id 1 is that of a request that is not answered yet",
      );
      wire.send(
        { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } },
        read(1, "a.txt:raw"),
      );
      expect(answerOf((await wire.answer(1)).result).text).toBe("1\n");
      await wire.close();
    });
  });

  test("before it is initialized it answers all the same, and is initialized afterwards", async () => {
    await inEditPlace({ "a.txt": "1\n" }, async (place) => {
      const wire = openWire(place);
      wire.send({ jsonrpc: "2.0", id: 1, method: "ping" });
      expect((await wire.answer(1)).result).toEqual({});
      wire.send(read(2, "a.txt:raw"));
      expect(answerOf((await wire.answer(2)).result).text).toBe("1\n");
      wire.send(hello, ready, hello, read(3, "a.txt:raw"));
      expect((await wire.answer("hello")).result!["protocolVersion"]).toBe("2025-06-18");
      expect(answerOf((await wire.answer(3)).result).text).toBe("1\n");
      await wire.close();
    });
  });

  test("a large message goes through, in and out", async () => {
    await inEditPlace({}, async (place) => {
      const content = `${"x".repeat(99)}\n`.repeat(50_000);
      const wire = await openClient(place);
      wire.send(callOf(1, "write", { path: "big", content }));
      expect(answerOf((await wire.answer(1)).result).isError).toBe(false);
      expect(readFileSync(join(place.folder, "big"), "utf8")).toBe(content);
      await wire.close();
    });
  });
});
