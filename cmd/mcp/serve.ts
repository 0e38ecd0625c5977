// `atomic mcp serve`: over standard input and output, or over HTTP.

import { AtomicError, exitStatus } from "../../core/errors.ts";
import { limits } from "../../core/limits.ts";
import { resolvePath } from "../../core/paths.ts";
import type { Host } from "../../core/ports/host.ts";
import { newSessionId } from "../../core/session/manage.ts";
import type { Invocation } from "../command.ts";
import { noticesTo } from "../output.ts";
import { policyOf } from "../policy.ts";
import type { Settings } from "../settings.ts";
import { version } from "../version.ts";

/** What is served, whatever the transport. */
export interface Served {
  readonly host: Host;
  readonly settings: Settings;
  /** Absolute. */
  readonly root: string | undefined;
  readonly tools: readonly string[] | undefined;
  /** Seconds that a call waits for a command. */
  readonly yieldAfter: number | undefined;
  notice(text: string): void;
}

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
  const served: Served = { host, settings, root, tools, yieldAfter, notice };
  stop.arm();
  if (flags["http"] === undefined) await serveLines(served, invocation);
  else await (await import("./serve-http.ts")).serveHttp(served, invocation);
  return stop.status() ?? exitStatus.success;
}

async function serveLines(
  { host, settings, root, tools, yieldAfter, notice }: Served,
  { program: { stdio }, stop }: Invocation,
): Promise<void> {
  if (stdio.stdin.isTerminal) {
    throw new AtomicError("usage.command", "An MCP server talks to a program, not to a terminal.", {
      hint: "Register `atomic mcp serve` with an agent; it starts the server itself.",
    });
  }
  const [
    { serveStdio },
    { createMcpServer },
    { lineTransport },
    { PausedCalls },
    { Roots },
    { startCalls },
  ] = await Promise.all([
    import("@modelcontextprotocol/server/stdio"),
    import("../../core/mcp/server.ts"),
    import("../../core/mcp/line-transport.ts"),
    import("../../core/mcp/paused-calls.ts"),
    import("../../core/mcp/roots.ts"),
    import("./calls.ts"),
  ]);
  const session = settings.session ?? newSessionId(host.random);
  const calls = startCalls({
    settings: { ...settings, session },
    root,
    yieldAfter,
    host,
    notice,
  });
  calls.prepare();
  const roots = root === undefined ? new Roots({ fs: host.fs, notice }) : undefined;
  const paused = new PausedCalls(host);
  const transport = lineTransport({
    input: stdio.stdin.chunks(),
    write: (text) => stdio.stdout.write(text),
    notice,
  });
  const handle = serveStdio(
    ({ era }) =>
      createMcpServer({
        version,
        calls,
        roots,
        tools,
        client: era === "modern" ? "requests" : "initialized",
        paused,
        isShared: false,
        notice,
      }),
    { transport, onerror: (error) => notice(`MCP: ${error.message}`) },
  );
  stop.signal.addEventListener("abort", () => void handle.close(), { once: true });
  await transport.ended;
  await calls.close();
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
