import { expect, test } from "bun:test";

import { memoryHost } from "../../../adapters/memory/host.ts";
import type { MemoryProgram } from "../../../adapters/memory/processes.ts";
import { HelperFailure, withDeadline } from "../../../core/diagnostics/helper.ts";
import { type Found, openLanguageServer } from "../../../core/diagnostics/language-server.ts";
import { fakeServer, forever, type Message, type Peer } from "./fake-server.ts";

const uri = "file:///work/a.ts";
const at = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };
const bad = [{ range: at, message: "bad" }];

interface Asked {
  readonly found?: Found | undefined;
  readonly edits?: readonly unknown[];
  readonly failure?: string;
  /** Milliseconds. */
  readonly took: number;
  readonly left: number;
}

async function ask(
  program: MemoryProgram,
  what: "diagnose" | "format" = "diagnose",
): Promise<Asked> {
  const host = memoryHost({ programs: { ls: program } });
  const start = host.clock.now();
  const result: { found?: Found; edits?: readonly unknown[]; failure?: string } = {};
  try {
    await withDeadline(5000, host.clock, new AbortController().signal, async (signal) => {
      const server = await openLanguageServer({ words: ["ls"], folder: "/work" }, host, signal);
      try {
        server.show({ path: "/work/a.ts", languageId: "typescript", text: "text" });
        if (what === "diagnose") result.found = await server.diagnose("/work/a.ts", signal);
        else
          result.edits = await server.format(
            "/work/a.ts",
            { tabSize: 2, insertSpaces: true },
            signal,
          );
      } finally {
        await server.close();
      }
    });
  } catch (thrown) {
    if (!(thrown instanceof HelperFailure)) throw thrown;
    result.failure = thrown.message;
  }
  return { ...result, took: host.clock.now() - start, left: host.processes.running.size };
}

function publishing(...publishes: readonly object[]): MemoryProgram {
  return fakeServer(
    {},
    {
      async "textDocument/didOpen"(peer) {
        for (const each of publishes)
          await peer.notify("textDocument/publishDiagnostics", { uri, ...each });
      },
    },
  );
}

function pulling(
  ...answers: readonly ((peer: Peer, message: Message) => unknown)[]
): MemoryProgram {
  let count = 0;
  return fakeServer(
    { diagnosticProvider: {} },
    {
      "textDocument/diagnostic": (peer, message) =>
        answers[Math.min(count++, answers.length - 1)]!(peer, message),
    },
  );
}

const report =
  (items: unknown) =>
  (peer: Peer, { id }: Message) =>
    peer.respond(id, { kind: "full", items });

test("what is published is believed once the server is quiet", async () => {
  const asked = await ask(publishing({ diagnostics: [] }, { diagnostics: bad, version: 1 }));
  expect(asked.found).toEqual({ items: bad, partial: false });
  expect(asked.left).toBe(0);
});

test("nothing is believed more slowly: the rest may come much later", async () => {
  const program = fakeServer(
    {},
    {
      async "textDocument/didOpen"(peer) {
        await host.clock.sleep(1500);
        await peer.notify("textDocument/publishDiagnostics", { uri, diagnostics: [] });
        await host.clock.sleep(1200);
        await peer.notify("textDocument/publishDiagnostics", { uri, diagnostics: bad });
      },
    },
  );
  const host = memoryHost({ programs: { ls: program } });
  const never = new AbortController().signal;
  const server = await openLanguageServer({ words: ["ls"], folder: "/work" }, host, never);
  server.show({ path: "/work/a.ts", languageId: "typescript", text: "text" });
  expect(await server.diagnose("/work/a.ts", never)).toEqual({ items: bad, partial: false });
  await server.close();
});

test("diagnostics of another file or an older text are not ours", async () => {
  const asked = await ask(
    publishing({ uri: "file:///work/b.ts", diagnostics: bad }, { version: 0, diagnostics: bad }),
  );
  expect(asked.failure).toBe("it did not finish within 5 s");
  expect(asked.left).toBe(0);
});

test("a server that is asked answers, and is asked again where it says that it was too early", async () => {
  const early =
    (code: number) =>
    (peer: Peer, { id }: Message) =>
      peer.send({ id, error: { code, message: "early" } });
  const asked = await ask(pulling(early(-32801), early(-32802), report(bad)));
  expect(asked.found).toEqual({ items: bad, partial: false });
});

