// Messages that were broken at random, by the hundred: what is a request is answered once, whatever else came, and the
// server lives. ATOMIC_FUZZ sets how many; ATOMIC_FUZZ_SEED repeats a run.

import { expect, setDefaultTimeout, test } from "bun:test";

import { classify } from "../../core/mcp/message.ts";
import {
  callOf,
  hello,
  type Message,
  openWire,
  ready,
  serveHttp,
  type Wire,
} from "../helpers/mcp.ts";
import { inEditPlace } from "./edit-place.ts";

setDefaultTimeout(30 * 60_000);

const runs = Number(process.env["ATOMIC_FUZZ"] ?? 300);
const seed = Number(process.env["ATOMIC_FUZZ_SEED"] ?? 1);

/** mulberry32 */
function randomFrom(start: number): () => number {
  let state = start;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  };
}

const meta = {
  "io.modelcontextprotocol/protocolVersion": "2026-07-28",
  "io.modelcontextprotocol/clientInfo": { name: "x", version: "1" },
  "io.modelcontextprotocol/clientCapabilities": { roots: {} },
};

const modern = (method: string, params: object = {}) => ({
  jsonrpc: "2.0",
  id: 0,
  method,
  params: { ...params, _meta: { ...meta, progressToken: 1 } },
});

const patterns: readonly object[] = [
  { jsonrpc: "2.0", id: 0, method: "ping" },
  { jsonrpc: "2.0", id: 0, method: "ping", params: { _meta: { progressToken: "t" } } },
  { jsonrpc: "2.0", id: 0, method: "tools/list", params: { cursor: "c" } },
  { jsonrpc: "2.0", id: 0, method: "logging/setLevel", params: { level: "debug" } },
  { jsonrpc: "2.0", id: 0, method: "resources/read", params: { uri: "file:///x" } },
  { jsonrpc: "2.0", id: 0, method: "completion/complete", params: { ref: { type: "ref/x" } } },
  hello,
  callOf(0, "read", { path: "a.txt", raw: true }),
  callOf(0, "edit", { input: "[a.txt#0000]\ndelete 1" }),
  callOf(0, "find", { paths: ["*"], limit: 3 }),
  callOf(0, "search", { pattern: "o", paths: ["."], context: 1 }),
  callOf(0, "write", { path: "b", content: "x" }),
  modern("server/discover"),
  modern("tools/list"),
  modern("tools/call", { name: "read", arguments: { path: "a.txt" } }),
  modern("subscriptions/listen", { notifications: { toolsListChanged: true } }),
  { jsonrpc: "2.0", method: "notifications/roots/list_changed" },
  { jsonrpc: "2.0", method: "notifications/progress", params: { progressToken: 1, progress: 1 } },
  { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: "none" } },
  { jsonrpc: "2.0", id: 77, result: { roots: [{ uri: "file:///" }] } },
  { jsonrpc: "2.0", id: 77, error: { code: -1, message: "no" } },
];

const strange: readonly (() => unknown)[] = [
  () => null,
  () => true,
  () => -1,
  () => 1e308,
  () => 0.5,
  () => "",
  () => "\u0000\u{1F600}\uD800",
  () => "x".repeat(70_000),
  () => [],
  () => ({}),
  () => [[[[[[[[[[]]]]]]]]]],
  () => JSON.parse('{"__proto__": {"a": 1}, "constructor": 1, "toString": null}'),
  () => JSON.parse(`${"[".repeat(3_000)}${"]".repeat(3_000)}`),
  () => JSON.parse(`${'{"a":'.repeat(1_000)}1${"}".repeat(1_000)}`),
  () => Array.from({ length: 1_000 }, (_, i) => i),
  () => structuredClone(meta),
];

class Fuzz {
  readonly #random: () => number;
  #last = 0;

  constructor(start: number) {
    this.#random = randomFrom(start);
  }

  #below(most: number): number {
    return Math.floor(this.#random() * most);
  }

  #of<T>(items: readonly T[]): T {
    return items[this.#below(items.length)]!;
  }

  /** As text, without an end. */
  message(): string {
    const kind = this.#random();
    if (kind < 0.1) {
      return `[${Array.from({ length: this.#below(5) }, () => this.#one()).join(",")}]`;
    }
    return kind < 0.3 ? this.#garbled(this.#one()) : this.#one();
  }

