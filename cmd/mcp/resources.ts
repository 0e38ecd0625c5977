import { AtomicError } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { showResult } from "../../core/mcp-client/result.ts";
import { serverNamed } from "../../core/mcp-client/servers.ts";
import { showName } from "../../core/paths.ts";
import { formatCount } from "../../core/text/size.ts";
import { cleanLine, fenced } from "../../core/text/untrusted.ts";
import type { Invocation } from "../command.ts";
import { printAnswer } from "../output.ts";
import { accessSession } from "../session-access.ts";
import { withServers } from "./client.ts";

/** The resources of a server, or what one of them holds. */
export function resources(invocation: Invocation): Promise<number> {
  const { settings, program, operands } = invocation;
  return withServers(invocation, async (world) => {
    const [name, uri] = operands;
    const server = serverNamed(name!, world.servers);
    const where = { stdio: program.stdio, settings };
    const source = `mcp:${cleanLine(server.name, 60)}`;
    return world.connect(server, async ({ client, request, redact }) => {
      if (client.getServerCapabilities()?.resources === undefined) {
        throw new AtomicError(
          "mcp.unknown",
          `The MCP server ${showName(server.name)} has no resources.`,
          { data: { server: server.name } },
        );
      }
      if (uri !== undefined) {
        const { contents } = await request("read the resource", (options) =>
          client.readResource({ uri }, options),
        );
        const { folder } = accessSession(
          world.host,
          settings,
          () => {},
          async () => world.config,
        );
        const shown = await showResult(
          { content: contents.map((resource) => ({ type: "resource", resource })) },
          { folder, redact, source: `${source}/resources` },
          world.host,
        );
        const { text, plain, content, removed, files } = shown;
        return printAnswer(
          invocation.flags["plain"] === true ? plain : text,
          { server: server.name, uri, content, removed, files },
          where,
        );
      }
      const listed = await request("list its resources", (options) =>
        client.listResources(undefined, options),
      );
      const { resourceTemplates } = await request("list its resource templates", (options) =>
        client.listResourceTemplates(undefined, options),
      ).catch((thrown: unknown) => {
        // Many servers have none, and do not know the question.
        if (thrown instanceof AtomicError && thrown.code === "mcp.answer") {
          return { resourceTemplates: [] };
        }
        throw thrown;
      });
      const clean = (text: string | undefined, most = 200) => cleanLine(redact(text ?? ""), most);
      const rows = [
        ...listed.resources.slice(0, limits.mcpListed).map((each) => ({
          uri: clean(each.uri, 1_000),
          name: clean(each.title ?? each.name),
          description: clean(each.description),
          mimeType: clean(each.mimeType),
        })),
        ...resourceTemplates.slice(0, limits.mcpListed).map((each) => ({
          uriTemplate: clean(each.uriTemplate, 1_000),
          name: clean(each.title ?? each.name),
          description: clean(each.description),
          mimeType: clean(each.mimeType),
        })),
      ];
      const lines = rows.map((row) => {
        const place = "uri" in row ? row.uri : `${row.uriTemplate} (template)`;
        return `${place}  ${row.name}${row.description === "" ? "" : `: ${row.description}`}`;
      });
      const head = `${showName(server.name)}: ${formatCount(rows.length, "resource", "resources")}`;
      const text = rows.length === 0 ? head : `${head}\n${fenced(source, lines.join("\n"))}`;
      return printAnswer(text, { server: server.name, resources: rows }, where);
    });
  });
}
