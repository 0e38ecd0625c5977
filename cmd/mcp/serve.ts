import { AtomicError, exitStatus } from "../../core/errors.ts";
import { resolvePath } from "../../core/paths.ts";
import { locateState } from "../../core/session/locate.ts";
import { newSessionId } from "../../core/session/manage.ts";
import { connectionCall } from "../call-request.ts";
import type { Invocation } from "../command.ts";
import { noticesTo } from "../output.ts";
import { policyOf } from "../policy.ts";
import { version } from "../version.ts";

export async function serve({ program, settings, flags, stop }: Invocation): Promise<number> {
  const [{ serveStdio }, { createMcpServer, servedRows }, { lineTransport }, { withoutState }] =
    await Promise.all([
      import("@modelcontextprotocol/server/stdio"),
      import("../../core/mcp/server.ts"),
      import("../../core/mcp/line-transport.ts"),
      import("../../core/mcp/guarded-fs.ts"),
    ]);
  const { stdio } = program;
  if (stdio.stdin.isTerminal) {
    throw new AtomicError("usage.command", "An MCP server talks to a program, not to a terminal.", {
      hint: "Register `atomic mcp serve` with an agent; it starts the server itself.",
    });
  }
  const host = await program.host();
  const notice = noticesTo(stdio);
  const policy = policyOf(settings, host.env);
  const tools = (flags["tools"] as readonly string[] | undefined)?.flatMap((list) =>
    list
      .split(",")
      .map((name) => name.trim())
      .filter((name) => name !== ""),
  );
  servedRows(tools);
  const named = flags["root"] as string | undefined;
  const root = named === undefined ? undefined : resolvePath(named, host.env.cwd);
  if (root !== undefined && (await host.fs.stat(root))?.kind !== "directory") {
    throw new AtomicError("usage.command", `--root must name a folder, but ${root} is none.`);
  }
  const connection = connectionCall(
    host,
    { ...settings, session: settings.session ?? newSessionId(host.random) },
    root,
    notice,
  );
  const guarded = { ...host, fs: withoutState(host.fs, locateState(host.env).folder) };
  const transport = lineTransport({
    input: stdio.stdin.chunks(),
    write: (text) => stdio.stdout.write(text),
    notice,
  });
  stop.arm();
  const handle = serveStdio(
    () => {
      const server = createMcpServer({
        version,
        call: connection.call,
        host: guarded,
        policy,
        tools,
        notice,
      });
      if (root === undefined) {
        server.oninitialized = () => void connection.followRoots(server);
      }
      return server;
    },
    { transport, onerror: (error) => notice(`MCP: ${error.message}`) },
  );
  stop.signal.addEventListener("abort", () => void handle.close(), { once: true });
  await transport.ended;
  await connection.close();
  return stop.status() ?? exitStatus.success;
}