test("a refresh while it is asked is followed by another question", async () => {
  const refreshing = async (peer: Peer, message: Message) => {
    await peer.send({ id: "r", method: "workspace/diagnostic/refresh" });
    await report([])(peer, message);
  };
  expect((await ask(pulling(refreshing, report(bad)))).found).toEqual({
    items: bad,
    partial: false,
  });
});

test("a server that is at work when the time is over has said something, and that is partial", async () => {
  const busy = async (peer: Peer, message: Message) => {
    await peer.notify("$/progress", { token: "t", value: { kind: "begin" } });
    await report(bad)(peer, message);
  };
  const asked = await ask(pulling(busy));
  expect(asked.found).toEqual({ items: bad, partial: true });
  expect(asked.left).toBe(0);
});

test("published diagnostics wait for work that is announced", async () => {
  const program = fakeServer(
    {},
    {
      async "textDocument/didOpen"(peer) {
        await peer.notify("$/progress", { token: 1, value: { kind: "begin" } });
        await peer.notify("textDocument/publishDiagnostics", { uri, diagnostics: [] });
        await peer.notify("textDocument/publishDiagnostics", { uri, diagnostics: bad });
        await peer.notify("$/progress", { token: 1, value: { kind: "end" } });
      },
    },
  );
  expect((await ask(program)).found).toEqual({ items: bad, partial: false });
});

test("the server's own questions are answered", async () => {
  const log: Message[] = [];
  const program = fakeServer(
    {},
    {
      async initialized(peer) {
        await peer.send({ id: 1, method: "workspace/configuration", params: { items: [{}, {}] } });
        await peer.send({ id: "two", method: "client/registerCapability", params: {} });
        await peer.send({ id: 3, method: "window/workDoneProgress/create", params: {} });
        await peer.send({ id: 4, method: "workspace/workspaceFolders" });
        await peer.send({ id: 5, method: "workspace/applyEdit", params: {} });
        await peer.send({ id: 6, method: "no/such/method" });
      },
      "textDocument/didOpen": (peer) =>
        peer.notify("textDocument/publishDiagnostics", { uri, diagnostics: bad }),
    },
    log,
  );
  expect((await ask(program)).found?.items).toEqual(bad);
  expect(
    log
      .filter(({ method }) => method === undefined)
      .map(({ id, result, error }) => [id, result ?? error?.code ?? null]),
  ).toEqual([
    [1, [null, null]],
    ["two", null],
    [3, null],
    [4, [{ uri: "file:///work", name: "work" }]],
    [5, { applied: false }],
    [6, -32601],
  ] as never);
  expect(log.map(({ method }) => method).filter(Boolean)).toEqual([
    "initialize",
    "initialized",
    "textDocument/didOpen",
    "shutdown",
    "exit",
  ]);
});

test("formatting gives the server's edits", async () => {
  const edits = [{ range: at, newText: "x" }];
  const answering = (result: unknown) =>
    fakeServer(
      { documentFormattingProvider: true },
      { "textDocument/formatting": (peer, { id }) => peer.respond(id, result) },
    );
  expect((await ask(answering(edits), "format")).edits).toEqual(edits);
  expect((await ask(answering(null), "format")).edits).toEqual([]);
  expect((await ask(answering("x"), "format")).failure).toBe(
    "the server answered with what are no edits",
  );
  expect((await ask(publishing(), "format")).failure).toBe("the server offers no formatting");
});

