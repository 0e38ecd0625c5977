import type { ContentBlock } from "@modelcontextprotocol/server";

import { AtomicError } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { showResult } from "../../core/mcp-client/result.ts";
import { serverNamed } from "../../core/mcp-client/servers.ts";
import { showName } from "../../core/paths.ts";
import { formatCount } from "../../core/text/size.ts";
import { cleanLine, fenced } from "../../core/text/untrusted.ts";
import type { Invocation } from "../command.ts";
import { parseJson } from "../json-input.ts";
import { printAnswer } from "../output.ts";
import { accessSession } from "../session-access.ts";
import { withServers } from "./client.ts";

/** The prompts of a server, or one of them with its arguments filled in. */
export function prompts(invocation: Invocation): Promise<number> {
  const { settings, program, operands } = invocation;
  return withServers(invocation, async (world) => {
    const [name, prompt, json] = operands;
    const given = argumentsOf(json);
    const server = serverNamed(name!, world.servers);
    const where = { stdio: program.stdio, settings };
    const source = `mcp:${cleanLine(server.name, 60)}`;
    return world.connect(server, async ({ client, request, redact }) => {
      if (client.getServerCapabilities()?.prompts === undefined) {
        throw new AtomicError(
          "mcp.unknown",
          `The MCP server ${showName(server.name)} has no prompts.`,
          { data: { server: server.name } },
        );
      }
      if (prompt !== undefined) {
        const { messages } = await request("give the prompt", (options) =>
          client.getPrompt({ name: prompt, arguments: given }, options),
        );
        const { folder } = accessSession(
          world.host,
          settings,
          () => {},
          async () => world.config,
        );
        const content = messages.flatMap(({ role, content: block }): ContentBlock[] => [
          { type: "text", text: `${role}:` },
          block as ContentBlock,
        ]);
        const shown = await showResult(
          { content },
          { folder, redact, source: `${source}/prompts` },
          world.host,
        );
        return printAnswer(
          invocation.flags["plain"] === true ? shown.plain : shown.text,
          { server: server.name, prompt, content: shown.content, removed: shown.removed },
          where,
        );
      }
      const listed = await request("list its prompts", (options) =>
        client.listPrompts(undefined, options),
      );
      const clean = (text: string | undefined) => cleanLine(redact(text ?? ""), 200);
      const rows = listed.prompts.slice(0, limits.mcpListed).map((each) => ({
        name: clean(each.name),
        description: clean(each.description ?? each.title),
        arguments: (each.arguments ?? []).slice(0, 50).map((argument) => ({
          name: clean(argument.name),
          description: clean(argument.description),
          required: argument.required === true,
        })),
      }));
      const lines = rows.map((row) => {
        const takes = row.arguments.map((each) => (each.required ? each.name : `${each.name}?`));
        return `${row.name}(${takes.join(", ")})${row.description === "" ? "" : `: ${row.description}`}`;
      });
      const head = `${showName(server.name)}: ${formatCount(rows.length, "prompt", "prompts")}`;
      const text = rows.length === 0 ? head : `${head}\n${fenced(source, lines.join("\n"))}`;
      return printAnswer(text, { server: server.name, prompts: rows }, where);
    });
  });
}

function argumentsOf(json: string | undefined): Record<string, string> {
  if (json === undefined) return {};
  const value = parseJson(json);
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  const entries = isObject ? Object.entries(value) : [];
  if (isObject && entries.every(([, each]) => typeof each === "string")) {
    return Object.fromEntries(entries) as Record<string, string>;
  }
  throw new AtomicError(
    "usage.input",
    "The arguments of a prompt must be a JSON object whose values are strings.",
  );
}
