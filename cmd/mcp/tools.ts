import { asAtomicError, type AtomicError, exitStatus } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import type { KnownServer } from "../../core/mcp-client/book.ts";
import { learnServer, shownName, toolId } from "../../core/mcp-client/learn.ts";
import { type Server, serverNamed } from "../../core/mcp-client/servers.ts";
import { showName } from "../../core/paths.ts";
import { formatAge, formatCount } from "../../core/text/size.ts";
import { cleanLine, fenced } from "../../core/text/untrusted.ts";
import type { Invocation } from "../command.ts";
import { printAnswer } from "../output.ts";
import { showProgress } from "../progress.ts";
import { type ClientWorld, withServers } from "./client.ts";

interface Shown {
  readonly server: Server;
  readonly known?: KnownServer;
  readonly isFresh?: boolean;
  readonly error?: AtomicError;
}

/** With a server's name: asks it where nothing is known of it yet. Without: shows what is known. --refresh asks anew. */
export function tools(invocation: Invocation): Promise<number> {
  const { settings, program, operands, flags, stop } = invocation;
  return withServers(invocation, async (world) => {
    const [name] = operands;
    const refresh = flags["refresh"] === true;
    const { servers, book } = world.servers;
    const wanted =
      name === undefined
        ? servers.filter(({ definition, isTrusted }) => isTrusted && !definition.isDisabled)
        : [serverNamed(name, world.servers)];
    const progress = showProgress(program.stdio);
    let asking = 0;
    const shown = await eachOf(wanted, limits.mcpServersAtOnce, async (server): Promise<Shown> => {
      const known = refresh ? undefined : await book.known(server.hash);
      if (known !== undefined || (name === undefined && !refresh)) {
        return { server, ...(known && { known }) };
      }
      try {
        const count = ++asking;
        progress.show(() => `asking ${showName(server.name)} (${count} of ${wanted.length})`);
        const fresh = await world.connect(server, (connection) =>
          learnServer(connection, world.host),
        );
        await book.learn(server.hash, fresh);
        return { server, known: fresh, isFresh: true };
      } catch (thrown) {
        const error = asAtomicError(thrown);
        // One server's failure says nothing about the others.
        if (name !== undefined || stop.signal.aborted) throw error;
        return { server, error };
      }
    });
    progress.clear();
    const failed = shown.find(({ error }) => error !== undefined)?.error;
    const left = servers.filter(
      ({ isTrusted, definition }) => !isTrusted && !definition.isDisabled,
    );
    const text = [
      ...shown.map((each) => textOf(each, world)),
      ...(name === undefined && left.length > 0
        ? [
            `Not trusted, and left out: ${left.map((each) => showName(each.name)).join(", ")}. See \`atomic mcp trust\`.`,
          ]
        : []),
    ];
    return printAnswer(
      text.length === 0
        ? "No MCP server is configured and trusted. See `atomic mcp list`."
        : text.join("\n\n"),
      { servers: shown.map(detailsOf) },
      { stdio: program.stdio, settings },
      failed?.status ?? exitStatus.success,
    );
  });
}

function textOf({ server, known, isFresh, error }: Shown, { host }: ClientWorld): string {
  const name = showName(server.name);
  if (error !== undefined) return `${name}: ${error.message}`;
  if (known === undefined) return `${name}: never asked. Ask with \`atomic mcp tools --refresh\`.`;
  const age = host.clock.now() - known.asked;
  const when = isFresh
    ? ""
    : `, as of ${formatAge(age)} ago${age > limits.mcpStale ? " (old: --refresh asks anew)" : ""}`;
  const head = `${name}: ${formatCount(known.tools.length, "tool", "tools")}${when}`;
  if (known.tools.length === 0) return head;
  const rows = known.tools.map((tool) => {
    const mark = tool.isReadOnly ? " (only reads)" : "";
    const what = cleanLine(tool.description || (tool.title ?? ""), 160);
    return `${shownName(tool.name)}${mark}${what === "" ? "" : `: ${what}`}`;
  });
  return `${head}\n${fenced(`mcp:${cleanLine(server.name, 60)}`, rows.join("\n"))}`;
}

function detailsOf({ server, known, error }: Shown) {
  return {
    server: server.name,
    ...(known && {
      title: known.title,
      asked: new Date(known.asked).toISOString(),
      tools: known.tools.map((tool) => ({
        id: toolId(server.name, shownName(tool.name)),
        ...tool,
        name: shownName(tool.name),
      })),
    }),
    ...(error && { error: { code: error.code, message: error.message } }),
  };
}

/** In order; so many at the same time. */
async function eachOf<T, R>(
  items: readonly T[],
  most: number,
  work: (item: T) => Promise<R>,
): Promise<readonly R[]> {
  const results: R[] = [];
  let next = 0;
  const worker = async () => {
    for (let at = next++; at < items.length; at = next++) results[at] = await work(items[at]!);
  };
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, worker));
  return results;
}
