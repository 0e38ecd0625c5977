import { describeDefinition, kindText } from "../../core/mcp-client/describe.ts";
import { expandDefinition } from "../../core/mcp-client/expand.ts";
import { placeText, type Server } from "../../core/mcp-client/servers.ts";
import { showName } from "../../core/paths.ts";
import { formatAge, formatCount } from "../../core/text/size.ts";
import { cleanLine } from "../../core/text/untrusted.ts";
import type { Invocation } from "../command.ts";
import { printAnswer } from "../output.ts";
import { type ClientWorld, withServers } from "./client.ts";
import { shellWord } from "../../core/mcp-client/words.ts";

export function list(invocation: Invocation): Promise<number> {
  const { settings, program } = invocation;
  return withServers(invocation, async (world) => {
    const { servers, hidden, unusable, problems } = world.servers;
    const rows = await Promise.all(servers.map((server) => rowOf(server, world)));
    const others = await Promise.all(hidden.map((server) => rowOf(server, world)));
    const place = (file: string) => showName(file);
    const text = [
      ...rows.map(textOf),
      ...hidden.map(
        ({ name, definition: { source } }) =>
          `${showName(name)} of ${placeText(source, world.cwd)} is hidden by another server of that name`,
      ),
      ...unusable.map(
        ({ name, source, reason }) =>
          `${showName(name)} of ${placeText(source, world.cwd)} cannot be used: ${reason}`,
      ),
      ...problems.map(({ file, reason }) => `${place(file)} was left out: ${reason}`),
    ];
    const none = "No MCP server is configured. See the README for where they are looked for.";
    return printAnswer(
      text.length === 0 ? none : text.join("\n"),
      {
        servers: rows,
        hidden: others,
        unusable: unusable.map(({ name, source, reason }) => ({ name, file: source.file, reason })),
        problems,
      },
      { stdio: program.stdio, settings },
    );
  });
}

type Row = Awaited<ReturnType<typeof rowOf>>;

async function rowOf(server: Server, { host, servers: { book }, cwd }: ClientWorld) {
  const { name, definition, isTrusted, hash } = server;
  const { source } = definition;
  const known = await book.known(hash);
  const { missing, unusable } = expandDefinition(definition, host.env);
  const { target } = describeDefinition(definition);
  return {
    name,
    transport: kindText(definition),
    target,
    file: source.file,
    place: placeText(source, cwd),
    host: source.host,
    isTrusted,
    isUntrusted: definition.isUntrusted,
    isDisabled: definition.isDisabled,
    alwaysLoad: definition.alwaysLoad,
    missing,
    ...(unusable !== undefined && { unusable }),
    ...(known && {
      tools: known.tools.length,
      asked: new Date(known.asked).toISOString(),
      age: formatAge(host.clock.now() - known.asked),
    }),
  };
}

function textOf(row: Row): string {
  const state = [
    row.isDisabled ? "switched off" : undefined,
    row.isTrusted ? undefined : `NOT TRUSTED: see \`atomic mcp trust ${shellWord(row.name)}\``,
    row.isUntrusted ? "asks before calls that are not read-only" : undefined,
    row.missing.length > 0
      ? `needs ${row.missing.map((name) => `$${name}`).join(", ")}, not set`
      : undefined,
    row.unusable,
    row.tools === undefined
      ? "never asked for its tools"
      : `${formatCount(row.tools, "tool", "tools")}, asked ${row.age} ago`,
  ].filter((part) => part !== undefined);
  return `${showName(row.name)}  ${row.transport}  ${cleanLine(row.target, 200)}\n    from ${row.place}; ${state.join("; ")}`;
}
