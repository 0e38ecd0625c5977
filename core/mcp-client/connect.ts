// A connection to one server for the time of one piece of work: opened, used, and ended wholly, whatever happens.

import {
  Client,
  ProtocolError,
  type RequestOptions,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  SSEClientTransport,
  StreamableHTTPClientTransport,
  type Transport,
} from "@modelcontextprotocol/client";

import { aborted, AtomicError } from "../errors.ts";
import { limits } from "../limits.ts";
import { resolvePath, showName } from "../paths.ts";
import type { Host } from "../ports/host.ts";
import { cleanLine, cleanUntrusted } from "../text/untrusted.ts";
import { expandDefinition, type Expanded } from "./expand.ts";
import { boundedFetch, type BoundedFetch } from "./bounded-fetch.ts";
import { type Redact, redactor } from "./redact.ts";
import { processTransport, type ServerTransport } from "./server-process.ts";
import type { Server } from "./servers.ts";

export interface ConnectOptions {
  /** Our own version, which the server is told. */
  readonly version: string;
  readonly signal: AbortSignal;
  readonly offline: boolean;
  /** Milliseconds for connecting and for each answer, in place of the definition's. */
  readonly time?: number | undefined;
  /** The folder that a server which we start is told about. */
  readonly workspace: string;
}

export interface Connection {
  readonly server: Server;
  readonly client: Client;
  /** Hides the definition's secrets. */
  readonly redact: Redact;
  /** Milliseconds without a sign of life, and in all, after which an answer is waited for no longer. */
  readonly quietTime: number;
  readonly wholeTime: number;
  /** Does the request, with the limits on its time. What goes wrong is said in our words. */
  request<T>(
    what: string,
    work: (options: RequestOptions) => Promise<T>,
    progress?: (text: string) => void,
  ): Promise<T>;
}

export type ClientPorts = Pick<
  Host,
  "processes" | "clock" | "random" | "env" | "http" | "fs" | "bytes" | "stores"
>;

/**
 * @throws AtomicError `mcp.definition`, `mcp.offline`, `mcp.start`, `mcp.unavailable`, `mcp.time`, `mcp.answer`,
 *   `mcp.too_large`, `aborted`; and what the work throws
 */
export async function withConnection<T>(
  server: Server,
  options: ConnectOptions,
  ports: ClientPorts,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const expanded = usable(server, ports);
  const { definition } = expanded;
  const { transport: plan, source } = definition;
  const redact = redactor(expanded.secrets);
  if (plan.kind === "stdio") {
    const folder = resolvePath(plan.cwd ?? ".", source.folder);
    return attempt(server, options, redact, ports, work, () =>
      wrapped(processTransport(definition, folder, redact, ports)),
    );
  }
  if (options.offline) {
    throw new AtomicError(
      "mcp.offline",
      `The MCP server ${showName(server.name)} is reached by URL, and --offline forbids that.`,
      { data: { server: server.name } },
    );
  }
  const url = urlOf(plan.url, server.name);
  const overHttp = () => {
    const bounded = boundedFetch(ports, server.name);
    return fetching(
      new StreamableHTTPClientTransport(url, {
        fetch: bounded.fetch,
        requestInit: { headers: expanded.headers },
        reconnectionOptions: {
          initialReconnectionDelay: 500,
          maxReconnectionDelay: 5_000,
          reconnectionDelayGrowFactor: 2,
          maxRetries: 3,
        },
      }) as unknown as Transport,
      bounded,
    );
  };
  const overSse = () => {
    const bounded = boundedFetch(ports, server.name);
    return fetching(
      new SSEClientTransport(url, {
        fetch: bounded.fetch,
        requestInit: { headers: expanded.headers },
      }) as unknown as Transport,
      bounded,
    );
  };
  if (plan.kind === "sse") return attempt(server, options, redact, ports, work, overSse);
  if (plan.kind === "http") return attempt(server, options, redact, ports, work, overHttp);
  try {
    return await attempt(server, options, redact, ports, work, overHttp);
  } catch (thrown) {
    if (!(thrown instanceof NotSpoken)) throw thrown;
    // The protocol's advice for servers of before 2025: what refuses a POST may have events.
    try {
      return await attempt(server, options, redact, ports, work, overSse);
    } catch (second) {
      const isNoServer = second instanceof AtomicError && second.code === "mcp.unavailable";
      throw isNoServer ? thrown : second;
    }
  }
}

