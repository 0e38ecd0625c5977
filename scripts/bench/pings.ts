// Pings an MCP server a hundred times, ten milliseconds apart, and says how long the slowest answer took: that of the calmest
// of four rounds, since whatever else the machine does falls on one, and what the server itself does falls on all.
//
//   bun scripts/bench/pings.ts ATOMIC busy|idle
//
// "busy": meanwhile it searches the working folder, reads and tags big.txt and looks for a block in big.ts, over and over.

const [atomic, mode] = process.argv.slice(2);
const child = Bun.spawn([atomic!, "mcp", "serve"], {
  stdin: "pipe",
  stdout: "pipe",
  stderr: "inherit",
});
const waiting = new Map<unknown, (answer: unknown) => void>();
let last = 0;

function ask(method: string, params: object = {}): Promise<unknown> {
  const id = ++last;
  child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
  void child.stdin.flush();
  return new Promise((settle) => waiting.set(id, settle));
}

async function pump(): Promise<void> {
  const decoder = new TextDecoder();
  let text = "";
  for await (const chunk of child.stdout) {
    const lines = (text + decoder.decode(chunk, { stream: true })).split("\n");
    text = lines.pop()!;
    for (const line of lines) {
      const answer = JSON.parse(line) as { readonly id: unknown };
      waiting.get(answer.id)?.(answer);
      waiting.delete(answer.id);
    }
  }
}

let isOver = false;
let calls = 0;

/** One heavy call after the other. */
async function burden(name: string, input: object): Promise<void> {
  while (!isOver) {
    const answer = await ask("tools/call", { name, arguments: input });
    if (JSON.stringify(answer).includes('"code":"internal"')) throw new Error("A call failed");
    calls++;
  }
}

void pump();
await ask("initialize", {
  protocolVersion: "2025-06-18",
  capabilities: {},
  clientInfo: { name: "bench", version: "1" },
});
// The process behind it is there, and knows the files.
await ask("tools/call", { name: "read", arguments: { path: "big.ts:1-2" } });
if (mode === "busy") {
  const header = /\[big\.ts#[0-9A-F]{4}\]/.exec(
    JSON.stringify(await ask("tools/call", { name: "read", arguments: { path: "big.ts:1-2" } })),
  )![0];
  const gone = `${header}\nreplace block 999999:\n+x\n`;
  void burden("search", { pattern: "needle[0-9]+x" });
  void burden("read", { path: "big.txt" });
  void burden("edit", { input: gone });
}
const rounds = [0, 0, 0, 0];
for (const round of rounds.keys()) {
  for (let i = 0; i < 25; i++) {
    await Bun.sleep(10);
    const start = performance.now();
    await ask("ping");
    rounds[round] = Math.max(rounds[round]!, performance.now() - start);
  }
}
isOver = true;
child.kill("SIGKILL");
console.log(JSON.stringify({ slowest: Math.round(Math.min(...rounds)), calls }));
process.exit(0);
