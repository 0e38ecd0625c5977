// A server made with the official package, with a tool for each thing that a client meets.

import { existsSync, writeFileSync } from "node:fs";

import { inputRequired, McpServer } from "@modelcontextprotocol/server";
import { toStandardJsonSchema } from "@valibot/to-json-schema";
import * as v from "valibot";

const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** @param folder where it leaves signs of what it did */
export function officialServer(folder: string): McpServer {
  const server = new McpServer(
    { name: "fixture", version: "1.2.3" },
    { capabilities: { logging: {} }, instructions: "Be \u202enice\u202c." },
  );
  const text = (value: string) => ({ content: [{ type: "text" as const, text: value }] });

  server.registerTool(
    "echo",
    {
      description: "Says it again.",
      inputSchema: toStandardJsonSchema(v.object({ text: v.string() })),
      annotations: { readOnlyHint: true },
    },
    async ({ text: said }) => text(said),
  );
  server.registerTool(
    "store",
    {
      description: "Writes a file.",
      inputSchema: toStandardJsonSchema(v.object({ name: v.string() })),
    },
    async ({ name }) => {
      writeFileSync(`${folder}/${name}`, "stored");
      return text(`stored ${name}`);
    },
  );
  server.registerTool("fail", { description: "Fails." }, async () => ({
    ...text("It broke \u200bhere."),
    isError: true,
  }));
  server.registerTool("environment", { description: "Its variables." }, async () => ({
    ...text(JSON.stringify(process.env)),
    structuredContent: { ...process.env },
  }));
  server.registerTool("picture", { description: "An image." }, async () => ({
    content: [
      { type: "text", text: "See:" },
      { type: "image", data: PNG, mimeType: "image/png" },
      { type: "audio", data: "AAAA", mimeType: "audio/wav" },
      { type: "resource", resource: { uri: "note://1", text: "in a resource" } },
      { type: "resource_link", uri: "note://2", name: "two", description: "another" },
    ],
  }));
  server.registerTool("numbers", { description: "Structure." }, async () => ({
    content: [],
    structuredContent: { sum: 3, parts: ["\u200b1", 2] },
  }));
  server.registerTool("ask", { description: "Needs a person." }, async () =>
    inputRequired({
      inputRequests: {
        name: inputRequired.elicit({
          message: "Who are you?",
          requestedSchema: { type: "object", properties: { name: { type: "string" } } },
        }),
      },
    }),
  );
  server.registerTool("huge", { description: "Much." }, async () =>
    text("0123456789".repeat(20_000)),
  );
  server.registerTool("roots", { description: "What the client works in." }, async (context) =>
    text(JSON.stringify(await context.mcpReq.send({ method: "roots/list" }))),
  );
  // Waits until it is cancelled, and leaves a file that says so.
  server.registerTool("wait", { description: "Waits." }, async (context) => {
    writeFileSync(`${folder}/waiting`, "");
    const { _meta: meta } = context.mcpReq;
    const token = meta?.progressToken;
    for (let round = 0; !context.mcpReq.signal.aborted && round < 600; round++) {
      if (token !== undefined) {
        await context.mcpReq
          .notify({
            method: "notifications/progress",
            params: { progressToken: token, progress: round, message: `round ${round}` },
          })
          .catch(() => {});
      }
      if (existsSync(`${folder}/go-on`)) return text("went on");
      await Bun.sleep(50);
    }
    writeFileSync(`${folder}/cancelled`, "");
    return text("too late");
  });
  server.registerResource("note", "note://1", { description: "A note" }, async () => ({
    contents: [{ uri: "note://1", text: "the note" }],
  }));
  server.registerPrompt(
    "greet",
    {
      description: "Greets",
      argsSchema: toStandardJsonSchema(v.object({ name: v.string() })),
    },
    async ({ name }) => ({
      messages: [{ role: "user", content: { type: "text", text: `Greet ${name}.` } }],
    }),
  );
  return server;
}