/** Texts with their variables in. @throws AtomicError `mcp.definition` */
function usable(server: Server, { env }: Pick<Host, "env">): Expanded {
  const expanded = expandDefinition(server.definition, env);
  const problem =
    expanded.unusable ??
    (expanded.missing.length === 0
      ? undefined
      : `it needs ${expanded.missing.map((name) => `$${name}`).join(", ")}, which ${expanded.missing.length === 1 ? "is" : "are"} not set`);
  if (problem === undefined) return expanded;
  const { file } = server.definition.source;
  throw new AtomicError(
    "mcp.definition",
    `The MCP server ${showName(server.name)} in ${showName(file)} cannot be used: ${problem}.`,
    { data: { server: server.name, file, missing: expanded.missing } },
  );
}

function urlOf(text: string, name: string): URL {
  let url: URL | undefined;
  try {
    url = new URL(text);
  } catch {
    // Said below.
  }
  if (url?.protocol === "http:" || url?.protocol === "https:") return url;
  throw new AtomicError(
    "mcp.definition",
    `The URL of the MCP server ${showName(name)} must begin with http:// or https://.`,
    { data: { server: name } },
  );
}

interface Line {
  readonly transport: Transport;
  failure(): AtomicError | undefined;
  errors(): string;
  /** Says goodbye where the protocol has a word for it. */
  farewell?(): Promise<void>;
}

function wrapped(transport: ServerTransport): Line {
  return { transport, failure: transport.failure, errors: transport.errors };
}

function fetching(transport: Transport, bounded: BoundedFetch): Line {
  bounded.onFailure = () => void transport.close().catch(() => {});
  return {
    transport,
    failure: bounded.failure,
    errors: () => "",
    async farewell() {
      if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession();
    },
  };
}

/** What answers is no server of this kind. */
class NotSpoken extends AtomicError {}

async function attempt<T>(
  server: Server,
  options: ConnectOptions,
  redact: Redact,
  ports: ClientPorts,
  work: (connection: Connection) => Promise<T>,
  open: () => Line,
): Promise<T> {
  try {
    return await converse(server, options, redact, ports, work, open(), "legacy");
  } catch (thrown) {
    if (!(thrown instanceof NewerOnly)) throw thrown;
    // It knows no `initialize`: a server of 2026-07-28 and nothing else.
    return converse(server, options, redact, ports, work, open(), "auto");
  }
}

class NewerOnly extends Error {}

