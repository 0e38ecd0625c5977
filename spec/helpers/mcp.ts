// The built program as an MCP server, and the clients that drive it: the official one in both ages of the protocol, one that
// has nothing in common with it, and raw messages.

import { createMCPClient } from "@ai-sdk/mcp";
import { Experimental_StdioMCPTransport as OtherStdio } from "@ai-sdk/mcp/mcp-stdio";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";

import { executable } from "./run-atomic.ts";

export interface McpPlace {
  readonly folder: string;
  readonly state: string;
}

export interface Answer {
  readonly text: string;
  readonly isError: boolean;
  readonly details: Readonly<Record<string, unknown>>;
}

/** What every client can do. */
export interface Driver {
  tools(): Promise<readonly string[]>;
  call(name: string, input: Record<string, unknown>): Promise<Answer>;
  close(): Promise<void>;
}

export const TOKEN = "spec-token-0123456789abcdef";

export function environmentOf({ state }: McpPlace): Record<string, string> {
  return {
    ATOMIC_HOME: state,
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: state,
    ATOMIC_MCP_TOKEN: TOKEN,
  };
}

export interface HttpServed {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly pid: number;
  /** What it has said on standard error so far. */
  readonly errors: () => string;
  /** Ends it by SIGTERM. */
  stop(): Promise<number>;
}

export async function serveHttp(
  place: McpPlace,
  args: readonly string[] = [],
  http = "0",
  env: Readonly<Record<string, string | undefined>> = {},
): Promise<HttpServed> {
  const child = Bun.spawn([executable, "mcp", "serve", "--http", http, ...args], {
    cwd: place.folder,
    env: { ...environmentOf(place), ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  let errors = "";
  const url = Promise.withResolvers<URL>();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) {
      errors += decoder.decode(chunk, { stream: true });
      const found = /^MCP: (http:\S+)$/m.exec(errors);
      if (found) url.resolve(new URL(found[1]!));
    }
    url.reject(new Error(`The server ended: ${errors}`));
  })();
  return {
    url: await url.promise,
    headers: { Authorization: `Bearer ${TOKEN}` },
    pid: child.pid,
    errors: () => errors,
    stop() {
      child.kill("SIGTERM");
      return child.exited;
    },
  };
}

export interface ConnectOptions {
  readonly args?: readonly string[];
  /** `file:` URLs. */
  readonly roots?: readonly string[];
}

export type Connect = (place: McpPlace, options?: ConnectOptions) => Promise<Driver>;

export const connectors: Readonly<Record<string, Connect>> = {
  "the official client over stdio": (place, options) => official(place, options, "stdio"),
  "the official client over HTTP": (place, options) => official(place, options, "http"),
  "the official client over stdio, 2026-07-28": (place, options) =>
    official(place, options, "stdio", "auto"),
  "the official client over HTTP, 2026-07-28": (place, options) =>
    official(place, options, "http", "auto"),
  "another client over stdio": (place, options) => other(place, options, "stdio"),
  "another client over HTTP": (place, options) => other(place, options, "http"),
};

export async function connectOfficial(
  place: McpPlace,
  options: ConnectOptions = {},
): Promise<Client> {
  const client = officialClient(options, undefined);
  await client.connect(stdioOf(place, options));
  return client;
}

function stdioOf(place: McpPlace, { args = [] }: ConnectOptions): StdioClientTransport {
  return new StdioClientTransport({
    command: executable,
    args: ["mcp", "serve", ...args],
    cwd: place.folder,
    env: environmentOf(place),
    stderr: "ignore",
  });
}

function officialClient({ roots }: ConnectOptions, mode: "auto" | undefined): Client {
  const client = new Client(
    { name: "spec", version: "1" },
    {
      capabilities: roots === undefined ? {} : { roots: { listChanged: true } },
      ...(mode && { versionNegotiation: { mode } }),
    },
  );
  if (roots !== undefined) {
    client.setRequestHandler("roots/list", async () => ({ roots: roots.map((uri) => ({ uri })) }));
  }
  return client;
}

async function official(
  place: McpPlace,
  options: ConnectOptions = {},
  transport: "stdio" | "http",
  mode?: "auto",
): Promise<Driver> {
  const client = officialClient(options, mode);
  let served: HttpServed | undefined;
  if (transport === "stdio") await client.connect(stdioOf(place, options));
  else {
    served = await serveHttp(place, options.args);
    await client.connect(
      new StreamableHTTPClientTransport(served.url, { requestInit: { headers: served.headers } }),
    );
  }
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input) => answerOf(await client.callTool({ name, arguments: input })),
    async close() {
      await client.close();
      await served?.stop();
    },
  };
}

