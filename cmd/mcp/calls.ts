// The process that does the calls of one MCP connection, as `startCalls` starts it.

import { exitStatus } from "../../core/errors.ts";
import { CallProcess } from "../../core/mcp/call-process.ts";
import { doCalls } from "../../core/mcp/do-calls.ts";
import { withoutState } from "../../core/mcp/guarded-fs.ts";
import { linesOf } from "../../core/mcp/lines.ts";
import type { Clock } from "../../core/ports/clock.ts";
import type { Host } from "../../core/ports/host.ts";
import type { RunningProcess } from "../../core/ports/processes.ts";
import { locateState } from "../../core/session/locate.ts";
import { connectionCall } from "../call-request.ts";
import type { Program } from "../command.ts";
import type { Stop } from "../exit.ts";
import { noticesTo } from "../output.ts";
import { policyOf } from "../policy.ts";
import type { Settings } from "../settings.ts";
import { version } from "../version.ts";
import { TOKEN_VARIABLE } from "./token.ts";

/** What the process is told first, in a line of its own. */
export interface SharedByCalls {
  readonly settings: Settings;
  /** Absolute: where relative paths start, and the workspace. */
  readonly root: string | undefined;
  /** Seconds that a call waits for a command; undefined: as long as clients do. */
  readonly yieldAfter: number | undefined;
  /** Use no network. */
  readonly offline: boolean;
}

export interface CallsOf extends SharedByCalls {
  readonly host: Pick<Host, "processes" | "env"> & { readonly clock: Clock };
  notice(text: string): void;
}

export function startCalls(options: CallsOf): CallProcess {
  const { settings, root, yieldAfter, offline, host, notice } = options;
  const color = { out: false, err: false };
  const shared: SharedByCalls = { settings: { ...settings, color }, root, yieldAfter, offline };
  return new CallProcess({
    clock: host.clock,
    notice,
    async start(): Promise<RunningProcess> {
      const { program, args, env } = host.processes.self;
      const child = await host.processes.start({
        program,
        args: [...args, "--internal", "mcp"],
        cwd: host.env.cwd,
        // What a command prints of its environment must not be the key to this server.
        env: { ...env, [TOKEN_VARIABLE]: undefined },
      });
      await child.stdin.write(new TextEncoder().encode(`${JSON.stringify(shared)}\n`));
      return child;
    },
  });
}

/** Until standard input ends. */
export async function serveCalls({
  stdio,
  host: open,
  stop,
}: Pick<Program, "stdio" | "host"> & { readonly stop: Stop }): Promise<number> {
  const host = await open();
  const notice = noticesTo(stdio);
  const lines = linesOf(stdio.stdin.chunks(), Number.POSITIVE_INFINITY);
  const { value } = await lines.next();
  // The server went before it said anything.
  if (typeof value !== "string") return exitStatus.success;
  const { settings, root, yieldAfter, offline } = JSON.parse(value) as SharedByCalls;
  const connection = connectionCall(host, settings, root, notice, yieldAfter);
  const { folder } = locateState(host.env);
  stop.arm();
  try {
    await doCalls({
      input: lines,
      write: (text) => stdio.stdout.write(text),
      host: {
        ...host,
        fs: withoutState(host.fs, folder, `${folder}/sessions/${connection.sessionId}`),
      },
      policy: policyOf(settings, host.env),
      callIn: connection.callIn,
      async loadExternal(id) {
        const { externalTool } = await import("../../core/mcp-client/external-tool.ts");
        return externalTool({ id }, { version, offline });
      },
      signal: stop.signal,
    });
  } finally {
    await connection.close();
  }
  const { cleanLittle } = await import("../clean-kept.ts");
  await cleanLittle(host, async () => (await connection.callIn(undefined)).sessionFolder());
  return exitStatus.success;
}