async function converse<T>(
  server: Server,
  { version, signal, time, workspace }: ConnectOptions,
  redact: Redact,
  ports: ClientPorts,
  work: (connection: Connection) => Promise<T>,
  line: Line,
  mode: "legacy" | "auto",
): Promise<T> {
  const { clock } = ports;
  const { definition, name } = server;
  const connectTime = time ?? definition.connectTime ?? limits.mcpConnectTime;
  const quietTime = time ?? definition.callTime ?? limits.mcpQuietTime;
  const wholeTime = time ?? Math.max(quietTime, limits.mcpWholeTime);
  const isStarted = definition.transport.kind === "stdio";
  let lastError: string | undefined;
  /** A server that has asked for roots takes a moment to take them in, and refuses calls until then. */
  let settled: Promise<void> | undefined;
  const client = new Client(
    { name: "atomic", version },
    {
      capabilities: isStarted ? { roots: {} } : {},
      versionNegotiation: { mode, probe: { timeoutMs: connectTime } },
      // What a server says of its answers' shape is nothing that we rely on.
      jsonSchemaValidator: {
        getValidator: () => (input) => ({
          valid: true,
          data: input as never,
          errorMessage: undefined,
        }),
      },
      listMaxPages: limits.mcpPages,
    },
  );
  if (isStarted) {
    client.setRequestHandler("roots/list", () => {
      settled ??= pause(ROOTS_PAUSE);
      const name = workspace.slice(workspace.lastIndexOf("/") + 1);
      return { roots: [{ uri: fileUri(workspace), name }] };
    });
  }
  const onerror = (error: Error) => {
    lastError = cleanLine(redact(error.message), 200);
  };
  Object.assign(client, { onerror });

  function said(thrown: unknown, what: string, most: number): Error {
    const failure = line.failure();
    if (signal.aborted) return aborted(thrown);
    if (thrown instanceof AtomicError) return withErrors(thrown);
    if (failure !== undefined) return withErrors(failure);
    if (thrown instanceof Overdue || isOverdue(thrown)) {
      const heard = lastError === undefined ? "" : ` What came instead: ${lastError}`;
      const isWhole = thrown instanceof Overdue || /total/i.test(thrown.message);
      const waited = isWhole || what === "connect" ? most : quietTime;
      return withErrors(
        new AtomicError(
          "mcp.timeout",
          `The MCP server ${showName(name)} did not ${what} within ${waited / 1000} s.${heard}`,
          {
            data: { server: name, milliseconds: waited },
            hint: "Give it longer with --timeout SECONDS, or with `timeout` (milliseconds) where it is defined.",
          },
        ),
      );
    }
    const message = cleanUntrusted(redact(messageOf(thrown))).text.slice(0, 1_000);
    // A server may ask back for a form, or for a model's words.
    if (/elicitation\/create|sampling\/createMessage|input_required/i.test(message)) {
      return new AtomicError(
        "mcp.input",
        `The MCP server ${showName(name)} asks for input that this client has no way to give: ${message}`,
        { data: { server: name }, cause: thrown },
      );
    }
    if (thrown instanceof ProtocolError) {
      return withErrors(
        new AtomicError(
          "mcp.answer",
          `The MCP server ${showName(name)} answered with an error: ${message}`,
          { data: { server: name, rpcCode: thrown.code } },
        ),
      );
    }
    return withErrors(
      new AtomicError(
        "mcp.unavailable",
        `The MCP server ${showName(name)} did not ${what}: ${message}`,
        { data: { server: name }, cause: thrown },
      ),
    );
  }

  /** Its error output is the best there is for a person to see what is wrong. */
  function withErrors(error: AtomicError): AtomicError {
    const errors = line.errors();
    if (errors === "") return error;
    const last = errors.split("\n").slice(-10).join("\n");
    return new AtomicError(error.code, error.message, {
      cause: error.cause,
      data: { ...error.data, stderr: errors },
      hint: `${error.hint === undefined ? "" : `${error.hint}\n`}The last of its error output:\n${last}`,
    });
  }

  try {
    await within(connectTime, "connect", () =>
      client.connect(line.transport, { timeout: connectTime, signal }),
    );
    return await work({
      server,
      client,
      redact,
      quietTime,
      wholeTime,
      request: async (what, request, progress) => {
        await settled;
        return within(wholeTime, what, () =>
          request({
            signal,
            timeout: quietTime,
            maxTotalTimeout: wholeTime,
            resetTimeoutOnProgress: time === undefined,
            onprogress: ({ message, progress: done, total }) => {
              progress?.(
                cleanLine(
                  message === undefined
                    ? `${done}${total === undefined ? "" : ` of ${total}`}`
                    : redact(message),
                  120,
                ),
              );
            },
          }),
        );
      },
    });
  } finally {
    await part();
  }

  /** The client's own time limits hold while it gets to run; this one holds whatever the transport waits for. */
  async function within<R>(most: number, what: string, request: () => Promise<R>): Promise<R> {
    const done = new AbortController();
    const stop = Promise.withResolvers<never>();
    const onAbort = () => stop.reject(aborted(signal.reason));
    if (signal.aborted) onAbort();
    signal.addEventListener("abort", onAbort, { once: true });
    void clock.sleep(most + SLACK, done.signal).then(
      () => stop.reject(new Overdue()),
      () => undefined,
    );
    const asked = request();
    asked.catch(() => {});
    try {
      return await Promise.race([asked, stop.promise]);
    } catch (thrown) {
      // The server is told before we go.
      if (signal.aborted) await Promise.race([asked.catch(() => {}), pause(limits.mcpParting)]);
      if (what === "connect" && mode === "legacy" && isNewerOnly(thrown)) throw new NewerOnly();
      const error = said(thrown, what, most);
      if (what === "connect" && error instanceof AtomicError && isRefusedPost(thrown)) {
        throw new NotSpoken(error.code, error.message, { data: error.data, cause: thrown });
      }
      throw error;
    } finally {
      done.abort();
      signal.removeEventListener("abort", onAbort);
    }
  }

  function pause(milliseconds: number): Promise<void> {
    return clock.sleep(milliseconds).catch(() => {});
  }

  async function part(): Promise<void> {
    if (line.farewell)
      await Promise.race([line.farewell().catch(() => {}), pause(limits.mcpParting)]);
    // Also where connecting has failed, and the client does not know the transport as its own.
    await Promise.all([client.close().catch(() => {}), line.transport.close().catch(() => {})]);
  }
}