const hostile: Readonly<Record<string, readonly [MemoryProgram, string]>> = {
  "never answers": [() => forever(), "it did not finish within 5 s"],
  "reads and never answers": [
    fakeServer({}, { initialize: () => undefined }),
    "it did not finish within 5 s",
  ],
  "never publishes": [fakeServer({}, {}), "it did not finish within 5 s"],
  "dies at once": [
    async ({ err }) => {
      await err("\nCannot find module 'x'\n    at stack\n");
      return 3;
    },
    "the server ended with status 3: Cannot find module 'x'",
  ],
  "dies while it is asked": [
    async (io) => {
      await fakeServer({}, {})({ ...io, stdin: first(io.stdin) });
      return 0;
    },
    "the server ended with status 0",
  ],
  crashes: [() => Promise.reject(new Error("crash")), "the server ended with signal SIGABRT"],
  "speaks no protocol": [
    async ({ out }) => {
      await out("Welcome!\nType help for help.\r\n\r\n");
      return forever();
    },
    "the server sent a message without a length",
  ],
  "sends what is no JSON": [
    async ({ out }) => {
      await out("Content-Length: 3\r\n\r\n{x}");
      return forever();
    },
    "the server sent a message that is no JSON",
  ],
  "announces more than fits": [
    async ({ out }) => {
      await out("Content-Length: 9999999999\r\n\r\n");
      return forever();
    },
    "the server announced a message of 9999999999 bytes",
  ],
  "refuses to start up": [
    fakeServer(
      {},
      {
        initialize: (peer, { id }) => peer.send({ id, error: { code: 1, message: "no licence" } }),
      },
    ),
    "the server answered initialize with an error: no licence",
  ],
  "says nothing of itself": [
    fakeServer({}, { initialize: (peer, { id }) => peer.respond(id, null) }),
    "the server did not say what it can do",
  ],
  "counts bytes": [
    fakeServer({ positionEncoding: "utf-8" }, {}),
    'the server counts columns in "utf-8", not UTF-16',
  ],
  "answers with no report": [
    pulling((peer, { id }) => peer.respond(id, { kind: "unchanged" })),
    "the server answered with no report",
  ],
  "refuses to answer": [
    pulling((peer, { id }) => peer.send({ id, error: { code: -32603, message: "x".repeat(999) } })),
    `the server answered textDocument/diagnostic with an error: ${"x".repeat(200)}`,
  ],
  "answers what nobody asked, in odd shapes": [
    async (io) => {
      const odd = [
        null,
        5,
        [],
        {},
        { id: 99, result: 1 },
        { id: {}, result: 1 },
        { id: 1, error: 5 },
      ];
      for (const message of odd) {
        const body = JSON.stringify(message);
        await io.out(`Content-Length: ${body.length}\r\n\r\n${body}`);
      }
      return forever();
    },
    "the server answered initialize with an error: undefined",
  ],
  "floods with errors": [
    async ({ err, out }) => {
      for (let i = 0; i < 200; i++) await err("x".repeat(10_000));
      await out("garbage\r\n\r\n");
      return forever();
    },
    "the server sent a message without a length",
  ],
};

test.each(Object.entries(hostile))(
  "a server that %s: nothing hangs, nothing is left",
  async (_, [program, failure]) => {
    const asked = await ask(program);
    expect(asked.failure).toBe(failure);
    expect(asked.left).toBe(0);
    expect(asked.took).toBeLessThan(6000);
  },
);

test("a server that floods with messages and with questions is cut off in time", async () => {
  const floods = [
    [{ method: "window/logMessage", params: {} }, "it did not finish within 5 s"],
    [
      { id: 1, method: "workspace/configuration", params: { items: [] } },
      "the server asks and does not listen",
    ],
  ] as const;
  for (const [message, failure] of floods) {
    const asked = await ask(
      fakeServer(
        {},
        {
          async "textDocument/didOpen"(peer) {
            // Where it would never end by itself, time must be able to pass.
            const pause = () => new Promise((resume) => setTimeout(resume, 0));
            while (await peer.send(message)) if (!("id" in message)) await pause();
          },
        },
      ),
    );
    expect(asked.failure).toBe(failure);
    expect(asked.left).toBe(0);
  }
});

test("a program that is not there says so", async () => {
  const host = memoryHost();
  const opening = openLanguageServer(
    { words: ["none"], folder: "/work" },
    host,
    new AbortController().signal,
  );
  expect(opening).rejects.toMatchObject({ message: "none was not found" });
});

test("who stops the call stops the server", async () => {
  const host = memoryHost({ programs: { ls: () => forever() } });
  const stop = new AbortController();
  const asking = withDeadline(5000, host.clock, stop.signal, (signal) =>
    openLanguageServer({ words: ["ls"], folder: "/work" }, host, signal),
  );
  stop.abort();
  expect(asking).rejects.toMatchObject({ message: "it was stopped" });
  await asking.catch(() => undefined);
  expect(host.processes.running.size).toBe(0);
});

/** Ends after the first part. */
async function* first(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    yield chunk;
    return;
  }
}
