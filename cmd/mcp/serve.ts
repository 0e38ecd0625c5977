// `atomic mcp serve`: over standard input and output, or over HTTP.

import { AtomicError, exitStatus } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { resolvePath } from "../../core/paths.ts";
import type { Host } from "../../core/ports/host.ts";
import type { Invocation } from "../command.ts";
import { noticesTo } from "../output.ts";
import { policyOf } from "../policy.ts";
import type { Served } from "./connection.ts";

export async function serve(invocation: Invocation): Promise<number> {
  const { program, settings, flags, stop } = invocation;
  const { stdio } = program;
  const host = await program.host();
  const notice = noticesTo(stdio);
  const { servedRows } = await import("../../core/mcp/server.ts");
  // What is wrong with the command line is said now, not with the first call.
  policyOf(settings, host.env);
  const tools = namesOf(flags["tools"] as readonly string[] | undefined);
  servedRows(tools);
  if (flags["http"] === undefined && flags["token-file"] !== undefined) {
    throw new AtomicError("usage.command", "--token-file goes with --http only.", {
      data: { flag: "token-file" },
    });
  }
  const root = await rootOf(flags["root"] as string | undefined, host);
  const yieldAfter = secondsOf(flags["yield"]);
  const served: Served = {
    host,
    settings,
    root,
    tools,
    isDeferred: flags["deferred"] === true,
    yieldAfter,
    offline: flags["offline"] === true,
    notice,
  };
  stop.arm();
  if (flags["http"] === undefined) await serveLines(served, invocation);
  else await (await import("./serve-http.ts")).serveHttp(served, invocation);
  return stop.status() ?? exitStatus.success;
}

async function serveLines(served: Served, { program: { stdio }, stop }: Invocation): Promise<void> {
  if (stdio.stdin.isTerminal) {
    throw new AtomicError("usage.command", "An MCP server talks to a program, not to a terminal.", {
      hint: "Register `atomic mcp serve` with an agent; it starts the server itself.",
    });
  }
  const { notice } = served;
  const [{ serveStdio }, { lineTransport }, { openConnection }] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("../../core/mcp/line-transport.ts"),
    import("./connection.ts"),
  ]);
  const connection = openConnection(served, false);
  connection.prepare();
  const transport = lineTransport({
    input: stdio.stdin.chunks(),
    write: (text) => stdio.stdout.write(text),
    notice,
  });
  const handle = serveStdio(
    ({ era }) => connection.server(era === "modern" ? "requests" : "initialized"),
    { transport, onerror: (error) => notice(`MCP: ${error.message}`) },
  );
  stop.signal.addEventListener("abort", () => void handle.close(), { once: true });
  await transport.ended;
  await connection.close();
}

function secondsOf(given: unknown): number | undefined {
  if (given === undefined) return undefined;
  const seconds = Number(given);
  if (seconds >= 1 && seconds <= limits.bashTimeoutMost) return seconds;
  throw new AtomicError(
    "usage.command",
    `Flag --yield needs seconds from 1 to ${limits.bashTimeoutMost}, but got ${seconds}.`,
  );
}

function namesOf(lists: readonly string[] | undefined): readonly string[] | undefined {
  return lists?.flatMap((list) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
}

async function rootOf(
  named: string | undefined,
  { fs, env }: Pick<Host, "fs" | "env">,
): Promise<string | undefined> {
  if (named === undefined) return undefined;
  const root = resolvePath(named, env.cwd);
  if ((await fs.stat(root))?.kind === "directory") return root;
  throw new AtomicError("usage.command", `--root must name a folder, but ${root} is none.`);
}