  #one(): string {
    const copy = structuredClone(this.#of(patterns)) as Record<string, unknown>;
    if ("method" in copy && "id" in copy) copy["id"] = `f${++this.#last}`;
    for (let i = this.#below(3); i > 0; i--) this.#change(copy);
    return JSON.stringify(copy);
  }

  #change(within: Record<string, unknown>): void {
    let at = within;
    for (;;) {
      const keys = Object.keys(at);
      if (keys.length === 0 || this.#random() < 0.1) {
        at[this.#of(["extra", "params", "_meta", "id", "method", "name"])] = this.#of(strange)();
        return;
      }
      const key = this.#of(keys);
      const value = at[key];
      if (typeof value === "object" && value !== null && this.#random() < 0.7) {
        at = value as Record<string, unknown>;
        continue;
      }
      if (this.#random() < 0.3) Reflect.deleteProperty(at, key);
      else at[key] = this.#of(strange)();
      return;
    }
  }

  #garbled(text: string): string {
    const at = this.#below(text.length);
    const way = this.#below(5);
    if (way === 0) return text.slice(0, at);
    if (way === 1) return text.slice(at);
    if (way === 2)
      return `${text.slice(0, at)}${this.#of(['"', "{", "\\", "\u{1F600}", "\t", "\r"])}${text.slice(at)}`;
    if (way === 3) return text + text;
    return text.slice(0, at) + String.fromCharCode(32 + this.#below(95)) + text.slice(at + 1);
  }
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The ids in a line that may be answered: those of requests, and of what is none but has an id. */
function idsIn(text: string) {
  const value = parsed(text);
  return (Array.isArray(value) ? (value as readonly unknown[]) : [value]).flatMap((each) => {
    const message = classify(each);
    if (message.kind !== "request" && message.kind !== "invalid") return [];
    return message.id === null ? [] : [message.id];
  });
}

async function hammer(wire: Wire, fuzz: Fuzz): Promise<void> {
  const asked = new Map<string | number, string>();
  const twice = new Set<string | number>();
  for (let i = 0; i < runs; i++) {
    const text = fuzz.message().replaceAll("\n", " ");
    for (const id of idsIn(text)) {
      if (asked.has(id)) twice.add(id);
      asked.set(id, text);
    }
    wire.send(`${text}\n`);
    // So that there is always some work open, and never all of it.
    if (i % 50 === 49) {
      wire.send(modern("tools/list"), { jsonrpc: "2.0", id: `p${i}`, method: "ping" });
      await wire.answer(`p${i}`);
    }
  }
  const answered = () =>
    wire.lines.flat().flatMap((line) => {
      const { id, method } = line as Message;
      return method === undefined && id !== null && id !== undefined ? [id] : [];
    });
  // The subscriptions of protocol 2026-07-28 are answered when they end.
  const wanted = [...asked].filter(
    ([id, text]) => !twice.has(id) && !text.includes("subscriptions/listen"),
  );
  const missing = () => {
    const ids = new Set(answered());
    return wanted.filter(([id]) => !ids.has(id)).map(([, text]) => text.slice(0, 300));
  };
  for (let patience = 0; patience < 100 && missing().length > 0; patience++) await Bun.sleep(100);
  expect(missing()).toEqual([]);
  const ids = answered().filter((id) => !twice.has(id) && asked.has(id));
  expect(ids.length).toBe(new Set(ids).size);
  for (const line of wire.lines.flat()) expect(line).toMatchObject({ jsonrpc: "2.0" });
}

const openings: Readonly<Record<string, readonly object[]>> = {
  "an initialized connection": [hello, ready],
  "a connection that began with anything": [],
  "a connection of 2026-07-28": [{ ...modern("tools/list"), id: "first" }],
};

test.each(Object.entries(openings))(
  `%s survives broken messages (seed ${seed})`,
  async (_, opening) => {
    await inEditPlace({ "a.txt": "one\n" }, async (place) => {
      const wire = openWire(place, ["--read-only"]);
      wire.send(...opening);
      await hammer(wire, new Fuzz(seed));
      expect(await wire.close()).toBe(0);
      expect(place.bytes("a.txt")).toBe("one\n");
    });
  },
);

test(`the HTTP endpoint survives broken messages (seed ${seed})`, async () => {
  await inEditPlace({ "a.txt": "one\n" }, async (place) => {
    const served = await serveHttp(place, ["--read-only"]);
    const fuzz = new Fuzz(seed);
    const post = (body: string, headers: Readonly<Record<string, string>>) =>
      fetch(served.url, {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
          ...served.headers,
          ...headers,
        },
        body,
      });
    const first = await post(JSON.stringify(hello), {});
    const session = { "Mcp-Session-Id": first.headers.get("mcp-session-id")! };
    await first.text();
    const ages: readonly Readonly<Record<string, string>>[] = [
      session,
      { "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/list" },
      {},
    ];
    for (let i = 0; i < runs; i++) {
      const text = fuzz.message();
      const response = await post(text, ages[i % ages.length]!);
      expect([text.slice(0, 500), [200, 202, 400, 404, 503].includes(response.status)]).toEqual([
        text.slice(0, 500),
        true,
      ]);
      // A subscription does not end by itself.
      if (text.includes("subscriptions/listen")) await response.body?.cancel();
      else await response.text();
    }
    const last = await post(JSON.stringify(callOf(1, "read", { path: "a.txt:raw" })), session);
    expect(await last.text()).toContain("one\\n");
    expect(await served.stop()).toBe(143);
  });
});
