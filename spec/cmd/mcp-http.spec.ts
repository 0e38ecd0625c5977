// The built program as an MCP server over HTTP: who is let in, what a session is, and how it ends.

import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { networkInterfaces, tmpdir } from "node:os";
import { join } from "node:path";

import { limits } from "../../core/limits.ts";
import {
  answerOf,
  callOf,
  hello,
  type HttpServed,
  type McpPlace,
  type Message,
  ready,
  serveHttp,
  TOKEN,
} from "../helpers/mcp.ts";

setDefaultTimeout(60_000);

const accept = { Accept: "application/json, text/event-stream" };

let root: string;
let place: McpPlace;
let served: HttpServed;

beforeAll(async () => {
  root = mkdtempSync(join(tmpdir(), "atomic-spec-"));
  place = { folder: join(root, "files"), state: join(root, "state") };
  mkdirSync(place.folder);
  writeFileSync(join(place.folder, "a.txt"), "one\ntwo\n");
  served = await serveHttp(place);
});

afterAll(async () => {
  await served.stop();
  rmSync(root, { recursive: true });
});

function post(
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
  to: HttpServed = served,
): Promise<Response> {
  return fetch(to.url, {
    method: "POST",
    headers: { "Content-Type": "application/json", ...accept, ...to.headers, ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
}

/** The messages of an answer, be it JSON or a stream of events that ends. */
async function messagesOf(response: Response): Promise<readonly Message[]> {
  const text = await response.text();
  if (!response.headers.get("content-type")?.startsWith("text/event-stream")) {
    return [JSON.parse(text) as Message].flat();
  }
  return [...text.matchAll(/^data: (.+)$/gm)].map(([, data]) => JSON.parse(data!) as Message);
}

async function open(
  to: HttpServed = served,
): Promise<{ readonly "Mcp-Session-Id": string; readonly "MCP-Protocol-Version": string }> {
  const response = await post(hello, {}, to);
  const session = {
    "Mcp-Session-Id": response.headers.get("mcp-session-id")!,
    "MCP-Protocol-Version": "2025-06-18",
  };
  await response.text();
  expect((await post(ready, session, to)).status).toBe(202);
  return session;
}

async function callIn(
  session: Readonly<Record<string, string>>,
  name: string,
  input: unknown,
  to: HttpServed = served,
) {
  const messages = await messagesOf(await post(callOf(1, name, input), session, to));
  return answerOf(messages.find(({ id }) => id === 1)!.result);
}

const cancelOf = (requestId: number) => ({
  jsonrpc: "2.0",
  method: "notifications/cancelled",
  params: { requestId },
});

async function until<T>(found: () => T | undefined | false): Promise<T> {
  for (;;) {
    const value = found();
    if (value !== undefined && value !== false) return value;
    await Bun.sleep(10);
  }
}

function isAlive(pid: number): boolean {
  try {
    return !/^\d+ \(.*\) Z/s.test(readFileSync(`/proc/${pid}/stat`, "latin1"));
  } catch {
    return false;
  }
}

async function pidIn(file: string): Promise<number> {
  return until(() => existsSync(file) && (Number(readFileSync(file, "utf8")) || false));
}

describe("who is let in", () => {
  /** By hand: a client library would set some of these itself. */
  function raw(head: readonly string[], body = ""): Promise<string> {
    const { promise, resolve, reject } = Promise.withResolvers<string>();
    const socket = connect(Number(served.url.port), "127.0.0.1");
    let text = "";
    socket.on("data", (chunk) => (text += chunk.toString("latin1")));
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
    socket.end([...head, "Connection: close", "", body].join("\r\n"), "latin1");
    return promise;
  }
  const statusOf = (answer: string) => Number(answer.split(" ")[1]);
  const key = `Authorization: Bearer ${TOKEN}`;
  const call = JSON.stringify(hello);
  const rest = [
    "Content-Type: application/json",
    `Accept: ${accept.Accept}`,
    `Content-Length: ${call.length}`,
  ];

  test("nobody without the token, whatever it looks like", async () => {
    for (const given of [
      undefined,
      "",
      "Bearer",
      "Bearer ",
      `Bearer ${TOKEN}x`,
      `Bearer ${TOKEN.slice(0, -1)}`,
      `Bearer ${TOKEN.toUpperCase()}`,
      `Basic ${TOKEN}`,
      TOKEN,
      `Bearer ${TOKEN} ${TOKEN}`,
    ]) {
      const response = await fetch(served.url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          ...accept,
          ...(given !== undefined && { Authorization: given }),
        },
        body: call,
      });
      expect([given, response.status]).toEqual([given, 401]);
      expect(response.headers.get("www-authenticate")).toBe('Bearer realm="atomic"');
      expect(await response.text()).not.toContain(TOKEN);
    }
    expect(
      (await fetch(`${served.url}?token=${TOKEN}`, { method: "POST", body: call })).status,
    ).toBe(401);
  });

  test("no page of a foreign name, and no name that was pointed here", async () => {
    const hosts: Readonly<Record<string, number>> = {
      "127.0.0.1": 200,
      "localhost:1": 200,
      "[::1]:80": 200,
      "evil.example": 403,
      "127.0.0.1.evil.example": 403,
      "localhost.evil.example": 403,
      "evil.example@127.0.0.1": 403,
    };
    for (const [host, status] of Object.entries(hosts)) {
      const answer = await raw(["POST /mcp HTTP/1.1", `Host: ${host}`, key, ...rest], call);
      expect([host, statusOf(answer)]).toEqual([host, status]);
    }
    const origins: Readonly<Record<string, number>> = {
      "http://localhost:3000": 200,
      "http://127.0.0.1": 200,
      "https://evil.example": 403,
      "http://localhost.evil.example": 403,
      null: 403,
      "file://": 403,
      "http://localhost@evil.example": 403,
      "chrome-extension://abc": 403,
      nonsense: 403,
    };
    for (const [origin, status] of Object.entries(origins)) {
      const lines = ["POST /mcp HTTP/1.1", "Host: localhost", `Origin: ${origin}`, key, ...rest];
      expect([origin, statusOf(await raw(lines, call))]).toEqual([origin, status]);
    }
    const none = await raw(["POST /mcp HTTP/1.0", key, ...rest], call);
    expect([400, 403]).toContain(statusOf(none));
  });

  test("nobody of another machine, unless a host is named", async () => {
    const address = Object.values(networkInterfaces())
      .flat()
      .find((each) => each?.family === "IPv4" && !each.internal)?.address;
    if (address === undefined) return;
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = connect(Number(served.url.port), address);
    socket.on("connect", () => resolve("let in"));
    socket.on("error", ({ message }) => resolve(message));
    expect(await promise).toContain("ECONNREFUSED");
    socket.destroy();
  });

  test("the token comes from a private file, which is made where it is missing, or is new", async () => {
    const file = join(root, "token");
    const stated = await serveHttp(place, ["--token-file", file]);
    const token = readFileSync(file, "utf8").trim();
    expect(token).toMatch(/^[0-9a-f]{64}$/);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect((await post(hello, {}, stated)).status).toBe(401);
    expect((await post(hello, { Authorization: `Bearer ${token}` }, stated)).status).toBe(200);
    expect(stated.errors()).not.toContain(token);
    await stated.stop();

    chmodSync(file, 0o644);
    await expect(serveHttp(place, ["--token-file", file])).rejects.toThrow(
      "Other users may open the token file",
    );
    writeFileSync(file, "short\n");
    chmodSync(file, 0o600);
    await expect(serveHttp(place, ["--token-file", file])).rejects.toThrow("at least 16");
    await expect(serveHttp(place, ["--token-file", place.folder])).rejects.toThrow("EISDIR");
    await expect(serveHttp(place, [], "0", { ATOMIC_MCP_TOKEN: "short" })).rejects.toThrow(
      "$ATOMIC_MCP_TOKEN must hold a token of at least 16 letters, digits or signs",
    );
    const fresh = await serveHttp(place, [], "[::1]:0", { ATOMIC_MCP_TOKEN: undefined });
    expect(fresh.url.hostname).toBe("[::1]");
    const [, made] = await until(
      () => /Authorization: (Bearer [0-9a-f]{64})\n/.exec(fresh.errors()) ?? undefined,
    );
    expect((await post(hello, { Authorization: made! }, fresh)).status).toBe(200);
    expect(await fresh.stop()).toBe(143);
  });

  test("the environment of a command does not have the token", async () => {
    const { text } = await callIn(await open(), "bash", { command: "env" });
    expect(text).toContain("PATH=");
    expect(text).not.toContain(TOKEN);
  });

  test("a port that is taken is told", async () => {
    await expect(serveHttp(place, [], served.url.port)).rejects.toThrow(
      `Cannot listen on 127.0.0.1:${served.url.port}: EADDRINUSE.`,
    );
  });
});

describe("what is no message", () => {
  test("is refused by what is wrong with it", async () => {
    const session = await open();
    const refusals: readonly (readonly [string, RequestInit, number])[] = [
      ["/other", { method: "POST", body: "{}" }, 404],
      ["/mcp/", { method: "POST", body: "{}" }, 404],
      ["/mcp", { method: "PUT", body: "{}" }, 405],
      ["/mcp", { method: "OPTIONS" }, 405],
      ["/mcp", { method: "GET" }, 400],
      ["/mcp", { method: "DELETE" }, 400],
      ["/mcp", { method: "GET", headers: { "Mcp-Session-Id": "none" } }, 404],
      ["/mcp", { method: "DELETE", headers: { "Mcp-Session-Id": "none" } }, 404],
      ["/mcp", { method: "POST", body: "{}", headers: { "Content-Type": "text/plain" } }, 415],
      ["/mcp", { method: "POST", body: "{not json}" }, 400],
      ["/mcp", { method: "POST", body: "" }, 400],
      ["/mcp", { method: "POST", body: "[]" }, 400],
      ["/mcp", { method: "POST", body: "42" }, 400],
      ["/mcp", { method: "POST", body: new Uint8Array([0x22, 0xff, 0x22]) }, 400],
      ["/mcp", { method: "POST", body: JSON.stringify(callOf(1, "read", {})) }, 400],
      ["/mcp", { method: "POST", body: `${"[".repeat(600)}${"]".repeat(600)}` }, 400],
      ["/mcp", { method: "POST", body: "42", headers: session }, 400],
      [
        "/mcp",
        { method: "POST", body: '{"jsonrpc":"2.0","id":{},"method":"ping"}', headers: session },
        400,
      ],
    ];
    for (const [path, init, status] of refusals) {
      const response = await fetch(new URL(path, served.url), {
        ...init,
        headers: {
          "Content-Type": "application/json",
          ...accept,
          ...served.headers,
          ...(init.headers as Record<string, string>),
        },
      });
      const shown = `${init.method} ${path} ${String(init.body)}`;
      expect([shown, response.status]).toEqual([shown, status]);
      const answer = (await response.json()) as Message;
      expect([shown, typeof answer.error!.message]).toEqual([shown, "string"]);
    }
    // Said to be too large, it is not read.
    const socket = connect(Number(served.url.port), "127.0.0.1");
    const { promise, resolve } = Promise.withResolvers<string>();
    socket.on("data", (chunk) => resolve(chunk.toString()));
    socket.write(
      [
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        `Authorization: Bearer ${TOKEN}`,
        "Content-Type: application/json",
        `Content-Length: ${limits.mcpMessage + 1}`,
        "",
        "{",
      ].join("\r\n"),
    );
    expect(await promise).toStartWith("HTTP/1.1 413 ");
    socket.destroy();
    // Still there.
    expect((await callIn(session, "read", { path: "a.txt:raw" })).text).toBe("one\ntwo\n");
  });
});

describe("a session", () => {
  test("knows what it has read, and no other does", async () => {
    const [one, two] = [await open(), await open()];
    expect(one["Mcp-Session-Id"]).toMatch(/^[0-9a-f]{32}$/);
    const { text } = await callIn(one, "read", { path: "a.txt" });
    const input = `${text.split("\n")[0]}\nreplace 2..2:\n+TWO\n`;
    expect((await callIn(two, "edit", { input })).details["code"]).toBe("edit.unknown_tag");
    expect((await callIn(one, "edit", { input })).isError).toBe(false);
    expect(readFileSync(join(place.folder, "a.txt"), "utf8")).toBe("one\nTWO\n");
    writeFileSync(join(place.folder, "a.txt"), "one\ntwo\n");
  });

  test("answers a batch, and one initialization only", async () => {
    const session = await open();
    const batch = [
      callOf(1, "read", { path: "a.txt:raw" }),
      { jsonrpc: "2.0", id: 2, method: "ping" },
    ];
    const answers = (await messagesOf(await post(batch, session))).flat();
    expect(answers.map(({ id }) => id).toSorted()).toEqual([1, 2]);
    expect((await post(hello, session)).status).toBe(400);
    expect((await post([hello, hello])).status).toBe(400);
  });

  test("ends by DELETE with what it does, and is then unknown", async () => {
    const session = await open();
    const file = join(place.folder, "pid");
    const call = post(callOf(1, "bash", { command: "echo $$ > pid; exec sleep 1000" }), session);
    const pid = await pidIn(file);
    const headers = { ...served.headers, ...session };
    expect((await fetch(served.url, { method: "DELETE", headers })).status).toBe(200);
    await until(() => !isAlive(pid));
    await (await call).text();
    rmSync(file);
    expect((await fetch(served.url, { method: "DELETE", headers })).status).toBe(404);
    expect((await post({ jsonrpc: "2.0", id: 1, method: "ping" }, session)).status).toBe(404);
  });

  test("opens its streams at once, before there is anything to tell", async () => {
    const session = await open();
    const headers = { ...served.headers, ...session, Accept: "text/event-stream" };
    const leave = new AbortController();
    const stream = await fetch(served.url, { headers, signal: leave.signal });
    const { value } = await stream.body!.getReader().read();
    expect(new TextDecoder().decode(value)).toBe(": open\n\n");
    leave.abort();
  });

  test("a cancelled call is ended", async () => {
    const session = await open();
    const file = join(place.folder, "pid");
    const leave = new AbortController();
    const call = fetch(served.url, {
      method: "POST",
      signal: leave.signal,
      headers: { "Content-Type": "application/json", ...accept, ...served.headers, ...session },
      body: JSON.stringify(callOf(7, "bash", { command: "echo $$ > pid; exec sleep 1000" })),
    });
    const pid = await pidIn(file);
    expect((await post(cancelOf(7), session)).status).toBe(202);
    await until(() => !isAlive(pid));
    rmSync(file);
    await (await call).body?.cancel();
    leave.abort();
    expect((await callIn(session, "read", { path: "a.txt:raw" })).text).toBe("one\ntwo\n");
  });

  test("pings are answered while a heavy call runs", async () => {
    writeFileSync(join(place.folder, "big.txt"), `${"abcdefghij".repeat(6)}\n`.repeat(300_000));
    const session = await open();
    const order: string[] = [];
    const input = { pattern: "(a|b|ab)+j[^x]*q$", paths: ["big.txt"] };
    await Promise.all([
      callIn(session, "search", input).then(() => order.push("search")),
      post({ jsonrpc: "2.0", id: 2, method: "ping" }, session)
        .then((response) => response.text())
        .then(() => order.push("ping")),
    ]);
    expect(order).toEqual(["ping", "search"]);
    rmSync(join(place.folder, "big.txt"));
  });
});

test("a client of 2026-07-28 that goes takes its call along", async () => {
  const file = join(place.folder, "pid");
  const leave = new AbortController();
  const meta = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
    "io.modelcontextprotocol/clientCapabilities": {},
  };
  const command = { command: "echo $$ > pid; exec sleep 1000" };
  const call = fetch(served.url, {
    method: "POST",
    signal: leave.signal,
    headers: {
      "Content-Type": "application/json",
      ...accept,
      ...served.headers,
      "MCP-Protocol-Version": "2026-07-28",
      "Mcp-Method": "tools/call",
      "Mcp-Name": "bash",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: "bash", arguments: command, _meta: meta },
    }),
  });
  const pid = await pidIn(file);
  leave.abort();
  await expect(call).rejects.toThrow();
  await until(() => !isAlive(pid));
  rmSync(file);
});

test("there are so many sessions and no more; streams end and nothing is left when the server is told to stop", async () => {
  const own = await serveHttp(place);
  const session = await open(own);
  for (let i = 1; i < limits.mcpSessions; i++) await (await post(hello, {}, own)).text();
  const refused = await post(hello, {}, own);
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, "60"]);
  const headers = { ...own.headers, ...session, Accept: "text/event-stream" };
  const stream = await fetch(own.url, { headers });
  expect([stream.status, stream.headers.get("content-type")]).toEqual([200, "text/event-stream"]);
  expect((await fetch(own.url, { headers })).status).toBe(409);
  const file = join(place.folder, "pid");
  const call = post(callOf(1, "bash", { command: "echo $$ > pid; exec sleep 1000" }), session, own)
    .then((response) => response.text())
    .catch(() => "cut off");
  const pid = await pidIn(file);
  expect(await own.stop()).toBe(143);
  expect(isAlive(pid)).toBe(false);
  await stream.text().catch(() => {});
  await call;
  rmSync(file);
});