const SLACK = 250;

const ROOTS_PAUSE = 150;

class Overdue extends Error {}

function isOverdue(thrown: unknown): thrown is SdkError {
  return thrown instanceof SdkError && thrown.code === SdkErrorCode.RequestTimeout;
}

function isNewerOnly(thrown: unknown): boolean {
  if (thrown instanceof ProtocolError) return thrown.code === -32_601 || thrown.code === -32_022;
  return (
    thrown instanceof SdkHttpError &&
    /-32022|-32601|unsupported protocol/i.test(String(thrown.data.text))
  );
}

function isRefusedPost(thrown: unknown): boolean {
  return thrown instanceof SdkHttpError && [400, 404, 405, 406, 415].includes(thrown.data.status);
}

function messageOf(thrown: unknown): string {
  if (!(thrown instanceof Error)) return String(thrown);
  if (thrown instanceof SdkHttpError && !/^Redirect|not followed/.test(thrown.message)) {
    const { status, statusText, text } = thrown.data;
    const body = cleanLine(String(text ?? ""), 300);
    const words = cleanLine(String(statusText ?? ""), 60);
    return `HTTP ${status}${words === "" ? "" : ` ${words}`}${body === "" ? "" : `: ${body}`}`;
  }
  const cause = thrown.cause instanceof Error ? thrown.cause.message : "";
  const message = inWords(thrown.message);
  return cause === "" || message.includes(cause) ? message : `${message} (${cause})`;
}

/** The client's list of what is wrong with a message, which is JSON, as a sentence. */
function inWords(message: string): string {
  const start = message.search(/\[\s*\{/);
  if (start === -1) return message;
  try {
    const issues = JSON.parse(message.slice(start)) as readonly {
      readonly path?: readonly unknown[];
      readonly message?: unknown;
    }[];
    const said = issues
      .slice(0, 3)
      .map(({ path = [], message: problem }) => `${path.join(".") || "it"}: ${String(problem)}`);
    return `${message.slice(0, start)}${said.join("; ")}`;
  } catch {
    return message;
  }
}

function fileUri(path: string): string {
  const slashed = path.replaceAll("\\", "/");
  const parts = (slashed.startsWith("/") ? slashed : `/${slashed}`).split("/");
  return `file://${parts.map(encodeURIComponent).join("/")}`;
}