async function other(
  place: McpPlace,
  options: ConnectOptions = {},
  transport: "stdio" | "http",
): Promise<Driver> {
  const served = transport === "http" ? await serveHttp(place, options.args) : undefined;
  const client = await createMCPClient({
    transport: served
      ? { type: "http", url: served.url.href, headers: { ...served.headers } }
      : new OtherStdio({
          command: executable,
          args: ["mcp", "serve", ...(options.args ?? [])],
          cwd: place.folder,
          env: environmentOf(place),
          stderr: "ignore",
        }),
  });
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, input) => answerOf(await client.callTool({ name, arguments: input })),
    async close() {
      await client.close();
      await served?.stop();
    },
  };
}

export function answerOf(result: unknown): Answer {
  const { content, isError, structuredContent } = result as {
    readonly content: readonly { readonly text?: string }[];
    readonly isError?: boolean;
    readonly structuredContent: Answer["details"];
  };
  return {
    text: content[0]?.text ?? "",
    isError: isError === true,
    details: structuredContent,
  };
}

export interface Message {
  readonly id?: number | string | null;
  readonly method?: string;
  readonly params?: Readonly<Record<string, unknown>>;
  readonly result?: Readonly<Record<string, unknown>>;
  readonly error?: { readonly code: number; readonly message: string };
}

/** Raw messages over stdio. */
export interface Wire {
  readonly pid: number;
  /** Everything in one write. Strings and bytes go as they are. */
  send(...messages: readonly unknown[]): void;
  /** The next line that this is true of, whether it came already or not. Each line is given once. */
  next(wanted: (message: Message) => boolean): Promise<Message>;
  /** The answer to that request. */
  answer(id: number | string): Promise<Message>;
  /** Every line that came so far, parsed. */
  readonly lines: readonly unknown[];
  errors(): string;
  /** Ends the input. @returns the status */
  close(): Promise<number>;
}

export const hello = {
  jsonrpc: "2.0",
  id: "hello",
  method: "initialize",
  params: {
    protocolVersion: "2025-06-18",
    capabilities: {},
    clientInfo: { name: "x", version: "1" },
  },
};
export const ready = { jsonrpc: "2.0", method: "notifications/initialized" };

export function callOf(id: number | string, name: string, input: unknown) {
  return {
    jsonrpc: "2.0",
    id,
    method: "tools/call",
    params: { name, arguments: input },
  };
}

export function openWire(
  place: McpPlace,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Wire {
  const child = Bun.spawn([executable, "mcp", "serve", ...args], {
    cwd: place.folder,
    env: { ...environmentOf(place), ...env },
    stdin: "pipe",
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines: unknown[] = [];
  const untaken: Message[] = [];
  const waiting = new Set<() => void>();
  let errors = "";
  let isOver = false;
  void (async () => {
    const decoder = new TextDecoder();
    let text = "";
    for await (const chunk of child.stdout) {
      text += decoder.decode(chunk, { stream: true });
      const rows = text.split("\n");
      text = rows.pop()!;
      for (const row of rows) {
        const line: unknown = JSON.parse(row);
        lines.push(line);
        untaken.push(line as Message);
      }
      waiting.forEach((wake) => wake());
    }
    isOver = true;
    waiting.forEach((wake) => wake());
  })();
  void (async () => {
    const decoder = new TextDecoder();
    for await (const chunk of child.stderr) errors += decoder.decode(chunk, { stream: true });
  })();
  const wire: Wire = {
    pid: child.pid,
    lines,
    errors: () => errors,
    send(...messages) {
      const parts = messages.map((message) => {
        if (message instanceof Uint8Array) return message;
        const text = typeof message === "string" ? message : `${JSON.stringify(message)}\n`;
        return new TextEncoder().encode(text);
      });
      child.stdin.write(Buffer.concat(parts));
      void child.stdin.flush();
    },
    async next(wanted) {
      for (;;) {
        const at = untaken.findIndex((message) => wanted(message));
        if (at >= 0) return untaken.splice(at, 1)[0]!;
        if (isOver) throw new Error(`The server ended: ${errors}`);
        const { promise, resolve } = Promise.withResolvers<void>();
        waiting.add(resolve);
        await promise;
        waiting.delete(resolve);
      }
    },
    answer: (id) => wire.next((message) => message.id === id && message.method === undefined),
    async close() {
      void child.stdin.end();
      return child.exited;
    },
  };
  return wire;
}

/** A wire whose client is initialized. */
export async function openClient(
  place: McpPlace,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
): Promise<Wire> {
  const wire = openWire(place, args, env);
  wire.send(hello, ready);
  await wire.answer("hello");
  return wire;
}
