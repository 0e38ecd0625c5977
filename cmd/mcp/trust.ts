import { AtomicError, exitStatus } from "../../core/errors.ts";
import { describeDefinition, kindText } from "../../core/mcp-client/describe.ts";
import {
  placeText,
  type Server,
  serverNamed,
  type Servers,
} from "../../core/mcp-client/servers.ts";
import { showName } from "../../core/paths.ts";
import { resolvePath } from "../../core/paths.ts";
import { confirm } from "../../core/questions/question.ts";
import { askOf } from "../ask.ts";
import type { Invocation } from "../command.ts";
import { printAnswer } from "../output.ts";
import { type ClientWorld, withServers } from "./client.ts";
import { shellWord, visible } from "../../core/mcp-client/words.ts";

/** Without a server: what is trusted and what is not. With one: shows what it would start, and asks. */
export function trust(invocation: Invocation): Promise<number> {
  const { operands, flags } = invocation;
  return withServers(invocation, async (world) => {
    const [name] = operands;
    if (name === undefined) {
      if (flags["revoke"] !== true && flags["yes"] !== true) return overview(invocation, world);
      throw new AtomicError(
        "usage.command",
        "`atomic mcp trust` needs the name of a SERVER for that.",
        {
          hint: "See `atomic mcp list`.",
        },
      );
    }
    if (flags["revoke"] === true) return revoke(name, invocation, world);
    return grant(workspaceServer(name, world.servers), invocation, world);
  });
}

/** The workspace's definition is meant, also where the user's own stands before it. */
function workspaceServer(name: string, servers: Servers): Server {
  const all = [...servers.servers, ...servers.hidden];
  return (
    all.find((each) => each.name === name && each.definition.source.isWorkspace) ??
    serverNamed(name, servers)
  );
}

async function overview(invocation: Invocation, world: ClientWorld): Promise<number> {
  const { servers, hidden, book } = world.servers;
  const ours = [...servers, ...hidden].filter(({ definition }) => definition.source.isWorkspace);
  const open = ours.filter(({ isTrusted }) => !isTrusted);
  const trusted = await book.allTrusted();
  const here = new Set(ours.map(({ hash }) => hash));
  const text = [
    ...open.map((server) => `NOT TRUSTED\n${describe(server, world)}`),
    ...ours
      .filter(({ isTrusted }) => isTrusted)
      .map((server) => `trusted\n${describe(server, world)}`),
    ...trusted
      .filter(({ hash }) => !here.has(hash))
      .map(
        ({ name, file, since }) =>
          `${showName(name)} of ${showName(file)}: trusted since ${new Date(since).toISOString().slice(0, 10)}; not defined so here`,
      ),
  ];
  const none =
    "No server comes from a workspace's own file, and none is trusted. The user's own servers need no trust.";
  return printAnswer(
    text.length === 0 ? none : text.join("\n\n"),
    {
      servers: ours.map(({ name, hash, isTrusted, definition }) => ({
        name,
        hash,
        isTrusted,
        file: definition.source.file,
        ...describeDefinition(definition),
      })),
      trusted,
    },
    { stdio: invocation.program.stdio, settings: invocation.settings },
  );
}

/** What trust is asked for: all that a person needs to decide. */
function describe({ name, definition }: Server, { cwd }: ClientWorld): string {
  const { source, transport } = definition;
  const { target, given, reads } = describeDefinition(definition);
  const rows = [
    `${visible(name)}, defined in ${placeText(source, cwd)}`,
    transport.kind === "stdio"
      ? `  starts:  ${target}`
      : `  reaches: ${target} (${kindText(definition)})`,
    ...(transport.kind === "stdio"
      ? [`  in:      ${visible(resolvePath(transport.cwd ?? ".", source.folder))}`]
      : []),
    ...given.map((each) => `  with:    ${each}`),
    ...(reads.length > 0
      ? [`  reads:   ${reads.map((each) => `$${each}`).join(", ")} of your environment`]
      : []),
  ];
  return rows.join("\n");
}

async function grant(server: Server, invocation: Invocation, world: ClientWorld): Promise<number> {
  const { settings, program, flags, stop } = invocation;
  const { book } = world.servers;
  const where = { stdio: program.stdio, settings };
  const shown = describe(server, world);
  const { name, definition, hash, isTrusted } = server;
  const { source } = definition;
  const details = { server: name, hash, file: source.file, ...describeDefinition(definition) };
  if (isTrusted) {
    const why = source.isWorkspace ? "is trusted already" : "is the user's own, and needs no trust";
    return printAnswer(`${showName(name)} ${why}.`, { ...details, isTrusted: true }, where);
  }
  if (flags["yes"] !== true) {
    const ask = askOf(invocation);
    const verdict = await confirm(
      { ...(ask && { ask }), signal: stop.signal },
      {
        header: "Trust",
        question: `Trust this MCP server, from a file that came with the workspace?\n${shown}`,
        proceed:
          "It is started when it is called, for as long as its definition stays exactly this.",
        decline: "Nothing is started.",
      },
    );
    if (verdict !== "yes") {
      throw new AtomicError(
        "mcp.not_trusted",
        `${verdict === "no" ? "The user did not trust it" : "Nobody can be asked whether to trust it"}:\n${shown}`,
        {
          data: { ...details, allow: `atomic mcp trust ${shellWord(name)} --yes` },
          hint:
            verdict === "no"
              ? "Nothing was changed."
              : `This is not approval. A person who has read this can allow it: atomic mcp trust ${shellWord(name)} --yes`,
        },
      );
    }
  }
  const folder = source.folder;
  await book.trust(hash, { name, file: source.file, folder, since: world.host.clock.now() });
  const text = `${shown}\n\nIs trusted from now on, as it is defined now. Take it back with \`atomic mcp trust ${shellWord(name)} --revoke\`.`;
  return printAnswer(text, { ...details, isTrusted: true }, where);
}

/** Whatever was ever trusted by that name, here or as it was defined before. */
async function revoke(name: string, invocation: Invocation, world: ClientWorld): Promise<number> {
  const { settings, program } = invocation;
  const { servers, hidden, book } = world.servers;
  const here = new Set(
    [...servers, ...hidden].filter((each) => each.name === name).map(({ hash }) => hash),
  );
  const { workspace } = world.config;
  const entries = (await book.allTrusted()).filter(
    (entry) =>
      entry.name === name &&
      (here.has(entry.hash) || entry.folder === workspace || entry.folder === world.cwd),
  );
  let count = 0;
  for (const { hash } of entries) if (await book.revoke(hash)) count++;
  const text =
    count === 0 ? `${showName(name)} was not trusted.` : `${showName(name)} is no longer trusted.`;
  const status = count === 0 ? exitStatus["not found"] : exitStatus.success;
  return printAnswer(
    text,
    { server: name, revoked: count },
    { stdio: program.stdio, settings },
    status,
  );
}
