// The servers there are, which of two with one name counts, and whether the user lets it be started.

import type { Config } from "../config/config.ts";
import { AtomicError } from "../errors.ts";
import { displayPath, showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { locateState } from "../session/locate.ts";
import { didYouMean } from "../text/nearest.ts";
import { type Book, openBook } from "./book.ts";
import type { Definition, Source, Unusable } from "./definition.ts";
import { type FileProblem, findServers } from "./read-files.ts";
import { shellWord } from "./words.ts";

export interface Server {
  readonly name: string;
  readonly definition: Definition;
  /** Of the definition's own text and its place: what trust and what is known hang on. */
  readonly hash: string;
  /** It may be started, or called: the user's own, or one that the user has trusted as it is now. */
  readonly isTrusted: boolean;
}

export interface Servers {
  /** One for each name. */
  readonly servers: readonly Server[];
  /** Those that another one of their name stands before. */
  readonly hidden: readonly Server[];
  readonly unusable: readonly Unusable[];
  readonly problems: readonly FileProblem[];
  readonly book: Book;
}

type Ports = Pick<Host, "fs" | "env" | "stores" | "clock" | "bytes">;

/**
 * Whoever loads them closes the book.
 * @param where `cwd` absolute
 * @throws AtomicError `session.unavailable`
 */
export async function loadServers(
  where: { readonly cwd: string; readonly config: Config },
  ports: Ports,
): Promise<Servers> {
  const { entries, problems } = await findServers(where, ports);
  const book = openBook(locateState(ports.env).folder, ports);
  const all: Server[] = [];
  const unusable: Unusable[] = [];
  for (const entry of entries) {
    if (!("transport" in entry)) {
      unusable.push(entry);
      continue;
    }
    const hash = await hashOf(entry, ports);
    const isTrusted = !entry.source.isWorkspace || (await book.trusted(hash)) !== undefined;
    all.push({ name: entry.name, definition: entry, hash, isTrusted });
  }
  const servers = new Map<string, Server>();
  // A workspace's definition takes the place of the user's only once the user trusts it.
  for (const isTrusted of [true, false]) {
    for (const server of all) {
      if (server.isTrusted === isTrusted && !servers.has(server.name)) {
        servers.set(server.name, server);
      }
    }
  }
  const chosen = all.filter((server) => servers.get(server.name) === server);
  const hidden = all.filter((server) => servers.get(server.name) !== server);
  return { servers: chosen, hidden, unusable, problems, book };
}

/** The same text in the same place: anything else is another definition, which must be trusted anew. */
async function hashOf(
  { name, source, transport, ...rest }: Definition,
  { bytes, fs }: Pick<Host, "bytes" | "fs">,
): Promise<string> {
  const folder = (await fs.realPath(source.folder).catch(() => undefined)) ?? source.folder;
  const { host, dialect, file } = source;
  const text = JSON.stringify([
    1,
    name,
    host,
    dialect,
    folder,
    file,
    sorted(transport),
    sorted(rest),
  ]);
  return bytes.sha256(new TextEncoder().encode(text));
}

function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, each]) => [key, sorted(each)]);
}

/**
 * By its name; "-" and "_" are one.
 * @throws AtomicError `mcp.unknown`, `mcp.definition` for one that is there and cannot be used
 */
export function serverNamed(name: string, { servers, unusable, problems }: Servers): Server {
  const server =
    servers.find((each) => each.name === name) ??
    servers.find((each) => folded(each.name) === folded(name));
  if (server) return server;
  const broken = unusable.find((each) => folded(each.name) === folded(name));
  if (broken) {
    throw new AtomicError(
      "mcp.definition",
      `The MCP server ${showName(broken.name)} in ${showName(broken.source.file)} cannot be used: ${broken.reason}.`,
      { data: { server: broken.name, file: broken.source.file } },
    );
  }
  const known = servers.map((each) => each.name);
  const listed =
    known.length === 0
      ? " No server is configured."
      : ` The servers are: ${known.slice(0, 20).map(showName).join(", ")}.`;
  const guess = didYouMean(name, known) || `.${listed}`;
  const [problem] = problems;
  throw new AtomicError("mcp.unknown", `There is no MCP server ${JSON.stringify(name)}${guess}`, {
    data: { server: name },
    hint:
      problem === undefined
        ? "See `atomic mcp list`."
        : `${showName(problem.file)} was left out: ${problem.reason}.`,
  });
}

export function folded(name: string): string {
  return name.toLowerCase().replaceAll("_", "-");
}

/** @throws AtomicError `mcp.not_trusted`; `mcp.definition` for one that is switched off */
export function checkTrust({ name, definition, isTrusted }: Server, cwd: string): void {
  const { source } = definition;
  if (definition.isDisabled) {
    throw new AtomicError(
      "mcp.definition",
      `The MCP server ${showName(name)} is switched off in ${showName(source.file)}.`,
      { data: { server: name, file: source.file } },
    );
  }
  if (isTrusted) return;
  const word = shellWord(name);
  throw new AtomicError(
    "mcp.not_trusted",
    `The MCP server ${showName(name)} comes from ${placeText(source, cwd)}, and its definition as it is now is not trusted: nothing was started.`,
    {
      data: { server: name, file: source.file, allow: `atomic mcp trust ${word} --yes` },
      hint: `A person can look at it with \`atomic mcp trust ${word}\` and allow it there, or with \`atomic mcp trust ${word} --yes\`.`,
    },
  );
}

/** As messages name where a server is defined. */
export function placeText({ file }: Source, cwd: string): string {
  return showName(displayPath(file, cwd));
}
