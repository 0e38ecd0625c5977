import { toolNamed } from "../../core/mcp-client/call-tool.ts";
import { learnServer, shownName, toolId } from "../../core/mcp-client/learn.ts";
import { serverNamed } from "../../core/mcp-client/servers.ts";
import { showName } from "../../core/paths.ts";
import { formatAge, formatCount } from "../../core/text/size.ts";
import { cleanLine, fenced } from "../../core/text/untrusted.ts";
import type { Invocation } from "../command.ts";
import { printAnswer } from "../output.ts";
import { withServers } from "./client.ts";

/** A server, or one of its tools with its input's schema: as it was when it was last asked, else asked now. */
export function describe(invocation: Invocation): Promise<number> {
  const { settings, program, operands, flags } = invocation;
  return withServers(invocation, async (world) => {
    const [name, tool] = operands;
    const server = serverNamed(name!, world.servers);
    const { book } = world.servers;
    let known = flags["refresh"] === true ? undefined : await book.known(server.hash);
    const when =
      known === undefined ? "" : `, as of ${formatAge(world.host.clock.now() - known.asked)} ago`;
    if (known === undefined) {
      known = await world.connect(server, (connection) => learnServer(connection, world.host));
      await book.learn(server.hash, known);
    }
    const where = { stdio: program.stdio, settings };
    const source = `mcp:${cleanLine(server.name, 60)}`;
    const shown = showName(server.name);
    if (tool === undefined) {
      const { title, protocol, instructions, tools } = known;
      const facts = [
        `Calls itself: ${title || "(nothing)"}`,
        `Protocol: ${protocol ?? "unknown"}`,
        `Tools: ${tools.map((each) => shownName(each.name)).join(", ") || "none"}`,
        ...(instructions === undefined ? [] : [`Instructions: ${instructions}`]),
      ];
      const text = `MCP server ${shown}, ${formatCount(tools.length, "tool", "tools")}${when}\n${fenced(source, facts.join("\n"))}`;
      return printAnswer(text, { server: server.name, ...known }, where);
    }
    const found = toolNamed(tool, known, server);
    const id = toolId(server.name, shownName(found.name));
    const schema = JSON.stringify(found.inputSchema, undefined, 2);
    const text = [
      `${id}: ${shownName(found.name)} of the MCP server ${shown}${found.isReadOnly ? ", says it only reads" : ""}${when}`,
      fenced(
        `${source}/${shownName(found.name)}`,
        `${found.title === undefined ? "" : `${found.title}\n\n`}${found.description}\n\nInput:\n${schema}`,
      ),
    ].join("\n");
    return printAnswer(
      text,
      { id, server: server.name, ...found, name: shownName(found.name) },
      where,
    );
  });
}
